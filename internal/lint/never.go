package lint

import (
	"strings"

	"github.com/sayso-dev/sayso"
)

// never finds rules that match nothing that anybody would write.
func (s *subject) never() *Finding {
	if s.set == nil {
		return nil
	}
	if problem, remedy := s.foreign(); problem != "" {
		return s.found(Never, s.rule.Text+" "+problem, remedy)
	}
	if !s.tried || len(s.calls) > 0 || s.pattern == "" && !strings.ContainsAny(s.tool, "*") {
		return nil
	}
	problem, remedy := "can never match", ""
	switch s.class {
	case sayso.ClassShell, sayso.ClassBackground:
		problem, remedy = s.neverCommand()
	case sayso.ClassFetch:
		problem, remedy = "can never match: only the name of a host counts", "write "+s.tool+"("+hostName(s.pattern)+")"
	case sayso.ClassMCP:
		problem = "can never match a tool of an MCP server"
	default:
		if s.pattern != "" {
			problem, remedy = s.neverPath()
		}
	}
	return s.found(Never, s.rule.Text+" "+problem, remedy)
}

// foreign finds the syntax of other programs, which means something else here.
func (s *subject) foreign() (problem, remedy string) {
	if rest, ok := strings.CutPrefix(s.tool, "mcp__"); ok && s.pattern == "" {
		server, tool, has := strings.Cut(rest, "__")
		if !has || strings.Contains(rest, "*") {
			if !has {
				tool = "*"
			}
			return "can never match: no tool has that name", "for the tools of a server write mcp(" + server + "/" + tool + ")"
		}
	}
	if s.class == sayso.ClassShell && strings.HasSuffix(s.pattern, ":*") {
		words, _ := splitWords(s.pattern)
		if len(words) < 3 || s.tool == "Bash" {
			last := strings.TrimSuffix(words[len(words)-1].written(), "*")
			return "matches one word such as " + last + "x, and nothing behind it", "for any words behind it write bash(" + strings.TrimSuffix(s.pattern, ":*") + " *)"
		}
	}
	if s.isPath() && s.pattern == "~" {
		return "matches a file with the name ~ only", "for the home folder write " + s.tool + "(~/**)"
	}
	if s.isPath() && strings.HasPrefix(s.pattern, "$") {
		name, rest, _ := strings.Cut(s.pattern, "/")
		remedy = "write the path itself, from // on"
		if name == "$HOME" || name == "${HOME}" {
			remedy = "write " + s.tool + "(~/" + rest + ")"
		}
		return "can hardly ever match: variables have no meaning in a pattern", remedy
	}
	return "", ""
}

func (s *subject) isPath() bool {
	switch s.class {
	case sayso.ClassRead, sayso.ClassGrep, sayso.ClassList, sayso.ClassWrite, sayso.ClassEdit, sayso.ClassPatch, sayso.ClassNotebook, sayso.ClassMove,
		sayso.ClassDelete:
		return s.pattern != ""
	}
	return false
}

// neverCommand says why a pattern for commands matches none.
func (s *subject) neverCommand() (problem, remedy string) {
	words, _ := splitWords(s.pattern)
	var parts []string
	from, redirects := 0, -1
	for i := range words {
		text := words[i].written()
		switch {
		case words[i].quoted:
		case text == "|" || text == "||" || text == "&&" || text == ";" || text == "&" || text == "|&":
			parts = append(parts, s.rewritten(words[from:i]))
			from = i + 1
		case redirects < 0 && strings.ContainsAny(text, "<>"):
			redirects = i
		}
	}
	switch {
	case len(parts) > 0:
		parts = append(parts, s.rewritten(words[from:]))
		return "can never match: a rule is about one command, and the commands of a line are looked at one by one", "write a rule for each: " + together(parts)
	case redirects >= 0:
		return "can never match: redirections are no words of a command", "write " + s.rewritten(words[:redirects]) + ", and for the file a rule such as edit(out/*.txt)"
	case strings.Contains(words[0].written(), "="):
		return "can never match: variables that are set for a command are none of its words", "write " + s.rewritten(words[1:])
	case strings.ContainsAny(s.pattern, "$`"):
		return "can never match: what the shell puts in is looked at, not how it is written", "write * in its place"
	case strings.Contains(s.pattern, "~"):
		return "can never match: the shell puts the home folder in the place of ~", "write * in its place, or a rule such as read(~/.ssh/**)"
	}
	return "can never match: no command line is read like this", "sayso check --explain bash shows how a command is read"
}

// rewritten is a rule for some of the words.
func (s *subject) rewritten(words []word) string {
	var texts []string
	for i := range words {
		texts = append(texts, words[i].written())
	}
	if len(texts) == 0 {
		return ""
	}
	return s.tool + "(" + strings.Join(texts, " ") + ")"
}

func together(rules []string) string {
	var out []string
	for _, r := range rules {
		if r != "" {
			out = append(out, r)
		}
	}
	return strings.Join(out, ", ")
}

// neverPath says why a pattern for paths matches none.
func (s *subject) neverPath() (problem, remedy string) {
	for part := range strings.SplitSeq(s.pattern, "/") {
		if part == ".." {
			return "can never match: paths are compared without .., from the workspace on",
				"write the whole path from // on, or from ~/ on; workspace: {also: [...]} takes another folder into the workspace"
		}
	}
	switch {
	case strings.HasSuffix(s.pattern, "/"):
		return "can never match: no path ends in a slash", "for all that is in the folder write " + s.tool + "(" + s.pattern + "**)"
	}
	return "can never match a path", "paths are relative to the workspace, or start with ~/ or //"
}

// hostName is the host of an address.
func hostName(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if i := strings.IndexAny(address, "/:?#"); i >= 0 {
		address = address[:i]
	}
	return address
}
