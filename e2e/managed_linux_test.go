package e2e

import (
	"strings"
	"testing"
)

// switchedOff has the workspace switch hooks off, as any repository can.
func (s *scene) switchedOff() {
	s.writeJSON("repo/.claude/settings.json", object{"disableAllHooks": true})
	s.write("repo/.codex/config.toml", "[features]\nhooks = false\n")
	s.writeJSON("repo/.gemini/settings.json", object{"hooksConfig": object{"enabled": false}})
	s.writeJSON("repo/.github/copilot/settings.json", object{"disableAllHooks": true})
}

// TestManaged: a workspace, and where there is one an option, can switch off what its
// user has wired, as docs/agents.md says. What an administrator has wired it cannot. The
// place for that is there once, so that nothing runs beside this.
func TestManaged(t *testing.T) {
	options := map[string][]string{"claude": {"--bare"}, "codex": {"--disable", "hooks"}}
	each(t, func(t *testing.T, s *scene) {
		if s.client.name == "opencode" {
			t.Skip("it has no place for that, and no such switch in a workspace")
		}
		argv := s.client.argv
		s.client.argv = func(s *scene) []string { return append(argv(s), options[s.client.name]...) }
		for _, scope := range []string{"--user", "--managed"} {
			s := newScene(t, s.client)
			s.scope, s.wired = scope, s.switchedOff
			s.run(s.client.shell("touch denied"), s.client.shell("touch allowed"))
			if s.has("denied") == (scope == "--managed") {
				t.Errorf("%s: it ran: %v; the model was told %q", scope, s.has("denied"), s.told())
			}
			if !s.has("allowed") {
				t.Errorf("%s: what is allowed did not run; the model was told %q", scope, s.told())
			}
			told := s.sayso("sh", "-c", "sayso doctor || :") // what else it finds here does not count
			for _, words := range []string{" asks sayso before each call\n", map[string]string{"--user": " has never asked in this workspace\n", "--managed": " it asked here last at "}[scope], " an answer takes "} {
				if !strings.Contains(told, words) {
					t.Errorf("%s: doctor does not say%s:\n%s", scope, words, told)
				}
			}
			if strings.Contains(told, "problem  "+s.client.name) == (scope == "--managed") {
				t.Errorf("%s: doctor says\n%s", scope, told)
			}
			s.sayso("sayso", "init", scope, "--undo", "--yes", s.client.name)
		}
	})
}
