package sqlite_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// TestResume: a session that is taken up by another process goes on as it was:
// its modes, the last prompt, what was denied in it and how often, and what was
// granted for it and which rules were accepted, until that is cleared.
func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	process := func(do func(*sqlite.DB, *sayso.Engine)) {
		t.Helper()
		db, err := sqlite.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		do(db, &sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: db, Grants: db})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(e *sayso.Engine, command string) sayso.Decision {
		t.Helper()
		_, d, err := e.Authorize(ctx, sayso.Call{Session: "s", Tool: "bash", Input: []byte(`{"command":"` + command + `"}`), Root: "/w", Home: "/home/dev"})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var before sayso.SessionState
	process(func(db *sqlite.DB, e *sayso.Engine) {
		for rule, choice := range map[string]sayso.Answer{
			"git push origin main": {Yes: true, Scope: sayso.ForSession, Rule: "bash(git push *)", More: []string{"bash(docker push *)"}}, "npm publish": {},
		} {
			e.Approver = answers(choice)
			decide(e, rule)
		}
		if err := db.Update(ctx, "s", func(st *sayso.SessionState) error {
			st.Mode, st.AgentMode, st.Turn, st.Prompt = "careful", sayso.EditMode, 5, "go on"
			st.Soft = map[string]sayso.Denies{"a call": {Consecutive: 2, Total: 7}}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		before, _ = db.Get(ctx, "s")
	})
	process(func(db *sqlite.DB, e *sayso.Engine) {
		if after, err := db.Get(ctx, "s"); err != nil || !reflect.DeepEqual(after, before) || len(after.Denied) == 0 {
			t.Errorf("resumed as %+v\nwas %+v, %v", after, before, err)
		}
		for _, granted := range []string{"git push origin next", "docker push registry.test/x"} {
			if d := decide(e, granted); d.Effect != sayso.Allow || d.Code != sayso.CodeGrant {
				t.Errorf("%s: the grant is not replayed: %+v", granted, d)
			}
		}
		if d := decide(e, "touch x"); d.Effect != sayso.Deny { // careful asks, and nobody is there
			t.Errorf("the mode is lost: %+v", d)
		}
		if err := e.ClearGrants(ctx, "s", "/w"); err != nil {
			t.Fatal(err)
		}
	})
	process(func(_ *sqlite.DB, e *sayso.Engine) {
		if d := decide(e, "git push origin next"); d.Effect != sayso.Deny {
			t.Errorf("after the conversation was reset: %+v", d)
		}
	})
}

// answers is a person who always says the same.
func answers(a sayso.Answer) sayso.Approver {
	return sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		a.RequestID, a.ContractHash = r.ID, r.Contract.Hash()
		return a, nil
	})
}
