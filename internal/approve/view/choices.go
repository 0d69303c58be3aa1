package view

import (
	"fmt"

	"github.com/sayso-dev/sayso"
)

// A Choice is an answer that is offered.
type Choice struct {
	Key   string // what is pressed
	Label string // what it says
	Yes   bool

	Name     string // of the choice, for [sayso.Answer]; empty: the request offers none
	Contract string // the hash of what would run

	Stores string // what is kept, and for how long
	Allows string // what is allowed therefore, for as long
}

// choices are the answers of a request; yes for once and no if it offers none.
func choices(r *sayso.Request) []Choice {
	list := r.Decision.Choices
	offered := len(list) > 0
	if !offered {
		list = []sayso.Choice{{Key: "y", Label: "once", Yes: true}, {Key: "n", Label: "no"}}
	}
	out := make([]Choice, len(list))
	for i, c := range list {
		terms := c.Contract(r.Contract)
		out[i] = Choice{Key: Safe(c.Key), Label: Safe(c.Label), Yes: c.Yes, Contract: terms.Hash()}
		if offered {
			out[i].Name = c.Key
		}
		out[i].Stores, out[i].Allows = consequences(&r.Decision, c)
		if c.Network != sayso.NetworkNone {
			out[i].Allows += "; it may reach: " + network(&terms, Options{})
		}
		switch {
		case !c.Yes || r.Contract.Changes == "":
		case c.Real:
			out[i].Allows = "this call, once, run anew: what it changes then may be something else; it may reach: " + network(&terms, Options{})
		default:
			out[i].Allows = "the changes that are shown, once; nothing is run"
		}
	}
	return out
}

var lasting = map[sayso.Scope]string{
	sayso.ForTurn:      "until the end of this turn",
	sayso.ForSession:   "until the end of this session",
	sayso.ForWorkspace: "for this workspace, until you revoke it",
	sayso.ForProfile:   "for you in every workspace, until you revoke it",
}

// consequences are what a choice stores, and what it allows.
func consequences(d *sayso.Decision, c sayso.Choice) (stores, allows string) {
	how, lasts := lasting[c.Scope]
	switch {
	case !c.Yes:
		return "nothing", "nothing: this call does not run"
	case c.Rule == "" || !lasts:
		return "nothing", "this call, once"
	}
	stores = "the rule " + Safe(c.Rule) + ", " + how
	for _, s := range d.Suggestions {
		if s.Rule == c.Rule {
			return stores, Safe(s.Allows)
		}
	}
	if c.Scope == sayso.ForTurn {
		return stores, "exactly this call, also again"
	}
	return stores, "every call that the rule matches"
}

// whyOf says why a person is asked. A rule that somebody has written to ask always
// asks: the remedy is to change the rule.
func whyOf(d *sayso.Decision, o Options) Why {
	w := Why{Reason: Safe(d.Reason), Stage: Safe(d.Stage), Code: Safe(string(d.Code))}
	if d.Rule == nil {
		return w
	}
	w.Rule = Safe(d.Rule.Text)
	s := d.Rule.Source
	w.Place = Safe(string(s.Layer))
	if s.File != "" {
		w.Place = path(s.File, o)
		if s.Line > 0 {
			w.Place += fmt.Sprintf(":%d", s.Line)
		}
		if d.Rule.Effect == sayso.Ask {
			w.Edit = "this rule always asks; to change that, edit " + w.Place
		}
	}
	return w
}
