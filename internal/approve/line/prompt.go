// Package line asks a person in a plain terminal.
//
// Only a single key answers, and only one that the request offers: Enter does
// not, what was typed before the question was there does not, and what is pasted
// does not. Whatever else happens is no answer, which denies.
package line

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A Prompt is a [sayso.Approver] that asks in a terminal, one question after the
// other.
type Prompt struct {
	Terminal *Terminal
	Env      func(string) string // variables: TERM, NO_COLOR
	View     view.Options
	By       string // who answers

	// Calm is how long a question is there before a key counts: nobody can have
	// read it earlier. 0: 300 milliseconds.
	Calm time.Duration

	// Lock keeps other processes from asking in the same terminal meanwhile, where
	// a key could be taken for an answer to another question. Nil: there are none.
	Lock func(ctx context.Context) (unlock func(), err error)

	// Clock is the time; nil: time.Now.
	Clock func() time.Time

	turn chan struct{} // holds a token while somebody is asked
}

// NewPrompt is a prompt in a terminal.
func NewPrompt(t *Terminal, env func(string) string, by string, o view.Options) *Prompt {
	return &Prompt{Terminal: t, Env: env, By: by, View: o, turn: make(chan struct{}, 1)}
}

const defaultCalm = 300 * time.Millisecond

// ErrInterrupted says that the person did not want to answer.
var ErrInterrupted = errors.New("interrupted")

// Channel is the name of a terminal where it is told through what somebody
// answered.
const Channel = "terminal"

// Approve asks, and returns what was chosen.
func (p *Prompt) Approve(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
	c, err := p.Choose(ctx, r)
	if err != nil {
		return sayso.Answer{}, err
	}
	a := sayso.Answer{RequestID: r.ID, ContractHash: c.Contract, Choice: c.Name, Yes: c.Yes, By: p.By, Channel: Channel, Time: p.now()}
	if a.Yes {
		a.Scope = sayso.Once // or what the choice says
	}
	return a, nil
}

func (p *Prompt) now() time.Time {
	if p.Clock != nil {
		return p.Clock()
	}
	return time.Now()
}

// Choose asks which of the choices of a request is meant. When ctx ends, the
// prompt closes, and says why if its cause is an error of this package.
func (p *Prompt) Choose(ctx context.Context, r sayso.Request) (view.Choice, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return view.Choice{}, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	if p.Lock != nil {
		unlock, err := p.Lock(ctx)
		if err != nil {
			return view.Choice{}, fmt.Errorf("wait for the terminal: %w", err)
		}
		defer unlock()
	}
	restore, err := p.Terminal.raw()
	if err != nil {
		return view.Choice{}, err
	}
	defer restore()
	v := view.Of(&r, p.View)
	a := &asking{p: p, v: &v, look: lookFor(p.Env)}
	if a.look != plain {
		a.write("\x1b[?2004h") // tell what is pasted
		defer a.write("\x1b[?2004l")
	}
	return a.ask(ctx)
}

// An asking is one question while it is open.
type asking struct {
	p      *Prompt
	v      *view.View
	look   look
	reader reader

	cols, rows int  // when it was drawn
	folded     bool // not all of it was shown
	whole      bool // all of it was
	err        error
}

func (a *asking) write(text string) {
	if _, err := a.p.Terminal.out.WriteString(text); err != nil && a.err == nil {
		a.err = fmt.Errorf("write to the terminal: %w", err)
	}
}

// draw draws a page of its own.
func (a *asking) draw(draw func(*page)) {
	a.cols, a.rows = a.p.Terminal.size()
	p := &page{look: a.look, cols: max(a.cols, 20)}
	draw(p)
	a.write(p.String())
}

func (a *asking) ask(ctx context.Context) (view.Choice, error) {
	a.question()
	for a.open(ctx); a.err == nil; a.open(ctx) {
		key := a.key(ctx)
		switch {
		case a.err != nil:
		case key == keyInterrupt:
			a.say("no answer: the call is denied")
			return view.Choice{}, ErrInterrupted
		case key == keyExplain:
			a.write("?\r\n")
			a.folded, a.whole = false, true
			a.draw(func(p *page) { p.explain(a.v) })
			a.again("")
		case key == keyNone: // the size of the window has changed
			a.write("\r\n")
			a.question()
		default:
			if c, ok := a.answer(key); ok {
				return c, nil
			}
		}
	}
	return view.Choice{}, a.err
}

// question draws all of it.
func (a *asking) question() {
	a.draw(func(p *page) {
		folded := p.question(a.v)
		a.folded = folded && !a.whole
		p.choices(a.v)
	})
}

// answer takes a key for an answer, if it is one.
func (a *asking) answer(key string) (view.Choice, bool) {
	for _, c := range a.v.Choices {
		if c.Key != key {
			continue
		}
		if c.Yes && a.folded {
			a.again("not all of it was shown: press ? first")
			return c, false
		}
		a.write(c.Key + "\r\n")
		a.draw(func(p *page) { p.text(indent, c.Label, view.Plain) })
		return c, a.err == nil
	}
	switch key {
	case keyEnter:
		a.again("Enter is no answer")
	case keyMany:
		a.again("what is pasted, or several keys at once, is no answer")
	case keyOther:
		a.again("this key is no answer")
	default:
		a.again("[" + view.Safe(key) + "] is no answer")
	}
	return view.Choice{}, false
}

// again repeats what can be answered.
func (a *asking) again(why string) {
	a.draw(func(p *page) {
		if why != "" {
			p.WriteString("\r\n")
			p.text(indent, why, view.RiskDangerous)
		}
		p.choices(a.v)
	})
}

// say ends the question with a sentence.
func (a *asking) say(text string) {
	a.write("\r\n")
	a.draw(func(p *page) { p.text(indent, text, view.Plain) })
}

// open waits until the question was there for a moment, forgets what was typed
// meanwhile, and lets keys count.
func (a *asking) open(ctx context.Context) {
	calm := a.p.Calm
	if calm == 0 {
		calm = defaultCalm
	}
	timer := time.NewTimer(calm)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		a.end(ctx)
		return
	case <-timer.C:
	}
	if err := a.p.Terminal.forget(); err != nil && a.err == nil {
		a.err = fmt.Errorf("forget what was typed: %w", err)
	}
	left := ""
	if text := a.v.Left(a.p.now()); text != "" {
		left = " (" + text + ")"
	}
	a.write(indent + "your answer" + left + ": ")
}

// key waits for a key; none if the size of the window has changed.
func (a *asking) key(ctx context.Context) string {
	for {
		if ctx.Err() != nil {
			a.end(ctx)
			return keyNone
		}
		burst, err := a.p.Terminal.burst()
		if err != nil { // the terminal is gone
			return keyInterrupt
		}
		if key := a.reader.key(burst); key != keyNone {
			return key
		}
		if cols, rows := a.p.Terminal.size(); cols != a.cols || rows != a.rows {
			return keyNone
		}
	}
}

// end closes a question that stands no longer.
func (a *asking) end(ctx context.Context) {
	cause := context.Cause(ctx)
	if a.err == nil {
		a.err = cause
	}
	var elsewhere *ElsewhereError
	if errors.As(cause, &elsewhere) {
		a.say(elsewhere.Error())
		return
	}
	a.say("the question was withdrawn")
}
