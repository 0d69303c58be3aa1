package hook

import (
	"time"

	"github.com/sayso-dev/sayso"
)

// codex is Codex CLI. It drops an answer with a key or a value that it does not
// expect, and goes on; a bare allow and a question are such answers. So it is told
// nothing where it may go on, and cannot be told to ask.
var codex = Agent{
	Name: "codex", Title: "Codex", Wait: 10 * time.Minute, types: true,
	events: []moments{
		{name: "SessionStart", is: started},
		{name: "UserPromptSubmit", is: prompted},
		{name: "PreToolUse", is: before},
		{name: "PermissionRequest", is: asking},
		{name: "PostToolUse", is: ran},
		{name: "SessionEnd", is: ended},
	},
	fields: []fields{
		{"session_id", fSession},
		{"cwd", fDir},
		{"hook_event_name", fEvent},
		{"permission_mode", fMode},
		{"agent_type", fSubagent},
		{"tool_name", fTool},
		{"tool_use_id", fID},
		{"prompt", fPrompt},
		{"source", fSource},
		{"reason", fReason},
		{"tool_input", fInput},
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		if d.Effect == sayso.Allow {
			return nil
		}
		output := flat(nil).add("hookEventName", "PreToolUse").add("permissionDecision", "deny").add("permissionDecisionReason", reason(d))
		return append(append([]byte(`{"hookSpecificOutput":`), output...), "}}\n"...)
	},
	denied: func(_ *told, d sayso.Decision) []byte { // interrupt would make it no answer
		return encoded(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": "PermissionRequest", "decision": map[string]string{"behavior": "deny", "message": reason(d)},
		}})
	},
	warn: systemMessage,
}
