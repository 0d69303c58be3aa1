//go:build linux

package cli_test

import (
	"strings"
	"testing"
)

// TestRunTerminal: a command that is run has the terminal: its size, its keys, and the
// prompt before it in the same place.
func TestRunTerminal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso run -- sh -c 'stty size; tty -s && echo is a terminal; read x; echo "read $x"'; echo "status $?"`)
	term.Wait("24 80")
	term.Wait("is a terminal")
	term.Type("words\r")
	term.Wait("read words")
	term.Wait("status 0")
}

// TestRunInterrupt: Ctrl+C reaches the command, once, and sayso passes on its end.
func TestRunInterrupt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`trap : INT; sayso run -- sh -c 'trap "echo caught; exit 9" INT; echo ready; while :; do sleep 0.05; done'; echo "status $?"`)
	term.Wait("ready")
	term.Type("\x03")
	term.Wait("status 9")
	if n := strings.Count(term.Text(), "caught"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, term.Text())
	}
}

// TestRunAsks: what must be asked runs if a person says yes, with the contract that
// was shown, and only then.
func TestRunAsks(t *testing.T) {
	for key, want := range map[string]string{"y": "status 128", "n": "status 126", "\x03": "status 130"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			term := d.start(`trap : INT; sayso run --network loopback -- git push origin main; echo "status $?"`)
			term.Wait("your answer")
			text := term.Text()
			for _, row := range []string{"| git push origin main", "network policy: this machine only", "required: yes", "/.git/hooks"} {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), row) {
					t.Errorf("the prompt has no %q:\n%s", row, text)
				}
			}
			term.Type(key)
			term.Wait(want)
		})
	}
}

// TestRunSignal: a signal for sayso alone is passed on.
func TestRunSignal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`sayso run -- sh -c 'trap "echo told; exit 4" TERM; echo ready; while :; do sleep 0.05; done' >out & while ! grep -q ready out 2>/dev/null; do sleep 0.05; done; kill $!; wait $!; echo "status $?"; cat out`)
	if !strings.Contains(out, "status 4") || !strings.Contains(out, "told") {
		t.Errorf("%s", out)
	}
}

// TestRunKilled: when sayso is killed, nothing of what it has started goes on.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`sayso run -- sh -c 'echo ready; (while :; do echo x >>alive; sleep 0.05; done) & wait' >out & while ! grep -q ready out 2>/dev/null; do sleep 0.05; done
		kill -9 $!; wait $! 2>/dev/null; sleep 0.3; a=$(wc -c <alive); sleep 0.5; b=$(wc -c <alive); [ "$a" = "$b" ] && echo all ended`)
	if !strings.Contains(out, "all ended") {
		t.Errorf("%s", out)
	}
}

// TestRunStopped: Ctrl+Z stops the command and sayso, and fg continues both.
func TestRunStopped(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`PS1='ready> ' exec bash --norc -i`)
	term.Wait("ready>")
	term.Type("sayso run -- sh -c 'echo started; read x; echo \"read $x\"'\r")
	term.Wait("\nstarted")
	term.Type("\x1a")
	term.Wait("Stopped")
	term.Type("fg\r")
	term.Wait("fg\n")
	term.Type("words\r")
	term.Wait("\nread words")
	term.Type("exit\r") // what it records comes before
	if code := term.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
