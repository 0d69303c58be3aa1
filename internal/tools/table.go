package tools

import "strings"

// A row is a tool, or several that take the same arguments.
//
// One name has one row. Where agents give one name to tools with different
// arguments, the row has the arguments of all of them: an agent that gets a key
// it does not know ignores it, and we judge one path too many.
type row struct {
	names string // with blanks between
	by    Agent
	class Class
	args  []arg
}

// An arg is one or more keys of the input that are the same kind of thing, with
// blanks between. In "edits[].path", edits is a list of objects; in "ws.url", ws is
// an object.
type arg struct {
	kind kind
	keys string
}

// keys runs through the keys of a tool, and their kinds.
func (s *Spec) keys(yield func(string, kind) bool) {
	for _, a := range s.args {
		for key := range strings.SplitSeq(a.keys, " ") {
			if !yield(key, a.kind) {
				return
			}
		}
	}
}

// A kind says what the value of a key is, and how it is read.
type kind uint16

const (
	kIgnore     kind = iota // known, and of no interest
	kText                   // what is written, said or run in an interpreter
	kNote                   // why, in the model's words
	kCommand                // a shell command line
	kArgv                   // the same, or a program and its arguments in a list
	kArgs                   // the arguments of the program in the command
	kTyped                  // what is typed into a running command; may be empty
	kDir                    // the folder to work in
	kRead                   // paths
	kList                   //
	kSearch                 //
	kWrite                  //
	kDelete                 //
	kFrom                   //
	kTo                     //
	kRun                    //
	kGlob                   // a pattern for names, which may lead out of its folder
	kReadGlob               // the same, and the files are read
	kPattern                // what is searched for
	kFilter                 // a pattern for the names of the files that are searched
	kVerb                   // what an editor does; "view" only shows the file
	kPatch                  // a patch
	kURL                    // a URL
	kProse                  // text in which URLs stand
	kServer                 // the name of an MCP server
	kTool                   // the name of a tool of it
	kLoose                  // the arguments of an MCP tool
	kMillis                 // a time limit in milliseconds
	kSeconds                // or in seconds
	kBackground             // true: it goes on running
	kAsync                  // "async", "background": the same
	kEscalate               // true, or not empty: outside the sandbox
	kSandbox                // not "use_default": the same

	// must: one of the keys of this kind has to be there.
	must kind = 1 << 8
	// many: a list of values is fine, too.
	many kind = 1 << 9
	// forPowerShell: a command line for PowerShell, not for a shell.
	forPowerShell kind = 1 << 10
	// inLua, inNode: text that is a program in that language.
	inLua  kind = 1 << 11
	inNode kind = 1 << 12

	kindMask = must - 1
)

// access is what the kinds that are paths do to them.
func (k kind) access() (Access, bool) {
	switch k & kindMask {
	case kRead:
		return Reads, true
	case kList:
		return Lists, true
	case kSearch:
		return Searches, true
	case kWrite:
		return Writes, true
	case kDelete:
		return Deletes, true
	case kFrom:
		return MovesFrom, true
	case kTo:
		return MovesTo, true
	case kRun:
		return Runs, true
	}
	return 0, false
}

// group puts together the kinds of which one suffices.
func (k kind) group() kind {
	switch k &= kindMask; k {
	case kArgv:
		return kCommand
	case kProse:
		return kURL
	default:
		return k
	}
}

// tables are all rows there are.
var tables = [...][]row{shellTools, readTools, searchTools, writeTools, webTools, mcpTools, agentTools, talkTools}
