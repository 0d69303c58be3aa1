package tools

import "strings"

// A Spec is what is known of a tool.
type Spec struct {
	Name   string
	Class  Class
	Agents Agent // who uses a tool of this name

	// The server and the tool, where the name is one of an MCP tool. The
	// server is empty where the agent does not say it (Cursor: MCP:tool).
	Server, Tool string

	args []arg
}

// Lookup finds the tool of that name of any agent. The names of tools are told
// apart by case. A name that no agent uses may be one of an MCP tool; servers
// are the MCP servers that are known, see [MCP].
//
// The Spec can be read with even if ok is false: its class is [Unknown], and it
// reports what looks like a path, a URL or a command, as it does for MCP tools.
func Lookup(name string, servers ...string) (s Spec, ok bool) {
	return Any.Lookup(name, servers...)
}

// Lookup is like the function, for the tools of these agents only. What another
// agent calls its to-do list may be anybody's MCP tool here.
func (a Agent) Lookup(name string, servers ...string) (s Spec, ok bool) {
	for _, t := range tables {
		for i := range t {
			if t[i].by&a != 0 && t[i].has(name) {
				return Spec{Name: name, Class: t[i].class, Agents: t[i].by, args: t[i].args}, true
			}
		}
	}
	if server, tool, ok := MCP(name, servers); ok {
		return Spec{Name: name, Class: MCPTool, Server: server, Tool: tool}, true
	}
	return Spec{Name: name}, false
}

// has reports whether the row has that name.
func (r *row) has(name string) bool {
	for n := range strings.SplitSeq(r.names, " ") {
		if n == name {
			return true
		}
	}
	return false
}

// Names returns the names of all tools of these agents.
func (a Agent) Names() []string {
	var names []string
	for _, t := range tables {
		for i := range t {
			if t[i].by&a != 0 {
				names = append(names, strings.Fields(t[i].names)...)
			}
		}
	}
	return names
}
