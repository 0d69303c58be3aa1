// Package approve puts questions to people.
package approve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
)

// A Queue is a [sayso.Approver] whose requests are kept where any process can
// answer them. It waits for the first answer; whoever waits may be killed and
// started again, and finds the request, or its answer, when it asks again about
// the same call.
type Queue struct {
	Store sayso.Approvals

	// Timeout is how long an answer is waited for; 0: five minutes.
	Timeout time.Duration

	// Via are the channels through which a yes counts, for requests that name
	// none; empty: all.
	Via []string

	// Opened is called, if it is not nil, when a request waits, so that somebody
	// can be told of it.
	Opened func(sayso.Request)

	// Wake says that an answer was given by this process, which is then not looked
	// for only after a pause. Nil: nobody says it.
	Wake <-chan struct{}

	// Clock is the time; nil: time.Now.
	Clock func() time.Time
}

const (
	defaultTimeout = 5 * time.Minute

	// How long to pause between two looks: a person needs seconds, a program
	// that answers does not.
	firstPause = 2 * time.Millisecond
	lastPause  = 250 * time.Millisecond

	// withdrawal is how long it may take to tell others that nobody waits.
	withdrawal = 2 * time.Second
)

// ErrTimeout says that nobody answered in time.
var ErrTimeout = errors.New("the time for it is over")

// Approve opens the request and waits for its answer, until its time is over or
// ctx ends.
func (q *Queue) Approve(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
	timeout := q.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	if until := q.now().Add(timeout); r.Until.IsZero() || until.Before(r.Until) {
		r.Until = until
	}
	if len(r.Via) == 0 { // else whoever asks is stricter
		r.Via = q.Via
	}
	stands, err := q.Store.Open(ctx, r)
	if err != nil {
		return sayso.Answer{}, fmt.Errorf("open the request: %w", err)
	}
	if q.Opened != nil {
		q.Opened(stands)
	}
	a, err := q.wait(ctx, stands)
	if err != nil {
		return sayso.Answer{}, err
	}
	a.RequestID = r.ID // the store has made sure that it is for the same call and contract
	return a, nil
}

func (q *Queue) now() time.Time {
	if q.Clock != nil {
		return q.Clock()
	}
	return time.Now()
}

// wait looks for the answer until there can be none any more.
func (q *Queue) wait(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
	for pause := firstPause; ; pause = min(max(firstPause, 2*pause), lastPause) {
		over := r.Over(q.now()) // nobody can answer after that, so one more look is enough
		a, err := q.Store.Take(ctx, r.ID)
		switch {
		case ctx.Err() != nil && err != nil:
			return a, q.withdraw(ctx, r)
		case !errors.Is(err, sayso.ErrWaiting):
			return a, err
		case over:
			return a, ErrTimeout
		}
		if !r.Until.IsZero() {
			pause = max(0, min(pause, r.Until.Sub(q.now())))
		}
		timer := time.NewTimer(max(pause, time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return a, q.withdraw(ctx, r)
		case <-q.Wake:
			timer.Stop()
			pause = 0
		case <-timer.C:
		}
	}
}

// withdraw closes a request for which nobody waits any more: whoever answers it
// now must not believe that it counts.
func (q *Queue) withdraw(ctx context.Context, r sayso.Request) error {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawal)
	defer cancel()
	err := q.Store.Answer(late, sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Channel: "withdrawal"})
	switch {
	case err == nil, errors.Is(err, sayso.ErrLate), errors.Is(err, sayso.ErrAnswered):
		return ctx.Err()
	}
	return errors.Join(ctx.Err(), fmt.Errorf("withdraw the request: %w", err))
}

var _ sayso.Approver = (*Queue)(nil)
