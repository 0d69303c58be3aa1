package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
)

// spare is what is left of that time for all but the question itself: to start two
// programs on a busy machine, to decide, to record and to answer.
const spare = 30 * time.Second

// Hold is how long a person may be asked while an agent waits for its hook.
func Hold(agent string) time.Duration {
	if a, ok := Find(agent); ok && a.Wait > spare {
		return a.Wait - spare
	}
	return 0 // nobody knows how long that one waits
}

// A HandOver is the Approver of an engine whose questions another program asks. It
// is called for a call that asks, which is then neither kept nor recorded, as with
// [ErrHandOver].
type HandOver func()

// Approve asks nobody.
func (h HandOver) Approve(context.Context, sayso.Request) (sayso.Answer, error) {
	h()
	return sayso.Answer{}, ErrHandOver
}

// stepUnless decides a call, and records and keeps that unless another program must
// decide it: one that can ask, or for a resident guard, one that tells what went wrong.
func (g *Guard) stepUnless(ctx context.Context, engine sayso.Engine, call sayso.Call, st *sayso.SessionState) (sayso.Decision, error) {
	var held heldBack
	engine.Journal = &held
	d := engine.Step(ctx, call, st)
	if engine.Approver != nil && d.Effect == sayso.Ask {
		_, err := engine.Approver.Approve(ctx, sayso.Request{})
		return d, err
	}
	if g.unsure(d) {
		return d, ErrHandOver
	}
	return d, g.Journal.Record(ctx, held...)
}

// heldBack are records that are not written yet.
type heldBack []sayso.Record

// Record keeps records.
func (h *heldBack) Record(_ context.Context, records ...sayso.Record) error {
	*h = append(*h, records...)
	return nil
}

// authorize decides a call and has a person asked, if need be, while the agent
// waits. Other calls of the session go on meanwhile.
func (g *Guard) authorize(ctx context.Context, engine sayso.Engine, call sayso.Call) sayso.Decision {
	if call.ID == "" { // what tells that it ran names it the same
		call.ID = call.Fingerprint()
	}
	ask := engine.Approver
	engine.Sessions = g.Sessions
	engine.Approver = sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		if l, ok := ctx.Value(limitKey{}).(*limit); ok {
			if !l.timer.Stop() { // it is over
				return sayso.Answer{}, context.DeadlineExceeded
			}
			defer l.timer.Reset(l.deadline)
		}
		hold := Hold(call.Agent)
		ctx, cancel := context.WithTimeoutCause(ctx, hold, errHold)
		defer cancel()
		if until := r.Opened.Add(hold); r.Until.IsZero() || until.Before(r.Until) {
			r.Until = until
		}
		answer, err := ask.Approve(ctx, r)
		if !tellsTurns(call.Agent) {
			answer = notForTurn(r, answer)
		}
		return answer, err
	})
	_, d, _ := engine.Authorize(ctx, call) // the decision says what failed
	return d
}

// tellsTurns reports whether an agent tells when its user says something.
func tellsTurns(agent string) bool {
	a, ok := Find(agent)
	return ok && slices.ContainsFunc(a.events, func(m moments) bool { return m.is == prompted })
}

// notForTurn is an answer that counts once where it was for a turn: a turn that nobody
// sees the end of would last as long as the session.
func notForTurn(r sayso.Request, a sayso.Answer) sayso.Answer {
	for _, c := range r.Decision.Choices {
		if a.Choice != "" && c.Key == a.Choice && c.Scope == sayso.ForTurn {
			a.Choice, a.Yes, a.Scope = "", c.Yes, c.Scope
			break
		}
	}
	if a.Scope == sayso.ForTurn {
		a.Scope, a.Rule, a.More = sayso.Once, "", nil
	}
	return a
}

// errHold says that the agent would not wait for an answer any longer.
var errHold = errors.New("the agent waits no longer")

// A limit is a deadline that waits while a person is asked, who has a time of their
// own.
type limit struct {
	deadline time.Duration
	timer    *time.Timer
}

type limitKey struct{}
