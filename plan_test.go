package sayso_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

func says(name string, v sayso.Verdict) sayso.Stage {
	return sayso.Func(name, func(*sayso.Case) sayso.Verdict { return v })
}

var (
	pass   = sayso.Pass()
	lean   = func(e sayso.Effect) sayso.Verdict { return sayso.Lean(e, "lean", "leans to "+e.String()) }
	decide = func(e sayso.Effect) sayso.Verdict { return sayso.Decide(e, "decide", "decides to "+e.String()) }
)

type failing struct{}

func (failing) Name() string { return "failing" }
func (failing) Check(context.Context, *sayso.Case) (sayso.Verdict, error) {
	return decide(sayso.Allow), errors.New("out of order")
}

// TestEvaluate: what stands at the end of a plan.
func TestEvaluate(t *testing.T) {
	allow, ask, deny := sayso.Allow, sayso.Ask, sayso.Deny
	panics := sayso.Func("panics", func(*sayso.Case) sayso.Verdict { panic("oh") })
	tests := []struct {
		name  string
		plan  sayso.Plan
		want  sayso.Effect
		code  sayso.Code
		stage string
	}{
		{"nobody", nil, deny, sayso.CodeNobody, ""},
		{"all pass", sayso.Plan{says("a", pass)}, deny, sayso.CodeNobody, ""},
		{"a decision ends it", sayso.Plan{says("a", decide(ask)), says("b", decide(allow))}, ask, "decide", "a"},
		{"a lean stands", sayso.Plan{says("a", lean(ask)), says("b", pass)}, ask, "lean", "a"},
		{"a later lean replaces it", sayso.Plan{says("a", lean(deny)), says("b", lean(allow))}, allow, "lean", "b"},
		{"a later decision replaces it", sayso.Plan{says("a", lean(allow)), says("b", decide(deny))}, deny, "decide", "b"},
		{"the zero verdict denies", sayso.Plan{says("a", sayso.Verdict{}), says("b", decide(allow))}, deny, "", "a"},
		{"an error denies", sayso.Plan{failing{}, says("b", decide(allow))}, deny, sayso.CodeError, "failing"},
		{"a panic denies", sayso.Plan{panics, says("b", decide(allow))}, deny, sayso.CodeError, "panics"},
		{"otherwise", sayso.Plan{says("a", pass), sayso.Otherwise(allow, "else", "")}, allow, "else", "otherwise"},
		{"otherwise yields to a lean", sayso.Plan{says("a", lean(ask)), sayso.Otherwise(allow, "else", "")}, ask, "lean", "a"},
		{"floor keeps what is stricter", sayso.Plan{says("a", lean(ask)), sayso.Floor(says("b", decide(allow)))}, ask, "lean", "a"},
		{"floor tightens", sayso.Plan{says("a", lean(ask)), sayso.Floor(says("b", decide(deny)))}, deny, "decide", "b"},
		{"floor speaks alone", sayso.Plan{sayso.Floor(says("b", decide(allow)))}, allow, "decide", "b"},
		{"floor and errors", sayso.Plan{says("a", lean(allow)), sayso.Floor(failing{})}, deny, sayso.CodeError, "failing"},
		{"if", sayso.Plan{sayso.If("a", func(*sayso.Case) bool { return true }, decide(ask))}, ask, "decide", "a"},
		{"if not", sayso.Plan{sayso.If("a", func(*sayso.Case) bool { return false }, decide(allow))}, deny, sayso.CodeNobody, ""},
		{"unattended ask", sayso.Plan{sayso.Unattended(says("a", decide(ask)))}, deny, sayso.CodeUnattended, "unattended"},
		{"unattended allow", sayso.Plan{sayso.Unattended(says("a", decide(allow)))}, allow, "decide", "a"},
		{"unattended lean", sayso.Plan{sayso.Unattended(says("a", lean(ask)))}, deny, sayso.CodeUnattended, "unattended"},
		{"unattended and silent", sayso.Plan{sayso.Unattended(says("a", pass))}, deny, sayso.CodeNobody, ""},
	}
	for _, test := range tests {
		d := test.plan.Evaluate(context.Background(), &sayso.Case{})
		if d.Effect != test.want || d.Code != test.code || d.Stage != test.stage {
			t.Errorf("%s: %s %s by %q, want %s %s by %q", test.name, d.Effect, d.Code, d.Stage, test.want, test.code, test.stage)
		}
	}
}

// TestEvaluateTime: a plan that is out of time denies.
func TestEvaluateTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := sayso.Plan{says("a", decide(sayso.Allow))}.Evaluate(ctx, &sayso.Case{})
	if d.Effect != sayso.Deny || d.Code != sayso.CodeTimeout {
		t.Errorf("%+v", d)
	}
}

func parts(n int) *sayso.Facts {
	f := &sayso.Facts{}
	for i := range n {
		f.Parts = append(f.Parts, sayso.Part{Text: string(rune('a' + i))})
	}
	return f
}

// TestEach: the strictest part counts, and a part nobody speaks about is denied.
func TestEach(t *testing.T) {
	by := func(verdicts map[string]sayso.Verdict) sayso.Plan {
		return sayso.Plan{sayso.Each("each", sayso.Parts, sayso.Func("one", func(c *sayso.Case) sayso.Verdict { return verdicts[c.Part().Text] }))}
	}
	tests := []struct {
		name     string
		parts    int
		verdicts map[string]sayso.Verdict
		want     sayso.Effect
		part     string
	}{
		{"none", 0, nil, sayso.Deny, ""},
		{"all allowed", 2, map[string]sayso.Verdict{"a": decide(sayso.Allow), "b": decide(sayso.Allow)}, sayso.Allow, "a"},
		{"one asks", 2, map[string]sayso.Verdict{"a": decide(sayso.Allow), "b": decide(sayso.Ask)}, sayso.Ask, "b"},
		{"one denies", 3, map[string]sayso.Verdict{"a": decide(sayso.Ask), "b": decide(sayso.Deny), "c": decide(sayso.Allow)}, sayso.Deny, "b"},
		{"one is silent", 2, map[string]sayso.Verdict{"a": decide(sayso.Allow), "b": pass}, sayso.Deny, "b"},
		{"a decision before a lean", 2, map[string]sayso.Verdict{"a": lean(sayso.Ask), "b": decide(sayso.Ask)}, sayso.Ask, "b"},
	}
	for _, test := range tests {
		d := by(test.verdicts).Evaluate(context.Background(), &sayso.Case{Facts: parts(test.parts)})
		if d.Effect != test.want || d.Part != test.part {
			t.Errorf("%s: %s by part %q, want %s by %q", test.name, d.Effect, d.Part, test.want, test.part)
		}
		if test.parts > 0 && len(d.Trace[0].Steps) != test.parts {
			t.Errorf("%s: the trace has %d parts: %+v", test.name, len(d.Trace[0].Steps), d.Trace)
		}
	}
}

// TestFallback: soft denials turn into questions, others never.
func TestFallback(t *testing.T) {
	call := sayso.Call{Tool: "x", Input: json.RawMessage(`{"b":1,"a":2}`)}
	print := call.Fingerprint()
	soft := decide(sayso.Deny).Soft()
	tests := []struct {
		name    string
		verdict sayso.Verdict
		n       sayso.Denies
		want    sayso.Effect
	}{
		{"first", soft, sayso.Denies{}, sayso.Deny},
		{"two in a row", soft, sayso.Denies{Consecutive: 2, Total: 2}, sayso.Deny},
		{"three in a row", soft, sayso.Denies{Consecutive: 3, Total: 3}, sayso.Ask},
		{"twenty in all", soft, sayso.Denies{Consecutive: 1, Total: 20}, sayso.Ask},
		{"hard", decide(sayso.Deny), sayso.Denies{Consecutive: 9, Total: 90}, sayso.Deny},
		{"allowed", decide(sayso.Allow), sayso.Denies{Consecutive: 9, Total: 90}, sayso.Allow},
	}
	for _, test := range tests {
		plan := sayso.Plan{sayso.DenialFallback(3, 20, says("a", test.verdict))}
		d := plan.Evaluate(context.Background(), &sayso.Case{Call: call, Session: sayso.Session{Soft: map[string]sayso.Denies{print: test.n}}})
		if d.Effect != test.want {
			t.Errorf("%s: %s, want %s", test.name, d.Effect, test.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a := sayso.Call{ID: "1", Session: "s", Tool: "x", Input: json.RawMessage(`{"b":1, "a":2}`)}
	same := sayso.Call{ID: "2", Tool: "x", Input: json.RawMessage(`{"a":2,"b":1}`)}
	other := sayso.Call{Tool: "x", Input: json.RawMessage(`{"a":2,"b":2}`)}
	broken := sayso.Call{Tool: "x", Input: json.RawMessage(`{`)}
	if a.Fingerprint() != same.Fingerprint() || a.Fingerprint() == other.Fingerprint() || broken.Fingerprint() == other.Fingerprint() {
		t.Error("fingerprints do not tell calls apart by tool and input")
	}
}

// TestEffect: words and values.
func TestEffect(t *testing.T) {
	for _, e := range []sayso.Effect{sayso.Deny, sayso.Ask, sayso.Allow} {
		text, _ := e.MarshalText()
		var back sayso.Effect
		if err := back.UnmarshalText(text); err != nil || back != e {
			t.Errorf("%s: %v %v", text, back, err)
		}
	}
	e := sayso.Allow
	if err := e.UnmarshalText([]byte("alow")); err == nil || e != sayso.Deny {
		t.Errorf("a typing error gives %v, %v", e, err)
	}
	if got := sayso.Effect(9).String(); got != "deny" {
		t.Errorf("an effect that does not exist is %s", got)
	}
}

// TestVerdict: what a verdict tells of itself.
func TestVerdict(t *testing.T) {
	r := &sayso.Rule{Text: "bash(x)"}
	v := sayso.Decide(sayso.Ask, "code", "reason").By(r).Immune()
	if !v.Speaks() || !v.Decides() || v.Effect() != sayso.Ask || v.Code() != "code" || v.Reason() != "reason" || v.Rule() != r || !v.IsImmune() {
		t.Errorf("%+v", v)
	}
	if p := sayso.Pass(); p.Speaks() || p.Decides() || p.IsImmune() || p.Effect() != sayso.Deny {
		t.Errorf("%+v", p)
	}
	d := sayso.Plan{says("a", v)}.Evaluate(context.Background(), &sayso.Case{})
	if !d.Immune || d.Rule != r {
		t.Errorf("%+v", d)
	}
}

func TestPreset(t *testing.T) {
	p := sayso.Preset{Name: "p", Modes: []sayso.Mode{{Name: "one"}, {Name: "two"}}, Plan: func(mode string) (sayso.Plan, error) {
		return sayso.Plan{says(mode, decide(sayso.Allow))}, nil
	}}
	for mode, want := range map[string]string{"": "one", "two": "two"} {
		plan, err := p.For(mode)
		if err != nil || plan[0].Name() != want {
			t.Errorf("%q: %v %v", mode, plan, err)
		}
	}
	p.Modes = append(p.Modes, sayso.Mode{Name: "alone", Unattended: true})
	p.Plan = func(string) (sayso.Plan, error) { return sayso.Plan{says("a", decide(sayso.Ask))}, nil }
	for mode, want := range map[string]sayso.Effect{"two": sayso.Ask, "alone": sayso.Deny} {
		plan, err := p.For(mode)
		if d := plan.Evaluate(context.Background(), &sayso.Case{}); err != nil || d.Effect != want {
			t.Errorf("%q: %+v %v", mode, d, err)
		}
	}
	if _, err := p.For("three"); err == nil || !strings.Contains(err.Error(), "one, two") {
		t.Errorf("%v", err)
	}
	if _, err := (sayso.Preset{Name: "empty"}).For(""); err == nil {
		t.Error("a preset without a plan is accepted")
	}
}

// TestModesTogether: of modes that are joined by + each counts.
func TestModesTogether(t *testing.T) {
	verdicts := map[string]sayso.Verdict{"allow": decide(sayso.Allow), "ask": decide(sayso.Ask), "deny": decide(sayso.Deny), "silent": sayso.Pass()}
	p := sayso.Preset{Name: "p", Plan: func(mode string) (sayso.Plan, error) {
		if v, ok := verdicts[mode]; ok {
			return sayso.Plan{says(mode, v)}, nil
		}
		return sayso.Plan{says(mode, decide(sayso.Allow))}, nil
	}}
	for _, name := range []string{"allow", "ask", "deny", "silent", "alone"} {
		p.Modes = append(p.Modes, sayso.Mode{Name: name, Unattended: name == "alone"})
	}
	for mode, want := range map[string]sayso.Effect{
		"allow+allow": sayso.Allow, "allow+ask": sayso.Ask, "ask+allow": sayso.Ask, "ask+deny": sayso.Deny, "allow+silent": sayso.Deny,
		"alone+allow": sayso.Allow, "alone+ask": sayso.Deny, "ask+alone": sayso.Deny,
	} {
		plan, err := p.For(mode)
		if err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		if d := plan.Evaluate(context.Background(), &sayso.Case{}); d.Effect != want {
			t.Errorf("%s: %s %s, want %s", mode, d.Effect, d.Code, want)
		}
	}
	if plan, err := p.For("allow+unknown"); err == nil {
		t.Errorf("an unknown mode: %v", plan)
	}
}

func TestDeniedError(t *testing.T) {
	d := sayso.Decision{Code: "c", Reason: "r"}
	var denied *sayso.DeniedError
	if err := d.Err(); !errors.As(err, &denied) || err.Error() != "denied (c): r" {
		t.Errorf("%v", err)
	}
	d.Effect = sayso.Ask
	if err := d.Err(); !errors.As(err, &denied) || err.Error() != "a person must approve it (c): r" {
		t.Errorf("%v", err)
	}
	d.Effect = sayso.Allow
	if d.Err() != nil {
		t.Error("an allowed call has an error")
	}
}

var someTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
