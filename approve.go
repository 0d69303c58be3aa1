package sayso

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Request puts a call to a person.
type Request struct {
	ID       string   `json:"id"`
	Call     Call     `json:"call"`
	Decision Decision `json:"decision"`
	Contract Contract `json:"contract"`

	// Shows is what a preview of the call has shown, line by line.
	Shows []string `json:"shows,omitempty"`

	Opened time.Time `json:"opened,omitzero"`
	Until  time.Time `json:"until,omitzero"` // nobody waits for an answer after that; zero: for ever

	// Via are the channels through which a yes counts; empty: all. A no counts
	// through each.
	Via []string `json:"via,omitempty"`
}

// Hears reports whether a yes counts that is said through a channel.
func (r *Request) Hears(channel string) bool {
	return len(r.Via) == 0 || slices.Contains(r.Via, channel)
}

// Fits returns an error if the answer is not for what was shown: [ErrChoice] if
// it was not offered, [ErrContract] if it names another contract than the one
// that would run, [ErrChannel] if a yes does not count where it was said.
func (r *Request) Fits(a Answer) error {
	contract, yes := r.Contract, a.Yes
	if a.Choice != "" {
		choice, ok := chosen(r.Decision.Choices, a.Choice)
		if !ok {
			return fmt.Errorf("choice %q: %w", a.Choice, ErrChoice)
		}
		contract, yes = choice.Contract(contract), yes || choice.Yes
	}
	if yes && !r.Hears(a.Channel) {
		return ErrChannel
	}
	if a.ContractHash != contract.Hash() {
		return ErrContract
	}
	return nil
}

// Over reports whether the time of the request is over.
func (r *Request) Over(now time.Time) bool { return !r.Until.IsZero() && !now.Before(r.Until) }

// An Answer is what a person said. The zero value says no.
type Answer struct {
	RequestID    string    `json:"request"`
	ContractHash string    `json:"contract"`         // of the contract that was shown
	Choice       string    `json:"choice,omitempty"` // the key of the choice; empty: Yes, Scope and Rule say it
	Yes          bool      `json:"yes"`              //
	Scope        Scope     `json:"scope"`            // for how long; empty: once
	Rule         string    `json:"rule,omitempty"`   // for longer than once: what is allowed from then on
	Expires      time.Time `json:"expires,omitzero"` // when the rule ends in any case; zero: with its scope
	By           string    `json:"by,omitempty"`
	Channel      string    `json:"channel,omitempty"` // terminal, page …
	Time         time.Time `json:"time,omitzero"`

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
