package line

import (
	"context"
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A Beside is a [sayso.Approver] that asks in a terminal while the request waits in
// the queue, where others can answer it, too. The first answer counts, and closes
// the prompt.
type Beside struct {
	Queue  *approve.Queue
	Prompt *Prompt

	// Say puts the answer that was given in the terminal into the queue.
	Say func(ctx context.Context, r sayso.Request, c view.Choice) error
}

// An ElsewhereError says why a prompt was closed without an answer of its own.
type ElsewhereError struct {
	Answer sayso.Answer
	Err    error // nobody answered
}

func (e *ElsewhereError) Error() string {
	switch {
	case errors.Is(e.Err, approve.ErrTimeout):
		return "nobody answered in time: the call is denied"
	case e.Err != nil:
		return "the question was withdrawn: the call is denied"
	}
	by, said := "somebody", "no"
	if e.Answer.By != "" {
		by = view.Safe(e.Answer.By)
	}
	if e.Answer.Channel != "" {
		by += " through " + view.Safe(e.Answer.Channel)
	}
	if e.Answer.Yes {
		said = "yes"
	}
	return by + " was first and said " + said
}

func (e *ElsewhereError) Unwrap() error { return e.Err }

// Approve asks in both places.
func (b *Beside) Approve(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asking, done := context.WithCancelCause(context.WithoutCancel(ctx))
	defer done(nil)
	var prompt chan error
	answered := make(chan struct{}, 1)
	q := *b.Queue
	q.Wake = answered
	q.Opened = func(stands sayso.Request) {
		if b.Queue.Opened != nil {
			b.Queue.Opened(stands)
		}
		prompt = make(chan error, 1)
		go func() {
			err := b.ask(asking, stands, stop)
			answered <- struct{}{}
			prompt <- err
		}()
	}
	a, err := q.Approve(waiting, r)
	done(&ElsewhereError{a, err})
	if prompt == nil {
		return a, err
	}
	if failed := <-prompt; err != nil && ctx.Err() == nil && errors.Is(failed, ErrInterrupted) {
		err = ErrInterrupted
	}
	return a, err
}

// ask asks in the terminal and puts the answer into the queue. Who does not want to
// answer here withdraws the request; a terminal that fails does not.
func (b *Beside) ask(ctx context.Context, r sayso.Request, stop func(error)) error {
	c, err := b.Prompt.Choose(ctx, r)
	switch {
	case errors.Is(err, ErrInterrupted):
		stop(err)
		return err
	case err != nil:
		return err
	}
	err = b.Say(ctx, r, c)
	var before *sayso.AnsweredError
	switch {
	case errors.As(err, &before):
		b.Prompt.Tell((&ElsewhereError{Answer: before.Answer}).Error())
	case err != nil:
		b.Prompt.Tell("the answer could not be given: " + view.Safe(err.Error()))
		stop(fmt.Errorf("answer: %w", err))
	}
	return err
}

// Tell says something below a question that is over.
func (p *Prompt) Tell(text string) {
	_, _ = p.Terminal.out.WriteString(indent + view.Safe(text) + "\r\n") // nobody is there to be told that it fails
}

var (
	_ sayso.Approver = (*Beside)(nil)
	_ sayso.Approver = (*Prompt)(nil)
)
