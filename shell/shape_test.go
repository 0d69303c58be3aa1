package shell_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell"
)

// The shape of a command line is what is left of it without its operands:
// programs, sub-commands, names of options, redirections and the structure
// around them. Text in another language, such as a query or a filter, is a
// program and no operand, and stays.

// shapeOf returns the shape of a command line.
func shapeOf(t *testing.T, command string) string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return command // the mistake is what the line is about
	}
	keep := subcommandWords(t, command)
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	replace := func(w *syntax.Word) {
		if text, ok := plainText(w); ok {
			edits = append(edits, edit{int(w.Pos().Offset()), int(w.End().Offset()), operandShape(text, keep)})
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, w := range n.Args {
				if i > 0 {
					replace(w)
				}
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				replace(w)
			}
		case *syntax.Redirect:
			if n.Hdoc == nil && n.Word != nil {
				replace(n.Word)
			}
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits {
		command = command[:e.start] + e.text + command[e.end:]
	}
	return strings.Join(strings.Fields(command), " ")
}

// subcommandWords returns the words of a command line that name sub-commands.
func subcommandWords(t *testing.T, command string) map[string]bool {
	t.Helper()
	a, err := shell.Analyze(command, corpusPlace)
	if err != nil {
		t.Fatalf("%s\n%v", command, err)
	}
	keep := map[string]bool{}
	for i := range a.Commands {
		for _, w := range a.Commands[i].Prefix {
			keep[w] = true
		}
	}
	return keep
}

// plainText returns the text of a word without expansions.
func plainText(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar { // how it is written is the point
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// isOperand matches names, paths, addresses and numbers; what it does not match
// is a program in some language.
var isOperand = regexp.MustCompile(`^[\w./~@:+,#%*?\[\]-]*$`)

// isSetting matches the name in front of the = of NAME=VALUE.
var isSetting = regexp.MustCompile(`^-{0,2}[\w.-]+$`)

// operandShape returns what stays of one word.
func operandShape(text string, keep map[string]bool) string {
	if keep[text] {
		return text
	}
	if name, value, ok := strings.Cut(text, "="); ok && isSetting.MatchString(name) {
		return name + "=" + operandShape(value, keep)
	}
	if strings.HasPrefix(text, "-") {
		return text
	}
	if isOperand.MatchString(text) {
		return "X"
	}
	return "'" + text + "'"
}
