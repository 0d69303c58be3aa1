package hook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/store"
)

// TestObserve: what would be decided is recorded, every record says that it was not
// enforced, and the agent is told of guardrails and of what is broken only.
func TestObserve(t *testing.T) {
	for _, agent := range hook.Agents() {
		for _, test := range []struct {
			verdict sayso.Verdict
			denied  bool
		}{
			{sayso.Decide(sayso.Allow, "mode.work", "fine"), false},
			{sayso.Decide(sayso.Ask, "rule.ask", "a rule asks"), false},
			{sayso.Decide(sayso.Deny, "rule.deny", "a rule denies it"), false},
			{sayso.Decide(sayso.Deny, "policy", "it does not load"), false},
			{sayso.Decide(sayso.Deny, "guard.own", "it guards you"), true},
			{sayso.Decide(sayso.Deny, "cowork.guardrail.device", "a device"), true},
			{sayso.Decide(sayso.Deny, "x", "it is immune").Immune(), true},
			{sayso.Decide(sayso.Deny, "input", "it cannot be judged"), true},
		} {
			m := &store.Memory{}
			g, _ := guard(nil)
			var call sayso.Call
			g.Sessions, g.Journal, g.Observe = m, m, true
			g.Engine = fixed(func(*sayso.Case) sayso.Verdict { return test.verdict }, &call)
			var out strings.Builder
			err := g.Answer(agent, "", bytes.NewReader(sample(t, agent)), &out)
			if err != nil && !agent.ByStatus() || denies(agent, out.String(), err) != test.denied {
				t.Errorf("%s, %+v: %q %v", agent.Name, test.verdict, out.String(), err)
			}
			if !test.denied && out.Len() > 0 && agent.Name != "opencode" { // it would grant something
				t.Errorf("%s, %+v: %q", agent.Name, test.verdict, out.String())
			}
			kinds := ""
			for _, r := range m.Records() {
				kinds += string(r.Kind) + " "
				if !r.Observed {
					t.Errorf("%s: a record does not say it: %+v", agent.Name, r)
				}
				if r.Decision != nil && (r.Decision.Effect != test.verdict.Effect() || r.Decision.Code != test.verdict.Code()) {
					t.Errorf("%s: recorded is %+v", agent.Name, r.Decision)
				}
			}
			if !strings.HasPrefix(kinds, "request decision ") {
				t.Errorf("%s: %s", agent.Name, kinds)
			}
		}
	}
}

// TestObserveAsks: who was asked nothing has answered nothing, and is bound by nothing.
func TestObserveAsks(t *testing.T) {
	for _, after := range []string{"PostToolUse.Bash", "UserPromptSubmit"} {
		g, m := guard(nil)
		g.Journal, g.Observe = m, true
		var call sayso.Call
		g.Engine = fixed(func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Ask, "rule.ask", "a rule asks") }, &call)
		for _, name := range []string{"PreToolUse.Bash", after} {
			text, err := os.ReadFile(filepath.Join("testdata", "claude", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Answer(claude(), "", bytes.NewReader(text), &strings.Builder{}); err != nil {
				t.Error(err)
			}
		}
		for _, r := range m.Records() {
			if r.Answer != nil || !r.Observed {
				t.Errorf("%+v", r)
			}
		}
		if st, err := m.Get(t.Context(), call.Session); err != nil || len(st.Denied) > 0 || len(st.Waiting) > 0 {
			t.Errorf("%+v %v", st, err)
		}
	}
}

// TestObserveBroken: what is broken does not open the gate either.
func TestObserveBroken(t *testing.T) {
	for _, agent := range hook.Agents() {
		for _, spoil := range []func(*hook.Guard){
			func(g *hook.Guard) { g.Sessions = lost{} }, func(g *hook.Guard) { g.Journal = lost{} }, func(g *hook.Guard) { g.Engine = nil },
		} {
			g, _ := guard(nil)
			g.Observe = true
			spoil(g)
			var out strings.Builder
			if err := g.Answer(agent, "", bytes.NewReader(sample(t, agent)), &out); !denies(agent, out.String(), err) {
				t.Errorf("%s: %q %v", agent.Name, out.String(), err)
			}
		}
		g, _ := guard(nil)
		g.Observe = true
		var out strings.Builder
		if err := g.Answer(agent, "", strings.NewReader("{"), &out); !denies(agent, out.String(), err) {
			t.Errorf("%s: %q %v", agent.Name, out.String(), err)
		}
	}
}

// TestObserveGuardrails: guardrails hold, whatever else would have denied the call.
func TestObserveGuardrails(t *testing.T) {
	for command, want := range map[string]bool{"ls": false, "git push": false, "rm -rf ~": true} {
		g, m := guard(nil)
		var call sayso.Call
		g.Journal, g.Observe, g.Guardrails = m, true, g.Engine
		g.Engine = fixed(func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Deny, "script", "no") }, &call)
		a, err := tell(t, g, event("default", "Bash", `{"command":"`+command+`"}`))
		if got := a.Output.PermissionDecision == "deny"; err != nil || got != want {
			t.Errorf("%s: %+v %v", command, a, err)
		}
		if b, err := tell(t, g, named("PermissionRequest", "", "default", "Bash", `{"command":"`+command+`"}`)); err != nil || (b.Output.Decision.Behavior == "deny") != want {
			t.Errorf("%s: %+v %v", command, b, err)
		}
		n := 0
		for _, r := range m.Records() {
			if r.Decision != nil {
				n++
			}
			if !r.Observed || r.Call == "" {
				t.Errorf("%+v", r)
			}
		}
		if n != map[bool]int{false: 1, true: 2}[want] {
			t.Errorf("%s: %d decisions", command, n)
		}
	}
}
