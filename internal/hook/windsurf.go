package hook

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/sayso-dev/sayso"
)

// windsurf is Cascade, the agent of Windsurf. It reads no answer but the exit status
// and what is on standard error, and cannot ask. How long it waits for a hook is not
// documented: so nothing is held for it, and what a person must approve is denied.
var windsurf = Agent{
	Name: "windsurf", Title: "Windsurf", byStatus: true, inside: true,
	events: []moments{
		{name: "pre_run_command", is: before},
		{name: "pre_write_code", is: before},
		{name: "pre_read_code", is: before},
		{name: "pre_mcp_tool_use", is: before},
		{name: "post_run_command", is: ran},
		{name: "post_write_code", is: ran},
		{name: "post_read_code", is: ran},
		{name: "post_mcp_tool_use", is: ran},
		{name: "pre_user_prompt", is: prompted},
	},
	fields: []fields{
		{"agent_action_name", fEvent},
		{"trajectory_id", fSession},
		{"execution_id", fTurn},
		{"tool_info", fInput},
	},
	complete: (*told).windsurfCall,
	decided:  func(*told, sayso.Decision) []byte { return nil },
}

// windsurfCall makes a call of what the events of Windsurf say of their tools. None of
// them names its call: what it does, and in which turn, is its id.
func (e *told) windsurfCall() error {
	var info struct {
		Prompt    string          `json:"user_prompt"`
		Command   string          `json:"command_line"`
		File      string          `json:"file_path"`
		Edits     json.RawMessage `json:"edits"`
		Server    string          `json:"mcp_server_name"`
		Tool      string          `json:"mcp_tool_name"`
		Arguments json.RawMessage `json:"mcp_tool_arguments"`
	}
	if e.Input == nil {
		return errors.New("tool_info is missing")
	}
	if err := json.Unmarshal(e.Input, &info); err != nil {
		return err
	}
	if e.Event == "pre_user_prompt" {
		e.Prompt, e.Input = info.Prompt, nil
		return nil
	}
	_, e.Tool, _ = strings.Cut(e.Event, "_")
	e.Server = info.Server
	same := flat(nil).add("command", info.Command).add("file", info.File).add("server", info.Server).add("tool", info.Tool)
	if len(info.Edits) > 0 {
		same = append(append(same, `,"edits":`...), info.Edits...)
	}
	if len(info.Arguments) > 0 {
		same = append(append(same, `,"arguments":`...), info.Arguments...)
	}
	call := sayso.Call{Tool: e.Tool, Dir: e.Turn, Input: same.object()}
	e.ID = call.Fingerprint()
	return nil
}
