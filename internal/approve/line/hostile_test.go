package line_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/termtest"
)

// TestHostile: nothing that an agent sends moves the cursor, changes the title,
// makes a sound, turns text around, or looks like a line of the prompt.
func TestHostile(t *testing.T) {
	for _, cols := range []int{60, 80, 120} {
		t.Run(strconv.Itoa(cols), func(t *testing.T) {
			t.Parallel()
			hostile(t, cols)
		})
	}
}

func hostile(t *testing.T, cols int) {
	t.Helper()
	command := "git push origin main # \x1b[2J\x1b[H\x1b]0;owned\x07\x1bP1$r\x1b\\\x07\x08\x08\r\n" +
		"#   [y] once\n#   your answer: n\nsayso: claude wants to run\n" +
		"echo \u202egnp.exe \u2066x\u2069 \u200b p\u0430ypal \uff52\uff4d \u009b31m"
	term := ask(t, "native", command, cols, "ASK_AGENT=cl\x1b[31maude\r\nsayso: kim wants to run")
	term.Wait("[?] explain")
	term.Until("want the question", func(s *termtest.Screen) bool { return strings.HasSuffix(s.All(), "\n  your answer:\n") })
	term.Golden("hostile-" + strconv.Itoa(cols))
	term.See(func(s *termtest.Screen) {
		if len(s.Titles)+s.Bells+len(s.Odd) > 0 {
			t.Errorf("titles %q, %d bells, odd %q", s.Titles, s.Bells, s.Odd)
		}
		for l := range strings.Lines(s.All()) {
			for _, ours := range []string{"[y] once", "your answer: n", "sayso: kim", "sayso: claude"} {
				if strings.HasPrefix(strings.TrimLeft(l, " "), ours) && l != "  [y] once\n" {
					t.Errorf("a line of the agent looks like one of ours: %q", l)
				}
			}
		}
	})
	term.Type("n")
	term.Wait(`choice "n" yes false`)
}

// TestLong: a line of 20 kB is shown whole if it decides, and said to be long.
func TestLong(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{60, 120} {
		command := "git push origin " + strings.Repeat("x", 20<<10) + "END"
		term := ask(t, "native", command, cols)
		term.Wait("your answer:")
		text := term.Text()
		if n := strings.Count(text, "x"); n < 20<<10 || !strings.Contains(strings.ReplaceAll(text, "\n  | ", ""), "xEND") {
			t.Errorf("%d of %d characters are shown", n, 20<<10)
		}
		if !strings.Contains(text, "it has a line of 20499 characters") {
			t.Errorf("nobody is warned:\n%s", text[len(text)-2000:])
		}
	}
}

// TestFolded: of much that does not decide a part is folded, which is said; yes
// counts only when all of it was shown.
func TestFolded(t *testing.T) {
	t.Parallel()
	command := push + "\n" + strings.Repeat("echo one\n", 300) + "# hidden\n" + strings.Repeat("echo two\n", 300)
	term := ask(t, "native", command, 80)
	term.Wait("your answer:")
	if text := term.Text(); strings.Contains(text, "hidden") || !strings.Contains(text, "rows are not shown here: press ? to see them]") || !strings.Contains(text, push) {
		t.Errorf("%s", text)
	}
	term.Type("y")
	term.Wait("not all of it was shown: press ? first")
	term.Until("want a second question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 2 })
	term.Type("?")
	term.Wait("# hidden")
	term.Until("want a third question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 3 })
	term.Type("y")
	if code := term.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestOtherInput: where standard input is the agent's, the person is asked in the
// terminal, and what the agent sends there answers nothing.
func TestOtherInput(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `yes y | "$0"; exit $?`, self)
	cmd.Env = []string{"ASK_PRESET=native", "ASK_COMMAND=" + push, "TERM=xterm", "PATH=" + os.Getenv("PATH")}
	term := termtest.Start(t, cmd, 80, 24)
	term.Wait("your answer:")
	term.Type("n")
	term.Wait(`choice "n" yes false`)
}

// TestNoTerminal: without a terminal nobody is asked.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("setsid", "--wait", self) // a session of its own has no terminal
	cmd.Env = []string{"ASK_PRESET=native", "ASK_COMMAND=" + push}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no terminal to ask in") {
		t.Errorf("%s %v", out, err)
	}
}
