package sayso_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
)

// A shakyGrants fails where it is told to.
type shakyGrants struct {
	store.Memory
	list, revoke error
}

func (s *shakyGrants) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	if s.list != nil {
		return nil, s.list
	}
	return s.Memory.Grants(ctx, session, root)
}

func (s *shakyGrants) RevokeGrant(ctx context.Context, id string) error {
	if s.revoke != nil {
		return s.revoke
	}
	return s.Memory.RevokeGrant(ctx, id)
}

// TestClearGrants: what was approved for a session ends, what was approved for
// longer and what belongs to another session stays.
func TestClearGrants(t *testing.T) {
	ctx := context.Background()
	m := &shakyGrants{}
	for id, scope := range map[string]sayso.Scope{"1": sayso.ForTurn, "2": sayso.ForSession, "3": sayso.ForWorkspace, "4": sayso.ForProfile} {
		if err := m.AddGrant(ctx, "s", "/w", sayso.Grant{ID: id, Rule: "bash", Scope: scope}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.AddGrant(ctx, "other", "/w", sayso.Grant{ID: "5", Rule: "bash", Scope: sayso.ForSession}); err != nil {
		t.Fatal(err)
	}
	left := func(session string) string {
		list, err := m.Grants(ctx, session, "/w")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, g := range list {
			ids = append(ids, g.ID)
		}
		slices.Sort(ids)
		out := ""
		for _, id := range ids {
			out += id
		}
		return out
	}
	e := sayso.Engine{Grants: m}
	failed := errors.New("the disk is full")
	m.revoke = failed
	if err := e.ClearGrants(ctx, "s", "/w"); !errors.Is(err, failed) || left("s") != "1234" {
		t.Errorf("revoke fails: %v, left %s", err, left("s"))
	}
	m.revoke = sayso.ErrNotFound // somebody else was quicker
	if err := e.ClearGrants(ctx, "s", "/w"); err != nil {
		t.Errorf("gone already: %v", err)
	}
	m.revoke = nil
	if err := e.ClearGrants(ctx, "s", "/w"); err != nil || left("s") != "34" || left("other") != "345" {
		t.Errorf("%v, left %s and %s", err, left("s"), left("other"))
	}
	m.list = failed
	if err := e.ClearGrants(ctx, "s", "/w"); !errors.Is(err, failed) {
		t.Errorf("list fails: %v", err)
	}
	if err := (&sayso.Engine{}).ClearGrants(ctx, "s", "/w"); err != nil {
		t.Errorf("no store: %v", err)
	}
}

// TestClears: which modes take back what was approved for a session.
func TestClears(t *testing.T) {
	p := sayso.Preset{Modes: []sayso.Mode{{Name: "a"}, {Name: "b", Clears: true}}}
	for mode, want := range map[string]bool{"a": false, "b": true, "a+b": true, "": false, "c": false} {
		if p.Clears(mode) != want {
			t.Errorf("%q: %v", mode, !want)
		}
	}
}
