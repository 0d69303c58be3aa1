package sayso_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

// asking is a preset that asks about everything but what the test adds to it.
func asking(change func(*sayso.Preset)) sayso.Preset {
	p := sayso.Preset{
		Name:  "asking",
		Modes: []sayso.Mode{{Name: "one", Command: "/one"}, {Name: "two", Command: "/two"}, {Name: "three"}},
		Plan: func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Readable(), sayso.Offered("surface"), sayso.Stopped("turn"), sayso.Otherwise(sayso.Ask, "test", "it is a test")}, nil
		},
	}
	change(&p)
	return p
}

func shellCall(command string) sayso.Call {
	return sayso.Call{Session: "s", Tool: "bash", Input: []byte(`{"command":"` + command + `"}`), Root: "/w", Home: "/home/me"}
}

// pick answers every request with one choice.
func pick(key string) sayso.Approver {
	return sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		a := sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: key}
		for _, c := range r.Decision.Choices {
			if c.Key == key {
				a.ContractHash = c.Contract(r.Contract).Hash()
			}
		}
		return a, nil
	})
}

// TestPlainChoices: a rule is offered to be kept only where there is one.
func TestPlainChoices(t *testing.T) {
	e := sayso.Engine{Preset: asking(func(*sayso.Preset) {})}
	d := e.Check(context.Background(), shellCall("git push origin main"), sayso.Session{})
	want := []sayso.Choice{
		{Key: "y", Label: "once", Yes: true, Scope: sayso.Once},
		{Key: "s", Label: "this session: bash(git push *)", Yes: true, Scope: sayso.ForSession, Rule: "bash(git push *)"},
		{Key: "a", Label: "always: bash(git push *)", Yes: true, Scope: sayso.ForWorkspace, Rule: "bash(git push *)"},
		{Key: "n", Label: "no"},
	}
	if len(d.Choices) != len(want) {
		t.Fatalf("%+v", d.Choices)
	}
	for i := range want {
		if d.Choices[i] != want[i] {
			t.Errorf("choice %d: %+v, want %+v", i, d.Choices[i], want[i])
		}
	}
	if d := e.Check(context.Background(), shellCall("$X"), sayso.Session{}); len(d.Choices) != 2 {
		t.Errorf("what is not known can be kept: %+v", d.Choices)
	}
}

// TestChoice: what a choice says is what happens, and one that was not offered
// is no answer.
func TestChoice(t *testing.T) {
	network := func(p *sayso.Preset) {
		p.Choices = func(*sayso.Case, *sayso.Decision) []sayso.Choice {
			return []sayso.Choice{
				{Key: "1", Label: "once", Yes: true},
				{Key: "2", Label: "with the network", Yes: true, Network: sayso.NetworkAll},
				{Key: "3", Label: "session", Yes: true, Scope: sayso.ForSession, Rule: "whatever"},
				{Key: "4", Label: "no"},
			}
		}
		p.CheckRule = func(text string) error {
			if text != "whatever" {
				return errors.New("not in my language")
			}
			return nil
		}
	}
	tests := []struct {
		key     string
		effect  sayso.Effect
		code    sayso.Code
		network sayso.Network
		grants  int
	}{
		{"1", sayso.Allow, sayso.CodePersonYes, sayso.NetworkNone, 0},
		{"2", sayso.Allow, sayso.CodePersonYes, sayso.NetworkAll, 0},
		{"3", sayso.Allow, sayso.CodePersonYes, sayso.NetworkNone, 1},
		{"4", sayso.Deny, sayso.CodePersonNo, "", 0},
		{"5", sayso.Deny, sayso.CodeChanged, "", 0},
	}
	for _, test := range tests {
		memory := &store.Memory{}
		e := sayso.Engine{Preset: asking(network), Approver: pick(test.key), Sessions: memory, Grants: memory}
		permit, d, err := e.Authorize(context.Background(), shellCall("make"))
		if err != nil || d.Effect != test.effect || d.Code != test.code {
			t.Errorf("%s: %+v %v", test.key, d, err)
		}
		if d.Effect == sayso.Allow {
			if c, err := permit.Use(); err != nil || c.Network != test.network {
				t.Errorf("%s: runs with the network %q: %v", test.key, c.Network, err)
			}
		}
		grants, _ := memory.Grants(context.Background(), "s", "/w")
		if len(grants) != test.grants {
			t.Errorf("%s: %d grants", test.key, len(grants))
		}
		if _, _, err := e.Authorize(context.Background(), shellCall("make")); err != nil {
			t.Errorf("%s: a grant in another language: %v", test.key, err)
		}
	}
}

// TestChoiceForAnother: the network is not had by showing one contract and
// answering for another.
func TestChoiceForAnother(t *testing.T) {
	wide := func(p *sayso.Preset) {
		p.Choices = func(*sayso.Case, *sayso.Decision) []sayso.Choice {
			return []sayso.Choice{{Key: "n", Yes: true, Network: sayso.NetworkAll}}
		}
	}
	shown := sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: "n"}, nil
	})
	e := sayso.Engine{Preset: asking(wide), Approver: shown}
	if _, d, _ := e.Authorize(context.Background(), shellCall("make")); d.Code != sayso.CodeChanged {
		t.Errorf("%+v", d)
	}
}

// TestBadGrant: a rule that the preset does not understand is not kept, and the
// call does not run.
func TestBadGrant(t *testing.T) {
	own := func(p *sayso.Preset) {
		p.CheckRule = func(string) error { return errors.New("not in my language") }
	}
	memory := &store.Memory{}
	e := sayso.Engine{Preset: asking(own), Approver: pick("s"), Sessions: memory, Grants: memory}
	if _, d, err := e.Authorize(context.Background(), shellCall("git push")); err == nil || d.Effect != sayso.Deny {
		t.Errorf("%+v %v", d, err)
	}
}

// TestStopOnNo: where a no ends the turn, nothing else of it is asked about; the
// next turn is another matter.
func TestStopOnNo(t *testing.T) {
	asked := 0
	no := sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		asked++
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: "n"}, nil
	})
	memory := &store.Memory{}
	e := sayso.Engine{Preset: asking(func(p *sayso.Preset) { p.StopOnNo = true }), Approver: no, Sessions: memory}
	authorize := func() sayso.Decision {
		_, d, err := e.Authorize(context.Background(), shellCall("make"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := authorize(); d.Code != sayso.CodePersonNo || !d.Stop || asked != 1 {
		t.Errorf("first: %+v", d)
	}
	if d := authorize(); d.Code != sayso.CodeStopped || !d.Stop || asked != 1 {
		t.Errorf("pending: %+v, asked %d times", d, asked)
	}
	err := memory.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Turn++; return nil })
	if d := authorize(); err != nil || d.Code != sayso.CodePersonNo || asked != 2 {
		t.Errorf("next turn: %+v, asked %d times", d, asked)
	}
}

// TestPresetTerms: a preset may speak of risk and suggestions in its own terms.
func TestPresetTerms(t *testing.T) {
	own := func(p *sayso.Preset) {
		p.Describe = func(*sayso.Case) (shell.Risk, string) { return shell.Dangerous, "Do it" }
		p.Suggest = func(*sayso.Case) []sayso.Suggestion { return []sayso.Suggestion{{Rule: "mine"}} }
	}
	e := sayso.Engine{Preset: asking(own)}
	d := e.Check(context.Background(), shellCall("ls"), sayso.Session{})
	if d.Risk != shell.Dangerous || d.Explanation != "Do it" || len(d.Suggestions) != 1 || d.Suggestions[0].Rule != "mine" {
		t.Errorf("%+v", d)
	}
	p := asking(func(*sayso.Preset) {})
	for text, want := range map[string]string{"/one": "one", " /two\n": "two", "": "", "/three": "", "/one more": ""} {
		if got, ok := p.ModeFor(text); got != want || ok != (want != "") {
			t.Errorf("ModeFor(%q) = %q, %v", text, got, ok)
		}
	}
}

// TestSurface: a tool that is not offered is denied.
func TestSurface(t *testing.T) {
	tests := []struct {
		surface sayso.Surface
		tool    string
		want    bool
	}{
		{sayso.Surface{}, "bash", true},
		{sayso.Surface{Not: []string{"bash"}}, "bash", false},
		{sayso.Surface{Not: []string{"bash"}}, "read", true},
		{sayso.Surface{Only: []string{"read"}}, "bash", false},
		{sayso.Surface{Only: []string{}}, "bash", false},
		{sayso.Surface{Only: []string{"bash"}, Not: []string{"bash"}}, "bash", false},
		{sayso.Surface{Only: []string{"bash"}}, "bash", true},
	}
	e := sayso.Engine{Preset: asking(func(*sayso.Preset) {})}
	for _, test := range tests {
		if got := test.surface.Offers(test.tool); got != test.want {
			t.Errorf("%+v offers %s: %v", test.surface, test.tool, got)
		}
		if test.tool != "bash" {
			continue
		}
		d := e.Check(context.Background(), shellCall("ls"), sayso.Session{Surface: test.surface})
		if (d.Code == sayso.CodeSurface) == test.want {
			t.Errorf("%+v: %+v", test.surface, d)
		}
	}
}

// TestGrantCounts: a grant ends with its turn and with its time, whatever the
// language.
func TestGrantCounts(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := sayso.Session{Now: now, Turn: 2}
	tests := []struct {
		g    sayso.Grant
		want bool
	}{
		{sayso.Grant{Scope: sayso.ForSession}, true},
		{sayso.Grant{Scope: sayso.ForTurn, Turn: 2}, true},
		{sayso.Grant{Scope: sayso.ForTurn, Turn: 1}, false},
		{sayso.Grant{Scope: sayso.ForSession, Expires: now.Add(time.Second)}, true},
		{sayso.Grant{Scope: sayso.ForSession, Expires: now}, false},
	}
	for _, test := range tests {
		if got := test.g.Counts(&s); got != test.want {
			t.Errorf("%+v counts: %v", test.g, got)
		}
	}
	plain := sayso.PlainGrants([]sayso.Grant{{Rule: "whatever"}})
	if len(plain.List()) != 1 || plain.Find(&sayso.Case{}, nil) != nil {
		t.Error("grants in another language cover something")
	}
}

// TestInOrder: a plan as a stage decides as it would alone.
func TestInOrder(t *testing.T) {
	ask := sayso.Otherwise(sayso.Ask, "test", "it is a test")
	nobody := sayso.Func("nobody", func(*sayso.Case) sayso.Verdict { return sayso.Pass() })
	allow := sayso.Otherwise(sayso.Allow, "test", "it is a test")
	tests := []struct {
		plan sayso.Plan
		want sayso.Effect
	}{
		{sayso.Plan{sayso.InOrder("x", ask, allow)}, sayso.Ask},
		{sayso.Plan{sayso.Strictest("s", sayso.InOrder("x", nobody), allow)}, sayso.Deny},
		{sayso.Plan{sayso.Strictest("s", sayso.InOrder("x", allow), ask)}, sayso.Ask},
	}
	for i, test := range tests {
		if d := test.plan.Evaluate(context.Background(), &sayso.Case{}); d.Effect != test.want {
			t.Errorf("%d: %+v", i, d)
		}
	}
}

// TestArgv: words of a program that is run without a shell are taken as they
// are, but for a leading ~.
func TestArgv(t *testing.T) {
	a := sayso.Analyzer{}
	for argv, want := range map[string]string{
		`"rm","-rf","~"`: "/home/me", `"rm","~/x y"`: "/home/me/x y", `"rm","$(x)"`: "/w/$(x)", `"rm","a~"`: "/w/a~",
	} {
		f := a.Analyze(sayso.Call{Tool: "shell", Agent: "codex", Input: []byte(`{"command":[` + argv + `]}`), Root: "/w", Home: "/home/me"})
		if f.Err != nil || len(f.Parts) != 1 || len(f.Parts[0].Paths) != 1 || f.Parts[0].Paths[0].Abs != want {
			t.Errorf("%s: %+v", argv, f)
		}
	}
}

// TestKeep: a preset says with every decision where a rule could be kept, and
// where that is nowhere nothing is suggested.
func TestKeep(t *testing.T) {
	var keep []sayso.Scope
	effect := sayso.Ask
	e := sayso.Engine{Preset: asking(func(p *sayso.Preset) {
		p.Plan = func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Func("test", func(*sayso.Case) sayso.Verdict {
				return sayso.Decide(effect, "test", "it is a test").About("the test")
			})}, nil
		}
		p.Keep = func(*sayso.Case, *sayso.Decision) []sayso.Scope { return keep }
	})}
	check := func() sayso.Decision {
		return e.Check(context.Background(), shellCall("git push origin main"), sayso.Session{})
	}
	if d := check(); len(d.Keep) != 0 || len(d.Suggestions) != 0 || len(d.Choices) != 2 || d.Subject != "the test" {
		t.Errorf("nowhere: %+v", d)
	}
	keep = []sayso.Scope{sayso.ForProfile}
	if d := check(); len(d.Keep) != 1 || len(d.Suggestions) == 0 || len(d.Choices) != 4 {
		t.Errorf("somewhere: %+v", d)
	}
	effect = sayso.Deny
	if d := check(); len(d.Keep) != 1 || len(d.Suggestions) != 0 || len(d.Choices) != 0 {
		t.Errorf("denied: %+v", d)
	}
}

// TestToolName: a preset may know a tool by another name.
func TestToolName(t *testing.T) {
	named := func(p *sayso.Preset) {
		p.ToolName = func(tool string) string {
			if tool == "bash" {
				return "run_command"
			}
			return ""
		}
		p.Plan = func(string) (sayso.Plan, error) {
			name := sayso.Func("name", func(c *sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Allow, "name", c.Tool()) })
			return sayso.Plan{sayso.Each("each", sayso.Parts, name)}, nil
		}
	}
	e := sayso.Engine{Preset: asking(named)}
	for _, test := range []struct{ tool, want string }{{"bash", "run_command"}, {"other", "other"}} {
		call := shellCall("ls")
		call.Tool = test.tool
		if d := e.Check(context.Background(), call, sayso.Session{}); d.Reason != test.want {
			t.Errorf("%s is called %s", test.tool, d.Reason)
		}
	}
}
