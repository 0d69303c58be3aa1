package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNeverOpen: whatever goes wrong in sayso, what would be denied does not run.
func TestNeverOpen(t *testing.T) {
	for name, breaks := range map[string]func(*scene){
		"broken policy": func(s *scene) { s.write("home/.config/sayso/policy.yaml", "deny: [") },
		"no place for its state": func(s *scene) {
			if err := os.RemoveAll(s.home + "/.local/state"); err != nil {
				s.t.Fatal(err)
			}
			s.write("home/.local/state", "")
		},
		"a lock that somebody holds": holdJournal,
		"broken snapshots": func(s *scene) {
			s.sayso("sayso", "snapshot")
			found, err := filepath.Glob(s.home + "/.local/state/sayso/snapshots/*")
			if err != nil || len(found) == 0 {
				s.t.Fatalf("no snapshots: %v", err)
			}
			for _, file := range found {
				if err := os.WriteFile(file, []byte("about\t99\n"), 0o600); err != nil {
					s.t.Fatal(err)
				}
			}
		},
		"killed": func(s *scene) { s.hook("kill -9 $$") },
		"missing": func(s *scene) {
			if err := os.Remove(s.bin + "/sayso-hook"); err != nil {
				s.t.Fatal(err)
			}
		},
		"fails in silence": func(s *scene) { s.hook("exit 1") },
		"not executable": func(s *scene) {
			if err := os.Chmod(s.bin+"/sayso-hook", 0o600); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				s.wired = func() { breaks(s) }
				s.run(s.client.shell("touch denied"))
				if s.has("denied") {
					t.Errorf("it ran; the model was told %q", s.told())
				}
				if len(s.model.Requests()) > 0 { // else a hook before that has stopped the client
					toldOf(s, 0)
				}
			})
		})
	}
}

// hook puts another program where the hook was.
func (s *scene) hook(script string) {
	s.t.Helper()
	name := s.bin + "/sayso-hook"
	if err := os.Remove(name); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// holdJournal takes the lock that every record needs, and does not give it back.
func holdJournal(s *scene) {
	s.t.Helper()
	s.write("home/.local/state/sayso/journal/head", "")
	f, err := os.OpenFile(s.home+"/.local/state/sayso/journal/head", os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = f.Close() }) // and with it the lock
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		s.t.Fatal(err)
	}
}
