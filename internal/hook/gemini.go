package hook

import (
	"time"

	"github.com/sayso-dev/sayso"
)

// gemini is Gemini CLI. That a call is allowed changes nothing there: its own policy
// still decides, and it has denied what it denies before the hook is asked. What is
// on standard output counts, whatever the exit status.
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Wait: 10 * time.Minute, project: "GEMINI_PROJECT_DIR",
	events: []moments{
		{name: "SessionStart", is: started},
		{name: "BeforeAgent", is: prompted},
		{name: "BeforeTool", is: before, asks: true},
		{name: "AfterTool", is: ran},
		{name: "SessionEnd", is: ended},
	},
	fields: []fields{
		{"session_id", fSession},
		{"cwd", fDir},
		{"hook_event_name", fEvent},
		{"tool_name", fTool},
		{"prompt", fPrompt},
		{"source", fSource},
		{"reason", fReason},
		{"tool_input", fInput},
		{"mcp_context", fContext},
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		said := reason(d)
		b := flat(nil).add("decision", d.Effect.String()).add("reason", said)
		switch {
		case d.Effect == sayso.Ask: // what its user is shown
			b = b.add("systemMessage", said)
		case d.Stop:
			b = append(b.add("stopReason", said), `,"continue":false`...)
		}
		return b.end()
	},
	warn: systemMessage,
}
