package hook

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
)

// cursor is Cursor. Commands, MCP tools and files that are read have events of their
// own beside preToolUse, which comes first: there they are only looked at, and denied
// where need be. It is always told that it may go on: with failClosed no answer
// blocks.
var cursor = Agent{
	Name: "cursor", Title: "Cursor", Wait: 10 * time.Minute, project: "CURSOR_PROJECT_DIR",
	events: []moments{
		{name: "sessionStart", is: started},
		{name: "beforeSubmitPrompt", is: prompted},
		{name: "preToolUse", is: before},
		{name: "beforeShellExecution", is: before, asks: true},
		{name: "beforeMCPExecution", is: before, asks: true},
		{name: "beforeReadFile", is: before},
		{name: "subagentStart", is: before},
		{name: "postToolUse", is: ran},
		{name: "postToolUseFailure", is: failed},
		{name: "afterShellExecution", is: ran},
		{name: "afterMCPExecution", is: ran},
		{name: "sessionEnd", is: ended},
	},
	fields: []fields{
		{"conversation_id", fSession},
		{"cwd", fDir},
		{"workspace_roots", fRoots},
		{"hook_event_name", fEvent},
		{"subagent_type", fSubagent},
		{"tool_name", fTool},
		{"tool_use_id", fID},
		{"generation_id", fTurn},
		{"tool_input", fAnyArgs},
		{"command", fCommand},
		{"file_path", fFile},
		{"attachments", fAttached},
		{"prompt", fPrompt},
		{"task", fPrompt},
		{"reason", fReason},
	},
	complete: (*told).cursorCall,
	decided: func(_ *told, d sayso.Decision) []byte {
		b := flat(nil).add("permission", d.Effect.String())
		if d.Effect != sayso.Allow {
			said := reason(d)
			b = b.add("user_message", said).add("agent_message", said)
		}
		return b.end()
	},
}

// cursorCall makes a call of what the events of Cursor say of their tools, each in
// its own way.
func (e *told) cursorCall() error {
	if e.Dir == "" {
		e.Dir = e.Root
	}
	switch e.Event {
	case "beforeShellExecution", "afterShellExecution":
		if e.Command == "" {
			return errors.New("command is missing")
		}
		e.Tool, e.Input = "Shell", flat(nil).add("command", e.Command).object()
		e.ID = e.cursorID()
	case "beforeMCPExecution", "afterMCPExecution":
		if e.Tool == "" {
			return errors.New("tool_name is missing")
		}
		e.Tool = "MCP:" + e.Tool
		e.ID = e.cursorID()
	case "beforeReadFile":
		if e.File == "" {
			return errors.New("file_path is missing")
		}
		b := flat(nil).add("file_path", e.File)
		if len(e.Attached) > 0 {
			b = fmt.Appendf(b, `,"attachments":%s`, e.Attached)
		}
		e.Tool, e.Input = "beforeReadFile", b.object()
	case "subagentStart":
		e.Tool, e.Input = "Task", flat(nil).add("subagent_type", e.Subagent).add("prompt", e.Prompt).object()
		e.Subagent = "" // it is not there yet
	case "preToolUse":
		if e.hasOwnEvent() {
			e.what = moments{name: e.Event, is: announced}
		}
	case "postToolUse":
		if e.hasOwnEvent() {
			e.what = moments{name: e.Event, is: repeated}
		}
	}
	return nil
}

// cursorID is an id for a call that Cursor names neither before nor after it, and for
// which it tells the folder only before: what it does, and in which turn.
func (e *told) cursorID() string {
	call := sayso.Call{Tool: e.Tool, Dir: e.Turn, Input: e.Input}
	return call.Fingerprint()
}

// hasOwnEvent reports whether Cursor tells of the tool in an event of its own, too.
func (e *told) hasOwnEvent() bool {
	return e.Tool == "Shell" || e.Tool == "Read" || strings.HasPrefix(e.Tool, "MCP:")
}
