package lint

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// broad finds rules that allow more than it looks.
func (s *subject) broad() *Finding {
	if s.rule.Effect != sayso.Allow || s.set == nil {
		return nil
	}
	every := s.pattern == "" || s.pattern == "*"
	switch {
	case s.tool == "*":
		return s.found(Broad, s.rule.Text+" allows every call of every tool", "name the tools that you mean")
	case s.class == sayso.ClassShell && every:
		return s.found(Broad, s.rule.Text+" allows every command", "name the commands that you mean: bash(npm test *)")
	case s.class == sayso.ClassCode && every:
		return s.found(Broad, s.rule.Text+" allows every program", "leave it to be asked about")
	case s.class == sayso.ClassMCP && (s.pattern == "" || strings.HasPrefix(s.pattern, "*")):
		return s.found(Broad, s.rule.Text+" allows tools of every MCP server, of those too that come later", "name the server: mcp(github/get_*)")
	case s.class == sayso.ClassFetch:
		return s.broadHost()
	case s.class == sayso.ClassShell:
		return s.broadCommand()
	}
	return nil
}

// broadHost finds addresses of which only the host counts, and endings that
// other hosts have, too.
func (s *subject) broadHost() *Finding {
	_, rest, scheme := strings.Cut(s.pattern, "://")
	_, path, _ := strings.Cut(rest, "/")
	switch {
	case scheme && path != "":
		return s.found(Broad, fmt.Sprintf("%s allows more than it looks: only the host counts, and %s is not looked at", s.rule.Text, "/"+path),
			"write "+s.tool+"("+hostName(s.pattern)+"), or leave it to be asked about")
	case len(s.pattern) > 1 && s.pattern[0] == '*' && s.pattern[1] != '.':
		return s.found(Broad, fmt.Sprintf("%s allows more than it looks: other%s matches, too", s.rule.Text, s.pattern[1:]), "write "+s.tool+"(*."+s.pattern[1:]+")")
	}
	return nil
}

// broadCommand finds commands that can do more with one word more.
func (s *subject) broadCommand() *Finding {
	words, _ := splitWords(s.pattern)
	if first := words[0]; len(first.pieces) > 1 && !strings.Contains(first.written(), "/") {
		return s.found(Broad, fmt.Sprintf("%s allows more than it looks: every program with such a name", s.rule.Text), "write the name of the program, and a blank before *")
	}
	open := -1
	for i := range words {
		if words[i].lone() && i > 0 {
			open = i
		}
	}
	if open < 0 {
		return nil
	}
	more := s.surplus(words, open)
	if len(more) == 0 {
		return nil
	}
	problem := fmt.Sprintf("%s allows more than it looks: %s can %s", s.rule.Text, words[0].written(), strings.Join(phrases(more), ", "))
	remedy := "name the words that you mean"
	if more[0].rule != "" {
		remedy += ", or ask about the rest: sayso rule add ask '" + more[0].rule + "'"
	}
	return s.found(Broad, problem, remedy)
}

// A surplus is an effect that a way of going on brings, and an example of it.
type surplus struct {
	what    string
	example string
	rule    string // that means it; empty: it is what the rule itself is about
}

// surplus tries every way in which the command can go on where the pattern has
// its last *, and returns what the rule then allows besides.
func (s *subject) surplus(words []word, open int) []surplus {
	before, after := spell(words[:open]), spell(words[open+1:])
	if len(before) > 1 && strings.HasPrefix(before[len(before)-1], "-") {
		before = append(before, made) // it may be its value
	}
	seen := s.effects() | shell.Reads | shell.LongRunning
	if seen.Has(shell.Executes) { // the project's own code can do as much
		seen |= shell.Writes | shell.Deletes | shell.Network | shell.Processes
	}
	if seen.Has(shell.Deletes) {
		seen |= shell.Irreversible
	}
	var out []surplus
	runs := false
	for _, way := range shell.Ways(before...) {
		argv := append(append(before[:len(before):len(before)], way.Words...), after...)
		effects, all := s.allows(argv)
		if way.Runs && !runs && (all || len(way.Words) == 0) {
			runs = true
			if len(way.Words) == 0 {
				argv = before
			}
			out = append(out, surplus{"run other programs or code", shown(argv), s.ruleFor(words[:open], way)})
			seen |= shell.Executes
		}
		if more := effects &^ seen; all && more != 0 {
			for _, one := range effectPhrases {
				if more.Has(one.effect) {
					out = append(out, surplus{one.phrase, shown(argv), s.ruleFor(words[:open], way)})
				}
			}
			seen |= more
		}
	}
	return out
}

// ruleFor is a rule about a way of going on.
func (s *subject) ruleFor(before []word, way shell.Way) string {
	if len(way.Words) == 0 {
		return ""
	}
	var texts []string
	for i := range before {
		if !before[i].lone() {
			texts = append(texts, before[i].written())
		}
	}
	for _, w := range way.Words {
		if w != "x" { // its value
			texts = append(texts, strings.TrimSuffix(w, "=x"))
		}
	}
	return s.tool + "(" + strings.Join(texts, " ") + " *)"
}

// shown is a command line for people: quoted only where it has to be.
func shown(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
			out[i] = shell.Quote(argv[i : i+1])
		}
	}
	return strings.Join(out, " ")
}

// spell is how words may be written, those with signs as made-up ones.
func spell(words []word) []string {
	var out []string
	for i := range words {
		if !words[i].lone() {
			out = append(out, words[i].some())
		}
	}
	return out
}

// effects is what the rule looks like: what its calls do with made-up words.
func (s *subject) effects() shell.Effects {
	var out shell.Effects
	for _, c := range s.calls {
		for i := range c.Facts.Parts {
			out |= c.Facts.Parts[i].Effects
		}
	}
	return out
}

// allows reports what a command does, and whether the rule allows all of it, with
// no other rule to deny it or ask about it.
func (s *subject) allows(argv []string) (shell.Effects, bool) {
	c := caseOf(shellCall(shell.Quote(argv)), s.now)
	if c == nil || len(c.Facts.Parts) == 0 {
		return 0, false
	}
	var out shell.Effects
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		caught := s.stricter.Find(sayso.Deny, c, p) != nil || s.stricter.Find(sayso.Ask, c, p) != nil
		if caught || !s.has(c, i) || p.Command == nil || len(p.Command.Opaque) > 0 {
			return 0, false // another rule or a person decides
		}
		out |= p.Effects
	}
	return out, true
}

var effectPhrases = []struct {
	effect shell.Effects
	phrase string
}{
	{shell.Executes, "run other code"},
	{shell.Deletes, "delete files"},
	{shell.Writes, "write files"},
	{shell.Publishes, "publish"},
	{shell.Irreversible, "do what cannot be undone"},
	{shell.Installs, "install software"},
	{shell.Network, "reach the network"},
	{shell.Privilege, "get the rights of others"},
	{shell.Permissions, "change permissions"},
	{shell.Processes, "end or start other processes"},
	{shell.System, "change the system"},
	{shell.Secrets, "show secrets"},
}

// phrases are the first few, with their examples.
func phrases(list []surplus) []string {
	const few = 4
	var out []string
	for i, m := range list {
		if i == few {
			out = append(out, "and more")
			break
		}
		out = append(out, m.what+" ("+m.example+")")
	}
	return out
}
