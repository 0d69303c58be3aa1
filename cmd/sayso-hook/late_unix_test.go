//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLate: an agent that keeps its end open, and a lock that somebody holds, are
// answered in time all the same, and with a denial.
func TestLate(t *testing.T) {
	dir := t.TempDir()
	hook := filepath.Join(dir, "sayso-hook")
	if out, err := exec.Command("go", "build", "-o", hook, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]struct {
		event string
		hold  string // a file whose lock is held
	}{
		"the event does not end": {event: `{"session_id":"s","cwd":"` + dir + `"`},
		"a lock is held":         {event: `{"session_id":"s","cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, hold: "journal/head"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			if test.hold != "" {
				hold(t, filepath.Join(state, "sayso", test.hold))
			}
			in, keep, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := keep.WriteString(test.event); err != nil {
				t.Fatal(err)
			}
			if test.hold != "" {
				_ = keep.Close() // the event is whole
			}
			t.Cleanup(func() { _ = keep.Close() }) // until then the event goes on
			cmd := exec.CommandContext(t.Context(), hook, "claude")
			var out, errs strings.Builder
			cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(os.Environ(), "XDG_STATE_HOME="+state, "HOME="+dir, "SAYSO_RESIDENT=off"), in, &out, &errs
			err = cmd.Run()
			if cmd.ProcessState.ExitCode() != 2 && !strings.Contains(out.String(), `"permissionDecision":"deny"`) {
				t.Errorf("%v, said %q and %q", err, out.String(), errs.String())
			}
		})
	}
}

// hold takes the lock of a file until the test ends.
func hold(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // and with it the lock
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}
