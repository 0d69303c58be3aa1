package shell_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// The corpus in testdata/commands is written for this project; its format is
// described in testdata/commands/README.md.

var corpusPlace = shell.Place{Dir: "/home/dev/app", Home: "/home/dev"}

// fewestLines is how many command lines the corpus has at least.
const fewestLines = 3400

// A corpusCase is one command line and what is expected of it.
type corpusCase struct {
	file    string
	line    int
	command string
	expect  []string
}

func TestCorpus(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(fmt.Sprintf("%s:%d", c.file, c.line), func(t *testing.T) {
			a, err := shell.Analyze(c.command, corpusPlace)
			if err != nil {
				t.Fatalf("%s\n%v", c.command, err)
			}
			if problem := checkAllRuns(a, c.expect); problem != "" {
				t.Errorf("%s\n%s", c.command, problem)
			}
			for _, e := range c.expect {
				if problem := check(a, e); problem != "" {
					t.Errorf("%s\n%s", c.command, problem)
				}
			}
		})
	}
}

// TestCorpusSize holds the promise about how large and how varied it is.
func TestCorpusSize(t *testing.T) {
	cases := readCorpus(t)
	if len(cases) < fewestLines {
		t.Errorf("%d command lines, want at least %d", len(cases), fewestLines)
	}
	seen, shapes := map[string]string{}, map[string]string{}
	for _, c := range cases {
		at := fmt.Sprintf("%s:%d", c.file, c.line)
		if other, ok := seen[c.command]; ok {
			t.Errorf("%s repeats %s: %s", at, other, c.command)
		}
		seen[c.command] = at
		key := shapeOf(t, c.command)
		if other, ok := shapes[key]; ok {
			t.Errorf("%s is %s with other operands: %s", at, other, c.command)
		}
		shapes[key] = at
		if !slices.ContainsFunc(c.expect, func(e string) bool { return strings.HasPrefix(e, "risk ") }) {
			t.Errorf("%s has no risk: %s", at, c.command)
		}
	}
}

// TestCorpusStates: lines that state a risk alone would let argv, effects and
// paths go wrong unseen.
func TestCorpusStates(t *testing.T) {
	count := map[string]int{}
	for _, c := range readCorpus(t) {
		kinds := map[string]bool{}
		for _, e := range c.expect {
			word, _, _ := strings.Cut(e, " ")
			switch word {
			case "list", "read", "write", "delete", "change":
				word = "paths"
			case "noprefix":
				word = "prefix"
			}
			kinds[word] = true
		}
		for k := range kinds {
			count[k]++
		}
	}
	for kind, fewest := range map[string]int{
		"does": 1200, "runs": 600, "paths": 900, "host": 400, "prefix": 700, "say": 300, "opaque": 80,
	} {
		if count[kind] < fewest {
			t.Errorf("%d command lines state %s, want at least %d", count[kind], kind, fewest)
		}
	}
}

func readCorpus(t *testing.T) []corpusCase {
	t.Helper()
	files, err := filepath.Glob("testdata/commands/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var cases []corpusCase
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, parseCorpus(t, filepath.Base(f), string(text))...)
	}
	return cases
}

func parseCorpus(t *testing.T, file, text string) []corpusCase {
	t.Helper()
	var cases []corpusCase
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "$ "):
			cases = append(cases, corpusCase{file: file, line: i + 1, command: line[2:]})
		case len(cases) > 0 && (strings.HasPrefix(line, "> ") || line == ">"):
			cases[len(cases)-1].command += "\n" + strings.TrimPrefix(line[1:], " ")
		case len(cases) > 0 && strings.HasPrefix(line, "  "):
			last := &cases[len(cases)-1]
			last.expect = append(last.expect, strings.TrimSpace(line))
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		default:
			t.Fatalf("%s:%d: not understood: %s", file, i+1, line)
		}
	}
	return cases
}

// check returns what is wrong with one expectation.
func check(a *shell.Analysis, expect string) string {
	word, rest, _ := strings.Cut(expect, " ")
	switch word {
	case "risk":
		if a.Risk.String() != rest {
			return fmt.Sprintf("risk %v, want %s%s", a.Risk, rest, detail(a))
		}
	case "does":
		if want := effectsOf(rest); a.Effects != want {
			return fmt.Sprintf("does %v, want %v", a.Effects, want)
		}
	case "has":
		if want := effectsOf(rest); !a.Effects.Has(want) {
			return fmt.Sprintf("does %v, want %v among them", a.Effects, want)
		}
	case "runs": // checkAllRuns has looked at them together
	case "list", "read", "write", "delete", "change":
		return checkPath(a, word, rest)
	case "host":
		for i := range a.Commands {
			if slices.Contains(a.Commands[i].Hosts, rest) {
				return ""
			}
		}
		return fmt.Sprintf("does not talk to %s%s", rest, detail(a))
	case "opaque":
		for i := range a.Commands {
			if len(a.Commands[i].Opaque) > 0 {
				return ""
			}
		}
		if a.Opaque == "" {
			return "not opaque"
		}
	case "prefix", "noprefix":
		return checkPrefix(a, word == "prefix", rest)
	case "say":
		if got := a.Explain(); got != rest {
			return fmt.Sprintf("says %q\n want %q", got, rest)
		}
	default:
		return "unknown expectation: " + expect
	}
	return ""
}

func effectsOf(words string) shell.Effects {
	var out shell.Effects
	for _, w := range strings.Fields(words) {
		e, err := shell.ParseEffect(w)
		if err != nil {
			panic(err)
		}
		out |= e
	}
	return out
}

// checkAllRuns: if one command is listed, all of them are, in their order.
func checkAllRuns(a *shell.Analysis, expect []string) string {
	var want, got []string
	for _, e := range expect {
		if words, ok := strings.CutPrefix(e, "runs "); ok {
			want = append(want, words)
		}
	}
	if len(want) == 0 {
		return ""
	}
	for i := range a.Commands {
		if len(a.Commands[i].Args) > 0 {
			got = append(got, argvText(a.Commands[i].Args))
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("runs %q\nwant %q%s", got, want, detail(a))
	}
	return ""
}

func argvText(args []shell.Arg) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg.Text
		if arg.Text == "" || strings.ContainsAny(arg.Text, " '\"\n") {
			words[i] = "'" + arg.Text + "'"
		}
	}
	return strings.Join(words, " ")
}

func checkPath(a *shell.Analysis, access, want string) string {
	abs := want
	if rest, ok := strings.CutPrefix(want, "~"); ok {
		abs = corpusPlace.Home + rest
	} else if !path.IsAbs(want) {
		abs = path.Join(corpusPlace.Dir, want)
	}
	for i := range a.Commands {
		for _, p := range a.Commands[i].Paths {
			if p.Access.String() == access && p.Abs == abs {
				return ""
			}
		}
	}
	return fmt.Sprintf("no %s of %s%s", access, abs, detail(a))
}

func checkPrefix(a *shell.Analysis, want bool, words string) string {
	for i := range a.Commands {
		c := &a.Commands[i]
		if c.Via >= 0 && !want {
			continue
		}
		if !want && c.Suggest {
			return fmt.Sprintf("would suggest %q", strings.Join(c.Prefix, " "))
		}
		if want && c.Suggest && strings.Join(c.Prefix, " ") == words {
			return ""
		}
	}
	if want {
		return fmt.Sprintf("does not suggest %q%s", words, detail(a))
	}
	return ""
}

// detail shows the whole analysis, for a failure.
func detail(a *shell.Analysis) string {
	var b strings.Builder
	if a.Opaque != "" {
		fmt.Fprintf(&b, "\n  opaque: %s", a.Opaque)
	}
	for i := range a.Commands {
		c := &a.Commands[i]
		fmt.Fprintf(&b, "\n  %-9v %s  [%v] %s", c.Risk, argvText(c.Args), c.Effects, c.Sentence)
		for _, p := range c.Paths {
			fmt.Fprintf(&b, " %v:%s", p.Access, p.Abs)
		}
		fmt.Fprintf(&b, " %v %v prefix=%v/%v", c.Hosts, c.Opaque, c.Prefix, c.Suggest)
	}
	return b.String()
}
