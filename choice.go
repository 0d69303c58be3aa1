package sayso

// A Choice is one of the answers that a person is offered. The zero value says
// no.
type Choice struct {
	Key   string `json:"key"`             // what is pressed
	Label string `json:"label"`           // what it says
	Yes   bool   `json:"yes"`             //
	Scope Scope  `json:"scope,omitempty"` // for how long it counts; empty: once
	Rule  string `json:"rule,omitempty"`  // for longer than once: what is allowed from then on

	// Network is what the run may reach if this is chosen; empty: what the
	// contract says.
	Network Network `json:"network,omitempty"`

	// Real says that the command is run if this is chosen, and not the changes done
	// that a preview has shown.
	Real bool `json:"real,omitempty"`
}

// Contract returns what will run if this is chosen, of what was shown. The
// answer carries the hash of this one.
func (c Choice) Contract(shown Contract) Contract {
	if c.Network != NetworkNone {
		shown.Network = c.Network
	}
	if c.Real {
		shown.Changes = ""
	}
	return shown
}

// PlainChoices offers yes for once, and no; and between them, where a rule may
// be kept, this session and always.
func PlainChoices(d *Decision) []Choice {
	list := []Choice{{Key: "y", Label: "once", Yes: true, Scope: Once}}
	if n := len(d.Suggestions); n > 0 {
		rule := d.Suggestions[n-1].Rule // the widest: it saves the most questions
		list = append(list,
			Choice{Key: "s", Label: "this session: " + rule, Yes: true, Scope: ForSession, Rule: rule},
			Choice{Key: "a", Label: "always: " + rule, Yes: true, Scope: ForWorkspace, Rule: rule})
	}
	return append(list, Choice{Key: "n", Label: "no"})
}

// chosen returns the choice with the key.
func chosen(list []Choice, key string) (Choice, bool) {
	for _, c := range list {
		if c.Key == key {
			return c, true
		}
	}
	return Choice{}, false
}
