package hook

import (
	"time"

	"github.com/sayso-dev/sayso"
)

// crush is Crush. It tells of nothing but calls that are about to run, and not of those
// of its subagents. A question is no answer there: its own prompt would follow, or none
// if its user has switched that off, so questions are held. Neither turns nor results
// are told: what a person refuses stays refused for the session.
var crush = Agent{
	Name: "crush", Title: "Crush", Wait: 10 * time.Minute, project: "CRUSH_PROJECT_DIR",
	events: []moments{
		{name: "PreToolUse", is: before},
	},
	fields: []fields{
		{"event", fEvent},
		{"session_id", fSession},
		{"cwd", fDir},
		{"tool_name", fTool},
		{"tool_input", fInput},
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		return flat(`{"version":1`).add("decision", d.Effect.String()).add("reason", reason(d)).end()
	},
}
