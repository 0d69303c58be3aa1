package sayso_test

import (
	"context"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// TestStep: an agent that asks its user itself. What was answered no binds the
// effect, what ran leaves its traces, and until that is known both may be.
func TestStep(t *testing.T) {
	e := engine(&store.Memory{}, nil)
	e.Sessions, e.Grants, e.Journal = nil, nil, nil
	st := &sayso.SessionState{}
	step := func(id, command string) sayso.Decision {
		call := bash(command)
		call.ID = id
		return e.Step(context.Background(), call, st)
	}
	want := func(what string, d sayso.Decision, effect sayso.Effect, code sayso.Code) {
		t.Helper()
		if d.Effect != effect || d.Code != code {
			t.Errorf("%s: %s %s (%s), want %s %s", what, d.Effect, d.Code, d.Reason, effect, code)
		}
	}
	want("plain", step("1", "echo x > a"), sayso.Allow, "mode.work")
	if st.Root != "/home/dev/app" || len(st.Written) != 1 || len(st.Waiting) != 0 {
		t.Errorf("%+v", st)
	}

	want("push", step("2", "git push"), sayso.Ask, "mode.publish")
	st.Ran("other")
	st.Refused("2", "other")
	want("push again", step("3", "git push"), sayso.Deny, "denied.before")
	st.Turn++
	want("push in the next turn", step("4", "git push"), sayso.Ask, "denied.before")
	st.Refused()
	if len(st.Waiting) != 0 {
		t.Errorf("%+v", st.Waiting)
	}

	want("fetch", step("5", "curl https://example.com"), sayso.Allow, "mode.fetch")
	want("secret", step("", "cat .env > b"), sayso.Ask, "safety.secret")
	want("fetch while it may have been read", step("6", "curl https://example.com"), sayso.Ask, "taint")
	if st.Tainted != "" || len(st.Written) != 1 || len(st.Waiting) != 2 {
		t.Errorf("%+v", st)
	}
	for id := range st.Waiting {
		st.Ran(id)
	}
	if st.Tainted == "" || len(st.Written) != 2 || len(st.Waiting) != 0 {
		t.Errorf("%+v", st)
	}
	want("fetch afterwards", step("7", "curl https://example.com"), sayso.Ask, "taint")
}

// TestStepMode: the mode that counts is what the engine makes of the chosen one,
// and the workspace stays where it was first.
func TestStepMode(t *testing.T) {
	e := engine(&store.Memory{}, nil)
	e.Mode = func(chosen string) string {
		if chosen == preset.Bypass {
			return preset.Careful
		}
		return chosen
	}
	st := &sayso.SessionState{Mode: preset.Bypass, Root: "/home/dev"}
	if d := e.Step(context.Background(), bash("touch x"), st); d.Effect != sayso.Ask || d.Code != "mode.careful" || st.Mode != preset.Bypass {
		t.Errorf("%+v", d)
	}
	e.Mode = nil
	if d := e.Step(context.Background(), bash("touch ../x"), st); d.Effect != sayso.Allow || st.Root != "/home/dev" {
		t.Errorf("%+v", d)
	}
}

// TestStepStops: with a preset whose no ends the turn, it does.
func TestStepStops(t *testing.T) {
	e := engine(&store.Memory{}, nil)
	e.Preset.StopOnNo = true
	st := &sayso.SessionState{Surface: sayso.Surface{Not: []string{"Write"}}}
	call := bash("git push")
	call.ID = "1"
	if d := e.Step(context.Background(), call, st); d.Effect != sayso.Ask || st.Stopped != 0 {
		t.Errorf("%+v", d)
	}
	st.Refused("1")
	if st.Stopped != 1 {
		t.Errorf("%+v", st)
	}
	if d := e.Step(context.Background(), sayso.Call{Tool: "Write", Root: "/x", Input: []byte(`{"file_path":"a","content":""}`)}, st); d.Effect != sayso.Deny {
		t.Errorf("a tool that is not offered: %+v", d)
	}
}
