package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// asking is a guard that asks people itself.
func asking(ask sayso.Approver) (*hook.Guard, *store.Memory) {
	g, m := guard(nil)
	g.Journal = m
	g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
		return sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: ask}, sayso.Surface{}, nil
	}
	return g, m
}

// TestAsks: where the agent is not to ask, the guard holds the call until a person
// has answered; without an answer, or with a wrong
// one, it is denied.
func TestAsks(t *testing.T) {
	say := func(change func(*sayso.Answer)) sayso.ApproverFunc {
		return func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			a := sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash()}
			change(&a)
			return a, nil
		}
	}
	for _, test := range []struct {
		name, want, reason string
		ask                sayso.ApproverFunc
	}{
		{"yes", "allow", "a person said yes", say(func(a *sayso.Answer) { a.Yes = true })},
		{"no", "deny", "a person said no", say(func(*sayso.Answer) {})},
		{"another call", "deny", "the answer is for another call", say(func(a *sayso.Answer) { a.Yes, a.ContractHash = true, "x" })},
		{"nobody", "deny", "nobody answered: gone", func(context.Context, sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{Yes: true}, errors.New("gone")
		}},
		{"panic", "deny", "panic: lost", func(context.Context, sayso.Request) (sayso.Answer, error) { panic("lost") }},
	} {
		g, m := asking(test.ask)
		a, _ := tell(t, g, event("default", "Bash", `{"command":"git push"}`))
		if got := a.Output; got.PermissionDecision != test.want || !strings.Contains(got.PermissionDecisionReason, test.reason) {
			t.Errorf("%s: %s, %s", test.name, got.PermissionDecision, got.PermissionDecisionReason)
		}
		if st, err := m.Get(context.Background(), "s"); err != nil || len(st.Waiting) > 0 {
			t.Errorf("%s: the agent is believed to ask, too: %v, %v", test.name, st.Waiting, err)
		}
	}
}

// TestAsksLonger: a person may take longer than a decision, but not longer than the
// agent waits.
func TestAsksLonger(t *testing.T) {
	t.Parallel()
	const deadline = 2 * time.Second
	g, _ := asking(sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		if until, ok := ctx.Deadline(); !ok || time.Until(until) > 10*time.Minute || r.Until.After(until) || time.Until(r.Until) < time.Minute {
			t.Errorf("it is asked until %s, by %s", r.Until, until)
		}
		select {
		case <-ctx.Done():
			t.Error("the deadline of a decision is none for people")
		case <-time.After(deadline + deadline/4):
		}
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true}, nil
	}))
	g.Deadline = deadline
	if a, err := tell(t, g, event("default", "Bash", `{"command":"git push"}`)); err != nil || a.Output.PermissionDecision != "allow" {
		t.Errorf("%+v, %v", a.Output, err)
	}
	if hold := hook.Hold("telepathy"); hold != 0 {
		t.Errorf("an agent of which nobody knows how long it waits is held for %s", hold)
	}
}

// TestNoTurns: what is approved for a turn counts once where the agent tells of none, and
// for the turn where it does.
func TestNoTurns(t *testing.T) {
	for agent, event := range map[string]string{
		"crush": `{"event":"PreToolUse","session_id":"s","cwd":"/repo","tool_name":"bash","tool_input":{"command":"git push"}}`,
		"codex": `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/repo","tool_name":"Bash","tool_input":{"command":"git push"}}`,
	} {
		for _, choice := range []string{"", "t"} {
			asked := 0
			g, m := asking(nil)
			a, _ := hook.Find(agent)
			p := preset.Native(preset.Policy{})
			p.Choices = func(*sayso.Case, *sayso.Decision) []sayso.Choice {
				return []sayso.Choice{{Key: "t", Label: "this turn", Yes: true, Scope: sayso.ForTurn, Rule: "bash(git push)"}}
			}
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
				return sayso.Engine{Preset: p, Grants: m, Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
					asked++
					answer := sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: choice}
					if choice == "" {
						answer.Yes, answer.Scope, answer.Rule = true, sayso.ForTurn, "bash(git push)"
					}
					return answer, nil
				})}, sayso.Surface{}, nil
			}
			for range 2 {
				var out strings.Builder
				if err := g.Answer(a, "", strings.NewReader(event), &out); err != nil || strings.Contains(out.String(), `"deny"`) {
					t.Errorf("%s, %q: %s %v", agent, choice, out.String(), err)
				}
			}
			grants, err := m.Grants(t.Context(), "s", "/repo")
			if turns := agent != "crush"; err != nil || (len(grants) > 0) != turns || (asked == 1) != turns {
				t.Errorf("%s, %q: asked %d times, %+v %v", agent, choice, asked, grants, err)
			}
		}
	}
}

// TestHandOver: a call that another program asks about leaves nothing behind, and
// others are decided, recorded and kept as usual.
func TestHandOver(t *testing.T) {
	handed := 0
	g, m := asking(hook.HandOver(func() { handed++ }))
	if a, _ := tell(t, g, event("default", "Bash", `{"command":"git push"}`)); handed != 1 || a.Output.PermissionDecision != "deny" {
		t.Errorf("handed over %d times, and %s is answered", handed, a.Output.PermissionDecision)
	}
	if _, err := m.Get(context.Background(), "s"); !errors.Is(err, sayso.ErrNotFound) || len(m.Records()) > 0 {
		t.Errorf("it leaves %v and a session (%v)", m.Records(), err)
	}
	a, err := tell(t, g, event("default", "Write", `{"file_path":"/repo/x","content":""}`))
	st, _ := m.Get(context.Background(), "s")
	if err != nil || a.Output.PermissionDecision != "allow" || handed != 1 || len(m.Records()) != 2 || len(st.Written) == 0 {
		t.Errorf("%s, %v, handed over %d times, records %v, state %v", a.Output.PermissionDecision, err, handed, m.Records(), st)
	}
	g.Journal = failing{}
	if a, _ := tell(t, g, event("default", "Bash", `{"command":"ls"}`)); a.Output.PermissionDecision != "deny" {
		t.Errorf("what is not recorded is %s", a.Output.PermissionDecision)
	}
}

// failing is a journal that cannot be written.
type failing struct{}

func (failing) Record(context.Context, ...sayso.Record) error { return errors.New("the disk is full") }

// TestReason: what is told has nothing in it that a terminal would act upon.
func TestReason(t *testing.T) {
	g, _ := guard(nil)
	g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
		return sayso.Engine{Preset: sayso.Preset{
			Name: "x", Modes: []sayso.Mode{{Name: "x"}},
			Plan: func(string) (sayso.Plan, error) {
				return sayso.Plan{sayso.Otherwise(sayso.Deny, "x", "no \x1b[2J\u202e\nyes")}, nil
			},
		}}, sayso.Surface{}, nil
	}
	a, _ := tell(t, g, event("default", "mcp__a\\u001b[2J__b", `{}`))
	if got := a.Output.PermissionDecisionReason; strings.ContainsAny(got, "\x1b\n\u202e") || !strings.Contains(got, `\x1b[2J`) {
		t.Errorf("%q", got)
	}
}

// TestHeldAndRan: that a call has run is recorded under the id that it was held under,
// also by agents that do not name their calls.
func TestHeldAndRan(t *testing.T) {
	const cursorShell = `{"conversation_id":"c1","generation_id":"g1","workspace_roots":["/repo"],"hook_event_name":"%s","command":"git push"%s}`
	const cursorMCP = `{"conversation_id":"c1","generation_id":"g1","workspace_roots":["/repo"],"hook_event_name":"%s","tool_name":"send","tool_input":"{\"to\":\"bob\"}"%s}`
	const gemini = `{"session_id":"s1","cwd":"/repo","hook_event_name":"%s","tool_name":"run_shell_command","tool_input":{"command":"git push"}%s}`
	const copilot = `{"sessionId":"s1","cwd":"/repo","hookName":"%s","toolName":"bash","toolArgs":{"command":"git push"}%s}`
	for _, tt := range []struct{ agent, form, before, more, after, then string }{
		{"gemini", gemini, "BeforeTool", "", "AfterTool", `,"tool_response":{}`},
		{"copilot", copilot, "preToolUse", "", "postToolUse", `,"toolResult":{}`},
		{"cursor", cursorShell, "beforeShellExecution", `,"cwd":"/repo/below"`, "afterShellExecution", `,"output":""`},
		{"cursor", cursorMCP, "beforeMCPExecution", `,"url":"https://example.com"`, "afterMCPExecution", `,"result_json":"{}"`},
	} {
		g, m := asking(sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true}, nil
		}))
		agent, _ := hook.Find(tt.agent)
		for _, event := range []string{fmt.Sprintf(tt.form, tt.before, tt.more), fmt.Sprintf(tt.form, tt.after, tt.then)} {
			if err := g.Answer(agent, "", strings.NewReader(event), io.Discard); err != nil {
				t.Errorf("%s: %v", event, err)
			}
		}
		kinds := ""
		for _, r := range m.Records() {
			kinds += string(r.Kind) + " "
			if r.Call == "" || r.Call != m.Records()[0].Call {
				t.Errorf("%s, %s: %s is about %q, and not %q", tt.agent, tt.before, r.Kind, r.Call, m.Records()[0].Call)
			}
		}
		if want := "request decision prompt answer decision result "; kinds != want {
			t.Errorf("%s, %s: recorded %s", tt.agent, tt.before, kinds)
		}
	}
}
