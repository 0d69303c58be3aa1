package sayso

import (
	"fmt"
	"strings"
	"time"
)

// A Rule says what is done with the calls that it matches. Its text is a tool
// and, in parentheses, a pattern:
//
//	bash(npm run *)              a command, after unwrapping, with its flags in any order
//	read(**/.env)                files, relative to the workspace, ~/ or // for others
//	edit(src/**)  delete(*.log)  likewise
//	fetch(*.example.com)         a host
//	mcp(github/create_*)         a tool of an MCP server
//	task                         every call of a tool
//	mytool({"dry": true})        a call with exactly this input
//
// A rule that denies or asks matches if any part of the call does; one that
// allows must cover the whole of it.
type Rule struct {
	Effect   Effect    `json:"effect"`
	Text     string    `json:"rule"`
	Because  string    `json:"because,omitempty"`
	Except   []string  `json:"except,omitempty"`    // rules that take calls out of this one
	Match    []string  `json:"match,omitempty"`     // examples that it must match
	NotMatch []string  `json:"not_match,omitempty"` // and that it must not
	Until    time.Time `json:"until,omitzero"`      // it ends then; zero: never
	Source   Source    `json:"source,omitzero"`
}

// A Source is where a rule stands.
type Source struct {
	Layer  Layer  `json:"layer,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// A Layer says who wrote a policy, the strongest first.
type Layer string

// The layers of policy.
const (
	Managed   Layer = "managed"   // /etc/sayso: the administrator
	User      Layer = "user"      // the user's own
	Workspace Layer = "workspace" // the user's own, for one workspace
	Committed Layer = "committed" // came with the repository
	SessionOf Layer = "session"   // said during a session
	BuiltIn   Layer = "built-in"
	OfProfile Layer = "profile" // the user's own, encrypted: its text is told nowhere
)

// String returns file:line:column, or the layer where there is no file.
func (s Source) String() string {
	switch {
	case s.File == "":
		return string(s.Layer)
	case s.Line == 0:
		return s.File
	case s.Column == 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Column)
}

// String returns the text of the rule.
func (r *Rule) String() string { return r.Text }

// A RuleError says what is wrong with the text of a rule.
type RuleError struct {
	Text    string
	Column  int // in bytes, from 1
	Problem string
	Hint    string // what to write instead; may be empty
}

func (e *RuleError) Error() string { return fmt.Sprintf("rule %q: %s", e.Text, e.Problem) }

// splitRule takes tool(pattern) apart.
func splitRule(text string) (tool, pattern string, has bool, err error) {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		if text == "" || strings.ContainsAny(text, " \t)") {
			return "", "", false, &RuleError{text, 1, "want tool or tool(pattern)", ""}
		}
		return text, "", false, nil
	}
	tool = text[:open]
	if tool == "" || strings.ContainsAny(tool, " \t)") {
		return "", "", false, &RuleError{text, 1, "want the name of a tool before the parenthesis", ""}
	}
	if !strings.HasSuffix(text, ")") {
		hint := text + ")"
		if open == len(text)-1 {
			hint = tool + "(*)"
		}
		return "", "", false, &RuleError{text, len(text), "the closing parenthesis is missing", hint}
	}
	pattern = text[open+1 : len(text)-1]
	if strings.TrimSpace(pattern) == "" {
		return "", "", false, &RuleError{text, open + 2, "the pattern is empty", tool + "(*)"}
	}
	return tool, pattern, true, nil
}
