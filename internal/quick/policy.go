package quick

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/packed"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// quick answers one event, and knows the policy of the workspace that it is about.
type quick struct {
	agent   string
	state   string              // the folder; empty: there is none
	env     func(string) string // of the process that the agent has started
	kept    *Policies           // nil: this process is that one
	guard   hook.Guard
	rich    bool          // the rich program must answer
	hold    time.Duration // how long that one may ask a person
	unpacks *exec.Cmd     // the rich program while it unpacks
}

// answer is the answer to an event, unless the rich program must give it.
func (q *quick) answer(c Call, sessions sayso.Sessions, journal sayso.Journal, in io.Reader) ([]byte, error) {
	g := &q.guard
	deadline := Deadline
	if q.kept != nil { // the other process must decide then, and needs time for it
		deadline = residentDeadline
	}
	*g = hook.Guard{Sessions: sessions, Journal: journal, Root: local.Root, Engine: q.engine, Env: q.env, Deadline: deadline, Observe: c.Observe, Guardrails: q.guardrails, Watched: true, Resident: q.kept != nil}
	g.Clear = func(context.Context, string, string, string) error { // no database is opened here
		q.rich = true
		return hook.ErrHandOver
	}
	g.Starts = func(_ context.Context, root, _ string) string { // what is trusted only the rich program knows
		if _, err := local.Beside("sayso"); err == nil && local.Trustable(root) {
			q.rich = true
		}
		return ""
	}
	var decided bytes.Buffer
	err := g.Answer(c.Agent, c.Event, in, &decided)
	return decided.Bytes(), err
}

// files say where the policy of a workspace is.
func (q *quick) files(root, home string) local.Files {
	return local.Files{Home: home, ConfigHome: q.env("XDG_CONFIG_HOME"), Root: local.Real(root)}
}

// engine decides the calls in a workspace.
func (q *quick) engine(root, home string) (sayso.Engine, sayso.Surface, error) {
	at := q.files(root, home)
	s, err := q.policy(at)
	if err != nil {
		return sayso.Engine{}, sayso.Surface{}, err
	}
	if s.Queued == 0 && q.guard.CannotAsk { // the rich program knows for how long
		s.Queued = hook.Hold(q.agent)
	}
	q.hold = min(max(s.Queued, 0), hook.Hold(q.agent))
	if s.Rich || s.Unseal(at.ProfileKey()) != nil { // without its key the rich program says what is wrong
		q.rich = true
		return sayso.Engine{}, sayso.Surface{}, hook.ErrHandOver
	}
	e := engine(s, q.native(at, s), q.startUnpacking)
	if s.Queued > 0 {
		e.Approver = hook.HandOver(func() { q.rich = true })
	}
	if len(s.Grants) > 0 {
		e.Grants, err = grants(s.Grants)
	}
	return e, s.Surface, err
}

// grants are those of a snapshot.
func grants(list []sayso.GivenGrant) (sayso.GrantStore, error) {
	m := &store.Memory{}
	for _, g := range list {
		if err := m.AddGrant(context.Background(), g.Session, g.Root, g.Grant); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Engine decides by a snapshot.
func Engine(s snapshot.Snapshot, at local.Files) sayso.Engine {
	return engine(s, preset.Native(s.Policy(local.Guarded(at))), (&quick{}).startUnpacking)
}

func engine(s snapshot.Snapshot, native sayso.Preset, unpack func() (io.ReadWriter, error)) sayso.Engine {
	if s.Queued == snapshot.Nobody {
		native = hook.Unattended(native)
	}
	return sayso.Engine{
		Preset:   native,
		Analyzer: sayso.Analyzer{Machine: machine{Client: &packed.Client{Start: unpack}}, Also: s.Also},
		Mode:     s.ModeFor,
		Policy:   s.Hash,
	}
}

// Guardrails decides by guardrails alone.
func Guardrails(root, home string) (sayso.Engine, sayso.Surface, error) {
	q := quick{env: os.Getenv}
	if state, err := local.State(); err == nil {
		q.state = state.Dir
	}
	return q.guardrails(root, home)
}

func (q *quick) guardrails(root, home string) (sayso.Engine, sayso.Surface, error) {
	var none snapshot.Snapshot
	e := engine(none, preset.Native(none.Policy(local.GuardedWith(q.files(root, home), q.state))), q.startUnpacking)
	e.Mode = func(string) string { return preset.Bypass }
	return e, sayso.Surface{}, nil
}

// machine shows the files of this machine to the analysis. The rich program tells
// what is in packed ones, which is seldom asked.
type machine struct {
	local.Machine
	*packed.Client
}

// policy is the snapshot of a workspace, made anew if need be. Without any policy
// file what is built in counts.
func (q *quick) policy(at local.Files) (snapshot.Snapshot, error) {
	if q.state == "" {
		_, err := local.State()
		return snapshot.Snapshot{}, err
	}
	sources, any := snapshot.Sources(at, local.Database(q.state))
	if !any {
		return snapshot.Snapshot{Hash: snapshot.PolicyHash("", nil)}, nil
	}
	if s, ok := q.kept.find(at, q.state, sources); ok {
		return s, nil
	}
	folder := snapshot.Folder{Dir: q.state}
	s, err := folder.Load(at, sources)
	switch {
	case err == nil:
		q.kept.keep(at, q.state, s)
		return s, nil
	case !errors.Is(err, snapshot.ErrStale):
		return s, err
	case q.kept != nil: // the other process lets it be made
		return snapshot.Snapshot{Rich: true}, nil
	}
	if err := makeSnapshot(at.Root); err != nil {
		return s, fmt.Errorf("the policy was not read: %w", err)
	}
	sources, _ = snapshot.Sources(at, local.Database(q.state))
	if s, err = folder.Load(at, sources); errors.Is(err, snapshot.ErrStale) {
		return snapshot.Snapshot{Rich: true, Queued: math.MaxInt64}, nil // what cannot be kept, the rich program tells
	}
	return s, err
}
