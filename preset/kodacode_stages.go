package preset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// kodaHarmless are the effects that write no files.
const kodaHarmless = shell.Reads | shell.Network | shell.Publishes | shell.Processes | shell.LongRunning | shell.Secrets

// kodaPosture is the first step: what the session's mode requires approval for.
// Rules may tighten it, only grants lift it.
func kodaPosture(mode string) sayso.Stage {
	return sayso.Func("permission_mode", func(c *sayso.Case) sayso.Verdict {
		why := kodaRequires(mode, c.Part())
		if why == "" {
			return sayso.Pass()
		}
		return sayso.Lean(sayso.Ask, CodeKodaMode, "in read_only "+why+" requires approval: "+shell.Shown(c.Part().Text))
	})
}

// kodaRequires says for what a mode requires approval of a resource; empty: for
// nothing.
func kodaRequires(mode string, p *sayso.Part) string {
	if mode != ReadOnly {
		return ""
	}
	switch p.Subject {
	case SubjectExternalDirectory:
		return "access outside the workspace"
	case kodaWorkspace:
		if a := p.Paths[0].Access; a != shell.List && a != shell.Read {
			return "writing files"
		}
	case SubjectBash, kodaTool:
		if p.Effects&^kodaHarmless != 0 || kodaOpaque(p) {
			return "what may write files"
		}
	}
	return ""
}

// kodaStands says that what the mode requires stands where neither a grant nor a
// rule has spoken.
func kodaStands() sayso.Stage {
	return sayso.Func("permission_mode", func(c *sayso.Case) sayso.Verdict {
		if !c.Leaning.Speaks() {
			return sayso.Pass()
		}
		return sayso.Decide(c.Leaning.Effect(), c.Leaning.Code(), c.Leaning.Reason())
	})
}

// kodaOpaque reports whether something of a command cannot be known that none of
// its other resources stands for.
func kodaOpaque(p *sayso.Part) bool {
	known := 0
	for _, h := range p.Hosts {
		if h == shell.External {
			known++
		}
	}
	for i := range p.Paths {
		if p.Paths[i].Abs == "" {
			known++
		}
	}
	return len(p.Opaque) > known
}

// policy is the third step: the rules of the subjects that the resource has. A
// rule that asks says nothing new where the mode asks already.
func (k *koda) policy(c *sayso.Case) sayso.Verdict {
	r := k.rule(c)
	if r == nil || c.Leaning.Speaks() && r.rule.Effect >= c.Leaning.Effect() {
		return sayso.Pass()
	}
	reason := map[sayso.Effect]string{
		sayso.Deny: "runtime error: blocked by the permission rule ", sayso.Ask: "the permission rule asks: ", sayso.Allow: "the permission rule allows it: ",
	}[r.rule.Effect] + r.rule.Text
	if r.doubtful {
		reason = "it cannot be known whether the permission rule is about it: " + r.rule.Text
	}
	if place := r.rule.Source.String(); place != "" {
		reason += " (" + place + ")"
	}
	return sayso.Decide(r.rule.Effect, CodeKodaPolicy, reason+": "+shell.Shown(c.Part().Text)).By(r.rule)
}

// rule returns the rule that decides about a resource, or nil where none of its
// subjects has one that matches.
func (k *koda) rule(c *sayso.Case) *kodaRule {
	p := c.Part()
	list := k.rulesFor(c, p.Subject)
	switch p.Subject {
	case SubjectExternalDirectory:
		return list.forPath(&p.Paths[0])
	case SubjectBash:
		if p.Command == nil && len(p.Opaque) == 0 {
			return list.forLine(c.Facts, p)
		}
		if whole := k.literal(c); whole != nil && p.Command != nil {
			return whole
		}
		return list.forCommand(p)
	case SubjectNetworkTarget:
		return list.forTarget(p)
	case SubjectWebFetch:
		r := list.last(kodaAddressValue(p.Text))
		if len(p.Opaque) > 0 && r != nil && r.rule.Effect == sayso.Allow {
			r = nil // what cannot be read cannot be allowed by how it looks
		}
		for _, host := range p.Hosts {
			r = r.stricter(k.rulesFor(c, SubjectNetworkTarget).last(kodaValue{texts: []string{strings.ToLower(host)}}))
		}
		return r
	}
	return nil
}

// rulesFor returns the rules of a subject, with those behind them that a person
// has added for the session.
func (k *koda) rulesFor(c *sayso.Case, subject string) kodaRules {
	list := k.rules[subject].at(c)
	for _, item := range kodaItems(c) {
		for _, r := range item.Rules {
			if r.Subject == subject {
				rule := KodaCodeRule{r.Pattern, r.Action, sayso.Source{Layer: sayso.SessionOf}}
				list = append(list[:len(list):len(list)], compileKodaRule(subject, rule).at(c))
			}
		}
	}
	return list
}

// literal returns the rule that allows all command lines of a call to the
// letter: then each of their parts is allowed.
func (k *koda) literal(c *sayso.Case) *kodaRule {
	list := k.rulesFor(c, SubjectBash)
	var found *kodaRule
	for _, line := range c.Facts.Lines {
		line = strings.TrimSpace(line)
		named := func(r kodaRule) bool { return r.text == line && !strings.ContainsAny(line, "*?") }
		if !slices.ContainsFunc(list, named) { // most often, and quickly told
			return nil
		}
		r := list.last(kodaValue{texts: []string{line}})
		if r.rule.Effect != sayso.Allow || !named(*r) {
			return nil
		}
		found = r
	}
	return found
}

// byDefault is the fourth step: the built-in defaults. It leans, so that among
// equal answers the one of a rule or a grant is told.
func (k *koda) byDefault(c *sayso.Case) sayso.Verdict {
	p := c.Part()
	shown := shell.Shown(p.Text)
	allow := func(why string) sayso.Verdict { return sayso.Lean(sayso.Allow, CodeKodaDefault, why) }
	ask := func(why string) sayso.Verdict { return sayso.Lean(sayso.Ask, CodeKodaDefault, why) }
	switch {
	case p.Subject == SubjectExternalDirectory:
		return ask("access outside the workspace requires approval: " + shown)
	case p.Subject == SubjectNetworkTarget && k.network && len(c.Facts.Lines) > 0:
		return allow("the network is enabled for commands: " + shown)
	case p.Subject == SubjectNetworkTarget:
		return ask("network access requires approval: " + shown)
	case p.Subject == SubjectWebFetch:
		return ask("network access requires approval: " + shown)
	case kodaOpaque(p):
		return ask("what it does cannot be known: " + p.Opaque[0])
	case p.Subject == SubjectBash && p.Effects&shell.System != 0:
		return ask("it changes the machine, which is outside the workspace: " + shown)
	case p.Subject == SubjectBash:
		return allow("commands may run in the workspace")
	case p.Subject == kodaWorkspace:
		return allow("it is in the workspace: " + shown)
	case p.Effects&^shell.Reads == 0 && p.Risk == shell.Safe:
		return allow("it only reads")
	}
	return ask("nothing is documented for it: " + shown)
}

// reused lets pass what was approved as it is: the same execution in the same
// turn is asked about once.
func (k *koda) reused() sayso.Stage {
	return sayso.Func("session_grant", func(c *sayso.Case) sayso.Verdict {
		print := k.execution(c)
		for _, item := range kodaItems(c) {
			if item.Execution == print {
				return sayso.Decide(sayso.Allow, sayso.CodeGrant, "the same execution was approved before")
			}
		}
		return sayso.Pass()
	})
}

// execution identifies a call: its command, its folder and the policies that
// count for it.
func (k *koda) execution(c *sayso.Case) string {
	what := []any{c.Call.Tool, c.Call.Fingerprint()}
	if len(c.Facts.Lines) > 0 { // and not what the agent says about it
		what = []any{c.Call.Tool, c.Facts.Lines}
	}
	text, _ := json.Marshal(append(what, c.Facts.Place.Dir, c.Call.Root, k.modeOf(c), k.print)) // texts can be written
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// modeOf is the mode that counts in a session; of several the strictest.
func (k *koda) modeOf(c *sayso.Case) string {
	if c.Session.Mode == "" {
		return k.mode
	}
	names := strings.Split(c.Session.Mode, "+")
	for _, mode := range []string{ReadOnly, Auto} {
		if slices.Contains(names, mode) {
			return mode
		}
	}
	return names[0]
}
