package preset_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// coworkParsed are rules as coworkInput has them: a source, and the rule.
func coworkParsed(t *testing.T, source sayso.Layer, texts ...string) []preset.CoWorkRule {
	t.Helper()
	var out []preset.CoWorkRule
	for _, text := range texts {
		r, err := preset.ParseCoWorkRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = source
		out = append(out, r)
	}
	return out
}

// TestCoWorkNeverLoosens: whatever a manifest says that nobody trusts, no call is
// judged more leniently than without it.
func TestCoWorkNeverLoosens(t *testing.T) {
	a := sayso.Analyzer{}
	count := 0
	for name, call := range coworkCalls {
		call.Root, call.Home = "/w", "/home/u"
		facts := a.Analyze(call)
		for _, mode := range coworkModeNames {
			c := &sayso.Case{Call: call, Facts: facts, Session: sayso.Session{Mode: mode}}
			decide := func(trusted, untrusted []preset.CoWorkRule) sayso.Effect {
				plan, err := preset.CoWork(preset.CoWorkConfig{Rules: trusted, Untrusted: untrusted}).For(mode)
				if err != nil {
					t.Fatal(err)
				}
				d := plan.Evaluate(context.Background(), c)
				return d.Effect
			}
			for _, own := range []string{"", "allow tool " + call.Tool, "deny tool " + call.Tool, "ask path /w"} {
				var trusted []preset.CoWorkRule
				if own != "" {
					trusted = coworkParsed(t, preset.FromProfile, own)
				}
				before := decide(trusted, nil)
				for _, effect := range []string{"allow ", "ask ", "deny "} {
					for _, scope := range coworkScopeTexts {
						count++
						if after := decide(trusted, coworkParsed(t, preset.FromManifest, effect+scope)); after > before {
							t.Errorf("%s in %s with %q: %s%s makes %s of %s", name, mode, own, effect, scope, after, before)
						}
					}
				}
			}
		}
	}
	if count < 10_000 {
		t.Errorf("only %d combinations", count)
	}
}

// TestCoWorkCompounds: a compound is never judged more leniently than the
// strictest of its parts.
func TestCoWorkCompounds(t *testing.T) {
	commands := []string{"git status", "git push", "rm a", "make", "sudo git status", "ls > out", "cat src/a", "mkfs /dev/sda"}
	rules := []string{
		"allow command_prefix git", "deny command_prefix git push", "allow command_prefix rm", "ask command_prefix make", "allow command_prefix sudo git",
		"deny path /w/src", "allow path /w", "allow tool run_command", "ask tool run_command", "allow command_prefix ls",
	}
	analyzer := sayso.Analyzer{}
	facts := map[string]*sayso.Case{}
	judge := func(plan sayso.Plan, command string) sayso.Effect {
		if facts[command] == nil {
			input, _ := json.Marshal(map[string]string{"command": command})
			call := coworkCall("run_command", string(input))
			facts[command] = &sayso.Case{Call: call, Facts: analyzer.Analyze(call)}
		}
		d := plan.Evaluate(context.Background(), facts[command])
		return d.Effect
	}
	for _, mode := range []string{preset.Default, preset.Plan, preset.BypassPermissions} {
		for _, one := range rules {
			for _, two := range rules {
				cfg := preset.CoWorkConfig{Rules: append(coworkParsed(t, preset.FromSession, one), coworkParsed(t, preset.FromProfile, two)...)}
				plan, err := preset.CoWork(cfg).For(mode)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range commands {
					for _, b := range commands {
						for _, joint := range []string{" && ", " | "} {
							if got, want := judge(plan, a+joint+b), min(judge(plan, a), judge(plan, b)); got > want {
								t.Errorf("%s, %s, %s: %q is %s, its parts %s", mode, one, two, a+joint+b, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestCoWorkRowEnds: a success ends the row of denials, and the next one starts
// from the beginning.
func TestCoWorkRowEnds(t *testing.T) {
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{})}
	call := coworkCall("edit_file", `{"path":"a"}`)
	var st sayso.SessionState
	for i, want := range []sayso.Effect{sayso.Deny, sayso.Deny, sayso.Allow, sayso.Deny, sayso.Deny, sayso.Deny, sayso.Ask} {
		st.Mode = preset.Plan
		if want == sayso.Allow {
			st.Mode = preset.AcceptEdits
		}
		if d := e.Step(context.Background(), call, &st); d.Effect != want {
			t.Errorf("step %d: %s (%s)", i+1, d.Effect, d.Reason)
		}
	}
}

// TestCoWorkGrantsEnd: a grant counts until its turn or its time is over.
func TestCoWorkGrantsEnd(t *testing.T) {
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{})}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		grant sayso.Grant
		want  sayso.Effect
	}{
		"of the session": {sayso.Grant{Scope: sayso.ForSession}, sayso.Allow},
		"of this turn":   {sayso.Grant{Scope: sayso.ForTurn, Turn: 2}, sayso.Allow},
		"of a turn ago":  {sayso.Grant{Scope: sayso.ForTurn, Turn: 1}, sayso.Ask},
		"that ends soon": {sayso.Grant{Scope: sayso.ForProfile, Expires: now.Add(time.Second)}, sayso.Allow},
		"that has ended": {sayso.Grant{Scope: sayso.ForProfile, Expires: now}, sayso.Ask},
	} {
		test.grant.Rule = "allow tool edit_file"
		s := sayso.Session{Now: now, Turn: 2, Grants: sayso.PlainGrants([]sayso.Grant{test.grant})}
		if d := e.Check(context.Background(), coworkCall("edit_file", `{"path":"a"}`), s); d.Effect != test.want {
			t.Errorf("%s: %s (%s)", name, d.Effect, d.Reason)
		}
	}
}
