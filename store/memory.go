// Package store keeps what sayso must remember: sessions, grants, approvals,
// trust and rules.
package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sayso-dev/sayso"
)

// Memory keeps everything in memory, for tests and for programs that need no
// more. The zero value is empty and ready to use, from several goroutines.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]sayso.SessionState
	grants   []keptGrant
	waiting  []sayso.Request
	answers  map[string]sayso.Answer
	trust    map[string]string
	rules    map[string][]sayso.Rule

	journal sync.Mutex // apart: a call is recorded while its session is updated
	records []sayso.Record
}

type keptGrant struct {
	session, root string
	grant         sayso.Grant
}

// Errors of approvals.
var (
	ErrAnswered = errors.New("the request has an answer already")
	ErrContract = errors.New("the answer is for another contract")
)

// Get returns the state of a session, or [sayso.ErrNotFound].
func (m *Memory) Get(_ context.Context, id string) (sayso.SessionState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	st, ok := m.sessions[id]
	if !ok {
		return st, fmt.Errorf("session %q: %w", id, sayso.ErrNotFound)
	}
	return copyState(st), nil
}

// Update changes the state of a session. If change fails nothing is kept.
func (m *Memory) Update(_ context.Context, id string, change func(*sayso.SessionState) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	st := copyState(m.sessions[id])
	if err := change(&st); err != nil {
		return err
	}
	if m.sessions == nil {
		m.sessions = map[string]sayso.SessionState{}
	}
	m.sessions[id] = copyState(st)
	return nil
}

// Remove forgets a session.
func (m *Memory) Remove(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	m.grants = slices.DeleteFunc(m.grants, func(g keptGrant) bool { return g.session == id && lasts(g.grant.Scope) })
	return nil
}

// lasts reports whether a grant of that scope ends with its session.
func lasts(s sayso.Scope) bool { return s != sayso.ForWorkspace && s != sayso.ForProfile }

func copyState(st sayso.SessionState) sayso.SessionState {
	st.Denied = slices.Clone(st.Denied)
	st.Surface.Only, st.Surface.Not = slices.Clone(st.Surface.Only), slices.Clone(st.Surface.Not)
	st.Soft = maps.Clone(st.Soft)
	st.Written = maps.Clone(st.Written)
	st.Waiting = maps.Clone(st.Waiting)
	st.Spent = slices.Clone(st.Spent)
	return st
}

// Grants returns the grants that count in a session of that workspace.
func (m *Memory) Grants(_ context.Context, session, root string) ([]sayso.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []sayso.Grant
	for _, g := range m.grants {
		if g.grant.Scope == sayso.ForProfile || g.grant.Scope == sayso.ForWorkspace && g.root == root || lasts(g.grant.Scope) && g.session == session {
			out = append(out, g.grant)
		}
	}
	return out, nil
}

// AddGrant keeps a grant.
func (m *Memory) AddGrant(_ context.Context, session, root string, g sayso.Grant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.grants = append(m.grants, keptGrant{session, root, g})
	return nil
}

// RevokeGrant takes a grant back.
func (m *Memory) RevokeGrant(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.grants)
	m.grants = slices.DeleteFunc(m.grants, func(g keptGrant) bool { return g.grant.ID == id })
	if len(m.grants) == n {
		return fmt.Errorf("grant %q: %w", id, sayso.ErrNotFound)
	}
	return nil
}

// Open makes a request known.
func (m *Memory) Open(_ context.Context, r sayso.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(m.waiting, r)
	return nil
}

// Answer records an answer; the first counts.
func (m *Memory) Answer(_ context.Context, a sayso.Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.answers[a.RequestID]; ok {
		return fmt.Errorf("request %q: %w", a.RequestID, ErrAnswered)
	}
	i := slices.IndexFunc(m.waiting, func(r sayso.Request) bool { return r.ID == a.RequestID })
	if i < 0 {
		return fmt.Errorf("request %q: %w", a.RequestID, sayso.ErrNotFound)
	}
	if m.waiting[i].Contract.Hash() != a.ContractHash {
		return fmt.Errorf("request %q: %w", a.RequestID, ErrContract)
	}
	if m.answers == nil {
		m.answers = map[string]sayso.Answer{}
	}
	m.answers[a.RequestID] = a
	m.waiting = slices.Delete(m.waiting, i, i+1)
	return nil
}

// Waiting lists the requests without an answer.
func (m *Memory) Waiting(context.Context) ([]sayso.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.waiting), nil
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
	return slices.Clone(m.rules[root]), nil
}

// AddRule keeps a rule for a workspace.
func (m *Memory) AddRule(_ context.Context, root string, r sayso.Rule) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rules == nil {
		m.rules = map[string][]sayso.Rule{}
	}
	m.rules[root] = append(m.rules[root], r)
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
