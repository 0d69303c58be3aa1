package preset

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// guardrails blocks what is dangerous whatever the rules and the mode say.
func (w *cowork) guardrails() sayso.Stage {
	patterns, files := w.BlockedCommands, w.Guarded
	globs := make([]wildcard, len(patterns))
	for i, p := range patterns {
		globs[i] = compileWildcard(foldSpaces(p))
	}
	return sayso.Func("guardrail", func(c *sayso.Case) sayso.Verdict {
		for i := range c.Facts.Parts {
			p := &c.Facts.Parts[i]
			if name, reason := coworkDanger(c, p, files); name != "" {
				return sayso.Decide(sayso.Deny, CodeCoWorkGuardrail+"."+sayso.Code(name), "blocked by a guardrail: "+reason).About(p.Text)
			}
			for j, g := range globs {
				if slices.ContainsFunc(commandTexts(c, p), g.match) {
					return sayso.Decide(sayso.Deny, CodeCoWorkGuardrail+".pattern", "blocked by the guardrail pattern "+shell.Shown(patterns[j])).About(p.Text)
				}
			}
		}
		return sayso.Pass()
	})
}

// coworkDanger says which built-in guardrail a part runs into; empty: none.
func coworkDanger(c *sayso.Case, p *sayso.Part, files []string) (name, reason string) {
	switch {
	case p.Command != nil && p.Command.Runs == shell.Fetched:
		return "network_shell", "it runs text from the network without anybody having read it"
	case c.Facts.Is(p, shell.Device, changes...):
		return "device", "it writes to a raw device"
	case p.Risk == shell.Blocked && c.Facts.Err == nil:
		return "dangerous_command", p.Sentence
	}
	if v := decidesOwn(c, p, files); v.Speaks() {
		return "own", v.Reason()
	}
	return "", ""
}

// commandTexts are the ways in which a command can be written down: as it was,
// with its words taken out of quotes, by the bare name of its program, and, for
// the first command, the line that it starts.
func commandTexts(c *sayso.Case, p *sayso.Part) []string {
	if p.Command == nil && len(c.Facts.Lines) == 0 {
		return nil
	}
	texts := []string{p.Text}
	if p == &c.Facts.Parts[0] { // what starts a line is no other command's business
		texts = append(texts, c.Facts.Lines...)
	}
	if p.Command != nil && len(p.Command.Args) > 0 {
		text := argsText(p.Command.Args)
		texts = append(texts, text)
		if name := p.Command.Args[0].Text; strings.Contains(name, "/") {
			texts = append(texts, name[strings.LastIndexByte(name, '/')+1:]+text[len(name):])
		}
	}
	for i := range texts {
		texts[i] = foldSpaces(texts[i])
	}
	return texts
}
