package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/termtest"
)

// A desk is a workspace and a home of its own, in which sayso is run.
type desk struct {
	t         *testing.T
	home, dir string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t, t.TempDir(), t.TempDir()}
	if err := os.Mkdir(filepath.Join(d.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d desk) command(script string, env ...string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = d.dir
	cmd.Env = append([]string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm"}, env...)
	return cmd
}

// start runs a script in a terminal.
func (d desk) start(script string, env ...string) *termtest.Terminal {
	return termtest.Start(d.t, d.command(script, env...), 80, 24)
}

// run runs a script elsewhere, and returns what it prints.
func (d desk) run(script string) string {
	d.t.Helper()
	out, err := d.command(script).CombinedOutput()
	if err != nil {
		d.t.Errorf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// waiting is the id of the one call that waits.
func (d desk) waiting() string {
	d.t.Helper()
	for range 500 {
		if m := regexp.MustCompile(`(?m)^([A-Z0-9]{10,})  asked`).FindStringSubmatch(d.run("sayso approve")); m != nil {
			return m[1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.t.Fatal("nothing waits")
	return ""
}

// TestAsk: a script goes on if a person says yes, and only then.
func TestAsk(t *testing.T) {
	for _, one := range []struct{ key, want, never string }{
		{"y", "went 0", "stopped"},
		{"n", "stopped 4", "went"},
		{"\x03", "stopped 130", "went"},
		{"\x04", "stopped 130", "went"},
	} {
		t.Run(one.want, func(t *testing.T) {
			t.Parallel()
			term := newDesk(t).start(`sayso ask bash 'git push' && echo "went $?" || echo "stopped $?"; stty -a | grep -q ' echo ' && echo sane`)
			term.Wait("your answer (4m left):")
			term.Type(one.key)
			term.Wait(one.want)
			term.Wait("sane")
			if text := term.Text(); strings.Contains(text, one.never) || !strings.Contains(text, "script wants to run") {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestAskRemembers: what is approved for longer is not asked again, and is
// recorded with who said it.
func TestAskRemembers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso ask bash 'git push origin main'`)
	term.Wait("your answer")
	term.Type("a")
	if code := term.Exit(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, term.Text())
	}
	if out := d.run("sayso ask bash 'git push origin next'"); !strings.Contains(out, "allow  grant") {
		t.Errorf("%s", out)
	}
	if out := d.run("sayso grant list; sayso log; sayso log verify"); !strings.Contains(out, "bash(git push *)") || !strings.Contains(out, "through terminal") {
		t.Errorf("%s", out)
	}
}

// TestAskSession: what is approved for the session counts in this shell, and in no
// other.
func TestAskSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso ask bash 'git push origin main'; sayso ask bash 'git push origin next'; setsid --wait sh -c "sayso ask --timeout 1s bash 'git push origin last'"`)
	term.Wait("your answer")
	term.Type("s")
	term.Wait("allow  grant")
	term.Wait("deny   person.none")
}

// TestAskElsewhere: when somebody answers elsewhere first, the prompt closes by
// itself and says who it was; the one who is second is told, too.
func TestAskElsewhere(t *testing.T) {
	for verb, want := range map[string]string{"approve": "went", "deny": "stopped 4"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			term := d.start(`sayso ask bash 'git push' && echo went || echo "stopped $?"; stty -a | grep -q ' echo ' && echo sane`)
			term.Wait("your answer")
			d.run("sayso " + verb + " " + d.waiting())
			term.Wait("through terminal was first and said " + map[string]string{"approve": "yes", "deny": "no"}[verb])
			term.Wait(want)
			term.Wait("sane")
		})
	}
}

// TestAskTooLate: when nobody answers, the prompt closes by itself.
func TestAskTooLate(t *testing.T) {
	t.Parallel()
	term := newDesk(t).start(`sayso ask --timeout 1s bash 'git push' || echo "stopped $?"`)
	term.Wait("nobody answered in time")
	term.Wait("stopped 4")
}

// TestAskAgent: an agent that has a terminal cannot answer in it, whatever it
// types; a person can, elsewhere.
func TestAskAgent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso ask bash 'git push' && echo went || echo "stopped $?"`, "CLAUDECODE=1")
	term.Wait("an agent seems to run this; it waits for an answer: sayso approve")
	term.Type("y")
	id := d.waiting()
	term.Type("y\r")
	if strings.Contains(term.Text(), "your answer") || strings.Contains(term.Text(), "went") {
		t.Errorf("an agent was asked:\n%s", term.Text())
	}
	d.run("sayso deny " + id)
	term.Wait("stopped 4")
}

// TestAskPiped: what is piped into it answers nothing.
func TestAskPiped(t *testing.T) {
	t.Parallel()
	term := newDesk(t).start(`yes y | sayso ask bash 'git push' && echo went || echo "stopped $?"`)
	term.Wait("your answer")
	term.Type("n")
	term.Wait("stopped 4")
}

// TestAskTogether: two scripts in one terminal ask one after the other, so that no
// key answers the wrong question.
func TestAskTogether(t *testing.T) {
	t.Parallel()
	term := newDesk(t).start(`sayso ask bash 'git push origin one' >one & sayso ask bash 'git push origin two' >two & wait; cat one two; echo done`)
	for n := 1; n <= 2; n++ {
		term.Until("want a question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer") == n })
		term.Type("y")
	}
	term.Wait("done")
	if text := term.Text(); strings.Count(text, "allow  person.yes") != 2 {
		t.Errorf("%s", text)
	}
}

// TestAskEnded: a signal withdraws the question and leaves the terminal as it was.
func TestAskEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso ask bash 'git push' & echo "pid $!"; wait $!; echo "stopped $?"; stty -a | grep -q ' echo ' && echo sane`)
	term.Wait("your answer")
	pid := regexp.MustCompile(`pid (\d+)`).FindStringSubmatch(term.Text())
	d.run("kill " + pid[1])
	term.Wait("stopped 130")
	term.Wait("sane")
	if out := d.run("sayso approve"); !strings.Contains(out, "nothing waits") {
		t.Errorf("it still waits: %s", out)
	}
}
