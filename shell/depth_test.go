package shell_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestDepthIsExact: every bracket, quote and keyword that opens something is a
// level; a hundred of them are read and one more is refused.
func TestDepthIsExact(t *testing.T) {
	for _, c := range []struct {
		open, middle, end string
		first             int // how many are one too many
	}{
		{"(", "true", ")", 101},
		{"{ ", "true", "; }", 101},
		{"echo $(", "true", ")", 101},
		{"x=$(", "true", ")", 101},
		{"cat <(", "true", ")", 101},
		{"if true; then ", "true", "; fi", 101},
		{"if true; then true; elif true; then ", "true", "; fi", 101},
		{"while true; do ", "true", "; done", 101},
		{"until true; do ", "true", "; done", 101},
		{"for i in a; do ", "true", "; done", 101},
		{"select i in a; do ", "true", "; done", 101},
		{"case a in a) ", "true", ";; esac", 101},
		{"f() { ", "true", "; }", 101},
		{"time ", "true", "", 101},
		{"if ! echo fi; then ", "true", "; fi", 100}, // the last ! is one more
		{"if echo in fi; then ", "true", "; fi", 101},
		{"for x do ", "true", "; done", 101},
		{"true && \\\nif true; then ", "true", "; fi", 101},
		{"echo \"$(", "true", ")\"", 51}, // the quote and the parenthesis
		{"( { ", "true", "; } )", 51},
		{"if true; then ( ", "true", " ); fi", 51},
	} {
		for _, n := range []int{1, c.first / 2, c.first - 1, c.first, 10 * c.first} {
			src := strings.Repeat(c.open, n) + c.middle + strings.Repeat(c.end, n)
			a, err := shell.Analyze(src, corpusPlace)
			switch {
			case n >= c.first && !errors.Is(err, shell.ErrTooDeep):
				t.Errorf("%q × %d is read: %v", c.open, n, err)
			case n < c.first && err != nil:
				t.Errorf("%q × %d is refused: %v", c.open, n, err)
			case n < c.first && strings.Contains(a.Opaque, "parse"):
				t.Errorf("%q × %d: %s", c.open, n, a.Opaque)
			}
		}
	}
}

// TestDepthOfPlainWords: what only looks like nesting is none.
func TestDepthOfPlainWords(t *testing.T) {
	for _, line := range []string{
		"echo if", "grep -r for .", "git log --grep while", "echo 'if ( { ['", "echo \"(((\" case", "# if ( {", "echo ! time",
		"[ -f x ] && echo [ok]", "echo a{b,c} ${x}", "cat <<'E'\nif ( {\nE", "case x in a) ls;; esac", "test x = select",
	} {
		if _, err := shell.Analyze(strings.Repeat(line+"\n", 500), corpusPlace); err != nil {
			t.Errorf("500 lines %q: %v", line, err)
		}
	}
}
