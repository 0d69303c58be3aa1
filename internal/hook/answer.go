package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
	"github.com/sayso-dev/sayso/shell"
)

// Answer answers one event of an agent. Before a tool runs the answer is always a
// decision; the error says why there is none, and must be told to the agent with
// the exit status that blocks. The name of the event may be empty if the agent
// writes it into the event.
func (g *Guard) Answer(a *Agent, name string, in io.Reader, out io.Writer) error {
	answer, err := g.answer(a, name, in)
	if err != nil {
		answer = a.Denial(err)
	}
	if len(answer) == 0 {
		return err
	}
	if _, written := out.Write(answer); written != nil { // all of it, or the agent reads none
		return written
	}
	return err
}

// Denial is the answer that denies a call because nothing could decide it, beside
// the exit status that blocks. Nearly all agents want nothing there then.
func (a *Agent) Denial(err error) []byte {
	if !a.lenient {
		return nil
	}
	return a.decided(&told{agent: a}, sayso.Decision{Code: sayso.CodeError, Reason: err.Error()})
}

// Decides reports whether an event wants an answer.
func (a *Agent) Decides(name string, event []byte) bool {
	e, err := a.read(event, name)
	return err != nil || e.what.is == before && a.explicit()
}

// explicit reports whether the agent is told that it may go on.
func (a *Agent) explicit() bool {
	return len(a.decided(&told{agent: a}, sayso.Decision{Effect: sayso.Allow})) > 0
}

// answer returns the answer to an event; nothing is for an event that needs none.
func (g *Guard) answer(a *Agent, name string, in io.Reader) (answer []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	g.observe()
	text, err := g.readWithin(in)
	g.Event = text
	if err != nil {
		return nil, err
	}
	e, err := a.read(text, name)
	if err != nil {
		return nil, err
	}
	if e.what.is == started && g.failed() { // it ends in the rich program
		return nil, nil
	}
	ev := g.event(&e)
	g.CannotAsk = e.what.is == before && !e.what.asks
	switch e.what.is {
	case before, announced:
		if e.Tool == "" {
			return nil, fmt.Errorf("the event %s has no tool", e.Event)
		}
		decide := g.decide
		if e.what.is == announced {
			decide = g.look
		}
		d, err := within(g, func(ctx context.Context) sayso.Decision { return decide(ctx, ev) })
		if err != nil || g.unsure(d) {
			return nil, err
		}
		if g.Observe && !enforced(d) {
			if d, err = within(g, func(ctx context.Context) sayso.Decision { return g.guardrails(ctx, ev) }); err != nil || g.unsure(d) {
				return nil, err
			}
			if !enforced(d) {
				return a.unheeded(&e), nil
			}
		}
		return a.say(&e, e.answerable(d))
	case asking:
		return g.permission(&e, ev), nil
	case repeated:
		return nil, nil
	}
	if note := g.note(&e, ev); note != nil {
		if problem := g.learn(a, ev, note); problem != nil || e.what.is != started {
			return problem, nil
		}
		return g.greet(a, &e, ev), nil
	}
	if e.Tool != "" || e.Input != nil || e.Command != "" { // it may be there to stop the tool
		return nil, fmt.Errorf("the event %s is not known", e.Event)
	}
	return nil, nil
}

// A DeniedError is the denial of an agent that reads no answer: its text is for
// standard error, beside the exit status that blocks.
type DeniedError struct{ Reason string }

// Error is the reason, as the agent and its user are told.
func (d *DeniedError) Error() string { return d.Reason }

// ByStatus reports whether the agent is told a denial by a [DeniedError].
func (a *Agent) ByStatus() bool { return a.byStatus }

// say is how the agent is told a decision.
func (a *Agent) say(e *told, d sayso.Decision) ([]byte, error) {
	if a.byStatus && d.Effect != sayso.Allow {
		return nil, &DeniedError{reason(d)}
	}
	return a.decided(e, d), nil
}

// answerable is a decision that the agent can be told. A question that nobody has
// put to a person is a denial where the agent cannot ask; where an event of its own
// follows for the tool, the question is for that one.
func (e *told) answerable(d sayso.Decision) sayso.Decision {
	switch {
	case d.Effect != sayso.Ask || e.what.asks:
	case e.what.is == announced:
		d.Effect = sayso.Allow
	default:
		d.Effect, d.Code, d.Reason = sayso.Deny, sayso.CodeNobodyAsk, "a person must approve it, and "+e.agent.Title+" cannot ask: "+d.Reason
	}
	return d
}

// permission answers what an agent is about to ask its user: no, if sayso denies the
// call; else it is the user's to say.
func (g *Guard) permission(e *told, ev event) []byte {
	look := *g
	if g.Observe && g.Guardrails != nil {
		look.Engine = g.Guardrails
	}
	d, err := within(g, func(ctx context.Context) sayso.Decision { return look.look(ctx, ev) })
	if err != nil {
		d = sayso.Decision{Code: sayso.CodeError, Reason: err.Error()}
	}
	if g.unsure(d) || d.Effect != sayso.Deny || g.Observe && !enforced(d) {
		return nil
	}
	return e.agent.denied(e, d)
}

// learn notes an event. Nothing can be stopped any more, or yet: a failure is told to
// the user, and denies what comes next.
func (g *Guard) learn(a *Agent, e event, note note) []byte {
	failed, err := within(g, func(ctx context.Context) error {
		return g.change(ctx, e, func(st *sayso.SessionState) error {
			records, err := note(ctx, st)
			if err != nil {
				return err
			}
			return g.tell(ctx, e, records)
		})
	})
	if err == nil {
		err = failed
	}
	if err == nil || g.failed() || a.warn == nil {
		return nil
	}
	return a.warn("sayso: " + err.Error())
}

// compacted is what agents say of a session that only goes on with a shorter memory.
const compacted = "compact"

// greet tells the user what they should know when a session starts.
func (g *Guard) greet(a *Agent, e *told, ev event) []byte {
	if g.Starts == nil || a.warn == nil || e.Source == compacted {
		return nil
	}
	text, err := within(g, func(ctx context.Context) string {
		st, err := g.Sessions.Get(ctx, ev.call.Session)
		if err != nil {
			return ""
		}
		return g.Starts(ctx, st.Root, ev.call.Home)
	})
	if err != nil || text == "" { // the calls themselves are decided in any case
		return nil
	}
	return a.warn("sayso: " + shell.ShownWhole(text))
}

// reason is what the agent and its user are told.
//
// It may be shown in a terminal, and has words of the agent in it: none of them is
// interpreted there.
func reason(d sayso.Decision) string {
	text := "sayso: " + shell.ShownWhole(d.Reason)
	if d.Code != "" {
		text += " (" + string(d.Code) + ")"
	}
	if d.Stop { // nothing else that it could act on
		return text
	}
	if d.Explanation != "" && d.Effect != sayso.Allow {
		text += ". It would: " + shell.ShownWhole(d.Explanation)
	}
	more := ""
	if d.Effect == sayso.Deny {
		more = instead(d.Code)
	}
	const most = 4000 // longer ones are put into a file by the agent
	if len(text) > most-len(more) {
		text = strings.ToValidUTF8(text[:most-len(more)], "") + "…"
	}
	return text + more
}

// A flat answer is an object of strings, written by hand: to find out how a type is
// written takes a program that lives for milliseconds a tenth of them.
type flat []byte

func (b flat) add(key, value string) flat {
	b = append(b, ',')
	if len(b) == 1 {
		b[0] = '{'
	}
	return plainjson.AppendText(append(plainjson.AppendText(b, key, false), ':'), value, false)
}

// end closes the object, and the answer.
func (b flat) end() []byte { return append(b, "}\n"...) }

// object closes the object.
func (b flat) object() []byte { return append(b, '}') }

// encoded is an answer that is seldom given.
func encoded(answer any) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if enc.Encode(answer) != nil { // all of them are strings and truth values
		return nil
	}
	return text.Bytes()
}
