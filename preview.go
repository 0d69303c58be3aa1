package sayso

import (
	"context"
	"errors"
	"fmt"
)

// CodePreview is the code of a question that is asked because its answer is to be
// given by somebody who has seen what the call would change.
const CodePreview Code = "preview"

// AuthorizePreview decides a call, and permits a preview of it unless it is denied:
// a run of which nothing stays and that reaches nothing, to show what the call would
// do to whoever decides it. What such a run writes is not to be shown to the agent
// before that, if the decision is to ask.
//
// The permit is for a contract whose Preview is true, and for nothing else.
func (e *Engine) AuthorizePreview(ctx context.Context, call Call) (Permit, Decision, error) {
	if call.ID == "" {
		call.ID = newID()
	}
	r := recorder{e: e, call: call}
	d, contract, err := e.preview(ctx, &r)
	if err != nil {
		return r.refuse(ctx, d, err)
	}
	contract.Preview, contract.Network, contract.Hosts, contract.Required = true, NetworkNone, nil, true
	if err := r.write(ctx, r.request(), r.decision(d, contract.Hash(), nil)); err != nil {
		return r.refuse(ctx, d, fmt.Errorf("journal: %w", err))
	}
	if d.Effect == Deny {
		return Permit{}, d, nil
	}
	return permitFor(contract), d, nil
}

func (e *Engine) preview(ctx context.Context, r *recorder) (Decision, Contract, error) {
	s, err := e.session(ctx, &r.call)
	if err != nil {
		return Decision{}, Contract{}, fmt.Errorf("session: %w", err)
	}
	r.mode = s.Mode
	d, facts := e.check(ctx, r.call, s)
	return d, e.contract(r.call, facts), nil
}

// AuthorizeChanges puts to a person what a preview of a call has shown: changes is the
// hash of it, and shows what they read, line by line. The call is decided anew, and a
// denial stands. A person is asked also where the call is allowed: that is what the
// preview is for.
//
// The permit is for a contract whose Changes is the hash, or, if the person wants the
// call to be run, for the contract of the call.
func (e *Engine) AuthorizeChanges(ctx context.Context, call Call, changes string, shows []string) (Permit, Decision, error) {
	r := recorder{e: e, call: call}
	if call.ID == "" || changes == "" {
		return r.refuse(ctx, Decision{}, errors.New("only what a preview has shown can be approved"))
	}
	s, err := e.session(ctx, &r.call)
	if err != nil {
		return r.refuse(ctx, Decision{}, fmt.Errorf("session: %w", err))
	}
	call, r.mode = r.call, s.Mode
	d, facts := e.check(ctx, call, s)
	contract := e.contract(call, facts)
	if d.Effect == Deny {
		return Permit{}, d, r.write(ctx, r.decision(d, contract.Hash(), nil))
	}
	if d.Effect == Allow {
		d.Effect, d.Code, d.Reason, d.Scope = Ask, CodePreview, "what it changes is to be seen first", ""
	}
	d.Choices, d.Suggestions = previewChoices(), nil
	contract.Changes = changes
	d, contract, answer, err := e.ask(ctx, &r, Request{Decision: d, Contract: contract, Shows: shows})
	if err != nil {
		return r.refuse(ctx, d, fmt.Errorf("journal: %w", err))
	}
	if err := e.remember(ctx, call, s, d, facts, answer); err != nil {
		return r.refuse(ctx, d, fmt.Errorf("remember: %w", err))
	}
	if d.Effect != Allow {
		return Permit{}, d, nil
	}
	return permitFor(contract), d, nil
}

// previewChoices are the answers to what a preview has shown.
func previewChoices() []Choice {
	return []Choice{
		{Key: "y", Label: "make exactly these changes", Yes: true, Scope: Once},
		{Key: "r", Label: "run it for real, inside the contract", Yes: true, Scope: Once, Real: true},
		{Key: "n", Label: "no"},
	}
}
