package shell_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell"
)

// The targets of this file say of two command lines that the analysis must not
// tell them apart, or of one what always holds.

// FuzzQuoting: a word that is quoted in another way is the same word.
func FuzzQuoting(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add(s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, src string, how uint8) {
		again, ok := requote(src, how)
		if !ok {
			return
		}
		a, err := shell.Analyze(src, corpusPlace)
		if err != nil || a.Opaque != "" {
			return
		}
		b, err := shell.Analyze(again, corpusPlace)
		if err != nil { // it became too long or too deep
			return
		}
		if got, want := summary(b), summary(a); got != want {
			t.Errorf("%s\nand\n%s\ndiffer:\n%s\n%s", src, again, want, got)
		}
	})
}

// plainWord holds the bytes that mean the same with and without quotes.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+-"

// requote quotes every plain word of the commands of a script.
func requote(src string, how uint8) (string, bool) {
	if len(src) > 2048 || strings.ContainsAny(src, "`\x00\r") || strings.Contains(src, "alias") {
		return "", false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil {
		return "", false
	}
	var words []*syntax.Word
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			words = append(words, call.Args...)
		}
		return true
	})
	slices.SortFunc(words, func(a, b *syntax.Word) int { return int(b.Pos().Offset()) - int(a.Pos().Offset()) })
	changed := false
	for _, w := range words {
		start, end := w.Pos().Offset(), w.End().Offset()
		if text := w.Lit(); text != "" && text == src[start:end] && strings.Trim(text, plainWord) == "" {
			src = src[:start] + quoteWord(text, how) + src[end:]
			changed = true
		}
	}
	return src, changed
}

func quoteWord(text string, how uint8) string {
	var b strings.Builder
	switch how % 5 {
	case 0:
		return "'" + text + "'"
	case 1:
		return `"` + text + `"`
	case 2:
		for _, c := range []byte(text) {
			b.WriteByte('\\')
			b.WriteByte(c)
		}
		return b.String()
	case 3:
		b.WriteString("$'")
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String() + "'"
	}
	half := len(text) / 2
	return text[:half] + `""` + "'" + text[half:] + "'"
}

// summary is what an analysis says, without where in the source and how often.
func summary(a *shell.Analysis) string {
	lines := []string{fmt.Sprintf("%v [%v] %s", a.Risk, a.Effects, a.Opaque)}
	for i := range a.Commands {
		c := &a.Commands[i]
		line := fmt.Sprintf("%v %s [%v] %v %v %s", c.Risk, argvText(c.Args), c.Effects, c.Hosts, c.Opaque, c.Sentence)
		for _, p := range c.Paths {
			line += fmt.Sprintf(" %v:%s", p.Access, p.Abs)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// FuzzSame: an analysis depends on nothing but its input, whatever was analysed
// in between.
func FuzzSame(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add(s, fuzzSeeds[(i+1)%len(fuzzSeeds)])
	}
	f.Fuzz(func(t *testing.T, src, between string) {
		a, err := shell.Analyze(src, corpusPlace)
		_, _ = shell.Analyze(between, corpusPlace)
		b, again := shell.Analyze(src, corpusPlace)
		if (err == nil) != (again == nil) || !reflect.DeepEqual(a, b) {
			t.Errorf("two analyses of %q differ", src)
		}
	})
}

// FuzzPrefix: nothing opaque, and nothing that runs something else, is offered
// as the prefix of a rule; what is offered is made of the words of the command.
func FuzzPrefix(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		a, err := shell.Analyze(src, corpusPlace)
		if err != nil {
			return
		}
		for i := range a.Commands {
			c := &a.Commands[i]
			if !c.Suggest {
				continue
			}
			if len(c.Opaque) > 0 || a.Opaque != "" {
				t.Errorf("%q is opaque and offered as %q", argvText(c.Args), c.Prefix)
			}
			if len(c.Prefix) == 0 || len(c.Args) < len(c.Prefix) {
				t.Fatalf("%q is offered as %q", argvText(c.Args), c.Prefix)
			}
			if slices.ContainsFunc(a.Commands, func(inner shell.Command) bool { return inner.Via == i && !inner.Nested }) {
				t.Errorf("%q runs another command and is offered as %q", argvText(c.Args), c.Prefix)
			}
			rest := c.Args[1:]
			for _, word := range c.Prefix[1:] {
				at := slices.IndexFunc(rest, func(arg shell.Arg) bool { return arg.Text == word && !arg.Unknown })
				if at < 0 {
					t.Errorf("%q is offered as %q, which are not its words", argvText(c.Args), c.Prefix)
					break
				}
				rest = rest[at+1:]
			}
		}
	})
}

// FuzzSpans: the range of a command holds its text: read alone, it is the same
// command.
func FuzzSpans(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		a, err := shell.Analyze(src, corpusPlace)
		if err != nil || a.Opaque != "" || strings.Contains(src, "alias") || strings.ContainsAny(src, "\x00\r") {
			return
		}
		for i := range a.Commands {
			c := &a.Commands[i]
			if c.Via >= 0 || len(c.Args) == 0 {
				continue
			}
			words, ok := literalWords(src[c.Span.Start:c.Span.End])
			if ok && !slices.EqualFunc(c.Args, words, func(arg shell.Arg, w string) bool { return arg.Text == w }) {
				t.Errorf("%q stands at %q", argvText(c.Args), src[c.Span.Start:c.Span.End])
			}
		}
	})
}

// literalWords returns the words of a simple command without expansions.
func literalWords(src string) ([]string, bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return nil, false
	}
	var out []string
	for _, w := range call.Args {
		text, ok := plainText(w)
		if !ok || strings.ContainsAny(text, "\\{}~") {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

// FuzzThen: what follows a script never makes it look less risky.
func FuzzThen(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add(s, fuzzSeeds[(i+1)%len(fuzzSeeds)])
	}
	f.Fuzz(func(t *testing.T, first, then string) {
		if len(first)+len(then) > 4096 || strings.HasSuffix(first, `\`) || strings.ContainsAny(first, "\x00") {
			return
		}
		a, err := shell.Analyze(first, corpusPlace)
		if err != nil || a.Opaque != "" {
			return
		}
		b, err := shell.Analyze(first+"\n"+then, corpusPlace)
		if err == nil && b.Risk > a.Risk {
			t.Errorf("%v became %v:\n%s\n%s", a.Risk, b.Risk, first, then)
		}
	})
}
