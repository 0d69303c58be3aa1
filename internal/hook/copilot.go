package hook

import (
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/tools"
)

// copilot is Copilot CLI. Its events carry no name but for two, so a hook is told on
// its command line which it is for; without that, what is in an event tells. That a
// call is allowed would override what its user denies, and is never said.
var copilot = Agent{
	Name: "copilot", Title: "Copilot CLI", Wait: 10 * time.Minute, project: "COPILOT_PROJECT_DIR",
	events: []moments{
		{name: "sessionStart", is: started},
		{name: "userPromptSubmitted", is: prompted},
		{name: "preToolUse", is: before, asks: true},
		{name: "permissionRequest", is: asking},
		{name: "postToolUse", is: ran},
		{name: "sessionEnd", is: ended},
	},
	fields: []fields{
		{"sessionId", fSession},
		{"session_id", fSession},
		{"cwd", fDir},
		{"hookName", fEvent},
		{"hook_event_name", fEvent},
		{"toolName", fTool},
		{"tool_name", fTool},
		{"toolArgs", fAnyArgs},
		{"toolInput", fAnyArgs},
		{"tool_input", fAnyArgs},
		{"toolResult", fResult},
		{"tool_result", fResult},
		{"prompt", fPrompt},
		{"source", fSource},
		{"reason", fReason},
	},
	complete: func(e *told) error {
		if e.Event == "" {
			e.Event = e.copilotEvent()
		}
		for _, m := range e.agent.events { // in the form of other agents each begins with a capital
			if strings.EqualFold(m.name, e.Event) || m.is == prompted && e.Event == "UserPromptSubmit" {
				e.Event, e.what = m.name, m
			}
		}
		e.Server = copilotServer(e.Tool)
		return nil
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		if d.Effect == sayso.Allow {
			return nil
		}
		return flat(nil).add("permissionDecision", d.Effect.String()).add("permissionDecisionReason", reason(d)).end()
	},
	denied: func(_ *told, d sayso.Decision) []byte {
		b := flat(nil).add("behavior", "deny").add("message", reason(d))
		if d.Stop {
			b = append(b, `,"interrupt":true`...)
		}
		return b.end()
	},
}

// copilotEvent is which event it is by what is in it. What has a tool and does not
// look as if it had run is decided.
func (e *told) copilotEvent() string {
	switch {
	case e.Tool != "" && e.Result:
		return "postToolUse"
	case e.Tool != "" || e.Input != nil:
		return "preToolUse"
	case e.Source != "":
		return "sessionStart"
	case e.Reason != "":
		return "sessionEnd"
	case e.Prompt != "":
		return "userPromptSubmitted"
	case e.Session != "":
		return "another"
	}
	return ""
}

// copilotServer is the MCP server of a tool, whose name is written server-tool, up to
// the first sign between them. Where there are several, [Guard.settled] knows more; what
// Copilot asks its user about names it whole.
func copilotServer(tool string) string {
	if _, own := tools.Copilot.Lookup(tool); own {
		return ""
	}
	server, _, _ := strings.Cut(tool, "-")
	if server == tool {
		return ""
	}
	return server
}
