package sayso

import (
	"encoding/json"
	"strings"

	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/shell"
)

// A matcher is the compiled text of a rule.
type matcher interface {
	// any reports whether the part may be meant: enough to deny or ask.
	any(c *Case, p *Part) bool
	// covers reports whether all of the part is meant: needed to allow.
	covers(c *Case, p *Part) bool
}

// compile turns the text of a rule into a matcher. Own are the tools that a
// program has added.
func compile(text string, own []Tool) (matcher, error) {
	name, pattern, has, err := splitRule(text)
	if err != nil {
		return nil, err
	}
	for i := range own {
		if own[i].Name == name {
			return compileOwn(&own[i], pattern, has)
		}
	}
	at := strings.IndexByte(text, '(') + 2
	fail := func(problem, hint string) (matcher, error) { return nil, &RuleError{text, at, problem, hint} }
	class := classOfRule(name)
	switch {
	case !has && class != "":
		return &toolPattern{class: class}, nil
	case !has || pattern == "*" && (class == "" || class == ClassMCP):
		if class == ClassMCP {
			return &toolPattern{class: class}, nil
		}
		return &toolPattern{name: name}, nil
	case strings.HasPrefix(pattern, "{") && !(ofPaths(class) && !json.Valid([]byte(pattern))): // {a,b}/** is a glob
		m := &toolPattern{class: class, name: name, exact: true}
		if err := json.Unmarshal([]byte(pattern), &m.input); err != nil {
			return fail("the input is not JSON: "+err.Error(), "")
		}
		return m, nil
	}
	var m matcher
	var problem, hint string
	switch class {
	case ClassShell, ClassBackground:
		m, problem = compileCommand(pattern)
	case ClassRead, ClassGrep, ClassList:
		m, problem, hint = compilePath(pattern, readWays, []shell.Access{shell.Read, shell.List})
	case ClassWrite, ClassEdit, ClassPatch, ClassNotebook, ClassMove:
		m, problem, hint = compilePath(pattern, editWays, []shell.Access{shell.Write, shell.Read, shell.List})
	case ClassDelete:
		m, problem, hint = compilePath(pattern, deleteWays, []shell.Access{shell.Delete, shell.List})
	case ClassFetch:
		m, problem = compileHost(pattern)
	case ClassMCP:
		m, problem = compileMCP(pattern)
	default:
		problem, hint = name+" has no patterns", name
	}
	if problem != "" {
		return fail(problem, hint)
	}
	return m, nil
}

// ofPaths reports whether the patterns of a class are globs.
func ofPaths(class Class) bool {
	switch class {
	case ClassRead, ClassGrep, ClassList, ClassWrite, ClassEdit, ClassPatch, ClassNotebook, ClassMove, ClassDelete:
		return true
	}
	return false
}

func compileOwn(t *Tool, pattern string, has bool) (matcher, error) {
	m := &toolPattern{name: t.Name}
	switch {
	case !has || pattern == "*":
	case strings.HasPrefix(pattern, "{") && t.Matches == nil:
		m.exact = true
		if err := json.Unmarshal([]byte(pattern), &m.input); err != nil {
			return nil, &RuleError{t.Name + "(" + pattern + ")", len(t.Name) + 2, "the input is not JSON: " + err.Error(), ""}
		}
	case t.Matches == nil:
		return nil, &RuleError{t.Name + "(" + pattern + ")", len(t.Name) + 2, t.Name + " has no patterns", t.Name}
	default:
		m.power, m.text = t.Matches, pattern
	}
	return m, nil
}

// RuleClass returns the class of tools that the word in front of a rule's
// pattern stands for, and whether it stands for one.
func RuleClass(word string) (Class, bool) {
	class := classOfRule(word)
	return class, class != ""
}

// classOfRule returns the class that a rule names: by its own word, or by the
// name that an agent has for one of its tools.
func classOfRule(name string) Class {
	switch name {
	case "bash", "shell", "sh":
		return ClassShell
	case "glob":
		return ClassList
	case "agent":
		return ClassSubagent
	case "lua":
		return ClassCode
	case "websearch":
		return ClassSearch
	case "read", "write", "edit", "patch", "delete", "move", "list", "grep", "fetch", "search", "mcp", "task", "memory",
		"question", "subagent", "code", "notebook", "mode", "skill", "docs", "external", "output":
		return Class(name)
	}
	if spec, ok := tools.Lookup(name); ok && spec.Class != tools.MCPTool && spec.Class != tools.Unknown {
		return classOf(spec.Class)
	}
	return ""
}
