// Package tools knows the tools of coding agents: which class of thing a tool
// is, and which argument of its input is a command, a path, a patch, a URL or a
// pattern.
//
// [Lookup] finds a tool by the name an agent sends, [Agent.Lookup] where the
// agent is known (prefer it: a name that one agent uses for a harmless tool of
// its own may be an MCP tool at another). [Spec.Read] takes the input apart.
//
//	s, ok := tools.Lookup("Write")
//	in, err := s.Read([]byte(`{"file_path": "/etc/hosts", "content": "x"}`))
//	// s.Class is tools.Write, in.Paths is [{/etc/hosts writes}]
//
// Reading is strict, because two programs read the same input: the agent, and
// we. Where they might read different things (a key given twice, a key in
// another case, a value of another type) Read returns an error, and the caller
// must deny. What Read extracts counts whatever the class of the tool is: a tool
// that mostly asks a question may carry a command.
//
// What the tools are is data: the tables in table_*.go. Nothing is built at
// start-up, since a process is started for every tool call.
package tools
