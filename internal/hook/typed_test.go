package hook_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/hook"
)

// TestTyped: where an agent types into terminals without asking, nothing is started
// that runs what is typed, in any mode; elsewhere that is decided as everything is.
func TestTyped(t *testing.T) {
	for agent, samples := range map[string]string{
		"codex":  `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"COMMAND"},"tool_use_id":"1"}`,
		"claude": `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"COMMAND"},"tool_use_id":"1"}`,
	} {
		a, _ := hook.Find(agent)
		for command, want := range map[string]bool{"bash": true, "python3": true, "ls && sh -i": true, "ssh host": true, "bash x.sh": false, "python3 -c 'print(1)'": false, "ls": false} {
			g, _ := guard(nil)
			var out strings.Builder
			if err := g.Answer(a, "", strings.NewReader(strings.Replace(samples, "COMMAND", command, 1)), &out); err != nil {
				t.Error(err)
			}
			if got := strings.Contains(out.String(), "guard.typed"); got != (want && agent == "codex") || got && !strings.Contains(out.String(), "Allowed instead: to give the program its commands at once") {
				t.Errorf("%s: %s: %s", agent, command, out.String())
			}
		}
	}
}
