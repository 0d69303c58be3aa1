package sayso

import (
	"slices"

	"github.com/sayso-dev/sayso/shell"
)

// Codes of the stages below.
const (
	CodeInput     Code = "input"      // the call cannot be judged
	CodeDenyRule  Code = "rule.deny"  // a rule denies it
	CodeAskRule   Code = "rule.ask"   // a rule asks
	CodeAllowRule Code = "rule.allow" // a rule allows it
	CodePolicy    Code = "policy"     // the policy does not load
	CodeGrant     Code = "grant"      // a person has approved it before
	CodeSurface   Code = "surface"    // the agent is not offered the tool
	CodeStopped   Code = "stopped"    // a person's no has ended the turn

	CodeDeniedBefore Code = "denied.before" // a person has denied it before
)

// Readable denies calls that could not be analysed.
func Readable() Stage {
	return Func("input", func(c *Case) Verdict {
		if c.Facts == nil {
			return Decide(Deny, CodeInput, "the call was not analysed")
		}
		if c.Facts.Err != nil {
			return Decide(Deny, CodeInput, c.Facts.Err.Error())
		}
		return Pass()
	})
}

// Offered denies calls of tools that the agent is not offered.
func Offered(name string) Stage {
	return Func(name, func(c *Case) Verdict {
		if c.Session.Surface.Offers(c.Tool()) {
			return Pass()
		}
		return Decide(Deny, CodeSurface, "the agent is not offered the tool "+shell.Shown(c.Tool()))
	})
}

// Stopped denies everything once a person's no has ended the turn.
func Stopped(name string) Stage {
	return If(name, func(c *Case) bool { return c.Session.Stopped }, Decide(Deny, CodeStopped, "a person said no, which ends the turn"))
}

var ruleCodes = [...]Code{Deny: CodeDenyRule, Ask: CodeAskRule, Allow: CodeAllowRule}

// Rules decides by the rules of a set that have the effect. On a whole call, a
// rule that denies or asks needs to match one part of it; rules that allow must
// together cover all of them.
func Rules(name string, set *RuleSet, e Effect) Stage {
	return Func(name, func(c *Case) Verdict {
		var found *Rule
		for _, p := range c.parts() {
			r := set.Find(e, c, p)
			if r != nil && found == nil {
				found = r
			}
			if r == nil && e == Allow {
				return Pass()
			}
			if r != nil && e != Allow {
				break
			}
		}
		if found == nil {
			return Pass()
		}
		return Decide(e, ruleCodes[e], found.reason()).By(found)
	})
}

// parts returns the part that is looked at, or all of them.
func (c *Case) parts() []*Part {
	if c.part != nil {
		return []*Part{c.part}
	}
	out := make([]*Part, len(c.Facts.Parts))
	for i := range c.Facts.Parts {
		out[i] = &c.Facts.Parts[i]
	}
	return out
}

// reason says why the rule decided, in the words of who wrote it if there are
// any.
func (r *Rule) reason() string {
	text := "the rule " + r.Text
	own := r.Source.Layer == OfProfile
	if place := r.Source.String(); own { // what is in the profile is told nowhere
		text = "a rule (" + string(OfProfile) + ")"
	} else if place != "" {
		text += " in " + place
	}
	switch r.Effect {
	case Deny:
		text += " denies it"
	case Ask:
		text += " asks"
	default:
		text += " allows it"
	}
	if r.Because != "" && !own {
		text += ": " + r.Because
	}
	return text
}

// Granted allows what a person has approved before, for as long as that counts.
func Granted() Stage {
	return Func("grant", func(c *Case) Verdict {
		var first *Grant
		for _, p := range c.parts() {
			g := c.Session.Grants.Find(c, p)
			if g == nil {
				return Pass()
			}
			if first == nil {
				first = g
			}
		}
		if first == nil {
			return Pass()
		}
		what := first.Rule
		if first.Scope == ForProfile { // what is in the profile is told nowhere
			what = "a rule"
		}
		v := Decide(Allow, CodeGrant, "it was approved before: "+what+" ("+string(first.Scope)+")")
		v.scope = first.Scope
		return v
	})
}

// DeniedBefore denies what a person has denied in this turn, and asks about what
// they have denied before, by whatever tool it is tried again.
func DeniedBefore() Stage {
	return Func("denied before", func(c *Case) Verdict {
		if len(c.Session.Denied) == 0 {
			return Pass()
		}
		for _, p := range c.parts() {
			if text, ok := c.deniedBefore(p, Deny); ok {
				return Decide(Deny, CodeDeniedBefore, "a person has just denied this: "+text+"; it can be tried again after the next prompt")
			}
		}
		for _, p := range c.parts() {
			if text, ok := c.deniedBefore(p, Ask); ok {
				return Decide(Ask, CodeDeniedBefore, "a person has denied this before: "+text).Immune()
			}
		}
		return Pass()
	})
}

// deniedBefore returns what a person has denied that the part would do: in this
// turn, or, to ask, in an earlier one.
func (c *Case) deniedBefore(p *Part, e Effect) (string, bool) {
	if r := c.denied().Find(e, c, p); r != nil {
		return r.Because, true
	}
	var packages []string
	for _, d := range c.Session.Denied {
		if d.Package == "" || (d.Turn == c.Session.Turn) != (e == Deny) {
			continue
		}
		if packages == nil {
			packages = p.packages()
		}
		if slices.Contains(packages, d.Package) {
			return d.Text, true
		}
	}
	return "", false
}

// ToolSays asks the tool itself, if it is one of the program's own and has an
// opinion.
func ToolSays(own []Tool) Stage {
	return Func("tool", func(c *Case) Verdict {
		for i := range own {
			if own[i].Name == c.Call.Tool && own[i].Check != nil {
				return own[i].Check(c)
			}
		}
		return Pass()
	})
}
