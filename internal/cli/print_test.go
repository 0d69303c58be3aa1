package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPrintf: nothing that is filled in moves the cursor, turns text around or
// passes for something else.
func TestPrintf(t *testing.T) {
	for _, test := range []struct {
		arg  any
		want string
	}{
		{"plain text, naïve · 日本語", "plain text, naïve · 日本語"},
		{"\x1b[2J\x1b[1;1Hallow", `\x1b[2J\x1b[1;1Hallow`},
		{"rm\u202ea", `rm\u{202e}a`},
		{"p\u0430ypal.com", `p\u{430}ypal.com`},
		{"one\ntwo", `one\ntwo`},
		{errors.Join(errors.New("a\x07"), errors.New("b")), "a\\x07\nb"},
		{7, "7"},
	} {
		var out bytes.Buffer
		if printf(&out, "%v", test.arg); out.String() != test.want {
			t.Errorf("%q: %q", test.arg, out.String())
		}
	}
}

// TestResultLines: what agents and repositories write is made visible in the lines
// that verbs print, as it is in the prompt.
func TestResultLines(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CLAUDECODE", "")
	t.Chdir(root)
	hostile := "\u0430pt\x1b[2J\u202e"
	write(t, filepath.Join(root, ".sayso.yaml"), "ask:\n  - rule: \"bash(p\u0430ypal *)\"\n    because: \"\\u202e\\e[1;1H\"\nmode: \"\\e[2Jno\"\n")
	for _, args := range [][]string{
		{"check", "bash", "curl https://" + hostile + ".example; " + hostile},
		{"check", "--explain", "bash", "rm -rf " + hostile + " ~/" + hostile},
		{"check", "bash", "p\u0430ypal x"},
		{"check", hostile, "{}"},
		{"ask", "--timeout", "1ms", "bash", "git push " + hostile},
		{"ask", "bash", "rm -rf / " + hostile},
		{"run", "--wait", "1ms", "--", "git", "push", hostile},
		{"rule", "list"},
		{"rule", "lint"},
		{"log"},
		{"approve", hostile},
		{"mode"},
		{"mode", hostile},
		{"trust", hostile},
		{hostile},
	} {
		var out bytes.Buffer
		Main(args, IO{In: strings.NewReader(""), Out: &out, Err: &out})
		if raw := regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f]|\x{202e}|\x{430}`).FindString(out.String()); raw != "" || out.Len() == 0 {
			t.Errorf("sayso %q prints %q:\n%q", args, raw, out.String())
		}
	}
}
