package wire

import "encoding/json"

// Probe is an event of the agent before a tool runs that only reads, and the name of
// the event where the command has it.
func (a *Agent) Probe(root string) (event []byte, name string) {
	const session = "sayso-doctor"
	input := map[string]string{"file_path": root}
	var e map[string]any
	switch a.Name {
	case "gemini":
		e = map[string]any{"session_id": session, "cwd": root, "hook_event_name": "BeforeTool", "tool_name": "read_file", "tool_input": input}
	case "opencode":
		e = map[string]any{"sessionID": session, "directory": root, "worktree": root, "hook_event_name": "tool.execute.before", "tool": "read", "callID": "1", "args": map[string]string{"filePath": root}}
	case "copilot":
		e, name = map[string]any{"sessionId": session, "cwd": root, "toolName": "view", "toolArgs": map[string]string{"path": root}}, "preToolUse"
	case "cursor":
		e = map[string]any{"conversation_id": session, "workspace_roots": []string{root}, "hook_event_name": "beforeReadFile", "file_path": root}
	case "codex":
		e = map[string]any{"session_id": session, "cwd": root, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": "ls"}, "tool_use_id": "1"}
	case "crush":
		e = map[string]any{"event": "PreToolUse", "session_id": session, "cwd": root, "tool_name": "view", "tool_input": input}
	case "windsurf":
		e = map[string]any{"trajectory_id": session, "execution_id": "1", "agent_action_name": "pre_read_code", "tool_info": input}
	case "vscode":
		e = map[string]any{"session_id": session, "cwd": root, "hook_event_name": "PreToolUse", "tool_name": "read_file", "tool_input": map[string]string{"filePath": root}, "tool_use_id": "1"}
	default:
		e = map[string]any{"session_id": session, "cwd": root, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": input, "tool_use_id": "1"}
	}
	event, _ = json.Marshal(e) // strings can be written
	return event, name
}
