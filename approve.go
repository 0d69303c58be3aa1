package sayso

import "context"

// A Request puts a call to a person.
type Request struct {
	ID       string   `json:"id"`
	Call     Call     `json:"call"`
	Decision Decision `json:"decision"`
	Contract Contract `json:"contract"`
}

// An Answer is what a person said. The zero value says no.
type Answer struct {
	RequestID    string `json:"request"`
	ContractHash string `json:"contract"`         // of the contract that was shown
	Choice       string `json:"choice,omitempty"` // the key of the choice; empty: Yes, Scope and Rule say it
	Yes          bool   `json:"yes"`              //
	Scope        Scope  `json:"scope"`            // for how long; empty: once
	Rule         string `json:"rule,omitempty"`   // for longer than once: what is allowed from then on
	By           string `json:"by,omitempty"`
	Channel      string `json:"channel,omitempty"` // terminal, page …

	// More are further rules that are accepted with Rule, for as long.
	More []string `json:"more,omitempty"`
}

// An Approver puts an ask to a person.
//
// Approve must return when ctx ends. An error means that nobody answered; the
// call is then denied. An approver must not remember answers: that is the
// engine's job.
type Approver interface {
	Approve(ctx context.Context, r Request) (Answer, error)
}

// ApproverFunc is a function that is an [Approver].
type ApproverFunc func(ctx context.Context, r Request) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, r Request) (Answer, error) { return f(ctx, r) }
