//go:build linux

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStepwiseAsks: a person is asked about the words that a command has when it is to
// run; a yes for longer counts for the steps behind it; a no ends the script.
func TestStepwiseAsks(t *testing.T) {
	for key, want := range map[string]string{"y": "ended 7", "s": "ended 7", "n": "ended 126", "\x03": "ended 130"} {
		t.Run(want+strings.Trim(key, "\x03"), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if err := os.WriteFile(filepath.Join(d.dir, "branch"), []byte("ma\"in\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			more := map[string]string{"s": "git push origin next;"}[key]
			term := d.start(`trap : INT; sayso run --stepwise --network loopback -c 'git push origin "$(cat branch)"; ` + more + ` exit 7'; echo "ended $?"`)
			term.Wait("your answer")
			if text := term.Text(); !strings.Contains(text, `| git push origin 'ma"in'`) {
				t.Errorf("it is not asked about what would run:\n%s", text)
			}
			term.Type(key)
			term.Wait(want)
		})
	}
}

// TestStepwiseBusy: nobody is asked in a terminal in which another command could write
// over the question.
func TestStepwiseBusy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`sayso run --stepwise --network loopback -c 'sh -c "touch runs; sleep 60" & until [ -f runs ]; do sleep 0.05; done; git push; echo "was $?"'; echo "ended $?"`)
	term.Wait("another command of the script runs in this terminal")
	d.run("sayso approve " + d.waiting())
	term.Wait("was 128")
	term.Wait("ended 0")
}

// TestStepwiseInterrupt: Ctrl+C ends the command and the script; a command that goes on
// lets the script go on, as in a shell.
func TestStepwiseInterrupt(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`sh -c "echo ready; sleep 60"; echo went on`:                                                   "ended 130",
		`sh -c "trap \"exit 0\" INT; echo ready; while :; do sleep 0.05; done"; echo "went $((40+2))"`: "went 42",
		`echo ready; while :; do :; done; echo went on`:                                                "ended 130",
	} {
		d := newDesk(t)
		term := d.start(`trap : INT; sayso run --stepwise -c '` + script + `'; echo "ended $?"`)
		term.Wait("ready")
		term.Type("\x03")
		term.Wait(want)
		if strings.Contains(term.Text(), "\nwent on") {
			t.Errorf("it went on:\n%s", term.Text())
		}
	}
}

// TestStepwiseSignal: a signal for sayso alone ends what runs, and the script.
func TestStepwiseSignal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`sayso run --stepwise -c 'sh -c "trap \"echo told; exit 4\" TERM; echo ready; while :; do sleep 0.05; done"; echo went on' >out & while ! grep -q ready out 2>/dev/null; do sleep 0.05; done; kill $!; wait $!; echo "ended $?"; cat out`)
	if !strings.Contains(out, "ended 143") || !strings.Contains(out, "told") || strings.Contains(out, "went on") {
		t.Errorf("%s", out)
	}
}

// TestStepwiseEnded: nothing of a script runs on when it has ended, or sayso was killed.
func TestStepwiseEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`sayso run --stepwise -c 'sh -c "while :; do echo x >>alive; sleep 0.05; done" & until [ -s alive ]; do sleep 0.05; done; echo end'
		a=$(wc -c <alive); sleep 0.5; b=$(wc -c <alive); [ "$a" = "$b" ] && echo all ended`)
	if !strings.Contains(out, "all ended") {
		t.Errorf("%s", out)
	}
}
