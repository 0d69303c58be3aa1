// Package hook speaks the hook protocols of agents, one file each.
//
// A hook must never be open by mistake: input that cannot be read, a session
// whose state cannot be kept, a panic, or a decision that takes too long is
// answered with a denial, whole and at once.
package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// A Guard is what a hook needs of sayso.
type Guard struct {
	// Sessions keeps what the events of a session leave behind.
	Sessions sayso.Sessions

	// Journal records what happens. A call that is not recorded is denied.
	Journal sayso.Journal

	// Event is what was read, whole or not: for another program that answers.
	Event []byte

	// Observe says that nothing is enforced but guardrails: what would be decided is
	// recorded, and the agent does what it would do without sayso.
	Observe bool

	// Guardrails decides by guardrails alone, for a guard that observes; whatever else
	// denies a call must not keep them from it.
	Guardrails func(root, home string) (sayso.Engine, sayso.Surface, error)

	// CannotAsk says that the agent cannot put a question to its user at the event
	// that was read. It is known when Engine is called.
	CannotAsk bool

	// Root is the workspace of a folder, for an agent that names none.
	Root func(dir string) string

	// Engine decides the calls in a workspace, with the tools that its policy
	// offers. Its Approver says who asks people: nil, the agent itself; a
	// [HandOver], another program; else the Approver, while the agent waits.
	Engine func(root, home string) (sayso.Engine, sayso.Surface, error)

	// Server says what is known of the MCP server that a call goes to; it is
	// asked after Engine. Nil: what the agent says.
	Server func(root string, call sayso.Call) *sayso.Server

	// Starts is what the user should know of a workspace when a session starts in
	// it; empty: nothing. Nil: nobody looks.
	Starts func(ctx context.Context, root, home string) string

	// Env are the variables that the agent sets.
	Env func(string) string

	// Clear takes back what people have approved for a session, and records
	// why. Nil: the engine does.
	Clear func(ctx context.Context, session, root, why string) error

	// Deadline is when a decision is too late; far below the time after which
	// the agent would go on without an answer.
	Deadline time.Duration

	// Watched says that somebody else sees to it that there is an answer in time,
	// whatever the guard does. Then it starts nothing beside itself, which a process
	// that lives for milliseconds would wait for. What waits still ends at the deadline.
	Watched bool

	// Resident says that the program which the agent has started decides by itself
	// where this one cannot: what goes wrong here is neither recorded nor told.
	Resident bool

	// Failed says that a resident guard could not answer.
	Failed bool
}

// ErrHandOver is what Engine returns if another program is to answer: then nothing
// is kept, nothing is recorded, and what this one answers is of no use.
var ErrHandOver = errors.New("another program answers")

// typed returns the mode that a user switches to by what they typed, in presets
// that have such commands.
func (g *Guard) typed(prompt, root string) (mode string, ok bool, err error) {
	if !strings.HasPrefix(strings.TrimSpace(prompt), "/") {
		return "", false, nil
	}
	e, _, err := g.Engine(root, g.Env("HOME"))
	if errors.Is(err, ErrHandOver) {
		return "", false, err
	}
	if err != nil {
		return "", false, nil // the next call says why
	}
	mode, ok = e.Preset.ModeFor(prompt)
	return mode, ok, nil
}

// clear takes back what people have approved for a session, if the preset says
// that it ends then.
func (g *Guard) clear(ctx context.Context, e event, st *sayso.SessionState, why string, ends func(sayso.Preset) bool) error {
	engine, _, err := g.Engine(st.Root, g.Env("HOME"))
	if err != nil || engine.Grants == nil || !ends(engine.Preset) {
		return err
	}
	list, err := engine.Grants.Grants(ctx, e.call.Session, st.Root)
	if err != nil {
		return err
	}
	some := slices.ContainsFunc(list, func(g sayso.Grant) bool { return g.Scope != sayso.ForWorkspace && g.Scope != sayso.ForProfile })
	switch {
	case !some:
		return nil
	case g.Clear == nil:
		return engine.ClearGrants(ctx, e.call.Session, st.Root)
	}
	return g.Clear(ctx, e.call.Session, st.Root, why)
}

// longestPrompt is how much of a prompt is remembered: each event of the session
// reads it.
const longestPrompt = 512

// remembered is a prompt as it is kept.
func remembered(text string) string {
	if text = mask.Text(text); len(text) > longestPrompt {
		return strings.ToValidUTF8(text[:longestPrompt], "") + "…"
	}
	return text
}

// An event is what an agent tells: a call, and where it stands.
type event struct {
	call       sayso.Call
	project    string          // the agent's own idea of the workspace; may be empty
	agentMode  sayso.AgentMode // what the agent is set to do
	unattended bool            // nobody is there to answer a question
	types      bool            // the agent types into terminals without asking
}

// change changes the state of the event's session, and fixes its workspace at
// the first event.
func (g *Guard) change(ctx context.Context, e event, change func(*sayso.SessionState) error) error {
	return g.Sessions.Update(ctx, e.call.Session, func(st *sayso.SessionState) error {
		if err := g.fix(st, e); err != nil {
			return err
		}
		return change(st)
	})
}

// tell records what an event tells about calls.
func (g *Guard) tell(ctx context.Context, e event, records []sayso.Record) error {
	if g.Journal == nil || len(records) == 0 {
		return nil
	}
	for i := range records {
		records[i].Session = e.call.Session
	}
	return g.Journal.Record(ctx, records...)
}

func (g *Guard) fix(st *sayso.SessionState, e event) error {
	switch {
	case st.Root != "":
	case filepath.IsAbs(e.project):
		st.Root = filepath.Clean(e.project)
	case filepath.IsAbs(e.call.Dir):
		st.Root = g.Root(e.call.Dir)
	default:
		return fmt.Errorf("the working directory %q is not absolute", e.call.Dir)
	}
	return nil
}

// decide decides a call, records it, and keeps what it leaves behind, before it
// answers.
func (g *Guard) decide(ctx context.Context, e event) sayso.Decision {
	var d sayso.Decision
	var decided sayso.Engine
	records := []sayso.Record{{Kind: sayso.RecordRequest, Request: &e.call}} // unless that is recorded already
	asks := false
	err := g.change(ctx, e, func(st *sayso.SessionState) (err error) {
		if decided, err = g.engine(e, st); err != nil {
			return err
		}
		decided.Journal, e.call = g.Journal, g.known(&decided, e.call, st)
		if g.Observe { // nobody is asked about what counts for nothing
			decided.Approver = nil
		}
		_, hands := decided.Approver.(HandOver)
		switch {
		case hands || decided.Approver == nil && g.Resident:
			d, err = g.stepUnless(ctx, decided, e.call, st)
		case decided.Approver == nil:
			records = nil
			d = decided.Step(ctx, e.call, st)
		default:
			asks = true
		}
		return err
	})
	switch {
	case err == nil && asks:
		return g.authorize(ctx, decided, e.call)
	case err == nil:
		return d
	}
	d = sayso.Decision{Code: sayso.CodeError, Reason: err.Error()}
	if g.failed() || errors.Is(err, ErrHandOver) {
		return d
	}
	decided.Journal = g.Journal
	records = append(records, sayso.Record{Kind: sayso.RecordDecision, Decision: &d, Decider: &sayso.Decider{Kind: "stage", Name: "hook"}})
	_ = decided.Note(ctx, e.call, records...) // it is denied either way
	return d
}

// look decides a call as decide does, but keeps nothing.
func (g *Guard) look(ctx context.Context, e event) sayso.Decision {
	st, err := g.Sessions.Get(ctx, e.call.Session)
	if errors.Is(err, sayso.ErrNotFound) {
		err = nil
	}
	if err == nil {
		err = g.fix(&st, e)
	}
	var engine sayso.Engine
	if err == nil {
		engine, err = g.engine(e, &st)
	}
	if err != nil {
		return sayso.Decision{Code: sayso.CodeError, Reason: err.Error()}
	}
	return engine.Step(ctx, g.known(&engine, e.call, &st), &st)
}

// known is a call with what is known of its server.
func (g *Guard) known(engine *sayso.Engine, call sayso.Call, st *sayso.SessionState) sayso.Call {
	call.Server = g.settled(engine.Analyzer.Machine, call, st.Root)
	if g.Server != nil {
		call.Server = g.Server(st.Root, call)
	}
	return call
}

// engine is the engine for an event of a session.
func (g *Guard) engine(e event, st *sayso.SessionState) (sayso.Engine, error) {
	engine, surface, err := g.Engine(st.Root, e.call.Home)
	if err != nil {
		return engine, err
	}
	if e.unattended {
		engine.Preset = Unattended(engine.Preset)
	}
	if e.types {
		engine.Preset = untyped(engine.Preset)
	}
	st.AgentMode, st.Surface = e.agentMode, surface
	return engine, nil
}

// Unattended is a preset that denies where it would ask.
func Unattended(p sayso.Preset) sayso.Preset {
	attended := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		plan, err := attended(mode)
		return sayso.Plan{sayso.Unattended(plan...)}, err
	}
	return p
}
