package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/tools"
)

// A short is a tool that check takes with one plain argument.
type short struct {
	words   string // its names on the command line
	tool    string // what an agent would call
	keys    []string
	example string
}

var shorts = []short{
	{"bash shell sh", "bash", []string{"command"}, "'git status'"},
	{"read", "Read", []string{"file_path"}, "src/main.go"},
	{"write edit", "Write", []string{"file_path", "content"}, "src/main.go"},
	{"delete", "delete_file", []string{"path"}, "old.log"},
	{"fetch", "fetch", []string{"url"}, "https://example.com"},
	{"glob list", "Glob", []string{"pattern"}, "'**/*.go'"},
	{"grep", "Grep", []string{"pattern"}, "TODO"},
	{"search websearch", "WebSearch", []string{"query"}, "'go generics'"},
}

// shortOf finds a tool by its word, or by the name that an agent has for it.
func shortOf(name string) *short {
	class, _ := sayso.RuleClass(name)
	for i := range shorts {
		words := strings.Fields(shorts[i].words)
		if slices.Contains(words, name) || class != "" && slices.ContainsFunc(words, func(w string) bool { return sayso.Class(w) == class }) {
			return &shorts[i]
		}
	}
	return nil
}

// callOf makes a call of the arguments of a verb.
func callOf(verb string, args []string, std IO) (sayso.Call, error) {
	if len(args) == 0 {
		return sayso.Call{}, &usageError{verb + " wants a tool and what it is called with", "for example: sayso " + verb + " bash 'git status'"}
	}
	name, rest := args[0], args[1:]
	plain := slices.ContainsFunc(shorts, func(s short) bool { return slices.Contains(strings.Fields(s.words), name) })
	if s := shortOf(name); s != nil && (plain && !s.isInput(rest) || len(rest) != 1 || !json.Valid([]byte(rest[0]))) {
		return s.call(verb, name, rest)
	} else if _, known := tools.Lookup(name); s != nil && !known {
		name = s.tool // a word of the command line, and no tool
	}
	if name == "mcp" {
		server, tool, ok := "", "", false
		if len(rest) > 0 {
			server, tool, ok = strings.Cut(rest[0], "/")
		}
		if !ok || server == "" || tool == "" {
			return sayso.Call{}, &usageError{"mcp wants SERVER/TOOL", "for example: sayso " + verb + ` mcp github/get_issue '{"number": 1}'`}
		}
		name, rest = "mcp__"+server+"__"+tool, rest[1:]
	}
	return toolCall(verb, name, rest, std)
}

// isInput reports whether the argument is the input of a tool as an agent sends
// it, rather than a path, a command or an address: a JSON object, which none of
// these is. What somebody looks for may be one.
func (s *short) isInput(rest []string) bool {
	if s.tool == "Grep" || s.tool == "WebSearch" || len(rest) != 1 {
		return false
	}
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(rest[0]), &object) == nil && object != nil
}

func (s *short) call(verb, name string, rest []string) (sayso.Call, error) {
	example := "for example: sayso " + verb + " " + name + " " + s.example
	switch {
	case len(rest) == 0:
		return sayso.Call{}, &usageError{name + " wants an argument", example}
	case len(rest) > 1 && s.tool == "bash":
		return sayso.Call{}, &usageError{fmt.Sprintf("%s wants one argument, not %d", name, len(rest)), "put the command line in quotes, and options before the tool: sayso " + verb + " " + name + " 'git status'"}
	case len(rest) > 1:
		return sayso.Call{}, &usageError{fmt.Sprintf("%s wants one argument, not %d", name, len(rest)), example}
	}
	object := map[string]string{}
	for _, k := range s.keys {
		object[k] = ""
	}
	object[s.keys[0]] = rest[0]
	input, _ := json.Marshal(object) // strings can be written
	return sayso.Call{Tool: s.tool, Input: input}, nil
}

// toolCall is a call of any other tool.
func toolCall(verb, name string, rest []string, std IO) (sayso.Call, error) {
	near := ""
	if _, known := tools.Lookup(name); !known {
		near = nearTool(name)
	}
	input := json.RawMessage("{}")
	if len(rest) > 0 {
		input = json.RawMessage(strings.Join(rest, " "))
	}
	if !json.Valid(input) {
		if near != "" {
			return sayso.Call{}, &usageError{fmt.Sprintf("no tool is known as %s: did you mean %s?", name, near), "an unknown tool wants its input as JSON"}
		}
		return sayso.Call{}, &usageError{"the input of " + name + " is not JSON", "for example: sayso " + verb + " " + name + ` '{"key": "value"}'`}
	}
	if near != "" {
		printf(std.Err, "sayso: note: no tool is known as %s: did you mean %s?\n", name, near)
	}
	return sayso.Call{Tool: name, Input: input}, nil
}

// nearTool is the tool whose name is most like the given one; empty: none is.
func nearTool(name string) string {
	words := []string{"mcp"}
	for _, s := range shorts {
		words = append(words, strings.Fields(s.words)...)
	}
	if near := config.Nearest(name, words); near != "" {
		return near
	}
	near, _ := tools.Nearest(name)
	return near
}
