package preset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
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

// A setup is what a call is judged by: policy files, scripts, and what went wrong.
type setup struct {
	files   []config.Layered
	scripts []sayso.Stage
	err     error
}

// with is the setup of one file of the user with these rules.
func with(rules ...sayso.Rule) setup {
	return setup{files: []config.Layered{fileOf(sayso.User, true, rules...)}}
}

func fileOf(layer sayso.Layer, trusted bool, rules ...sayso.Rule) config.Layered {
	return config.Layered{File: &config.File{Rules: rules}, Layer: layer, Trusted: trusted}
}

// A judge decides calls: native, or one that is broken on purpose.
type judge func(setup, sayso.Call, sayso.Session) sayso.Decision

// native is the judge that the properties are about.
func native(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
	return engineOf(on).Check(context.Background(), call, s)
}

func engineOf(on setup) *sayso.Engine {
	p := config.Merge(on.files)
	set, err := sayso.NewRuleSet(p.Rules)
	return &sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set, Err: errors.Join(on.err, p.Err, err), Off: p.Off, Ask: p.Ask, Scripts: on.scripts})}
}

// A property says what is wrong with the answers of a judge; empty: nothing.
type property func(*rapid.T, judge) string

func holds(t *testing.T, p property) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		if wrong := p(t, native); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// The properties, by their tests.
var properties = map[string]property{
	"TestMoreRulesNeverLoosen": moreRulesNeverLoosen, "TestRulesHold": rulesHold, "TestOrderDoesNotMatter": orderDoesNotMatter, "TestCompound": compound,
	"TestGrantsNeverBeat": grantsNeverBeat, "TestModesTogether": modesTogether, "TestHardDenialsStay": hardDenialsStay,
	"TestScriptsOnlyTighten": scriptsOnlyTighten, "TestErrorsNeverAllow": errorsNeverAllow,
	"TestLayersInAnyOrder": layersInAnyOrder, "TestUntrustedOnlyTightens": untrustedOnlyTightens,
}

func TestMoreRulesNeverLoosen(t *testing.T)  { holds(t, moreRulesNeverLoosen) }
func TestRulesHold(t *testing.T)             { holds(t, rulesHold) }
func TestOrderDoesNotMatter(t *testing.T)    { holds(t, orderDoesNotMatter) }
func TestCompound(t *testing.T)              { holds(t, compound) }
func TestGrantsNeverBeat(t *testing.T)       { holds(t, grantsNeverBeat) }
func TestModesTogether(t *testing.T)         { holds(t, modesTogether) }
func TestHardDenialsStay(t *testing.T)       { holds(t, hardDenialsStay) }
func TestScriptsOnlyTighten(t *testing.T)    { holds(t, scriptsOnlyTighten) }
func TestErrorsNeverAllow(t *testing.T)      { holds(t, errorsNeverAllow) }
func TestLayersInAnyOrder(t *testing.T)      { holds(t, layersInAnyOrder) }
func TestUntrustedOnlyTightens(t *testing.T) { holds(t, untrustedOnlyTightens) }

// stricterRule is a rule that denies or asks.
func stricterRule(t *rapid.T) sayso.Rule {
	return sayso.Rule{Effect: sayso.Effect(rapid.IntRange(0, 1).Draw(t, "extra effect")), Text: rapid.SampledFrom(someRules).Draw(t, "extra")}
}

// moreRulesNeverLoosen: a rule that denies or asks, put in anywhere, never makes a
// call more permissive.
func moreRulesNeverLoosen(t *rapid.T, j judge) string {
	rules, call := somePolicy(t, "rules"), someCall(t)
	s := someSession(t, call)
	extra := stricterRule(t)
	at := rapid.IntRange(0, len(rules)).Draw(t, "at")
	before := j(with(rules...), call, s)
	after := j(with(slices.Insert(slices.Clone(rules), at, extra)...), call, s)
	if after.Effect > before.Effect {
		return fmt.Sprintf("%s\nwith %+v: %s %s, without: %s %s", call.Input, extra, after.Effect, after.Code, before.Effect, before.Code)
	}
	return ""
}

// rulesHold: what one rule denies or asks about by itself no other rule lets
// through.
func rulesHold(t *rapid.T, j judge) string {
	rules, call := somePolicy(t, "rules"), someCall(t)
	s := someSession(t, call)
	extra := stricterRule(t)
	at := rapid.IntRange(0, len(rules)).Draw(t, "at")
	alone := j(with(extra), call, s)
	among := j(with(slices.Insert(slices.Clone(rules), at, extra)...), call, s)
	if alone.Rule != nil && among.Effect > alone.Effect {
		return fmt.Sprintf("%s\n%+v alone: %s %s, among others: %s %s", call.Input, extra, alone.Effect, alone.Code, among.Effect, among.Code)
	}
	return ""
}

// orderDoesNotMatter: the same rules in another order decide the same.
func orderDoesNotMatter(t *rapid.T, j judge) string {
	rules, call := somePolicy(t, "rules"), someCall(t)
	s := someSession(t, call)
	other := rapid.Permutation(rules).Draw(t, "order")
	if a, b := j(with(rules...), call, s), j(with(other...), call, s); a.Effect != b.Effect || a.Code != b.Code {
		return fmt.Sprintf("%s: %s %s, reordered: %s %s", call.Input, a.Effect, a.Code, b.Effect, b.Code)
	}
	return ""
}

// compound: a compound is never judged more leniently than its strictest part.
func compound(t *rapid.T, j judge) string {
	on, s := with(somePolicy(t, "rules")...), someSession(t, sayso.Call{})
	a, b := rapid.SampledFrom(someCommands).Draw(t, "a"), rapid.SampledFrom(someCommands).Draw(t, "b")
	join := rapid.SampledFrom([]string{" && ", " || ", "; ", " & ", "\n", " | "}).Draw(t, "join")
	both := j(on, shellCall(a+join+b), s)
	for _, one := range []string{a, b} {
		if alone := j(on, shellCall(one), s); both.Effect > alone.Effect {
			return fmt.Sprintf("%q is %s (%s), but %q is %s (%s)", a+join+b, both.Effect, both.Code, one, alone.Effect, alone.Code)
		}
	}
	return ""
}

// grantsNeverBeat: no grant turns a denial by a rule or a guard, or an ask by a
// rule, into anything else.
func grantsNeverBeat(t *rapid.T, j judge) string {
	on, call := with(somePolicy(t, "rules")...), someCall(t)
	s := someSession(t, call)
	s.Grants = nil
	before := j(on, call, s)
	s.Grants, _ = sayso.NewGrants([]sayso.Grant{{Rule: rapid.SampledFrom(someRules).Draw(t, "grant"), Scope: sayso.ForProfile}})
	after := j(on, call, s)
	if before.Code == sayso.CodeDenyRule && after.Effect != sayso.Deny || before.Code == sayso.CodeAskRule && after.Effect == sayso.Allow ||
		before.Immune && after.Effect == sayso.Allow || strings.HasPrefix(string(before.Code), "guard.") && after.Effect != sayso.Deny {
		return fmt.Sprintf("%s: %s %s, with the grant: %s %s", call.Input, before.Effect, before.Code, after.Effect, after.Code)
	}
	return ""
}

// modesTogether: modes that count together judge no call more leniently than each
// of them, and where one of them has nobody to ask, none of them asks.
func modesTogether(t *rapid.T, j judge) string {
	on, call := with(somePolicy(t, "rules")...), someCall(t)
	s := someSession(t, call)
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(someModes), 2, 3, rapid.ID).Draw(t, "modes")
	s.Mode = strings.Join(names, "+")
	both := j(on, call, s)
	if slices.Contains(names, preset.DontAsk) && both.Effect == sayso.Ask {
		return fmt.Sprintf("%s asks in %s: %s", call.Input, s.Mode, both.Code)
	}
	for _, one := range names {
		s.Mode = one
		if alone := j(on, call, s); both.Effect > alone.Effect {
			return fmt.Sprintf("%s is %s (%s) in %v, but %s (%s) in %s", call.Input, both.Effect, both.Code, names, alone.Effect, alone.Code, one)
		}
	}
	return ""
}

// hardDenialsStay: a call that a rule or a guard denies is never asked about,
// however often it was denied and whatever else is in it.
func hardDenialsStay(t *rapid.T, j judge) string {
	on, s := with(somePolicy(t, "rules")...), someSession(t, sayso.Call{})
	a, b := rapid.SampledFrom(someCommands).Draw(t, "a"), rapid.SampledFrom(someCommands).Draw(t, "b")
	both := shellCall(a + "; " + b)
	for _, one := range []string{a, b} {
		s.Soft = nil
		alone := j(on, shellCall(one), s)
		if alone.Effect != sayso.Deny || alone.Soft || alone.Code == sayso.CodeUnattended {
			continue
		}
		s.Soft = map[string]sayso.Denies{both.Fingerprint(): {Consecutive: 20, Total: 20}}
		if d := j(on, both, s); d.Effect != sayso.Deny {
			return fmt.Sprintf("%s is denied (%s), but %s is %s (%s)", one, alone.Code, both.Input, d.Effect, d.Code)
		}
	}
	return ""
}
