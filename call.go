package sayso

import (
	"encoding/json"

	"github.com/sayso-dev/sayso/shell"
)

// A Call is one tool call of an agent, as it was sent.
type Call struct {
	ID       string `json:"id,omitempty"`
	Session  string `json:"session,omitempty"`
	Agent    string `json:"agent,omitempty"`    // claude, codex, gemini …; empty: not known
	Subagent string `json:"subagent,omitempty"` // what kind of subagent makes it; empty: the agent itself

	Tool  string          `json:"tool"`            // its name, as the agent has it
	Input json.RawMessage `json:"input,omitempty"` // its arguments, a JSON object

	Dir  string `json:"cwd,omitempty"`  // where relative paths start; empty: Root
	Root string `json:"root,omitempty"` // the workspace, absolute
	Home string `json:"home,omitempty"` // the user's home folder, absolute

	Server *Server `json:"server,omitempty"` // for a tool of an MCP server, what is known of it

	// Approval is the kind of approval that the agent's runtime says the
	// call needs, such as external_service; empty: it does not say.
	Approval string `json:"approval,omitempty"`
}

// A Server is what is known of the MCP server that a tool belongs to.
type Server struct {
	Name        string `json:"name"`
	Trusted     bool   `json:"trusted,omitempty"`     // a person trusts what it says of itself
	ReadOnly    bool   `json:"readOnly,omitempty"`    // it says that the tool only reads
	Destructive bool   `json:"destructive,omitempty"` // it says that the tool may destroy something
}

// A Case is a call with all that a stage may look at.
type Case struct {
	Call    Call
	Facts   *Facts
	Session Session

	// Leaning is what the stages so far lean to; it does not speak where
	// none of them did.
	Leaning Verdict

	memo     *memo  // what several stages need
	name     string // what the preset calls the tool; empty: what the agent does
	part     *Part  // the part that is looked at, inside Each
	steps    []Step // what the stages said
	inner    []Step // what the stages inside the current one said
	decisive *Case  // the part that decided
}

// A memo keeps what is worked out once for an evaluation. Cases that were made
// by hand have none.
type memo struct {
	denied *RuleSet // what people have denied
	part   *Part    // whose words are kept
	words  shell.Words
}

// words reads the words of a part that is a command.
func (c *Case) words(p *Part) *shell.Words {
	if c.memo == nil {
		words := p.Command.Words()
		return &words
	}
	if c.memo.part != p {
		c.memo.part, c.memo.words = p, p.Command.Words()
	}
	return &c.memo.words
}

// denied returns what people have denied as rules: to deny what they denied in
// this turn, to ask about what they denied before. A rule that does not compile
// cannot come from the engine, and covers nothing.
func (c *Case) denied() *RuleSet {
	if c.memo != nil && c.memo.denied != nil {
		return c.memo.denied
	}
	var rules []Rule
	for _, d := range c.Session.Denied {
		if d.Rule == "" {
			continue
		}
		r := Rule{Effect: Ask, Text: d.Rule, Because: d.Text}
		if d.Turn == c.Session.Turn {
			r.Effect = Deny
		}
		rules = append(rules, r)
	}
	set, _ := NewRuleSet(rules)
	if c.memo != nil {
		c.memo.denied = set
	}
	return set
}

// Tool returns the name of the tool: the one that the preset has for tools of
// its kind, if it has one, see [Preset.ToolName].
func (c *Case) Tool() string {
	if c.name != "" {
		return c.name
	}
	return c.Call.Tool
}

// Part returns the part of the call that is being looked at, or nil if it is
// the whole call.
func (c *Case) Part() *Part { return c.part }

// Parts returns a case for each part of the call, for [Each].
func Parts(c *Case) []*Case { return c.Split(c.Facts.Parts) }

// Split returns a case for each of the parts, for [Each]: a preset may see other
// parts in a call than the analysis does.
func (c *Case) Split(parts []Part) []*Case {
	out := make([]*Case, len(parts))
	for i := range parts {
		out[i] = &Case{Call: c.Call, Facts: c.Facts, Session: c.Session, Leaning: Pass(), memo: c.memo, name: c.name, part: &parts[i]}
	}
	return out
}

// label names the part in a trace.
func (c *Case) label() string {
	if c.part == nil {
		return ""
	}
	return c.part.Text
}
