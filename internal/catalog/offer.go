package catalog

import (
	"cmp"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
)

// offering takes away the answers that a policy does not let people give: those
// that count for longer than it says, and, where one of its rules asks, those that
// are kept, because no grant comes before such a rule.
func offering(p sayso.Preset, policy config.Policy) sayso.Preset {
	set, err := sayso.NewRuleSet(policy.Rules)
	if err != nil || len(policy.Rules) == 0 && policy.Approve.Offer == nil {
		return p // nothing is asked under a policy that does not load
	}
	inner := p.Choices
	p.Choices = func(c *sayso.Case, d *sayso.Decision) []sayso.Choice {
		asks := slices.ContainsFunc(c.Facts.Parts, func(part sayso.Part) bool { return set.Find(sayso.Ask, c, &part) != nil })
		if asks {
			d.Suggestions = nil
		}
		list := sayso.PlainChoices(d)
		if inner != nil {
			list = inner(c, d)
		}
		return slices.DeleteFunc(list, func(o sayso.Choice) bool {
			return o.Yes && (asks && lasts(o.Scope) || !offered(policy.Approve.Offer, o.Scope))
		})
	}
	return p
}

// lasts reports whether an answer counts for later calls than those of the turn.
func lasts(s sayso.Scope) bool {
	return s == sayso.ForSession || s == sayso.ForWorkspace || s == sayso.ForProfile
}

// offered reports whether a policy lets answers count for that long. An answer for
// the same call in the same turn is what a preset calls once that has such.
func offered(offer []string, s sayso.Scope) bool {
	words := map[sayso.Scope]string{sayso.ForSession: "session", sayso.ForWorkspace: "always", sayso.ForProfile: "always"}
	word := cmp.Or(words[s], "once")
	return offer == nil || slices.Contains(offer, word) || s == sayso.ForTurn && slices.Contains(offer, "turn")
}
