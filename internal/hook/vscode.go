package hook

import (
	"time"

	"github.com/sayso-dev/sayso"
)

// vscode is the agent of VS Code. It reads the form of Claude Code, and Copilot CLI
// reads the same files as it does: that a call is allowed would skip what either asks
// its user about, and is never said. With the status that blocks only standard error
// counts, so nothing that would end the turn can be told beside a denial.
var vscode = Agent{
	Name: "vscode", Title: "VS Code", Wait: 10 * time.Minute,
	events: []moments{
		{name: "SessionStart", is: started},
		{name: "UserPromptSubmit", is: prompted},
		{name: "PreToolUse", is: before, asks: true},
		{name: "PostToolUse", is: ran},
	},
	fields: []fields{
		{"session_id", fSession},
		{"cwd", fDir},
		{"hook_event_name", fEvent},
		{"tool_name", fTool},
		{"tool_use_id", fID},
		{"prompt", fPrompt},
		{"source", fSource},
		{"tool_input", fInput},
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		if d.Effect == sayso.Allow {
			return nil
		}
		output := flat(nil).add("hookEventName", "PreToolUse").add("permissionDecision", d.Effect.String()).add("permissionDecisionReason", reason(d))
		return append(append([]byte(`{"hookSpecificOutput":`), output...), "}}\n"...)
	},
	warn: systemMessage,
}
