package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A known is one command or sub-command of the tables, with the words that lead
// to it.
type known struct {
	words []string
	tool  *table.Tool
}

// everyCommand returns all commands and sub-commands of the tables, each under
// every name that is no pattern.
func everyCommand(t *testing.T) []known {
	t.Helper()
	files, err := filepath.Glob("tables/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []known
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandLine.FindAllStringSubmatch(string(text), -1) {
			for _, name := range strings.Split(m[1], ",") {
				name = strings.TrimSpace(name)
				tool := table.Find(name)
				if tool == nil {
					t.Fatalf("%s: no table entry", name)
				}
				out = append(out, below(known{[]string{name}, tool})...)
			}
		}
	}
	return out
}

func below(k known) []known {
	out := []known{k}
	for i := range k.tool.Subs() {
		for _, name := range k.tool.SubNames(i) {
			if !strings.ContainsAny(name, "*?") {
				out = append(out, below(known{append(slices.Clip(k.words), name), k.tool.SubAt(i)})...)
			}
		}
	}
	return out
}

// TestUniform: commands of all programs that are called alike have the same
// effect.
func TestUniform(t *testing.T) {
	n := 0
	for _, k := range everyCommand(t) {
		if len(k.words) < 2 || k.tool.Subs() > 0 {
			continue
		}
		for _, line := range []string{strings.Join(k.words, " "), strings.Join(k.words, " ") + " one two"} {
			a, err := shell.Analyze(line, corpusPlace)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if problem := notUniform(k.words[len(k.words)-1], a.Commands[0].Effects); problem != "" && !slices.Contains(otherVerbs, strings.Join(k.words, " ")) {
				t.Errorf("%s: %s%s", line, problem, detail(a))
			}
		}
	}
	if n < 10000 {
		t.Errorf("only %d command lines", n)
	}
}

// otherVerbs are commands whose names mean something else.
var otherVerbs = []string{
	"prisma db push", "drizzle-kit push", "supabase db push", // they change a database
	"dotnet publish", "fossil publish", "yalc publish", // what they make stays on this machine
	"nx publish", "turbo publish", // what the project's task of that name does
}

// notUniform says which effect a command of that name lacks.
func notUniform(verb string, does shell.Effects) string {
	changes := does&^(shell.Reads|shell.LongRunning|shell.Network) != 0
	switch verb {
	case "delete", "del", "rm", "remove", "destroy", "drop", "uninstall", "purge", "erase":
		if !changes {
			return "changes nothing"
		}
		if !does.Has(shell.Deletes) {
			return "does not delete"
		}
	case "publish":
		if !does.Has(shell.Publishes | shell.Network) {
			return "does not publish"
		}
	case "push", "upload":
		if does.Has(shell.Network) && changes && !does.Has(shell.Publishes) {
			return "does not publish"
		}
	case "install":
		if does.Has(shell.Network) && changes && !does.Has(shell.Installs) {
			return "does not install"
		}
	}
	return ""
}
