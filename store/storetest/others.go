package storetest

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

// trust: it is in exactly what was seen, in one workspace.
func trust(t *testing.T, s Stores) {
	must(t, s.Trust(ctx, "/r", "server", "abc"))
	must(t, s.Trust(ctx, "/r", "", ""))
	for _, one := range []struct {
		root, name, print string
		want              bool
	}{
		{"/r", "server", "abc", true},
		{"/r", "server", "abd", false},
		{"/r", "server", "", false},
		{"/r", "Server", "abc", false},
		{"/r", "", "", true},
		{"/r", "", "abc", false},
		{"/r/sub", "server", "abc", false},
		{"/r/sub", "", "", false},
		{"", "", "", false},
	} {
		if ok := got(s.Trusted(ctx, one.root, one.name, one.print))(t); ok != one.want {
			t.Errorf("%+v: %v", one, ok)
		}
	}
	must(t, s.Trust(ctx, "/r", "server", "new")) // what was trusted before is not any more
	if got(s.Trusted(ctx, "/r", "server", "abc"))(t) || !got(s.Trusted(ctx, "/r", "server", "new"))(t) {
		t.Error("trust does not follow the fingerprint")
	}
	must(t, s.Trust(ctx, "/a", "z", "1"))
	want := []sayso.Trust{{Root: "/a", Name: "z", Fingerprint: "1"}, {Root: "/r"}, {Root: "/r", Name: "server", Fingerprint: "new"}}
	if all := got(s.AllTrust(ctx))(t); !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	must(t, s.Revoke(ctx, "/r", ""))
	is(t, s.Revoke(ctx, "/r", ""), sayso.ErrNotFound)
	if got(s.Trusted(ctx, "/r", "", ""))(t) || !got(s.Trusted(ctx, "/r", "server", "new"))(t) {
		t.Error("not exactly the workspace was revoked")
	}
}

// rules: they are kept whole and in order, once, for their workspace.
func rules(t *testing.T, s Stores) {
	full := sayso.Rule{
		Effect: sayso.Deny, Text: "bash(rm *)", Because: "no", Except: []string{"bash(rm x)"}, Match: []string{"rm y"}, NotMatch: []string{"ls"},
		Until: time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC), Source: sayso.Source{Layer: sayso.Workspace, File: "f", Line: 1, Column: 2},
	}
	allow := sayso.Rule{Effect: sayso.Allow, Text: "bash(rm *)"}
	last := sayso.Rule{Effect: sayso.Ask, Text: "fetch(*)"}
	for _, r := range []sayso.Rule{full, allow, last, allow} {
		must(t, s.AddRule(ctx, "/r", r))
	}
	must(t, s.AddRule(ctx, "", last))
	if list := got(s.Rules(ctx, "/r"))(t); !reflect.DeepEqual(list, []sayso.Rule{full, last, allow}) {
		t.Errorf("%+v", list)
	}
	if list := got(s.Rules(ctx, "/r/sub"))(t); len(list) != 0 {
		t.Errorf("of another workspace: %+v", list)
	}
	must(t, s.RemoveRule(ctx, "/r", "bash(rm *)"))
	is(t, s.RemoveRule(ctx, "/r", "bash(rm *)"), sayso.ErrNotFound)
	is(t, s.RemoveRule(ctx, "/else", "fetch(*)"), sayso.ErrNotFound)
	if list := got(s.Rules(ctx, "/r"))(t); !reflect.DeepEqual(list, []sayso.Rule{last}) {
		t.Errorf("left are %+v", list)
	}
	if list := got(s.Rules(ctx, ""))(t); !reflect.DeepEqual(list, []sayso.Rule{last}) {
		t.Errorf("of the profile: %+v", list)
	}
}

// nothingShared: what was given to the store or got from it can be changed
// without the store noticing.
func nothingShared(t *testing.T, s Stores) {
	var inside *sayso.SessionState
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { *st = full(); inside = st; return nil }))
	spoil := func(st *sayso.SessionState) {
		st.Denied[0].Rule, st.Soft["more"], st.Written["more"], st.Spent[0], st.Surface.Not[0] = "x", sayso.Denies{}, 1, "x", "x"
		st.Waiting["call"].Denials[0].Rule, st.Waiting["call"].Left.Written[0] = "x", "x"
	}
	spoil(inside)
	st := got(s.Get(ctx, "s"))(t)
	spoil(&st)
	if st := got(s.Get(ctx, "s"))(t); !reflect.DeepEqual(st, full()) {
		t.Errorf("a state is shared: %+v", st)
	}
	r := ask("a", "call")
	change := func(r *sayso.Request) {
		r.Call.Input[2], r.Decision.Choices[0].Yes, r.Contract.Env["A"] = 'X', false, "x"
	}
	stands := got(s.Open(ctx, r))(t)
	change(&r)
	change(&stands)
	list := got(s.Waiting(ctx))(t)
	change(&list[0])
	if again := got(s.Waiting(ctx))(t)[0]; !reflect.DeepEqual(again.Contract, ask("", "").Contract) || !again.Decision.Choices[0].Yes {
		t.Errorf("a request is shared: %+v", again)
	}
	rule := sayso.Rule{Effect: sayso.Deny, Text: "bash", Except: []string{"bash(ls)"}}
	must(t, s.AddRule(ctx, "/r", rule))
	rule.Except[0] = "bash"
	got(s.Rules(ctx, "/r"))(t)[0].Except[0] = "bash"
	if kept := got(s.Rules(ctx, "/r"))(t)[0].Except[0]; kept != "bash(ls)" {
		t.Errorf("a rule is shared: %s", kept)
	}
}

// names: ids, roots and texts come from agents and file systems, and are kept as
// they are.
func names(t *testing.T, s Stores) {
	for i, name := range []string{"", "a'b\"c", "x; DROP TABLE grants; --", "ü\u0000ü", "a\nb", "\u202e", "%s?#&=/../", string(make([]byte, 300))} {
		must(t, s.Update(ctx, name, func(st *sayso.SessionState) error { st.Turn = i + 1; return nil }))
		must(t, s.Trust(ctx, name, name, name))
		must(t, s.AddRule(ctx, name, sayso.Rule{Effect: sayso.Ask, Text: name}))
		must(t, s.AddGrant(ctx, name, name, sayso.Grant{ID: "id" + name, Rule: name, Scope: sayso.ForSession}))
	}
	for i, name := range []string{"", "a'b\"c", "x; DROP TABLE grants; --", "ü\u0000ü", "a\nb", "\u202e", "%s?#&=/../", string(make([]byte, 300))} {
		if st := got(s.Get(ctx, name))(t); st.Turn != i+1 {
			t.Errorf("session %q: %+v", name, st)
		}
		if !got(s.Trusted(ctx, name, name, name))(t) {
			t.Errorf("trust %q is lost", name)
		}
		if list := got(s.Rules(ctx, name))(t); len(list) != 1 || list[0].Text != name {
			t.Errorf("rule %q: %+v", name, list)
		}
		if list := got(s.Grants(ctx, name, name))(t); len(list) != 1 || list[0].Rule != name || list[0].ID != "id"+name {
			t.Errorf("grant %q: %+v", name, list)
		}
	}
}

// ended: what is asked for after its context has ended fails, or is done; it does
// not say that something is allowed and does not hang.
func ended(t *testing.T, s Stores) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	if ok, err := s.Trusted(over, "/r", "", ""); ok {
		t.Errorf("trusted: %v", err)
	}
	if err := s.AddGrant(over, "s", "/r", sayso.Grant{ID: "g", Scope: sayso.ForProfile}); err != nil {
		if all := got(s.AllGrants(ctx))(t); len(all) != 0 {
			t.Errorf("it failed, and was kept: %+v", all)
		}
	}
	if list, err := s.Waiting(over); len(list) > 0 {
		t.Errorf("%+v %v", list, err)
	}
}
