package shell_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/internal/table"
)

// longestSentence is how many characters a sentence has at most for a command
// with two short operands.
const longestSentence = 220

// TestEverySentence: whatever a command or sub-command of the tables is given, it
// gets a whole sentence of its own.
func TestEverySentence(t *testing.T) {
	n := 0
	for _, k := range everyCommand(t) {
		line := strings.Join(k.words, " ")
		for _, tail := range append([]string{"", " omega", " omega beta.txt", " --some-option omega beta.txt"}, flagTails(k.tool)...) {
			n++
			checkSentence(t, line+tail, k)
		}
	}
	if n < 100000 {
		t.Errorf("only %d command lines", n)
	}
}

// flagTails are arguments for each option that can change the sentence: alone,
// and with operands.
func flagTails(tool *table.Tool) []string {
	var out []string
	flags := tool.Flags()
	for i := range flags {
		f := &flags[i]
		says := f.Do != nil && f.Do.Say != ""
		for j := range tool.Whens {
			says = says || tool.Whens[j].Do.Say != "" && names(&tool.Whens[j], f.Names)
		}
		if !says {
			continue
		}
		option := " " + f.Names[0]
		switch {
		case f.Kind != table.KindNone && f.Attached:
			option += "=gamma"
		case f.Kind != table.KindNone:
			option += strings.Repeat(" gamma", 1+int(f.Skip))
		}
		out = append(out, option, option+" omega beta.txt")
	}
	return out
}

// names reports whether a condition looks at one of the options.
func names(w *table.When, options []string) bool {
	for _, all := range w.Any {
		for i := range all {
			for _, o := range options {
				if all[i].Op == table.TermFlag && all[i].Flag == o {
					return true
				}
			}
		}
	}
	return false
}

func checkSentence(t *testing.T, line string, k known) {
	t.Helper()
	a, err := shell.Analyze(line, corpusPlace)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	if len(a.Commands) == 0 {
		return // a reserved word of the shell
	}
	s := a.Commands[0].Sentence
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case s == "":
		t.Errorf("%s: no sentence", line)
	case strings.ContainsAny(s, "{}") && !strings.ContainsAny(line, "{}"):
		t.Errorf("%s: a placeholder is left: %q", line, s)
	case strings.Contains(s, "  ") || strings.TrimSpace(s) != s:
		t.Errorf("%s: blanks: %q", line, s)
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":"):
		t.Errorf("%s: it ends like no sentence: %q", line, s)
	case !unicode.IsUpper(first):
		t.Errorf("%s: it starts in lower case: %q", line, s)
	case utf8.RuneCountInString(s) > longestSentence:
		t.Errorf("%s: too long: %q", line, s)
	case strings.HasPrefix(s, "Run command: "+k.words[0]):
		t.Errorf("%s: it is the one of an unknown program: %q", line, s)
	case strings.HasSuffix(line, " omega") && saysOperands(k.tool) && !strings.Contains(s, "omega"):
		t.Errorf("%s: the operand is not in it: %q", line, s)
	}
	verb, _, _ := strings.Cut(s, " ")
	if want, ok := verbEffects[verb]; ok && a.Commands[0].Effects&want == 0 {
		t.Errorf("%s: it says %q, but does only %v", line, s, a.Commands[0].Effects)
	}
}

// verbEffects is what a sentence that starts so must mean: one of the effects.
var verbEffects = map[string]shell.Effects{
	"Delete":    shell.Deletes,
	"Erase":     shell.Deletes,
	"Uninstall": shell.Deletes,
	"Upload":    shell.Publishes,
	"Publish":   shell.Publishes,
	"Download":  shell.Network,
	"Fetch":     shell.Network,
	"Install":   shell.Installs | shell.Writes | shell.System,
	"Overwrite": shell.Writes | shell.Irreversible,
}

// saysOperands reports whether the sentence of a command has its operands in it,
// whatever else is given.
func saysOperands(tool *table.Tool) bool {
	for i := range tool.Whens {
		if do := &tool.Whens[i].Do; do.Say != "" || do.Instead {
			return false
		}
	}
	if len(tool.Says) == 0 || tool.Do.Say != "" || tool.Subs() > 0 || tool.Is(table.IsWrapping) || slices.ContainsFunc(tool.Names, func(n string) bool { return n[0] == '-' }) {
		return false
	}
	one := strings.NewReplacer("{args}", "", "{arg1}", "", "{words}", "", "{last}", "", "{cmd}", "", "{sub}", "", "{subs}", "")
	return strings.Contains(tool.Says[0], "{arg") && !strings.Contains(one.Replace(tool.Says[0]), "{")
}
