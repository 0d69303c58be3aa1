package sayso_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// kinds are the kinds of what a journal has.
func kinds(m *store.Memory) string {
	var out []string
	for _, r := range m.Records() {
		out = append(out, string(r.Kind))
	}
	return strings.Join(out, " ")
}

// TestRecords: every step of a call is recorded, with who decided it.
func TestRecords(t *testing.T) {
	fails := sayso.ApproverFunc(func(context.Context, sayso.Request) (sayso.Answer, error) { return sayso.Answer{}, errors.New("gone") })
	strange := sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{RequestID: r.ID, Choice: "maybe", By: "me", Channel: "page"}, nil
	})
	deny := sayso.Rule{Effect: sayso.Deny, Text: "bash(git push *)", Source: sayso.Source{File: "/p.yaml", Line: 3, Column: 5}}
	for _, tt := range []struct {
		name     string
		approver sayso.Approver
		rules    []sayso.Rule
		command  string
		kinds    string
		decider  sayso.Decider // of the last decision
	}{
		{"allowed", nil, nil, "ls", "request decision", sayso.Decider{Kind: "mode", Name: "default"}},
		{"denied", nil, []sayso.Rule{deny}, "git push", "request decision", sayso.Decider{Kind: "rule", Name: "bash(git push *)", Where: "/p.yaml:3:5"}},
		{"guarded", nil, nil, "rm -rf /", "request decision", sayso.Decider{Kind: "stage", Name: "guards"}},
		{"nobody there", nil, nil, "git push", "request decision decision", sayso.Decider{Kind: "mode", Name: "default"}},
		{"yes", person(true, "", ""), nil, "git push", "request decision prompt answer decision", sayso.Decider{Kind: "person", Name: "me", Channel: "test"}},
		{"no", person(false, "", ""), nil, "git push", "request decision prompt answer decision", sayso.Decider{Kind: "person", Name: "me", Channel: "test"}},
		{"not offered", strange, nil, "git push", "request decision prompt answer decision", sayso.Decider{Kind: "person", Name: "me", Channel: "page"}},
		{"no answer", fails, nil, "git push", "request decision prompt decision", sayso.Decider{Kind: "mode", Name: "default"}},
	} {
		m := &store.Memory{}
		e := engine(m, tt.approver, tt.rules...)
		e.Policy = "abc"
		_, d := authorize(t, e, bash(tt.command))
		records := m.Records()
		last := records[len(records)-1]
		if kinds(m) != tt.kinds || last.Decision == nil || last.Decision.Effect != d.Effect || last.Policy != "abc" || !reflect.DeepEqual(*last.Decider, tt.decider) {
			t.Errorf("%s: %s, %+v", tt.name, kinds(m), last.Decider)
		}
		for _, r := range records {
			if r.Call != records[0].Call || r.Call == "" || r.Session != "s" || r.Time != someTime {
				t.Errorf("%s: %+v", tt.name, r)
			}
			if r.Kind == sayso.RecordPrompt && r.Terms.Hash() != r.Contract {
				t.Errorf("%s: the prompt has another contract: %+v", tt.name, r)
			}
		}
	}
}

// TestGrantDecides: the journal says that it was a grant.
func TestGrantDecides(t *testing.T) {
	m := &store.Memory{}
	authorize(t, engine(m, person(true, sayso.ForSession, "bash(git push *)")), bash("git push"))
	authorize(t, engine(m, nil), bash("git push"))
	records := m.Records()
	if got := records[len(records)-1].Decider; *got != (sayso.Decider{Kind: "grant", Name: "session"}) {
		t.Errorf("%+v", got)
	}
}

// faulty is a journal that fails at one of its writes.
type faulty struct {
	store.Memory
	at int
}

func (f *faulty) Record(ctx context.Context, r ...sayso.Record) error {
	if f.at--; f.at == 0 {
		return errors.New("disk full")
	}
	return f.Memory.Record(ctx, r...)
}

// TestUnrecorded: a call of which any step is not recorded does not run, and
// nothing is remembered of the answer.
func TestUnrecorded(t *testing.T) {
	for at := 1; at <= 3; at++ {
		for name, approver := range map[string]sayso.Approver{"yes": person(true, sayso.ForSession, "bash(git push *)"), "nobody": nil} {
			if approver == nil && at > 2 {
				continue // there is no third write
			}
			m := &store.Memory{}
			e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: approver, Sessions: m, Grants: m, Journal: &faulty{at: at}}
			p, d, err := e.Authorize(context.Background(), bash("git push"))
			if _, used := p.Use(); used == nil || err == nil || d.Effect != sayso.Deny || d.Code != sayso.CodeError {
				t.Errorf("%s, write %d: %+v %v", name, at, d, err)
			}
			if grants, _ := m.Grants(context.Background(), "", ""); len(grants) > 0 {
				t.Errorf("%s, write %d: %+v", name, at, grants)
			}
		}
	}
}

// TestStepRecords: a call that an agent asks about itself is recorded before it is
// answered, and denied if that fails.
func TestStepRecords(t *testing.T) {
	for command, want := range map[string]string{"ls": "request decision", "git push": "request decision prompt", "rm -rf /": "request decision"} {
		m := &store.Memory{}
		e := engine(m, nil)
		call := bash(command)
		call.ID = "c"
		st := &sayso.SessionState{}
		e.Step(context.Background(), call, st)
		if err := e.Note(context.Background(), call, sayso.Record{Kind: sayso.RecordResult, Result: &sayso.Result{Ran: true}}); err != nil {
			t.Fatal(err)
		}
		if got := kinds(m); got != want+" result" || m.Records()[2].Call != "c" {
			t.Errorf("%s: %s", command, got)
		}
		e.Journal = &faulty{at: 1}
		st = &sayso.SessionState{}
		if d := e.Step(context.Background(), call, st); d.Effect != sayso.Deny || d.Code != sayso.CodeError || len(st.Waiting) > 0 {
			t.Errorf("%s, not recorded: %+v", command, d)
		}
	}
}

// TestStepGrants: what was granted counts for a call that an agent asks about
// itself; grants that cannot be read deny.
func TestStepGrants(t *testing.T) {
	m := &store.Memory{}
	e := engine(m, nil)
	call := bash("git push")
	call.ID, call.Session = "c", "s"
	if err := m.AddGrant(context.Background(), "s", call.Root, sayso.Grant{ID: "g", Rule: "bash(git push *)", Scope: sayso.ForSession}); err != nil {
		t.Fatal(err)
	}
	if d := e.Step(context.Background(), call, &sayso.SessionState{}); d.Effect != sayso.Allow || d.Code != sayso.CodeGrant {
		t.Errorf("%+v", d)
	}
	call.Session = "other"
	if d := e.Step(context.Background(), call, &sayso.SessionState{}); d.Effect != sayso.Ask {
		t.Errorf("in another session: %+v", d)
	}
	e.Grants = &broken{grants: errors.New("gone")}
	if d := e.Step(context.Background(), call, &sayso.SessionState{}); d.Effect != sayso.Deny || d.Code != sayso.CodeError {
		t.Errorf("grants that cannot be read: %+v", d)
	}
}

// TestDecidedBy: a script and a mode are named as what they are, whatever the stage
// of the preset is called.
func TestDecidedBy(t *testing.T) {
	for stage, want := range map[string]sayso.Decider{
		"script": {Kind: "script", Name: "script"}, "policy_script": {Kind: "script", Name: "policy_script"},
		"mode_override": {Kind: "mode", Name: "one"}, "permission_mode": {Kind: "mode", Name: "one"}, "boundary": {Kind: "stage", Name: "boundary"},
	} {
		m := &store.Memory{}
		says := sayso.Func(stage, func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Deny, "x", "so") })
		p := sayso.Preset{Name: "p", Modes: []sayso.Mode{{Name: "one"}}, Plan: func(string) (sayso.Plan, error) { return sayso.Plan{says}, nil }}
		e := sayso.Engine{Preset: p, Journal: m}
		e.Step(context.Background(), bash("ls"), &sayso.SessionState{})
		list := m.Records()
		if last := list[len(list)-1]; last.Decider == nil || *last.Decider != want {
			t.Errorf("%s: %+v", stage, last.Decider)
		}
	}
}
