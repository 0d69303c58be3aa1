package quick

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/session"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/preset"
)

// Policies are those that a resident process has read. One counts while all that it was
// made from is as it was, which is looked at each time.
type Policies struct {
	mu   sync.Mutex
	list map[place]*kept
}

// A place is what a policy is for.
type place struct {
	at    local.Files
	state string
}

// kept is a policy, and what decides by it.
type kept struct {
	policy  snapshot.Snapshot
	guarded []string
	native  sayso.Preset
}

// residentDeadline is how long a resident process may take.
const residentDeadline = 2 * time.Second

// most is how many policies are kept.
const most = 64

// find returns the policy of a place, if it was read and still counts.
func (p *Policies) find(at local.Files, state string, sources []snapshot.Source) (snapshot.Snapshot, bool) {
	if p == nil {
		return snapshot.Snapshot{}, false
	}
	p.mu.Lock()
	k := p.list[place{at, state}]
	p.mu.Unlock()
	if k == nil || !k.policy.Holds(at, sources) {
		return snapshot.Snapshot{}, false
	}
	return k.policy, true
}

// keep keeps the policy of a place, unless there is something sealed in it.
func (p *Policies) keep(at local.Files, state string, s snapshot.Snapshot) {
	if p == nil || s.Sealed != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil || len(p.list) >= most {
		p.list = map[place]*kept{}
	}
	p.list[place{at, state}] = &kept{policy: s}
}

// native is what decides by a policy.
func (q *quick) native(at local.Files, s snapshot.Snapshot) sayso.Preset {
	guarded := local.GuardedWith(at, q.state)
	if q.kept == nil {
		return preset.Native(s.Policy(guarded))
	}
	q.kept.mu.Lock()
	defer q.kept.mu.Unlock()
	k := q.kept.list[place{at, q.state}]
	if k == nil || !k.policy.Made.Equal(s.Made) || k.policy.Hash != s.Hash { // it has changed meanwhile, or is not kept
		return preset.Native(s.Policy(guarded))
	}
	if k.native.Plan == nil || !slices.Equal(k.guarded, guarded) {
		k.guarded, k.native = guarded, preset.Native(s.Policy(guarded))
	}
	return k.native
}

// Answer answers an event for another process, which an agent has started with these
// arguments and variables. It reports false if that process must answer by itself; then
// nothing was kept or recorded.
func (p *Policies) Answer(args []string, env func(string) string, event []byte) (answer []byte, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			answer, ok = nil, false
		}
	}()
	c, ok := called(args)
	if !ok || env(Switch) == Off || c.Agent.ByStatus() { // what it answers has no status
		return nil, false
	}
	state, err := session.At(env("HOME"), env("XDG_STATE_HOME"))
	if err != nil {
		return nil, false
	}
	q := quick{agent: c.Agent.Name, state: state.Dir, env: env, kept: p}
	defer q.close()
	answer, err = q.answer(c, state, journal.Folder{Dir: state.Dir}, bytes.NewReader(event))
	return answer, err == nil && !q.rich && !q.guard.Failed
}

// Switch is the variable that says whether a resident process is asked, and Off that it
// is not.
const (
	Switch = "SAYSO_RESIDENT"
	Off    = "off"
)
