package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/sayso-dev/sayso"
)

// sessions: a session starts empty, and keeps what an update leaves.
func sessions(t *testing.T, s Stores) {
	_, err := s.Get(ctx, "s")
	is(t, err, sayso.ErrNotFound)
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error {
		if !reflect.DeepEqual(*st, sayso.SessionState{}) {
			t.Errorf("a new session starts as %+v", st)
		}
		st.Turn = 7
		return nil
	}))
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { st.Mode = "plan"; return nil }))
	if st := got(s.Get(ctx, "s"))(t); st.Turn != 7 || st.Mode != "plan" {
		t.Errorf("%+v", st)
	}
	_, err = s.Get(ctx, "other")
	is(t, err, sayso.ErrNotFound)
}

// full is a state in which every field says something.
func full() sayso.SessionState {
	return sayso.SessionState{
		Root: "/repo", Mode: "careful", AgentMode: sayso.PlanMode, Surface: sayso.Surface{Only: []string{}, Not: []string{"bash"}},
		Turn: 3, Prompt: "go on", Stopped: 4, Denied: []sayso.Denial{{Rule: "bash(rm *)", Package: "npm:x", Turn: 1, Text: "rm"}},
		Soft: map[string]sayso.Denies{"print": {Consecutive: 1, Total: 2}}, Tainted: "cat .env", Written: map[string]int{"/repo/a": 2},
		Waiting: map[string]sayso.Waiting{"call": {
			Denials: []sayso.Denial{{Rule: "edit(a)"}}, Stops: true, Left: sayso.Left{Secret: "s", Written: []string{"/repo/b"}},
		}},
		Spent: []string{"grant"},
	}
}

// sessionWhole: nothing of a state is lost; no tools is not every tool.
func sessionWhole(t *testing.T, s Stores) {
	want := full()
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the suite does not fill %s", v.Type().Field(i).Name)
		}
	}
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { *st = full(); return nil }))
	st := got(s.Get(ctx, "s"))(t)
	if !reflect.DeepEqual(st, want) {
		t.Errorf("kept %+v\nwant %+v", st, want)
	}
	if st.Surface.Offers("read") {
		t.Error("an agent that was offered no tool is offered every tool")
	}
}

// sessionFails: an update that fails leaves nothing behind, and its error is told.
func sessionFails(t *testing.T, s Stores) {
	oops := errors.New("oops")
	is(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn = 1; return oops }), oops)
	_, err := s.Get(ctx, "s")
	is(t, err, sayso.ErrNotFound)
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { *st = full(); return nil }))
	is(t, s.Update(ctx, "s", func(st *sayso.SessionState) error {
		st.Turn, st.Denied[0].Rule, st.Soft["print"] = 9, "changed", sayso.Denies{}
		return oops
	}), oops)
	if st := got(s.Get(ctx, "s"))(t); !reflect.DeepEqual(st, full()) {
		t.Errorf("%+v", st)
	}
}

// sessionsAtOnce: no update is lost, and none sees half of another.
func sessionsAtOnce(t *testing.T, s Stores) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 10 {
				err := s.Update(ctx, fmt.Sprint("s", n%2), func(st *sayso.SessionState) error {
					st.Turn++
					st.Denied = append(st.Denied, sayso.Denial{Rule: fmt.Sprint(i, n), Turn: st.Turn})
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, id := range []string{"s0", "s1"} {
		st := got(s.Get(ctx, id))(t)
		if st.Turn != 20 || len(st.Denied) != 20 {
			t.Errorf("%s: %d turns, %d denials, want 20", id, st.Turn, len(st.Denied))
		}
		for i, d := range st.Denied {
			if d.Turn != i+1 {
				t.Errorf("denial %d is of turn %d", i, d.Turn)
			}
		}
	}
}

// sessionRemoved: a session that is removed is gone with the grants that end with
// it, and no others; one that is not there can be removed.
func sessionRemoved(t *testing.T, s Stores) {
	must(t, s.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn = 1; return nil }))
	for id, scope := range map[string]sayso.Scope{
		"1": sayso.Once, "2": sayso.ForTurn, "3": sayso.ForSession, "4": sayso.ForWorkspace, "5": sayso.ForProfile,
	} {
		must(t, s.AddGrant(ctx, "s", "/r", sayso.Grant{ID: id, Scope: scope}))
	}
	must(t, s.AddGrant(ctx, "other", "/r", sayso.Grant{ID: "6", Scope: sayso.ForSession}))
	must(t, s.Remove(ctx, "s"))
	must(t, s.Remove(ctx, "s"))
	_, err := s.Get(ctx, "s")
	is(t, err, sayso.ErrNotFound)
	if left := ids(got(s.AllGrants(ctx))(t)); left != "4 5 6" {
		t.Errorf("left are %s", left)
	}
}
