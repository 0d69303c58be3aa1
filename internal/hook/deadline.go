package hook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sayso-dev/sayso"
)

// failed notes that something went wrong, and reports whether that is for the program
// to tell which the agent has started.
func (g *Guard) failed() bool {
	g.Failed = g.Resident
	return g.Failed
}

// unsure reports whether a call was denied because something went wrong, and that is
// for the other program to tell.
func (g *Guard) unsure(d sayso.Decision) bool { return d.Code == sayso.CodeError && g.failed() }

// maxInput is the longest event that is read: a tool call with a large file in
// it.
const maxInput = 16 << 20

func readAll(in io.Reader) ([]byte, error) {
	text := bytes.NewBuffer(make([]byte, 0, 8<<10)) // enough for nearly all of them, so that it need not grow
	if _, err := text.ReadFrom(io.LimitReader(in, maxInput+1)); err != nil {
		return text.Bytes(), fmt.Errorf("read the event: %w", err)
	}
	if text.Len() > maxInput {
		return text.Bytes(), fmt.Errorf("the event is longer than %d bytes", maxInput)
	}
	return text.Bytes(), nil
}

// readWithin reads an event before the deadline: an agent that keeps its end open waits
// for an answer all the same.
func (g *Guard) readWithin(in io.Reader) ([]byte, error) {
	if g.Watched {
		return readAll(in)
	}
	deadline := g.Deadline
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("panic: %v", p)
			}
			done <- r
		}()
		r.text, r.err = readAll(in)
	}()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.text, r.err
	case <-timer.C:
		return nil, fmt.Errorf("the event did not end within %s", deadline)
	}
}

// within does something before the deadline, or fails. While a person is asked the
// deadline waits: see [Guard.authorize].
func within[T any](g *Guard, do func(context.Context) T) (T, error) {
	deadline := g.Deadline
	if g.Watched {
		ctx := &calm{Context: context.Background(), end: time.Now().Add(deadline)}
		defer ctx.stop()
		return do(ctx), nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	limit := &limit{deadline: deadline, timer: time.AfterFunc(deadline, cancel)}
	defer limit.timer.Stop()
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("panic: %v", p)}
			}
			done <- r
		}()
		r.value = do(context.WithValue(ctx, limitKey{}, limit))
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("it took longer than %s", deadline)
	}
}
