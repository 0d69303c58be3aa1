package hook

import (
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
)

// opencode has no hooks: a plugin that sayso init writes tells of its events, and
// takes an answer for each. It can throw before a tool runs, and nothing else.
var opencode = Agent{
	Name: "opencode", Title: "opencode", Wait: 10 * time.Minute, mustHear: true,
	events: []moments{
		{name: "chat.message", is: prompted},
		{name: "tool.execute.before", is: before},
		{name: "tool.execute.after", is: ran},
		{name: "session.deleted", is: ended},
	},
	fields: []fields{
		{"hook_event_name", fEvent},
		{"sessionID", fSession},
		{"directory", fDir},
		{"worktree", fRoot},
		{"tool", fTool},
		{"callID", fID},
		{"args", fInput},
		{"agent", fMode},
		{"subagent", fSubagent},
		{"servers", fServers},
		{"prompt", fPrompt},
	},
	complete: func(e *told) error {
		if e.Root == "/" { // what it says of a folder without a repository
			e.Root = ""
		}
		for _, server := range e.Servers { // the longest one that fits
			if strings.HasPrefix(e.Tool, server+"_") && len(server) > len(e.Server) {
				e.Server = server
			}
		}
		return nil
	},
	decided: func(_ *told, d sayso.Decision) []byte {
		b := flat(nil).add("decision", d.Effect.String()).add("reason", reason(d))
		if d.Stop {
			b = append(b, `,"stop":true`...)
		}
		return b.end()
	},
	warn: func(text string) []byte { return flat(nil).add("warning", text).end() },
}
