package sayso

import (
	"fmt"

	"github.com/sayso-dev/sayso/shell"
)

// A Decision is the answer to a call, with why. The zero value denies.
type Decision struct {
	Effect Effect   `json:"effect"`
	Code   Code     `json:"code"`             // why, for machines; stable
	Reason string   `json:"reason"`           // why, for people: one sentence
	Stage  string   `json:"stage,omitempty"`  // which stage said so
	Rule   *Rule    `json:"rule,omitempty"`   // the rule that matched, with file and line
	Scope  Scope    `json:"scope,omitempty"`  // of the grant that allowed it
	Spends []string `json:"spends,omitempty"` // the grants for one call that it uses up, by id
	Immune bool     `json:"immune,omitempty"` // no rule, grant or mode can silence it
	Soft   bool     `json:"soft,omitempty"`   // repeated, it may turn into a question

	Risk        shell.Risk   `json:"risk"`
	Explanation string       `json:"explanation"`       // what the call will do
	Part        string       `json:"part,omitempty"`    // the part of the call that decided
	Subject     string       `json:"subject,omitempty"` // what of the call it is about, in the preset's own terms
	Keep        []Scope      `json:"keep,omitempty"`    // where a rule about it can be kept, if the preset says so
	Suggestions []Suggestion `json:"suggestions,omitempty"`
	Choices     []Choice     `json:"choices,omitempty"` // what a person who is asked can answer
	Stop        bool         `json:"stop,omitempty"`    // the turn is over: nothing else of it runs
	Trace       []Step       `json:"trace,omitempty"`   // what every stage said that ran
}

// A Suggestion is a rule that would allow this call and others like it from
// then on.
type Suggestion struct {
	Rule   string  `json:"rule"`
	Allows string  `json:"allows"` // what it would allow, in English
	Keep   []Scope `json:"keep"`   // where it can be kept
}

// describe fills in what the decision says about the call itself.
func (d *Decision) describe(c *Case) {
	if f := c.Facts; f != nil {
		d.Risk, d.Explanation = f.Risk, f.Sentence
	}
	if c.decisive != nil {
		d.Part = c.decisive.label()
	}
}

// A DeniedError says as an error that a call may not run: because it is denied,
// or not before a person has said yes. Its decision tells which.
type DeniedError struct{ Decision Decision }

func (e *DeniedError) Error() string {
	answer := "denied"
	if e.Decision.Effect == Ask {
		answer = "a person must approve it"
	}
	return fmt.Sprintf("%s (%s): %s", answer, e.Decision.Code, e.Decision.Reason)
}

// Err returns a [*DeniedError] unless the call is allowed.
func (d *Decision) Err() error {
	if d.Effect == Allow {
		return nil
	}
	return &DeniedError{*d}
}
