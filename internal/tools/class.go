package tools

// A Class is what kind of thing a tool does.
type Class uint8

// The classes. The zero value is a tool nobody knows.
const (
	Unknown    Class = iota
	Shell            // runs a command
	Background       // reads, feeds or ends a running command
	Read             // reads a file
	Write            // creates a file, or replaces all of it
	Edit             // changes a part of a file
	Patch            // applies a patch, which names its files
	Delete           // deletes a file
	Move             // moves, renames or copies a file
	List             // lists names: a folder, or what matches a glob
	Grep             // searches in files
	Fetch            // gets a URL
	WebSearch        // asks a search engine
	MCPTool          // a tool of an MCP server
	Task             // keeps the agent's own list of things to do
	Memory           // keeps or finds notes
	Question         // asks or tells the user something
	Subagent         // starts, feeds or ends another agent, now or later
	Code             // runs code in an interpreter of the agent's own
	Notebook         // changes a notebook
	Mode             // changes what the agent may do, or where it works
	Skill            // loads instructions: a skill, a slash command
	Docs             // reads documentation that came with the agent
	External         // acts on a service in the user's name: mail, calendar
	Output           // shows what a running command has printed, or which ones there are
)

var classNames = [...]string{
	"unknown", "shell", "background", "read", "write", "edit", "patch", "delete",
	"move", "list", "grep", "fetch", "websearch", "mcp", "task", "memory",
	"question", "subagent", "code", "notebook", "mode", "skill", "docs", "external", "output",
}

// String returns the class in lower case.
func (c Class) String() string { return nameOf(classNames[:], int(c)) }

// An Access is what a tool does to a path.
type Access uint8

// The kinds of access. The zero value is the one to be strictest with.
const (
	Touches   Access = iota // something, it is not known what
	Reads                   // the file
	Lists                   // the names in and below a folder
	Searches                // the files in and below a folder
	Writes                  // creates, replaces or changes it
	Deletes                 // removes it
	MovesFrom               // it is gone afterwards
	MovesTo                 // it is there afterwards
	Runs                    // executes it
)

var accessNames = [...]string{
	"touches", "reads", "lists", "searches", "writes", "deletes", "moves from", "moves to", "runs",
}

// String returns the access in lower case.
func (a Access) String() string { return nameOf(accessNames[:], int(a)) }

func nameOf(names []string, i int) string {
	if i >= len(names) {
		return "invalid"
	}
	return names[i]
}
