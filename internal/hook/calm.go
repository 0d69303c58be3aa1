package hook

import (
	"context"
	"sync"
	"time"
)

// A calm context has a deadline, but no timer until somebody waits for it. In a process
// that answers one event after the other each timer would wake a thread, and the next
// event would wait for it.
type calm struct {
	context.Context // of which it ends earlier
	end             time.Time

	once   sync.Once
	timed  context.Context
	cancel context.CancelFunc
}

// Deadline is the end.
func (c *calm) Deadline() (time.Time, bool) { return c.end, true }

// Err says whether it has come.
func (c *calm) Err() error {
	if !time.Now().Before(c.end) {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// Done is for who waits.
func (c *calm) Done() <-chan struct{} {
	c.once.Do(func() { c.timed, c.cancel = context.WithDeadline(c.Context, c.end) })
	return c.timed.Done()
}

// stop ends what waits.
func (c *calm) stop() {
	if c.cancel != nil {
		c.cancel()
	}
}
