package sayso

import (
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/shell"
)

// A Class is what kind of thing a tool does.
type Class string

// The classes of tools. A tool that nobody knows has the class ClassUnknown.
const (
	ClassUnknown    Class = "unknown"
	ClassShell      Class = "shell"
	ClassBackground Class = "background"
	ClassRead       Class = "read"
	ClassWrite      Class = "write"
	ClassEdit       Class = "edit"
	ClassPatch      Class = "patch"
	ClassDelete     Class = "delete"
	ClassMove       Class = "move"
	ClassList       Class = "list"
	ClassGrep       Class = "grep"
	ClassFetch      Class = "fetch"
	ClassSearch     Class = "search"
	ClassMCP        Class = "mcp"
	ClassTask       Class = "task"
	ClassMemory     Class = "memory"
	ClassQuestion   Class = "question"
	ClassSubagent   Class = "subagent"
	ClassCode       Class = "code"
	ClassNotebook   Class = "notebook"
	ClassMode       Class = "mode"
	ClassSkill      Class = "skill"
	ClassDocs       Class = "docs"
	ClassExternal   Class = "external"
	ClassOutput     Class = "output"
)

// Facts are what the analysis found out about a call. They are made once and
// not changed afterwards.
type Facts struct {
	Class    Class             // of the tool
	Parts    []Part            // what it does, one by one; never empty
	Lines    []string          // its command lines, as they were sent; most calls have one or none
	Shell    []*shell.Analysis // what each of them does
	Place    shell.Place       // where it happens
	ReadOnly bool              // it changes nothing
	Risk     shell.Risk        // the worst of its parts
	Sentence string            // what it is about to do, in English, without a full stop

	Server, Tool string // of an MCP tool

	// Err says why the call cannot be judged; such a call is denied.
	Err error

	guessed tools.Input // what a tool that is not known seems to be given
}

// A Part is one thing that a call does: a command of a command line, a file
// that a redirection writes, a file that a tool edits, a request. A call is
// judged by its parts; the strictest answer counts.
type Part struct {
	Text     string         // the command, path or address, for people
	Command  *shell.Command // if it is a command, else nil
	Paths    []shell.Path   // the files it touches
	Hosts    []string       // the hosts it talks to
	Effects  shell.Effects
	Risk     shell.Risk
	Opaque   []string // why what it does cannot be known in full
	Sentence string
	Subject  string // what it is to the preset that made the part; empty: the analysis did

	shell bool     // it is a part of a command line
	named []string // hosts in the words of a program of which it is not known whom it talks to
}

// outside are the files outside the workspace that a tool of the agent changes. What
// a command changes there is not known from its words alone.
func (f *Facts) outside(p *Part) []string {
	if p.Command != nil {
		return nil
	}
	var out []string
	for _, path := range p.Paths {
		changed := path.Access == 0 || path.Access > shell.Read
		if changed && path.Abs != "" && !f.Place.Inside(path.Abs) {
			out = append(out, path.Abs)
		}
	}
	return out
}

// Inside reports whether every path that the part changes is in the workspace
// or is a file of its own in a folder for temporary files.
func (f *Facts) Inside(p *Part) bool {
	elsewhere := p.Command != nil && p.Command.Elsewhere
	for _, path := range p.Paths {
		if elsewhere && !path.Here { // not on this machine
			continue
		}
		if path.Access <= shell.Read && path.Access > 0 {
			continue
		}
		for _, abs := range [...]string{path.Abs, path.Real} {
			if abs == "" && path.Abs != "" {
				continue // Real is empty where it is the same
			}
			if abs == "" || !f.Place.Inside(abs) && f.Place.Class(abs)&shell.Temporary == 0 {
				return false
			}
		}
	}
	return true
}

// Is reports whether one of the paths of the part is of that class, and touched
// in one of those ways.
func (f *Facts) Is(p *Part, class shell.PathClass, accesses ...shell.Access) bool {
	return f.Find(p, class, accesses...) != nil
}

// Find returns the first path of the part that is of that class, or may be, and
// is touched in one of those ways; nil if there is none.
func (f *Facts) Find(p *Part, class shell.PathClass, accesses ...shell.Access) *shell.Path {
	for i := range p.Paths {
		for _, a := range accesses {
			if a == p.Paths[i].Access && f.Place.ClassOf(&p.Paths[i])&class != 0 {
				return &p.Paths[i]
			}
		}
	}
	return nil
}

// Reveals reports whether the part shows a secret: a file that holds one, or a
// program that prints one.
func (f *Facts) Reveals(p *Part) bool {
	return p.Effects&shell.Secrets != 0 || f.Is(p, shell.Secret, shell.Read)
}

// Parent returns the command that runs c, such as sudo or ssh, or nil.
func (f *Facts) Parent(c *shell.Command) *shell.Command {
	for _, a := range f.Shell {
		for i := range a.Commands {
			if &a.Commands[i] == c && c.Via >= 0 {
				return &a.Commands[c.Via]
			}
		}
	}
	return nil
}
