package preset_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// TestKosmoKratorTrail: in argus a person sees the tool and its arguments with
// three answers, whatever is decided is in the journal with the answer, what is
// allowed can run, and a no is an error after which the agent goes on.
func TestKosmoKratorTrail(t *testing.T) {
	m := &store.Memory{}
	var asked []sayso.Request
	keys := map[string]string{"rm a": "n", "rm b": "y", "rm c": "s"}
	e := kosmoEngine(m)
	e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		asked = append(asked, r)
		var input struct{ Command string }
		if err := json.Unmarshal(r.Call.Input, &input); err != nil {
			return sayso.Answer{}, err
		}
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: keys[input.Command]}, nil
	})
	if err := m.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Mode = preset.Argus; return nil }); err != nil {
		t.Fatal(err)
	}
	read := sayso.Call{Session: "s", Tool: "file_read", Input: json.RawMessage(`{"path":"a"}`), Root: "/work/proj", Home: "/home/u"}
	steps := []struct {
		call  sayso.Call
		want  sayso.Effect
		code  sayso.Code
		asked int
	}{
		{read, sayso.Allow, "kosmokrator.rule.allow", 0},
		{kosmoBash("rm a"), sayso.Deny, sayso.CodePersonNo, 1},
		{kosmoBash("rm b"), sayso.Allow, sayso.CodePersonYes, 2}, // the no did not end the turn
		{kosmoBash("rm c"), sayso.Allow, sayso.CodePersonYes, 3},
		{kosmoBash("rm d"), sayso.Allow, "kosmokrator.grant", 3},
		{kosmoBash("rm -rf /"), sayso.Deny, "kosmokrator.blocked_command", 3},
	}
	for i, step := range steps {
		permit, d, err := e.Authorize(context.Background(), step.call)
		if err != nil || d.Effect != step.want || d.Code != step.code || len(asked) != step.asked || d.Stop {
			t.Errorf("step %d: %+v, asked %d times, %v", i, d, len(asked), err)
		}
		if d.Reason == "" || isRefused(permit) != (step.want != sayso.Allow) {
			t.Errorf("step %d: it can run: %v, because %q", i, !isRefused(permit), d.Reason)
		}
	}
	for _, r := range asked {
		if r.Call.Tool != "bash" || len(r.Call.Input) == 0 || r.Decision.Explanation == "" || len(r.Decision.Choices) != 3 {
			t.Errorf("shown: %+v", r)
		}
	}
	calls, last, answered := map[string]int{}, map[string]sayso.Code{}, map[string]bool{}
	for _, r := range m.Records() {
		switch r.Kind {
		case sayso.RecordRequest:
			if i := len(calls); i >= len(steps) || string(r.Request.Input) != string(steps[i].call.Input) {
				t.Fatalf("record of call %d: %+v", i, r)
			}
			calls[r.Call] = len(calls)
		case sayso.RecordDecision:
			last[r.Call] = r.Decision.Code
		case sayso.RecordAnswer:
			answered[r.Call] = true
		}
	}
	if len(calls) != len(steps) {
		t.Fatalf("%d calls of %d are recorded", len(calls), len(steps))
	}
	for id, i := range calls {
		if last[id] != steps[i].code || answered[id] != (i >= 1 && i <= 3) {
			t.Errorf("call %d: %s, answered: %v", i, last[id], answered[id])
		}
	}
}
