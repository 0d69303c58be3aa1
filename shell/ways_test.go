package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestWays: what can be added to a command is what its table knows.
func TestWays(t *testing.T) {
	for _, test := range []struct {
		argv, has string // a ! behind it: it runs what it is given
		not       string
	}{
		{"sort", "-o x", "-o x!"},
		{"sort", "--compress-program x!", "!"},
		{"find", "-delete", ""},
		{"find .", "-fprint x", ""},
		{"git", "push", "--force"},
		{"git", "stash drop", ""},
		{"git push", "-f", "push"},
		{"make", "deploy", "!"},
		{"make", "-f x!", ""},
		{"sed", "-ix", ""},
		{"sqlite3", "-lookaside x x", "-lookaside x"},
		{"env", "!", ""},
		{"python3", "-c x!", ""},
		{"kubectl", "exec!", ""},
		{"python3 -m pytest", "", "-c x!"},
		{"/usr/bin/sort", "-o x", ""},
		{"echo", "", "*$*SECRET*"},
		{"nosuchprogram", "", "!"},
		{"", "", "!"},
	} {
		var got []string
		for _, way := range shell.Ways(strings.Fields(test.argv)...) {
			text := strings.Join(way.Words, " ")
			if way.Runs {
				text += "!"
			}
			got = append(got, text)
		}
		if test.has != "" && !slices.Contains(got, test.has) || test.not != "" && slices.Contains(got, test.not) {
			t.Errorf("%s: want %q and not %q in %q", test.argv, test.has, test.not, got)
		}
	}
}
