package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// effectRules are the rules that match what a part does, by whatever tool it is
// tried again. A command that does no more than change files is bound by them.
func effectRules(f *Facts, p *Part) []string {
	var out []string
	changes := 0
	for i := range p.Paths {
		touched := &p.Paths[i]
		switch touched.Access {
		case shell.Write, shell.Change, shell.Delete:
			rules := changeRules(f, touched)
			out = append(out, rules...)
			changes += len(rules)
		case shell.Read:
			if touched.Abs != "" && !touched.Glob && f.Place.Class(touched.Abs)&shell.Secret != 0 {
				out = append(out, "read("+fileName(&Case{Facts: f}, touched.Abs)+")")
			}
		}
	}
	for _, h := range p.Hosts {
		if strings.Contains(strings.ToLower(p.Text), h) { // it was what the call is about
			out = append(out, "fetch("+h+")")
		}
	}
	const onFiles = shell.Reads | shell.Writes | shell.Deletes | shell.Permissions
	if p.Command != nil && p.Risk < shell.Safe && (changes == 0 || p.Effects&^onFiles != 0 || len(p.Opaque) > 0) {
		out = append(append(out, commandRules(p.Command)...), otherCommands(p.Command)...)
	}
	if f.Class == ClassMCP {
		out = append(append(out, "mcp("+f.Server+"/"+f.Tool+")"), otherTools(f.Tool)...)
	}
	return out
}

// changeRules are the rules for changing a file: with all below it, if that is
// what was tried, and for the files that a pattern means.
func changeRules(f *Facts, touched *shell.Path) []string {
	if touched.Abs == "" {
		return nil
	}
	name := fileName(&Case{Facts: f}, touched.Abs)
	if touched.Glob {
		if name = patternName(f, touched); name == "" {
			return nil
		}
	}
	if touched.Recursive {
		return []string{"edit(" + name + ")", "edit(" + name + "/**)"}
	}
	return []string{"edit(" + name + ")"}
}

// patternName writes the pattern of a shell as a rule has it; empty if it cannot.
func patternName(f *Facts, touched *shell.Path) string {
	if strings.ContainsAny(touched.Abs, `\{}!^`) || strings.Contains(touched.Abs, "**") {
		return ""
	}
	abs := touched.Abs
	if touched.Deep {
		abs = anyDepth(abs)
	}
	name := "/" + abs
	for _, root := range f.Place.Workspace {
		if rel, ok := below(abs, root); ok {
			name = rel
			break
		}
	}
	if _, err := glob.Compile(strings.TrimPrefix(name, "/")); err != nil {
		return ""
	}
	return name
}

// commandRules are the rules for a command: for exactly its words, and, where it
// sends something to others, for what it means without them. Without any it means
// whatever is set up, and so all of them.
func commandRules(c *shell.Command) []string {
	if len(c.Args) == 0 {
		return nil
	}
	exact := commandRule(c.Args)
	if c.Effects&shell.Publishes == 0 || len(c.Prefix) < 2 {
		return []string{"bash(" + exact + ")"}
	}
	prefix := wordsRule(c.Prefix)
	switch words := c.Words(); {
	case len(words.Options) > 0:
		return []string{"bash(" + exact + ")"} // without them it may be fine
	case len(words.Operands) == 0:
		return []string{"bash(" + prefix + " *)"}
	}
	return []string{"bash(" + exact + ")", "bash(" + prefix + ")"}
}
