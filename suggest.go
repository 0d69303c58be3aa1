package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// maxSuggestions is how many rules are offered with a question.
const maxSuggestions = 3

var keepAnywhere = []Scope{ForTurn, ForSession, ForWorkspace, ForProfile}

// suggest returns rules that would allow the part that asks, the narrowest
// first.
func (e *Engine) suggest(c *Case) []Suggestion {
	for i := range e.Analyzer.Tools {
		if t := &e.Analyzer.Tools[i]; t.Name == c.Call.Tool && t.Suggest != nil {
			var out []Suggestion
			for _, text := range t.Suggest(c) {
				out = append(out, Suggestion{text, "calls of " + t.Name + " that match it", keepAnywhere})
			}
			return out[:min(len(out), maxSuggestions)]
		}
	}
	asking := c.Facts.asking(e)
	if len(asking) != 1 { // one rule would not be enough
		return nil
	}
	return ruleSuggestions(c, asking[0])
}

// asking returns the parts that are not harmless by themselves.
func (f *Facts) asking(*Engine) []*Part {
	var out []*Part
	for i := range f.Parts {
		if f.Parts[i].Risk < shell.Safe {
			out = append(out, &f.Parts[i])
		}
	}
	return out
}

func ruleSuggestions(c *Case, p *Part) []Suggestion {
	var out []Suggestion
	add := func(rule, allows string) {
		if m, err := compile(rule, nil); err == nil && m.covers(c, p) {
			out = append(out, Suggestion{rule, allows, keepAnywhere})
		}
	}
	switch {
	case p.Command != nil:
		exact := commandRule(p.Command.Args)
		add("bash("+exact+")", "exactly this command")
		if prefix := p.Command.Prefix; p.Command.Suggest && len(prefix) > 0 && p.Risk >= shell.Moderate { // else it would cover worse than most that start so
			add("bash("+wordsRule(prefix)+" *)", "every command that starts with "+strings.Join(prefix, " "))
		}
	case len(p.Hosts) == 1:
		add("fetch("+p.Hosts[0]+")", "fetching anything from "+p.Hosts[0])
	case c.Facts.Class == ClassMCP:
		add("mcp("+c.Facts.Server+"/"+c.Facts.Tool+")", "the tool "+c.Facts.Tool+" of the MCP server "+c.Facts.Server)
	case len(p.Paths) > 0:
		fileSuggestions(c, p, add)
	}
	return out[:min(len(out), maxSuggestions)]
}

func fileSuggestions(c *Case, p *Part, add func(rule, allows string)) {
	word := "read"
	switch p.Paths[0].Access {
	case shell.Write, shell.Change:
		word = "edit"
	case shell.Delete:
		word = "delete"
	}
	name := fileName(c, p.Paths[0].Abs)
	add(word+"("+name+")", "to "+word+" this file")
	if at := strings.LastIndexByte(name, '/'); at > 1 {
		add(word+"("+name[:at]+"/**)", "to "+word+" every file below "+shell.Shown(name[:at]))
	}
}

// fileName writes an absolute path as a rule has it.
func fileName(c *Case, abs string) string {
	for _, root := range c.Facts.Place.Workspace {
		if rel, ok := below(abs, root); ok {
			return glob.Escape(rel)
		}
	}
	return "/" + glob.Escape(abs)
}

// CommandRule returns the text of the rule for exactly the command with these
// words, or, if more may follow, for every command that starts with them. No
// sign in them has a meaning in the rule.
func CommandRule(words []string, more bool) string {
	text := wordsRule(words)
	if strings.HasPrefix(text, "{") { // it would be read as JSON
		text = "\\" + text
	}
	if more {
		text += " *"
	}
	return "bash(" + text + ")"
}

func commandRule(args []shell.Arg) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Text
	}
	return wordsRule(words)
}

// wordsRule writes words so that a pattern means exactly them: a * in an
// approved command stays a *.
func wordsRule(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = escapeWord(w)
	}
	return strings.Join(out, " ")
}
