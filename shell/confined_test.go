package shell_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// confined are the reasons for which an opaque command may be less than
// dangerous: what is unknown can do no more than the known program does with it.
var confined = []string{
	"an argument cannot be known", "the option ", "the host cannot be known", "the addresses stand in a file", "the name that is looked up",
	"a path cannot be known", "the folder it works in cannot be known", "which files the program ", "which files the patch ", "which files the archive ", "awk reads a file whose name",
	"where the link leads",
	"the sed script ", "what this command of the client does", // neither runs anything that is unknown
	"the words of the input become a part of", // names of files in a known folder: other words are dangerous
	"it runs ", // a script, or what was unpacked or written, in the workspace
}

// TestConfined: opaque means unknown, and unknown is dangerous, but for what is
// confined.
func TestConfined(t *testing.T) {
	n, used := 0, map[string]bool{}
	for _, c := range readCorpus(t) {
		a, err := shell.Analyze(c.command, corpusPlace)
		if err != nil {
			t.Fatal(err)
		}
		if a.Opaque != "" && a.Risk > shell.Dangerous {
			t.Errorf("%s:%d: opaque as a whole and %v: %s", c.file, c.line, a.Risk, c.command)
		}
		for i := range a.Commands {
			cmd := &a.Commands[i]
			for _, why := range cmd.Opaque {
				n++
				if cmd.Risk <= shell.Dangerous {
					continue
				}
				start, ok := isConfined(why)
				if used[start] = true; !ok {
					t.Errorf("%s:%d: %v, though %s: %s", c.file, c.line, cmd.Risk, why, c.command)
				}
			}
		}
	}
	for _, start := range confined {
		if !used[start] {
			t.Errorf("no line needs the reason %q", start)
		}
	}
	if n < 100 {
		t.Errorf("only %d reasons in the corpus", n)
	}
	for _, line := range []string{
		`cat list | xargs -I{} sh -c 'mv {} old/'`, `curl -s https://x.example/l | xargs -I{} sh -c 'echo {}'`,
		`cat list | xargs -I{} python -c 'print("{}")'`, `echo "$X" | xargs -I% bash -c 'cat %'`,
	} {
		if a, err := shell.Analyze(line, corpusPlace); err != nil || a.Risk > shell.Dangerous {
			t.Errorf("%s: the words are code and come from anywhere%s", line, detail(a))
		}
	}
}

func isConfined(why string) (start string, ok bool) {
	for _, start := range confined {
		if strings.HasPrefix(why, start) {
			return start, true
		}
	}
	return "", false
}
