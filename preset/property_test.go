package preset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// What the properties are tried on: enough of everything that rules, grants and
// modes look at.
var (
	someCommands = []string{
		"ls", "git status", "git push", "git push --force origin main", "rm -rf build", "rm src/a.go", "cat .env", "echo x > out.txt", "echo x > /etc/x",
		"curl https://example.com/x", "curl -d @data https://example.com", "npm test", "npm install x", "sudo ls", "sh -c 'git push'", "$X", "touch /tmp/x",
		"python3 -c 'print(1)'", "nobody knows", "rm -rf /", "git commit -m 'rm -rf /'", "mv a b", "chmod +x a", "kubectl get pods",
	}
	someRules = []string{
		"bash(ls)", "bash(git *)", "bash(git push *)", "bash(git push --force *)", "bash(rm *)", "bash(rm -rf *)", "bash(cat *)", "bash(echo *)", "bash(curl *)",
		"bash(npm *)", "bash(sudo *)", "bash(*)", "bash", "read(**)", "read(**/.env)", "edit(**)", "edit(src/**)", "edit(//etc/**)", "delete(**)", "fetch(*)",
		"fetch(example.com)", "mcp(github/*)", "*",
	}
	someModes = []string{preset.Default, preset.Careful, preset.Plan, preset.DontAsk, preset.Bypass}
	someTools = []struct{ tool, input string }{
		{"Read", `{"file_path":"src/a.go"}`},
		{"Read", `{"file_path":".env"}`},
		{"Write", `{"file_path":"src/a.go","content":""}`},
		{"Write", `{"file_path":"/etc/x","content":""}`},
		{"WebFetch", `{"url":"https://example.com/","prompt":""}`},
		{"mcp__github__create_issue", `{}`},
		{"nobody", `{}`},
		{"bash", `{}`},
		{"TodoWrite", `{"todos":[]}`},
	}
)

func someCall(t *rapid.T) sayso.Call {
	call := sayso.Call{Root: "/home/dev/app", Home: "/home/dev"}
	if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		one := rapid.SampledFrom(someTools).Draw(t, "tool")
		call.Tool, call.Input = one.tool, json.RawMessage(one.input)
		return call
	}
	lines := rapid.SliceOfN(rapid.SampledFrom(someCommands), 1, 3).Draw(t, "commands")
	return shellCall(strings.Join(lines, rapid.SampledFrom([]string{" && ", "; ", " | ", "\n"}).Draw(t, "join")))
}

func shellCall(line string) sayso.Call {
	input, _ := json.Marshal(map[string]string{"command": line})
	return sayso.Call{Tool: "bash", Input: input, Root: "/home/dev/app", Home: "/home/dev"}
}

func somePolicy(t *rapid.T, label string) []sayso.Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sayso.Rule {
		r := sayso.Rule{Effect: sayso.Effect(rapid.IntRange(0, 2).Draw(t, "effect")), Text: rapid.SampledFrom(someRules).Draw(t, "rule")}
		if rapid.IntRange(0, 4).Draw(t, "except") == 0 {
			r.Except = []string{rapid.SampledFrom(someRules).Draw(t, "except rule")}
		}
		return r
	}), 0, 6).Draw(t, label)
}

func someSession(t *rapid.T, call sayso.Call) sayso.Session {
	s := sayso.Session{Now: time.Unix(1e9, 0), Mode: rapid.SampledFrom(someModes).Draw(t, "mode")}
	if rapid.Bool().Draw(t, "granted") {
		s.Grants, _ = sayso.NewGrants([]sayso.Grant{{Rule: rapid.SampledFrom(someRules).Draw(t, "grant"), Scope: sayso.ForSession}})
	}
	if rapid.IntRange(0, 3).Draw(t, "taint") == 0 {
		s.Tainted = ".env"
	}
	s.AgentMode = rapid.SampledFrom([]sayso.AgentMode{"", sayso.EditMode, sayso.PlanMode, sayso.AskMode}).Draw(t, "agent mode")
	if n := rapid.SampledFrom([]int{0, 0, 3, 20}).Draw(t, "denials"); n > 0 {
		s.Soft = map[string]sayso.Denies{call.Fingerprint(): {Consecutive: n, Total: n}}
	}
	return s
}

func decide(t interface{ Fatal(...any) }, rules []sayso.Rule, call sayso.Call, s sayso.Session) sayso.Decision {
	set, err := sayso.NewRuleSet(rules)
	if err != nil {
		t.Fatal(err)
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set})}
	return e.Check(context.Background(), call, s)
}

// TestMoreRulesNeverLoosen: a rule that denies or asks, put in anywhere, never
// makes a call more permissive.
func TestMoreRulesNeverLoosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		extra := sayso.Rule{Effect: sayso.Effect(rapid.IntRange(0, 1).Draw(t, "extra effect")), Text: rapid.SampledFrom(someRules).Draw(t, "extra")}
		at := rapid.IntRange(0, len(rules)).Draw(t, "at")
		before := decide(t, rules, call, s)
		after := decide(t, slices.Insert(slices.Clone(rules), at, extra), call, s)
		if after.Effect > before.Effect {
			t.Fatalf("%s\nwith %+v: %s %s, without: %s %s", call.Input, extra, after.Effect, after.Code, before.Effect, before.Code)
		}
	})
}

// TestOrderDoesNotMatter: the same rules in another order decide the same.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		other := rapid.Permutation(rules).Draw(t, "order")
		if a, b := decide(t, rules, call, s), decide(t, other, call, s); a.Effect != b.Effect || a.Code != b.Code {
			t.Fatalf("%s: %s %s, reordered: %s %s", call.Input, a.Effect, a.Code, b.Effect, b.Code)
		}
	})
}

// TestCompound: a compound is never judged more leniently than its strictest
// part.
func TestCompound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, s := somePolicy(t, "rules"), someSession(t, sayso.Call{})
		a, b := rapid.SampledFrom(someCommands).Draw(t, "a"), rapid.SampledFrom(someCommands).Draw(t, "b")
		join := rapid.SampledFrom([]string{" && ", " || ", "; ", " & ", "\n", " | "}).Draw(t, "join")
		both := decide(t, rules, shellCall(a+join+b), s)
		for _, one := range []string{a, b} {
			if alone := decide(t, rules, shellCall(one), s); both.Effect > alone.Effect {
				t.Fatalf("%q is %s (%s), but %q is %s (%s)", a+join+b, both.Effect, both.Code, one, alone.Effect, alone.Code)
			}
		}
	})
}

// TestGrantsNeverBeat: no grant turns a denial by a rule or a guard, or an ask
// by a rule, into anything else.
func TestGrantsNeverBeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		s.Grants = nil
		before := decide(t, rules, call, s)
		s.Grants, _ = sayso.NewGrants([]sayso.Grant{{Rule: rapid.SampledFrom(someRules).Draw(t, "grant"), Scope: sayso.ForProfile}})
		after := decide(t, rules, call, s)
		if before.Code == sayso.CodeDenyRule && after.Effect != sayso.Deny || before.Code == sayso.CodeAskRule && after.Effect == sayso.Allow ||
			before.Immune && after.Effect == sayso.Allow || strings.HasPrefix(string(before.Code), "guard.") && after.Effect != sayso.Deny {
			t.Fatalf("%s: %s %s, with the grant: %s %s", call.Input, before.Effect, before.Code, after.Effect, after.Code)
		}
	})
}

// TestModesTogether: modes that count together judge no call more leniently than
// each of them, and where one of them has nobody to ask, none of them asks.
func TestModesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(someModes), 2, 3, rapid.ID).Draw(t, "modes")
		s.Mode = strings.Join(names, "+")
		both := decide(t, rules, call, s)
		if slices.Contains(names, preset.DontAsk) && both.Effect == sayso.Ask {
			t.Fatalf("%s asks in %s: %s", call.Input, s.Mode, both.Code)
		}
		for _, one := range names {
			s.Mode = one
			if alone := decide(t, rules, call, s); both.Effect > alone.Effect {
				t.Fatalf("%s is %s (%s) in %v, but %s (%s) in %s", call.Input, both.Effect, both.Code, names, alone.Effect, alone.Code, one)
			}
		}
	})
}

// TestHardDenialsStay: a call that a rule or a guard denies is never asked about,
// however often it was denied and whatever else is in it.
func TestHardDenialsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, s := somePolicy(t, "rules"), someSession(t, sayso.Call{})
		a, b := rapid.SampledFrom(someCommands).Draw(t, "a"), rapid.SampledFrom(someCommands).Draw(t, "b")
		both := shellCall(a + "; " + b)
		s.Soft = map[string]sayso.Denies{both.Fingerprint(): {Consecutive: 20, Total: 20}}
		for _, one := range []string{a, b} {
			if alone := decide(t, rules, shellCall(one), s); alone.Effect == sayso.Deny && !alone.Soft && alone.Code != sayso.CodeUnattended {
				if d := decide(t, rules, both, s); d.Effect != sayso.Deny {
					t.Fatalf("%s is denied (%s), but %s is %s (%s)", one, alone.Code, both.Input, d.Effect, d.Code)
				}
			}
		}
	})
}

// failing is a policy script that does not work.
type failing struct{}

func (failing) Name() string { return "script" }
func (failing) Check(context.Context, *sayso.Case) (sayso.Verdict, error) {
	return sayso.Decide(sayso.Allow, "", ""), context.DeadlineExceeded
}

// saying is a policy script that says one thing.
type saying struct{ sayso.Verdict }

func (saying) Name() string                                                { return "script" }
func (s saying) Check(context.Context, *sayso.Case) (sayso.Verdict, error) { return s.Verdict, nil }

// TestScriptsOnlyTighten: whatever scripts say, no call gets more permissive, and
// what one of them denies or asks about is denied or asked about.
func TestScriptsOnlyTighten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		set, err := sayso.NewRuleSet(rules)
		if err != nil {
			t.Fatal(err)
		}
		strictest := sayso.Allow
		scripts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sayso.Stage {
			switch e := sayso.Effect(rapid.IntRange(0, 4).Draw(t, "says")); {
			case e <= sayso.Allow:
				strictest = min(strictest, e)
				return saying{sayso.Decide(e, "script", "")}
			case e == sayso.Allow+1:
				return saying{sayso.Pass()}
			default:
				strictest = min(strictest, sayso.Ask)
				return failing{}
			}
		}), 1, 3).Draw(t, "scripts")
		before := (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set})}).Check(context.Background(), call, s)
		after := (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set, Scripts: scripts})}).Check(context.Background(), call, s)
		if after.Effect > before.Effect || after.Effect > strictest {
			t.Fatalf("%s: %s %s, with scripts: %s %s", call.Input, before.Effect, before.Code, after.Effect, after.Code)
		}
	})
}

// TestErrorsNeverAllow: a policy that does not load, a script that fails, an
// unknown mode, a context that is over.
func TestErrorsNeverAllow(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		rules, call := somePolicy(t, "rules"), someCall(t)
		s := someSession(t, call)
		broken, _ := sayso.NewRuleSet(append(rules, sayso.Rule{Effect: sayso.Deny, Text: "bash("}))
		whole, _ := sayso.NewRuleSet(rules)
		unknown := s
		unknown.Mode = "unknown"
		for name, d := range map[string]sayso.Decision{
			"a broken policy": (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: broken})}).Check(context.Background(), call, s),
			"a policy error":  (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: whole, Err: context.Canceled})}).Check(context.Background(), call, s),
			"a script":        (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: whole, Scripts: []sayso.Stage{failing{}}})}).Check(context.Background(), call, s),
			"an unknown mode": (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: whole})}).Check(context.Background(), call, unknown),
			"the end of time": (&sayso.Engine{Preset: preset.Native(preset.Policy{Rules: whole})}).Check(over, call, s),
			"an empty engine": (&sayso.Engine{}).Check(context.Background(), call, s),
		} {
			if d.Effect == sayso.Allow {
				t.Fatalf("%s allows %s", name, call.Input)
			}
		}
	})
}
