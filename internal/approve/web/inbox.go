package web

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

const (
	// lookEvery is how often the requests are looked for: other processes put
	// them into the store, and it tells nobody.
	lookEvery = 40 * time.Millisecond
	// lookAnyway is how often they are looked at although nothing seems to have
	// changed: their time may be over.
	lookAnyway = time.Second
	// mostEvents is how many events are kept for browsers that were away.
	mostEvents = 2000
	// mostClosed is how many requests are remembered that do not wait any more,
	// so that somebody who answers late is told.
	mostClosed = 200
)

// A waiting is a request that waits for an answer, and how it is shown.
type waiting struct {
	request sayso.Request
	view    view.View
	html    string // the card; empty: not drawn yet
}

// An event is a request that has come or gone.
type event struct {
	seq   int
	id    string
	close bool
	text  string // of one that is gone: what became of it
}

// An inbox knows the requests that wait, and what has changed since.
type inbox struct {
	store sayso.Approvals
	known approve.Known // by look alone
	opts  view.Options
	stamp func() string
	clock func() time.Time

	looks sync.Mutex // one look at a time
	seen  string     // the stamp of the last look
	last  time.Time

	mu      sync.Mutex
	open    map[string]*waiting
	order   []string // of open, the oldest first
	closed  []*waiting
	events  []event
	seq     int
	changed chan struct{} // closed when there is an event
	err     error         // why it could not be looked at
}

func newInbox(c Config) *inbox {
	return &inbox{
		store: c.Desk.Approvals, known: approve.Known{Store: c.Desk.Approvals}, opts: view.Options{Home: c.Home, Before: c.Before, Channel: c.Desk.Channel}, stamp: c.Stamp, clock: c.Clock,
		open: map[string]*waiting{}, changed: make(chan struct{}),
	}
}

// watch looks for changes until ctx ends.
func (b *inbox) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		b.look(ctx, false)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look compares what waits with what was known. Unless it must, it does so only
// if something may have changed.
func (b *inbox) look(ctx context.Context, must bool) {
	b.looks.Lock()
	defer b.looks.Unlock()
	if b.stamp != nil && !must && time.Since(b.last) < lookAnyway {
		if now := b.stamp(); now != "" && now == b.seen {
			return
		}
	}
	stamp := ""
	if b.stamp != nil {
		stamp = b.stamp() // before it is looked at: a change in between shows the next time
	}
	list, err := b.known.Waiting(ctx)
	if ctx.Err() != nil {
		return
	}
	b.seen, b.last = stamp, time.Now()
	if err != nil {
		b.fail(err)
		return
	}
	b.update(ctx, list)
}

// fail remembers that the requests could not be looked at, and tells everybody
// once.
func (b *inbox) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil || b.err.Error() != err.Error() {
		b.err = err
		b.tell(event{})
	}
}

// update takes over what waits now.
func (b *inbox) update(ctx context.Context, list []*sayso.Request) {
	now := map[string]bool{}
	var come []*waiting
	b.mu.Lock()
	known := b.open
	b.mu.Unlock()
	for i := range list {
		now[list[i].ID] = true
		if known[list[i].ID] == nil { // only look changes it, one at a time
			come = append(come, b.drawn(*list[i]))
		}
	}
	b.mu.Lock()
	gone := slices.DeleteFunc(slices.Clone(b.order), func(id string) bool { return now[id] })
	b.mu.Unlock()
	texts := make([]string, len(gone))
	for i, id := range gone {
		texts[i] = b.became(ctx, id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		b.err = nil
		b.tell(event{})
	}
	for i, id := range gone {
		b.shut(id, texts[i])
	}
	if len(come) == 0 {
		return
	}
	next := maps.Clone(b.open) // the one of before is being looked at
	for _, w := range come {
		next[w.request.ID] = w
		b.order = append(b.order, w.request.ID)
	}
	b.open = next
	for _, w := range come {
		b.tell(event{id: w.request.ID})
	}
}

func (b *inbox) drawn(r sayso.Request) *waiting {
	w := &waiting{request: r, view: view.Of(&r, b.opts)}
	w.html = card(w)
	return w
}

// shut takes a request out that does not wait any more.
func (b *inbox) shut(id, text string) {
	w := b.open[id]
	if w == nil {
		return
	}
	next := maps.Clone(b.open)
	delete(next, id)
	b.open = next
	b.order = slices.DeleteFunc(slices.Clone(b.order), func(o string) bool { return o == id })
	if b.closed = append(b.closed, w); len(b.closed) > mostClosed {
		b.closed = slices.Clone(b.closed[len(b.closed)-mostClosed:])
	}
	b.tell(event{id: id, close: true, text: text})
}

// tell adds an event, and wakes who waits for it.
func (b *inbox) tell(e event) {
	b.seq++
	e.seq = b.seq
	if b.events = append(b.events, e); len(b.events) > 2*mostEvents {
		b.events = slices.Clone(b.events[len(b.events)-mostEvents:])
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// became says what became of a request that does not wait any more.
func (b *inbox) became(ctx context.Context, id string) string {
	// An answer that names no contract fits none, so nothing changes: the store
	// only says why it does not count.
	err := b.store.Answer(ctx, sayso.Answer{RequestID: id})
	var by *sayso.AnsweredError
	switch {
	case errors.As(err, &by):
		return toldOf(by.Answer)
	case errors.Is(err, sayso.ErrLate):
		return "Nobody answered in time: it was denied"
	}
	return "It does not wait any more"
}

var lasting = map[sayso.Scope]string{
	sayso.ForTurn: " for this turn", sayso.ForSession: " for this session", sayso.ForWorkspace: " for this workspace", sayso.ForProfile: " for every workspace",
}

// toldOf says who gave an answer.
func toldOf(a sayso.Answer) string {
	if a.Channel == "withdrawal" {
		return "Withdrawn: the program that asked does not wait any more"
	}
	text := "Denied"
	if a.Yes {
		text = "Allowed"
	}
	if a.Yes {
		text += lasting[a.Scope]
	}
	by := a.By
	if by == "" {
		by = "somebody"
	}
	text += " by " + view.Safe(by)
	if a.Channel != "" {
		text += " through the " + view.Safe(a.Channel)
	}
	return text
}

// find returns a request that waits, or that did a moment ago.
func (b *inbox) find(id string) *waiting {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.open[id]; w != nil {
		return w
	}
	for _, w := range slices.Backward(b.closed) {
		if w.request.ID == id {
			return w
		}
	}
	return nil
}

// all are the requests that wait, the oldest first, and the number of the last
// event that they take into account.
func (b *inbox) all() (list []*waiting, seq int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range b.order {
		list = append(list, b.open[id])
	}
	return list, b.seq, b.err
}

// since returns the events behind a number, and a channel that is closed when
// there are more. Not ok: some of them are not known any more.
func (b *inbox) since(seq int) (list []event, more <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seq > b.seq || seq < b.seq-len(b.events) {
		return nil, b.changed, false
	}
	return slices.Clone(b.events[len(b.events)-(b.seq-seq):]), b.changed, true
}

// count is how many requests wait.
func (b *inbox) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open)
}

// number reads the number of an event; what is none is far away.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 1 << 30
	}
	return n
}
