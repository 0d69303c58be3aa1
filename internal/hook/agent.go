package hook

import (
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
)

// An Agent is the hook protocol of an agent: what its events are called, where in
// them what stands, and the form in which it takes answers.
type Agent struct {
	Name  string // as it is called on the command line
	Title string // as its makers call it

	// Wait is how long it waits for its hooks, as sayso init wires them. When it has
	// waited that long it goes on without an answer.
	Wait time.Duration

	events  []moments
	fields  []fields
	project string // the variable with its own idea of the workspace; may be empty

	// complete fills in what stands elsewhere in the events of this agent.
	complete func(e *told) error

	// decided is the answer before a tool runs. Empty: the agent goes on.
	decided func(e *told, d sayso.Decision) []byte

	// denied is the answer to an agent that is about to ask its user.
	denied func(e *told, d sayso.Decision) []byte

	// warn tells the user, not the model, what went wrong; nil: it cannot be told.
	warn func(text string) []byte

	// types says that it types into terminals that are open without asking its hook:
	// what runs what is typed must not be started there.
	types bool

	// mustHear says that to tell it that it may go on grants nothing, and that it must be
	// told.
	mustHear bool

	// lenient says that a denial on standard output counts together with the exit
	// status that blocks. All others want nothing there then.
	lenient bool

	// byStatus says that it reads no answer but the exit status, and the reason for a no
	// on standard error: see [DeniedError].
	byStatus bool

	// inside says that it runs its hooks in the workspace, which its events need not name.
	inside bool
}

// A moment is what an event tells.
type moment uint8

const (
	other     moment = iota // nothing that needs an answer
	before                  // a tool is about to run
	announced               // the same, and an event of its own for that tool follows
	asking                  // the agent is about to ask its user about a call
	ran                     // a tool has run
	failed                  // a tool has run, and failed
	settled                 // what is still waiting of these calls did not run
	started                 // a session starts or goes on
	prompted                // its user has said something
	ended                   // it ends
	repeated                // what another event tells, too
)

// moments are the events of one kind.
type moments struct {
	name string
	is   moment
	asks bool // before a tool: the answer may be that the user is to be asked
}

// A field is what a value of an event is.
type field uint8

const (
	fSession field = iota
	fDir
	fEvent
	fMode
	fSubagent
	fTool
	fID
	fTurn // what the user has said last, by its id
	fPrompt
	fSource
	fReason
	fRoot
	fRoots   // a list; the first one counts
	fInput   // an object
	fAnyArgs // an object, or the same written as a string
	fServer  // an object in which name is the name of an MCP server
	fContext // an object in which server_name is
	fBatch   // a list of objects in which tool_use_id is the id of a call
	fServers // a list of the names of MCP servers
	fCommand // the values of tools that have no object of their own
	fFile
	fAttached
	fResult // that it is there tells that the tool has run
)

// fields are the keys of a field.
type fields struct {
	key string
	is  field
}

// agents are all whose hooks are known.
var agents = [...]*Agent{&claude, &codex, &gemini, &opencode, &copilot, &cursor, &vscode, &windsurf, &crush}

// Agents lists them.
func Agents() []*Agent { return slices.Clone(agents[:]) }

// Find returns the agent of that name.
func Find(name string) (*Agent, bool) {
	for _, a := range agents {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// Names lists the names of all agents.
func Names() []string {
	var out []string
	for _, a := range agents {
		out = append(out, a.Name)
	}
	return out
}

// moment is what an event of the agent tells.
func (a *Agent) moment(event string) (moments, bool) {
	for _, m := range a.events {
		if m.name == event {
			return m, true
		}
	}
	return moments{name: event}, false
}

// Decisive are the events at which a call is decided.
func (a *Agent) Decisive() []string {
	var out []string
	for _, m := range a.events {
		if m.is == before {
			out = append(out, m.name)
		}
	}
	return out
}

// Events are the events of the agent that sayso wants to be told of.
func (a *Agent) Events() []string {
	var out []string
	for _, m := range a.events {
		out = append(out, m.name)
	}
	return out
}
