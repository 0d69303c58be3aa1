package sandbox

import (
	"cmp"
	"context"
	"sync"

	"github.com/sayso-dev/sayso"
)

// Kept runs commands one after the other in one confined place that it keeps, so that
// all but the first start almost as fast as without a sandbox. The zero value can be
// used; it must be closed.
//
// Each command needs a permit, and has what it would have in a place of its own: time,
// output and other limits, environment, descriptors, and a report. A place is used
// again only where the last command has left nothing behind, neither processes nor
// files of its own /tmp; otherwise another one is made, while nobody waits. It is made
// anew, too, where the next contract has other roots, protected paths, network or
// limits, or where what was shown inside was replaced outside.
//
// While one command runs, others get a place of their own, as do those that have the
// terminal or reach hosts through a proxy, which lives as long as they do.
type Kept struct {
	// Box is the program sayso-box; empty: the one beside this program.
	Box string

	mu      sync.Mutex
	closed  bool
	lookout Lookout
	keeper
}

// Run runs the contract of a permit, as [Run] does, in the place that is kept.
func (k *Kept) Run(ctx context.Context, permit sayso.Permit, o Options) (Result, Report, error) {
	o.Box, o.Borrow = cmp.Or(o.Box, k.Box), k.Lend
	if o.Lookout == nil {
		o.Lookout = &k.lookout
	}
	return Run(ctx, permit, o)
}
