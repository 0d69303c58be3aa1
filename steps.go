package sayso

import (
	"context"
	"fmt"
)

// Consider decides a script whose commands are each decided by themselves when they
// are about to run, by [Engine.Authorize], and records that. It asks nobody and permits
// nothing: what it would ask about is asked then, with what the commands have become.
// What it denies is not to be run at all; that nobody is there to ask is no reason,
// because nobody may have to be.
//
// The error says that something failed on the way, in which case it is denied.
func (e *Engine) Consider(ctx context.Context, call Call) (Decision, error) {
	r := recorder{e: e, call: call}
	d, contract, err := e.preview(ctx, &r)
	if err == nil {
		if d.Effect == Deny && d.Code == CodeUnattended {
			d.Effect = Ask
		}
		if err = r.write(ctx, r.request(), r.decision(d, contract.Hash(), nil)); err != nil {
			err = fmt.Errorf("journal: %w", err)
		}
	}
	if err != nil {
		_, d, err = r.refuse(ctx, d, err)
	}
	return d, err
}
