package store_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
)

var ctx = context.Background()

// TestSessions: a state that is changed by one does not change for another, and
// a change that fails leaves nothing behind.
func TestSessions(t *testing.T) {
	var m store.Memory
	if _, err := m.Get(ctx, "s"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_ = m.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn++; return nil })
		})
	}
	wg.Wait()
	oops := errors.New("oops")
	if err := m.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn = 99; return oops }); !errors.Is(err, oops) {
		t.Errorf("%v", err)
	}
	st, err := m.Get(ctx, "s")
	if err != nil || st.Turn != 20 {
		t.Errorf("%+v %v", st, err)
	}
	st.Written = map[string]int{"x": 1}
	if again, _ := m.Get(ctx, "s"); again.Written != nil {
		t.Error("the state is shared")
	}
}

// TestGrants: which grants count where, and how they end.
func TestGrants(t *testing.T) {
	var m store.Memory
	for _, g := range []sayso.Grant{
		{ID: "1", Scope: sayso.ForSession}, {ID: "2", Scope: sayso.ForWorkspace}, {ID: "3", Scope: sayso.ForProfile}, {ID: "4", Scope: sayso.ForTurn},
	} {
		if err := m.AddGrant(ctx, "s", "/root", g); err != nil {
			t.Fatal(err)
		}
	}
	count := func(session, root string) int {
		list, err := m.Grants(ctx, session, root)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if a, b, c := count("s", "/root"), count("other", "/root"), count("other", "/else"); a != 4 || b != 2 || c != 1 {
		t.Errorf("%d %d %d", a, b, c)
	}
	if err := m.Remove(ctx, "s"); err != nil || count("s", "/root") != 2 {
		t.Errorf("what ends with its session stays: %v", err)
	}
	if err := m.RevokeGrant(ctx, "3"); err != nil || count("other", "/else") != 0 {
		t.Errorf("%v", err)
	}
	if err := m.RevokeGrant(ctx, "3"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestApprovals: the first answer counts, and only for what was shown.
func TestApprovals(t *testing.T) {
	var m store.Memory
	r := sayso.Request{ID: "r", Contract: sayso.Contract{Tool: "bash"}}
	if err := m.Open(ctx, r); err != nil {
		t.Fatal(err)
	}
	if list, _ := m.Waiting(ctx); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if err := m.Answer(ctx, sayso.Answer{RequestID: "x"}); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := m.Answer(ctx, sayso.Answer{RequestID: "r", ContractHash: "other", Yes: true}); !errors.Is(err, store.ErrContract) {
		t.Errorf("%v", err)
	}
	if err := m.Answer(ctx, sayso.Answer{RequestID: "r", ContractHash: r.Contract.Hash()}); err != nil {
		t.Errorf("%v", err)
	}
	if err := m.Answer(ctx, sayso.Answer{RequestID: "r", ContractHash: r.Contract.Hash(), Yes: true}); !errors.Is(err, store.ErrAnswered) {
		t.Errorf("a second answer: %v", err)
	}
	if list, _ := m.Waiting(ctx); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// TestTrustAndRules: trust is in exactly what was seen.
func TestTrustAndRules(t *testing.T) {
	var m store.Memory
	_ = m.Trust(ctx, "/r", "server", "abc")
	for print, want := range map[string]bool{"abc": true, "abd": false} {
		if got, err := m.Trusted(ctx, "/r", "server", print); err != nil || got != want {
			t.Errorf("%s: %v %v", print, got, err)
		}
	}
	if err := m.Revoke(ctx, "/r", "server"); err != nil {
		t.Error(err)
	}
	if err := m.Revoke(ctx, "/r", "server"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	for _, one := range []sayso.Trust{{Root: "/z"}, {Root: "/r", Name: "b", Fingerprint: "2"}, {Root: "/r", Fingerprint: "1"}} {
		_ = m.Trust(ctx, one.Root, one.Name, one.Fingerprint)
	}
	want := []sayso.Trust{{Root: "/r", Fingerprint: "1"}, {Root: "/r", Name: "b", Fingerprint: "2"}, {Root: "/z"}}
	if all, err := m.AllTrust(ctx); err != nil || !slices.Equal(all, want) {
		t.Errorf("%v %v", all, err)
	}
	_ = m.AddRule(ctx, "/r", sayso.Rule{Text: "bash(ls)"})
	if rules, _ := m.Rules(ctx, "/r"); len(rules) != 1 {
		t.Errorf("%v", rules)
	}
	if err := m.RemoveRule(ctx, "/r", "bash(ls)"); err != nil {
		t.Error(err)
	}
	if err := m.RemoveRule(ctx, "/r", "bash(ls)"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	_ = m.Record(ctx, sayso.Record{Kind: "decision"})
	if len(m.Records()) != 1 {
		t.Error("the journal is empty")
	}
}
