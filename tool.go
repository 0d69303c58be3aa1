package sayso

import (
	"encoding/json"

	"github.com/sayso-dev/sayso/internal/tools"
)

// A Tool describes a tool of a program that embeds sayso. The tools of the
// agents that sayso knows need no description.
//
// Only Name is needed; each function is a power that the tool may have or not.
type Tool struct {
	Name  string
	Class Class // empty: ClassUnknown

	// Which arguments hold what. A key may name an argument that is a string
	// or a list of strings.
	Command, Reads, Writes, Deletes, URLs []string

	// ReadOnly reports whether a call with this input changes nothing.
	ReadOnly func(input json.RawMessage) bool

	// Check is what the tool itself thinks of a call. It may pass.
	Check func(c *Case) Verdict

	// Matches reports whether the pattern of a rule, mytool(pattern), means a
	// call with this input.
	Matches func(pattern string, input json.RawMessage) bool

	// Suggest returns the texts of rules that would allow calls like this
	// one, the narrowest first.
	Suggest func(c *Case) []string

	// Sentence says in English what a call with this input will do.
	Sentence func(input json.RawMessage) string
}

var classNames = [...]Class{
	tools.Unknown: ClassUnknown, tools.Shell: ClassShell, tools.Background: ClassBackground, tools.Read: ClassRead,
	tools.Write: ClassWrite, tools.Edit: ClassEdit, tools.Patch: ClassPatch, tools.Delete: ClassDelete, tools.Move: ClassMove,
	tools.List: ClassList, tools.Grep: ClassGrep, tools.Fetch: ClassFetch, tools.WebSearch: ClassSearch, tools.MCPTool: ClassMCP,
	tools.Task: ClassTask, tools.Memory: ClassMemory, tools.Question: ClassQuestion, tools.Subagent: ClassSubagent,
	tools.Code: ClassCode, tools.Notebook: ClassNotebook, tools.Mode: ClassMode, tools.Skill: ClassSkill, tools.Docs: ClassDocs,
	tools.External: ClassExternal, tools.Output: ClassOutput,
}

func classOf(c tools.Class) Class { return classNames[c] }
