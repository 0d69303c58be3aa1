package approve

import (
	"context"
	"errors"

	"github.com/sayso-dev/sayso"
)

// A Lister is a [sayso.Approvals] that names what waits without reading it: with
// a thousand requests, to read them all several times a second would be felt.
type Lister interface {
	WaitingIDs(ctx context.Context) ([]string, error)
	Request(ctx context.Context, id string) (sayso.Request, error)
}

// Known is what a channel knows of the requests that wait. It is not for several
// goroutines at once.
type Known struct {
	Store sayso.Approvals

	byID map[string]*sayso.Request
}

// Waiting lists the requests that can be answered, the oldest first, as the store
// does; where the store is a [Lister], only those are read that were not known
// before. A request never changes, so what was known stays true, and is not to be
// changed by the caller.
func (k *Known) Waiting(ctx context.Context) ([]*sayso.Request, error) {
	store, ok := k.Store.(Lister)
	if !ok {
		list, err := k.Store.Waiting(ctx)
		out := make([]*sayso.Request, len(list))
		for i := range list {
			out[i] = &list[i]
		}
		return out, err
	}
	ids, err := store.WaitingIDs(ctx)
	if err != nil {
		return nil, err
	}
	now := make(map[string]*sayso.Request, len(ids))
	var out []*sayso.Request
	for _, id := range ids {
		r := k.byID[id]
		if r == nil {
			one, err := store.Request(ctx, id)
			if errors.Is(err, sayso.ErrNotFound) { // it has just gone
				continue
			}
			if err != nil {
				return nil, err
			}
			r = &one
		}
		now[id] = r
		out = append(out, r)
	}
	k.byID = now
	return out, nil
}
