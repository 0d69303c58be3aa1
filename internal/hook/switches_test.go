package hook_test

import (
	"strings"
	"testing"
)

// TestSwitches: no agent changes a file that can switch its hook off, whose agent's
// ever it is, or lead it elsewhere.
func TestSwitches(t *testing.T) {
	for _, file := range []string{
		"/repo/.claude/settings.json", "/repo/.claude/settings.local.json", "/home/me/.claude/settings.json", "/etc/claude-code/managed-settings.json", "/etc/claude-code/managed-settings.d/x.json",
		"/repo/.codex/config.toml", "/repo/.codex/hooks.json", "/home/me/.codex/config.toml", "/home/me/.codex/hooks.json", "/etc/codex/requirements.toml",
		"/repo/.gemini/settings.json", "/home/me/.gemini/settings.json", "/home/me/.gemini/trusted_hooks.json", "/home/me/.gemini/trustedFolders.json", "/etc/gemini-cli/settings.json",
		"/repo/.github/copilot/settings.json", "/repo/.github/copilot/settings.local.json", "/repo/.github/hooks/sayso.json", "/home/me/.copilot/hooks/sayso.json", "/home/me/.copilot/settings.json", "/etc/github-copilot/policy.d/sayso.json",
		"/repo/opencode.json", "/repo/opencode.jsonc", "/repo/.opencode/opencode.json", "/repo/.opencode/plugins/sayso.js", "/repo/.opencode/plugin/x.ts", "/home/me/.config/opencode/opencode.json", "/home/me/.config/opencode/plugins/sayso.js",
		"/repo/.github/hooks/sayso-vscode.json", "/home/me/.copilot/hooks/sayso-vscode.json", "/repo/.vscode/settings.json", "/repo/all.code-workspace", "/home/me/.config/Code/User/settings.json", "/home/me/.vscode-server/data/Machine/settings.json",
		"/repo/.windsurf/hooks.json", "/home/me/.codeium/windsurf/hooks.json", "/home/me/.codeium/hooks.json", "/etc/windsurf/hooks.json",
		"/repo/crush.json", "/repo/.crush.json", "/home/me/.config/crush/crush.json",
		"/repo/.cursor/hooks.json", "/home/me/.cursor/hooks.json", "/etc/cursor/hooks.json",
	} {
		for _, in := range []string{
			event("acceptEdits", "Write", `{"file_path":"`+file+`","content":"{}"}`),
			event("bypassPermissions", "Bash", `{"command":"rm `+file+`"}`),
			event("bypassPermissions", "Bash", `{"command":"echo {} > `+file+`"}`),
		} {
			g, _ := guard(nil)
			a, err := tell(t, g, in)
			if err != nil || a.Output.PermissionDecision != "deny" || !strings.Contains(a.Output.PermissionDecisionReason, "guard.") {
				t.Errorf("%s: %+v %v", in, a.Output, err)
			}
		}
	}
}
