package sayso

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A hostPattern matches a host: exactly, *.example.com and everything below it,
// or * for all.
type hostPattern struct{ host string }

func compileHost(pattern string) (*hostPattern, string) {
	host := strings.ToLower(strings.TrimPrefix(pattern, "domain:"))
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host, _, _ = strings.Cut(rest, "/")
	}
	if strings.ContainsAny(host, "/ \t") || host == "" {
		return nil, "want a host, such as example.com or *.example.com"
	}
	if strings.Contains(strings.TrimPrefix(host, "*"), "*") {
		return nil, "a * stands at the start of a host, or alone"
	}
	return &hostPattern{host}, ""
}

func (m *hostPattern) match(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if rest, ok := strings.CutPrefix(m.host, "*"); ok {
		return rest == "" || strings.HasSuffix(host, rest) && len(host) > len(rest)
	}
	return host == m.host
}

func (m *hostPattern) any(_ *Case, p *Part) bool {
	for _, h := range p.Hosts {
		if m.match(h) || h == shell.External && m.host == "*" {
			return true
		}
	}
	for _, h := range p.named {
		if m.match(h) && m.host != "*" {
			return true
		}
	}
	return false
}

func (m *hostPattern) covers(_ *Case, p *Part) bool {
	if p.Command != nil || len(p.Hosts) == 0 {
		return false
	}
	for _, h := range p.Hosts {
		if !m.match(h) {
			return false
		}
	}
	return true
}

// An mcpPattern matches a tool of an MCP server, and arguments of the call:
// github/create_issue owner=acme.
type mcpPattern struct {
	server, tool wordGlob
	folded       wordGlob // the tool without regard to case, for rules that deny or ask
	args         []argPattern
}

type argPattern struct {
	key   []string
	value wordGlob
}

func compileMCP(pattern string) (*mcpPattern, string) {
	words, closed := patternWords(pattern)
	if !closed || len(words) == 0 {
		return nil, "want server/tool, and after it name=value for its arguments"
	}
	server, tool, ok := strings.Cut(words[0], "/")
	if !ok {
		tool = "*"
	}
	m := &mcpPattern{server: compileWord(strings.ToLower(server)), tool: compileWord(tool), folded: compileWord(strings.ToLower(tool))}
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, "want name=value after server/tool"
		}
		m.args = append(m.args, argPattern{strings.Split(name, "."), compileWord(value)})
	}
	return m, ""
}

func (m *mcpPattern) of(c *Case) bool {
	return c.Facts.Class == ClassMCP && m.server.match(strings.ToLower(strings.TrimSpace(c.Facts.Server)))
}

func (m *mcpPattern) any(c *Case, _ *Part) bool {
	return m.of(c) && m.folded.match(strings.ToLower(c.Facts.Tool)) && m.given(c, true)
}

func (m *mcpPattern) covers(c *Case, _ *Part) bool {
	return m.of(c) && m.tool.match(c.Facts.Tool) && m.given(c, false)
}

// given compares the arguments. One that cannot be read as text may be meant,
// but is not covered.
func (m *mcpPattern) given(c *Case, loose bool) bool {
	if len(m.args) == 0 {
		return true
	}
	var input any
	if json.Unmarshal(c.Call.Input, &input) != nil {
		return loose
	}
	for i := range m.args {
		text, ok := textAt(input, m.args[i].key)
		if ok && !m.args[i].value.match(text) || !ok && !loose {
			return false
		}
	}
	return true
}

// textAt returns the value of a nested key as text.
func textAt(v any, key []string) (string, bool) {
	for _, k := range key {
		object, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		if v, ok = object[k]; !ok {
			return "", false
		}
	}
	if s, ok := v.(string); ok {
		return s, true
	}
	text, err := json.Marshal(v)
	return string(text), err == nil
}

// A toolPattern matches every call of a class of tools, or of one tool.
type toolPattern struct {
	class Class  // or
	name  string // as the agent has it; * for every tool
	input any    // if it must be exactly this
	exact bool
	power func(pattern string, input json.RawMessage) bool // of a tool that has patterns of its own
	text  string                                           // its pattern
}

// ofShell reports whether a class is about commands that run already; a rule for
// all of the shell means them, too.
func ofShell(class Class) bool { return class == ClassBackground || class == ClassOutput }

func (m *toolPattern) covers(c *Case, p *Part) bool { return m.any(c, p) }

func (m *toolPattern) any(c *Case, _ *Part) bool {
	switch {
	case m.class != "" && m.class != c.Facts.Class && !(m.class == ClassShell && ofShell(c.Facts.Class)):
		return false
	case m.class == "" && m.name != "*" && m.name != c.Call.Tool:
		return false
	case m.power != nil:
		return m.power(m.text, c.Call.Input)
	case !m.exact:
		return true
	}
	var input any
	return json.Unmarshal(c.Call.Input, &input) == nil && reflect.DeepEqual(input, m.input)
}
