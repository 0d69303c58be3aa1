// Package store keeps what sayso must remember: sessions, grants, approvals,
// trust and rules.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
)

// Memory keeps everything in memory, for tests and for programs that need no
// more. The zero value is empty and ready to use, from several goroutines.
type Memory struct {
	// Clock is the time; nil: time.Now.
	Clock func() time.Time

	mu       sync.Mutex
	sessions map[string]sayso.SessionState
	grants   []sayso.GivenGrant
	requests []*request
	trust    map[string]string
	rules    map[string][]sayso.Rule

	journal sync.Mutex // apart: a call is recorded while its session is updated
	records []sayso.Record
}

// Get returns the state of a session, or [sayso.ErrNotFound].
func (m *Memory) Get(_ context.Context, id string) (sayso.SessionState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	st, ok := m.sessions[id]
	if !ok {
		return st, fmt.Errorf("session %q: %w", id, sayso.ErrNotFound)
	}
	return copyOf(st)
}

// Update changes the state of a session. If change fails nothing is kept.
func (m *Memory) Update(_ context.Context, id string, change func(*sayso.SessionState) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	st, err := copyOf(m.sessions[id])
	if err != nil {
		return err
	}
	if err := change(&st); err != nil {
		return err
	}
	kept, err := copyOf(st) // whoever changed it may still hold it
	if err != nil {
		return err
	}
	if m.sessions == nil {
		m.sessions = map[string]sayso.SessionState{}
	}
	m.sessions[id] = kept
	return nil
}

// Remove forgets a session, and the grants that end with it.
func (m *Memory) Remove(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	m.grants = slices.DeleteFunc(m.grants, func(g sayso.GivenGrant) bool { return g.Session == id && !outlives(g.Scope) })
	return nil
}

// outlives reports whether a grant of that scope stays when its session ends.
func outlives(s sayso.Scope) bool { return s == sayso.ForWorkspace || s == sayso.ForProfile }

// copyOf is a copy that shares nothing with what it was made of.
func copyOf[T any](v T) (T, error) {
	var out T
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// Grants returns the grants that count in a session of that workspace.
func (m *Memory) Grants(_ context.Context, session, root string) ([]sayso.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []sayso.Grant
	for _, g := range m.grants {
		if g.CountsIn(session, root) {
			out = append(out, g.Grant)
		}
	}
	return out, nil
}

// AddGrant keeps a grant.
func (m *Memory) AddGrant(_ context.Context, session, root string, g sayso.Grant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g.ID == "" {
		return errors.New("the grant has no id")
	}
	if slices.ContainsFunc(m.grants, func(kept sayso.GivenGrant) bool { return kept.ID == g.ID }) {
		return fmt.Errorf("grant %q: %w", g.ID, sayso.ErrExists)
	}
	m.grants = append(m.grants, sayso.GivenGrant{Grant: g, Session: session, Root: root})
	return nil
}

// AllGrants returns the grants of every session and workspace.
func (m *Memory) AllGrants(context.Context) ([]sayso.GivenGrant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.grants), nil
}

// RevokeGrant takes a grant back.
func (m *Memory) RevokeGrant(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.grants)
	m.grants = slices.DeleteFunc(m.grants, func(g sayso.GivenGrant) bool { return g.ID == id })
	if len(m.grants) == n {
		return fmt.Errorf("grant %q: %w", id, sayso.ErrNotFound)
	}
	return nil
}

// Trusted reports whether a person trusts exactly this.
func (m *Memory) Trusted(_ context.Context, root, name, fingerprint string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.trust[root+"\x00"+name]
	return ok && kept == fingerprint, nil
}

// Trust keeps that a person trusts it, as it is now.
func (m *Memory) Trust(_ context.Context, root, name, fingerprint string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.trust == nil {
		m.trust = map[string]string{}
	}
	m.trust[root+"\x00"+name] = fingerprint
	return nil
}

// Revoke takes trust back.
func (m *Memory) Revoke(_ context.Context, root, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.trust[root+"\x00"+name]; !ok {
		return fmt.Errorf("%s: %w", name, sayso.ErrNotFound)
	}
	delete(m.trust, root+"\x00"+name)
	return nil
}

// AllTrust lists what is trusted.
func (m *Memory) AllTrust(context.Context) ([]sayso.Trust, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []sayso.Trust
	for _, key := range slices.Sorted(maps.Keys(m.trust)) {
		root, name, _ := strings.Cut(key, "\x00")
		out = append(out, sayso.Trust{Root: root, Name: name, Fingerprint: m.trust[key]})
	}
	return out, nil
}

// Rules returns the rules kept for a workspace.
func (m *Memory) Rules(_ context.Context, root string) ([]sayso.Rule, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyOf(m.rules[root])
}

// AddRule keeps a rule for a workspace.
func (m *Memory) AddRule(_ context.Context, root string, r sayso.Rule) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rules == nil {
		m.rules = map[string][]sayso.Rule{}
	}
	kept := slices.DeleteFunc(slices.Clone(m.rules[root]), func(old sayso.Rule) bool { return old.Text == r.Text && old.Effect == r.Effect })
	r, err := copyOf(r)
	if err != nil {
		return err
	}
	m.rules[root] = append(kept, r)
	return nil
}

// RemoveRule forgets a rule of a workspace.
func (m *Memory) RemoveRule(_ context.Context, root, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(m.rules[root]), func(r sayso.Rule) bool { return r.Text == text })
	if len(kept) == len(m.rules[root]) {
		return fmt.Errorf("rule %s: %w", text, sayso.ErrNotFound)
	}
	m.rules[root] = kept
	return nil
}

// Record appends to the journal.
func (m *Memory) Record(_ context.Context, records ...sayso.Record) error {
	m.journal.Lock()
	defer m.journal.Unlock()
	m.records = append(m.records, records...)
	return nil
}

// Records returns the journal.
func (m *Memory) Records() []sayso.Record {
	m.journal.Lock()
	defer m.journal.Unlock()
	return slices.Clone(m.records)
}

var (
	_ sayso.Sessions   = (*Memory)(nil)
	_ sayso.GrantStore = (*Memory)(nil)
	_ sayso.Approvals  = (*Memory)(nil)
	_ sayso.TrustStore = (*Memory)(nil)
	_ sayso.RuleStore  = (*Memory)(nil)
	_ sayso.Journal    = (*Memory)(nil)
)
