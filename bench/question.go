// Package bench asks sayso, cedar-go, OPA, casbin and cel-go the same
// questions: may this command, this request, this tool, this edit go ahead,
// under a policy of so many rules? It is a module of its own, so that none of
// them becomes a dependency of sayso.
package bench

import (
	"fmt"
	"path"
	"strings"
)

// A Kind is what the rules of a policy are about.
type Kind string

// The kinds of rules.
const (
	Command Kind = "command" // bash(prog7 sub *)
	Host    Kind = "host"    // fetch(*.host7.example)
	Tool    Kind = "tool"    // mcp(server7/tool)
	Path    Kind = "path"    // edit(src/pkg7/**)
	Name    Kind = "name"    // edit(**/name7.txt)

	// Rules that have much in common: a program, a server, a folder.
	Script Kind = "script" // bash(npm run task7 *)
	Method Kind = "method" // mcp(github/tool7)
	Deep   Kind = "deep"   // edit(src/**/name7.txt)
)

// Kinds are all of them, in the order of the report.
var Kinds = []Kind{Command, Host, Tool, Path, Name, Script, Method, Deep}

// Sizes are the numbers of rules that are measured.
var Sizes = []int{10, 100, 1_000, 10_000}

// Rule returns the text of the i-th rule of a kind, as sayso has it. The other
// engines make their own of the same number.
func Rule(k Kind, i int) string {
	switch k {
	case Command:
		return fmt.Sprintf("bash(prog%d sub *)", i)
	case Host:
		return fmt.Sprintf("fetch(*.host%d.example)", i)
	case Tool:
		return fmt.Sprintf("mcp(server%d/tool)", i)
	case Path:
		return fmt.Sprintf("edit(src/pkg%d/**)", i)
	case Script:
		return fmt.Sprintf("bash(npm run task%d *)", i)
	case Method:
		return fmt.Sprintf("mcp(github/tool%d)", i)
	case Deep:
		return fmt.Sprintf("edit(src/**/name%d.txt)", i)
	}
	return fmt.Sprintf("edit(**/name%d.txt)", i)
}

// Key returns what a look-up table has for the i-th rule; see [Question.Key].
func Key(k Kind, i int) string {
	switch k {
	case Command:
		return fmt.Sprintf("prog%d sub", i)
	case Host:
		return fmt.Sprintf("host%d.example", i)
	case Tool:
		return fmt.Sprintf("server%d/tool", i)
	case Path:
		return fmt.Sprintf("src/pkg%d", i)
	case Script:
		return fmt.Sprintf("npm run task%d", i)
	case Method:
		return fmt.Sprintf("github/tool%d", i)
	case Deep:
		return fmt.Sprintf("src/name%d.txt", i)
	}
	return fmt.Sprintf("name%d.txt", i)
}

// A Question is a call, already analysed: each engine gets the facts that its
// rules look at, in the form that suits it best.
type Question struct {
	Kind Kind
	Text string // the command line, host, server/tool or path
}

// Matching returns a question that the i-th rule of a kind answers with yes.
func Matching(k Kind, i int) Question {
	switch k {
	case Command:
		return Question{k, fmt.Sprintf("prog%d sub --flag file.txt", i)}
	case Host:
		return Question{k, fmt.Sprintf("api.host%d.example", i)}
	case Tool:
		return Question{k, fmt.Sprintf("server%d/tool", i)}
	case Path:
		return Question{k, fmt.Sprintf("src/pkg%d/cmd/main.go", i)}
	case Script:
		return Question{k, fmt.Sprintf("npm run task%d --flag file.txt", i)}
	case Method:
		return Question{k, fmt.Sprintf("github/tool%d", i)}
	case Deep:
		return Question{k, fmt.Sprintf("src/docs/name%d.txt", i)}
	}
	return Question{k, fmt.Sprintf("docs/notes/name%d.txt", i)}
}

// Program is the first word of a command.
func (q Question) Program() string { p, _, _ := strings.Cut(q.Text, " "); return p }

// Sub is the second word of a command, or nothing.
func (q Question) Sub() string { return q.word(1) }

// Task is the third word of a command, or nothing.
func (q Question) Task() string { return q.word(2) }

func (q Question) word(i int) string {
	if words := strings.Fields(q.Text); len(words) > i {
		return words[i]
	}
	return ""
}

// Server is the MCP server of a tool.
func (q Question) Server() string { s, _, _ := strings.Cut(q.Text, "/"); return s }

// Tool is the name that the server has for it.
func (q Question) Tool() string { _, t, _ := strings.Cut(q.Text, "/"); return t }

// Base is the last component of a path.
func (q Question) Base() string { return path.Base(q.Text) }

// Above returns the domains that a host is in, or the folders that a file is
// in, the nearest first.
func (q Question) Above() []string {
	var out []string
	if q.Kind == Host {
		for rest := q.Text; ; {
			_, domain, ok := strings.Cut(rest, ".")
			if !ok {
				return out
			}
			out = append(out, domain)
			rest = domain
		}
	}
	for dir := path.Dir(q.Text); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}

// Key is what a look-up table is asked for. It does half of the work of the
// rule: whoever makes it knows that all rules are about the second word, two
// labels of a host, or two folders.
func (q Question) Key() string {
	switch q.Kind {
	case Command:
		return q.Program() + " " + q.Sub()
	case Script:
		return q.Program() + " " + q.Sub() + " " + q.Task()
	case Tool, Method:
		return q.Text
	case Name:
		return q.Base()
	case Deep:
		top, _, _ := strings.Cut(q.Text, "/")
		return top + "/" + q.Base()
	}
	above := q.Above()
	if len(above) < 2 {
		return ""
	}
	return above[len(above)-2]
}
