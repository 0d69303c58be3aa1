package sayso

import (
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/shell"
)

// classFacts are what calls of a class amount to where they name no command, no
// path and no address.
var classFacts = [...]struct {
	class    Class
	effects  shell.Effects
	risk     shell.Risk
	sentence string
}{
	{ClassRead, shell.Reads, shell.Safe, "Read a file"},
	{ClassList, shell.Reads, shell.Safe, "List files"},
	{ClassGrep, shell.Reads, shell.Safe, "Search in the files of the workspace"},
	{ClassSearch, shell.Reads | shell.Network, shell.Safe, "Search the web"},
	{ClassTask, shell.Reads, shell.Safe, "Keep a list of things to do"},
	{ClassQuestion, shell.Reads, shell.Safe, "Ask the user something"},
	{ClassDocs, shell.Reads, shell.Safe, "Read the agent's own documentation"},
	{ClassSkill, shell.Reads, shell.Safe, "Load instructions"},
	{ClassMemory, shell.Writes, shell.Moderate, "Keep or find notes"},
	{ClassMode, shell.Executes, shell.Moderate, "Change what the agent may do"},
	{ClassSubagent, shell.Executes, shell.Moderate, "Start or talk to another agent"},
	{ClassBackground, shell.Processes, shell.Moderate, "End a running command, or look at it"},
	{ClassOutput, shell.Reads, shell.Safe, "Look at what a running command has printed"},
	{ClassCode, shell.Executes, shell.Dangerous, "Run code in an interpreter of the agent's own"},
	{ClassWrite, shell.Writes, shell.Dangerous, "Write a file that is not named"},
	{ClassEdit, shell.Writes, shell.Dangerous, "Change a file that is not named"},
	{ClassPatch, shell.Writes, shell.Dangerous, "Change files that are not named"},
	{ClassNotebook, shell.Writes, shell.Dangerous, "Change a notebook that is not named"},
	{ClassDelete, shell.Deletes, shell.Dangerous, "Delete a file that is not named"},
	{ClassMove, shell.Writes | shell.Deletes, shell.Dangerous, "Move a file that is not named"},
	{ClassFetch, shell.Network, shell.Dangerous, "Fetch data from an address that is not named"},
	{ClassShell, shell.Executes, shell.Dangerous, "Run a command that is not named"},
	{ClassExternal, shell.Network | shell.Publishes, shell.Dangerous, "Act on a service in the user's name"},
	{ClassMCP, shell.Executes | shell.Network, shell.Dangerous, "Use a tool of an MCP server"},
}

// whole is the only part of a call that names nothing to look at.
func (f *Facts) whole(call *Call, in tools.Input) Part {
	p := Part{Text: call.Tool}
	for i := range classFacts {
		if known := &classFacts[i]; known.class == f.Class {
			p.Effects, p.Risk, p.Sentence = known.effects, known.risk, known.sentence
		}
	}
	switch {
	case p.Sentence == "":
		p.Effects, p.Risk, p.Sentence = shell.Executes, shell.Dangerous, "Use the tool "+shell.Shown(call.Tool)+", which is not known"
	case f.Class == ClassMCP:
		f.mcp(call, &p)
	case in.Pattern != "":
		p.Sentence += ": " + shell.Shown(in.Pattern)
	}
	return p
}

// harm adds what nobody wants of a program that a tool runs in an interpreter, and of
// what a tool that is not known seems to be given. The rest is known no better than
// the tool, which is judged as a whole.
func (a *Analyzer) harm(f *Facts, in tools.Input) {
	seems := Facts{Place: f.Place}
	for _, run := range in.Programs {
		seems.command(run + " " + shell.Quote([]string{in.Text}))
	}
	if f.Class == ClassUnknown {
		in.Programs = nil
		a.collect(&seems, &Call{}, in)
	}
	for _, p := range seems.Parts {
		foreign := p.Command != nil && (p.Risk == shell.Blocked || p.Command.Runs >= shell.Decoded)
		if foreign || f.Is(&p, shell.Guard|shell.Startup|shell.OfSystem, shell.Write, shell.Delete, shell.Change) {
			p.Opaque = nil
			f.Parts = append(f.Parts, p)
		}
	}
}

// mcp describes a tool of an MCP server. What the server says of it counts only
// if a person trusts the server.
func (f *Facts) mcp(call *Call, p *Part) {
	p.Sentence = "Use the tool " + shell.Shown(f.Tool) + " of the MCP server " + shell.Shown(f.Server)
	if s := call.Server; s != nil && s.Trusted && s.ReadOnly && !s.Destructive {
		p.Effects, p.Risk = shell.Reads|shell.Network, shell.Safe
	}
}
