package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/scripted"
	"github.com/sayso-dev/sayso/internal/wire"
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
		"a shell that greets": func(s *scene) {
			for _, name := range []string{".profile", ".bash_profile", ".bashrc"} {
				s.write("home/"+name, "echo welcome\n")
			}
			s.more = []string{"BASH_ENV=" + s.home + "/.bashrc"}
		},
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

// TestGarbage: what is no answer is none. The agents themselves take it for a yes.
func TestGarbage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.wired = func() {
			if err := os.Rename(s.bin+"/sayso-hook", s.bin+"/hook"); err != nil {
				t.Fatal(err)
			}
			s.write("bin/sayso-hook", "")
			s.hook(`event=$(cat)
case $event in
*"touch words"*) echo not an answer; echo nor this >&2 ;;
*"touch cut"*) printf '{"hookSpecificOutput":{"hookEv' ;;
*"touch other"*) echo '{"continue":true,"allow":true}' ;;
*"touch denied"*) echo a line of a log; printf %s "$event" | "${0%/*}/hook" "$@" ;;
*"touch bytes"*) head -c 100000 /dev/zero | tr "\\000" "\\377" ;;
esac`)
		}
		names := []string{"words", "cut", "other", "denied", "bytes"}
		var calls []scripted.Call
		for _, name := range names {
			calls = append(calls, s.client.shell("touch "+name))
		}
		s.run(calls...)
		for i, name := range names {
			if s.has(name) {
				t.Errorf("%s: it ran; the model was told %q", name, s.told())
			}
			toldOf(s, i, "answer")
		}
	})
}

// TestGoesOn: what is known to let calls through, and is told in docs/agents.md, lets
// them through still, and nowhere else: the hook says nothing at all, with success; its
// time is over.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.wired = func() { hangs(s) }
		s.run(s.client.shell("touch silent"), s.client.shell("touch hanging"))
		for name, open := range map[string][]string{"silent": {"codex", "copilot"}, "hanging": {"claude", "codex", "gemini", "copilot"}} {
			if want := slices.Contains(open, s.client.name); s.has(name) != want {
				t.Errorf("%s: it ran: %v; the model was told %q", name, !want, s.told())
			}
		}
	})
}

// hangs has the hook say nothing, or hang before a tool runs; the client waits a few
// seconds for it, which is more than a hook takes on a busy machine.
func hangs(s *scene) {
	s.hook(`case $(cat) in *"touch hanging"*) exec sleep 60 >/dev/null 2>&1 ;; esac`)
	for _, name := range []string{".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".config/opencode/plugins/sayso.js", ".copilot/hooks/sayso.json"} {
		text, err := os.ReadFile(filepath.Join(s.home, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		shorter := []string{": 600000", ": 8000", ": 600", ": 8", "wait = 600000", "wait = 8000"}
		if s.client.name == "claude" { // for which no time is written
			shorter = append(shorter, `"type": "command"`, `"type": "command", "timeout": 8`)
		}
		s.write("home/"+name, strings.NewReplacer(shorter...).Replace(string(text)))
	}
	if s.client.name == "codex" {
		s.trust()
	}
}

// trust has Codex trust the hooks as they are now.
func (s *scene) trust() {
	s.t.Helper()
	file, config := s.home+"/.codex/hooks.json", s.home+"/.codex/config.toml"
	hooks, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(config)
	if err == nil {
		text, err = wire.Trusts(text, file, hooks)
	}
	if err == nil {
		err = os.WriteFile(config, text, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
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
