package hook

import (
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// claude is Claude Code. It takes an answer whose form it does not know for none, so
// each stands in the form of its event. Nothing but a denial or a question keeps it
// from going on: continue: false lets the tool run first.
var claude = Agent{
	Name: "claude", Title: "Claude Code", Wait: 10 * time.Minute, project: "CLAUDE_PROJECT_DIR", lenient: true,
	events: []moments{
		{name: "SessionStart", is: started},
		{name: "UserPromptSubmit", is: prompted},
		{name: "PreToolUse", is: before, asks: true},
		{name: "PermissionRequest", is: asking},
		{name: "PostToolUse", is: ran},
		{name: "PostToolUseFailure", is: failed},
		{name: "PostToolBatch", is: settled},
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
		{"mcp_server", fServer},
		{"tool_calls", fBatch},
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		b := []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":`)
		b = plainjson.AppendText(b, d.Effect.String(), false)
		b = append(b, `,"permissionDecisionReason":`...)
		b = append(plainjson.AppendText(b, reason(d), false), '}')
		if d.Stop { // the turn ends with the denial
			b = append(b, `,"continue":false,"stopReason":`...)
			b = plainjson.AppendText(b, reason(d), false)
		}
		return append(b, "}\n"...)
	},
	denied: func(_ *told, d sayso.Decision) []byte {
		decision := map[string]any{"behavior": "deny", "message": reason(d)}
		if d.Stop {
			decision["interrupt"] = true
		}
		return encoded(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PermissionRequest", "decision": decision}})
	},
	warn: systemMessage,
}

// systemMessage is shown to the user by agents that take after Claude Code.
func systemMessage(text string) []byte { return flat(nil).add("systemMessage", text).end() }
