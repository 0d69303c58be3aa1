package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/scripted"
)

// TestStops: where a person's no ends the turn, nothing of it runs any more. Clients
// that can be stopped are, and their model is told nothing at all.
func TestStops(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.write("home/.config/sayso/policy.yaml", "preset: cosmo\napprove: {via: [tty], timeout: 2m}\n")
		wait := s.start(s.client.shell("touch asked"), s.client.shell("touch after"))
		s.sayso("sayso", "deny", s.waiting())
		wait()
		if s.has("asked") || s.has("after") {
			t.Error("it ran")
		}
		told := s.told()
		if slices.Contains([]string{"claude", "gemini", "opencode"}, s.client.name) {
			if len(told) > 0 {
				t.Errorf("the model was told %q", told)
			}
			return
		}
		for _, text := range told {
			if strings.Contains(text, "It would") || strings.Contains(text, "instead") {
				t.Errorf("something was fed back: %q", text)
			}
		}
		toldOf(s, 1, "ends the turn")
	})
}

// TestObserves: with --observe what would be denied or asked runs and is recorded, and
// guardrails hold.
func TestObserves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.options = []string{"--observe"}
		s.write("home/keep", "")
		s.run(s.client.shell("touch denied"), s.client.shell("rm -rf ~"), s.client.shell("touch asked"))
		if !s.has("denied") || !s.has("asked") {
			t.Errorf("something was enforced: %q", s.told())
		}
		toldOf(s, 1, "guard.destroy")
		log := s.sayso("sayso", "log", "--json")
		for line := range strings.Lines(log) {
			if !strings.Contains(line, `"observed":true`) {
				t.Errorf("a record does not say it: %s", line)
			}
		}
		for _, want := range []string{`"effect":"deny","code":"rule.deny"`, `"effect":"ask","code":"rule.ask"`, `"effect":"deny","code":"guard.destroy"`} {
			if !strings.Contains(log, want) {
				t.Errorf("%s is not in the journal:\n%s", want, log)
			}
		}
	})
}

// TestTyped: Codex asks no hook about what it types into an open terminal, so it gets
// none that would run that.
func TestTyped(t *testing.T) {
	t.Parallel()
	for _, c := range chosen(t) {
		if c.name != "codex" {
			continue
		}
		s := newScene(t, c)
		s.run(
			scripted.Call{Name: "exec_command", Input: object{"cmd": "sh", "tty": true, "yield_time_ms": 300}},
			scripted.Call{Name: "write_stdin", Input: object{"session_id": 1, "chars": "touch denied\n", "yield_time_ms": 300}},
		)
		toldOf(s, 0, "guard.typed", "Allowed instead")
		if s.has("denied") {
			t.Errorf("it ran; the model was told %q", s.told())
		}
	}
}
