package preset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// A kodaThing is something that a call reaches, as a person would list it.
type kodaThing struct {
	kind   string // inside, outside, command, target, fetch, other
	value  string // what a rule would name
	host   string // of a fetch
	writes bool   // for a command: or nobody knows what it does
	opaque bool   // a command of which nobody knows what it does
	parts  int    // a whole command line, and of how many commands
}

// A kodaCall is a call with all that it reaches.
type kodaCall struct {
	tool, input string
	things      []kodaThing
}

func kodaRun(command string, things ...kodaThing) kodaCall {
	return kodaCall{"bash", bashInput(command), things}
}

var kodaCalls = []kodaCall{
	{"read", `{"paths":["a"]}`, []kodaThing{{kind: "inside", value: "/work/ws/a"}}},
	{"read", `{"paths":["/ext/a"]}`, []kodaThing{{kind: "outside", value: "/ext/a"}}},
	{"read", `{"paths":["a","/ext/a","/ext/b"]}`, []kodaThing{{kind: "inside", value: "/work/ws/a"}, {kind: "outside", value: "/ext/a"}, {kind: "outside", value: "/ext/b"}}},
	{"write", `{"path":"a"}`, []kodaThing{{kind: "inside", value: "/work/ws/a", writes: true}}},
	{"write", `{"path":"../../ext/./a"}`, []kodaThing{{kind: "outside", value: "/ext/a", writes: true}}},
	{"web_fetch", `{"url":"https://H.test/a"}`, []kodaThing{{kind: "fetch", value: "https://h.test/a", host: "h.test"}}},
	{"web_fetch", `{"url":"https://h.test:444/b"}`, []kodaThing{{kind: "fetch", value: "https://h.test:444/b", host: "h.test"}}},
	{"frobnicate", `{}`, []kodaThing{{kind: "other", value: "frobnicate", writes: true, opaque: true}}},
	kodaRun("git status", kodaThing{kind: "command", value: "git status"}),
	kodaRun("touch a", kodaThing{kind: "command", value: "touch a", writes: true}),
	kodaRun(`eval "$X"`, kodaThing{kind: "command", value: `eval "$X"`, writes: true, opaque: true}),
	kodaRun("cat /ext/a", kodaThing{kind: "command", value: "cat /ext/a"}, kodaThing{kind: "outside", value: "/ext/a"}),
	kodaRun("cp a /ext/b", kodaThing{kind: "command", value: "cp a /ext/b", writes: true}, kodaThing{kind: "outside", value: "/ext/b", writes: true}),
	kodaRun("nmap h.test", kodaThing{kind: "command", value: "nmap h.test"}, kodaThing{kind: "target", value: "h.test"}),
	kodaRun("npm install", kodaThing{kind: "command", value: "npm install", writes: true}, kodaThing{kind: "target", value: "package registries"}),
	kodaRun("git push", kodaThing{kind: "command", value: "git push"}, kodaThing{kind: "target", value: "git remotes"}),
	kodaRun("cat /ext/a | nc h.test 80",
		kodaThing{kind: "command", value: "cat /ext/a"}, kodaThing{kind: "outside", value: "/ext/a"},
		kodaThing{kind: "command", value: "nc h.test 80"}, kodaThing{kind: "target", value: "h.test"}, kodaThing{kind: "command", value: "cat /ext/a | nc h.test 80", parts: 2}),
	kodaRun("git status; touch a",
		kodaThing{kind: "command", value: "git status"}, kodaThing{kind: "command", value: "touch a", writes: true}, kodaThing{kind: "command", value: "git status; touch a", parts: 2}),
	kodaRun("git status > /ext/b",
		kodaThing{kind: "command", value: "git status > /ext/b", writes: true}, kodaThing{kind: "outside", value: "/ext/b", writes: true}),
}

// kodaLists are lists of rules for each subject. No pattern in them is longer
// than a star at the end.
var kodaLists = map[string][][][2]string{
	"external_directory": {nil, {{"/ext/*", "allow"}}, {{"/ext/*", "ask"}}, {{"/ext/*", "deny"}}, {{"/ext/a", "allow"}, {"*", "deny"}}, {{"*", "deny"}, {"/ext/a", "allow"}}, {{"*", "allow"}, {"/ext/b", "ask"}}},
	"bash":               {nil, {{"*", "allow"}}, {{"*", "ask"}}, {{"*", "deny"}}, {{"git status*", "allow"}, {"*", "ask"}}, {{"*", "ask"}, {"git status*", "allow"}, {"nmap*", "allow"}}, {{"*", "allow"}, {"touch*", "deny"}, {"cat*", "ask"}}},
	"web_fetch":          {nil, {{"https://h.test/*", "allow"}}, {{"https://h.test*", "ask"}}, {{"*", "deny"}}, {{"https://h.test/a", "deny"}, {"*", "allow"}}, {{"*", "deny"}, {"https://h.test/a", "allow"}}},
	"network_target":     {nil, {{"h.test", "allow"}}, {{"*", "ask"}}, {{"h.test", "deny"}}, {{"h.test", "deny"}, {"*", "allow"}}, {{"*", "deny"}, {"package registries", "allow"}, {"git remotes", "ask"}}},
}

// kodaGiven are grants: of a command, of a path, of a host, or of none.
var kodaGiven = []string{"", `{"execution_prefix":["git"]}`, `{"execution_prefix":["touch"]}`, `{"paths":[{"path":"/ext"}]}`, `{"paths":[{"path":"/ext","write":true}]}`, `{"hosts":["h.test"]}`, `{"execution_prefix":["nmap"],"hosts":["h.test"]}`}

// An kodaInput is one combination of the comparison.
type kodaInput struct {
	call    *kodaCall
	mode    string
	network bool
	offered bool
	rules   map[string][][2]string
	grant   string
}

// kodaCodes are the codes of the steps.
var kodaCodes = map[string]sayso.Code{
	"tool_surface": "surface", "permission_mode": "kodacode.permission_mode", "session_grant": "grant", "policy": "kodacode.policy", "default": "kodacode.default",
}

// kodaSpoken is the document once more, in plain ifs.
//
// Of several things that have the strictest answer it does not say which is told;
// the defaults are told where nothing else speaks.
func kodaSpoken(in kodaInput) (effect sayso.Effect, stages []string) {
	if !in.offered {
		return sayso.Deny, []string{"tool_surface"}
	}
	if in.mode == "full_access" {
		return sayso.Allow, []string{"permission_mode"}
	}
	effect = sayso.Allow
	for _, thing := range in.call.things {
		e, s := kodaSpokenThing(in, thing)
		if e < effect {
			effect, stages = e, nil
		}
		if e == effect {
			stages = append(stages, s)
		}
	}
	if spoken := slices.DeleteFunc(slices.Clone(stages), func(s string) bool { return s == "default" }); len(spoken) > 0 {
		stages = spoken
	}
	return effect, stages
}

func kodaSpokenThing(in kodaInput, thing kodaThing) (sayso.Effect, string) {
	requires := false
	if in.mode == "read_only" {
		if thing.kind == "outside" {
			requires = true
		}
		if thing.writes && thing.kind != "target" && thing.kind != "fetch" {
			requires = true
		}
	}
	if kodaSpokenGrant(in, thing) {
		return sayso.Allow, "session_grant"
	}
	action := ""
	switch thing.kind {
	case "outside":
		action = kodaSpokenRule(in.rules["external_directory"], thing.value)
	case "command":
		action = kodaSpokenRule(in.rules["bash"], thing.value)
	case "target":
		action = kodaSpokenRule(in.rules["network_target"], thing.value)
	case "fetch":
		one, two := kodaSpokenRule(in.rules["web_fetch"], thing.value), kodaSpokenRule(in.rules["network_target"], thing.host)
		if one == "deny" || two == "deny" {
			action = "deny"
		} else if one == "ask" || two == "ask" {
			action = "ask"
		} else if one == "allow" || two == "allow" {
			action = "allow"
		}
	}
	if action == "deny" {
		return sayso.Deny, "policy"
	}
	if requires {
		return sayso.Ask, "permission_mode"
	}
	if action == "ask" {
		return sayso.Ask, "policy"
	}
	if action == "allow" {
		return sayso.Allow, "policy"
	}
	if thing.kind == "outside" || thing.kind == "fetch" || thing.opaque {
		return sayso.Ask, "default"
	}
	if thing.kind == "target" && !in.network {
		return sayso.Ask, "default"
	}
	return sayso.Allow, "default"
}

// kodaSpokenRule is the action of the last rule that matches.
func kodaSpokenRule(rules [][2]string, value string) string {
	action := ""
	for _, r := range rules {
		pattern := r[0]
		if n := len(pattern) - 1; pattern[n] == '*' {
			if len(value) >= n && value[:n] == pattern[:n] {
				action = r[1]
			}
		} else if pattern == value {
			action = r[1]
		}
	}
	return action
}

// kodaSpokenGrant reports whether the grant covers a thing. Whole lines are
// covered if all their commands are, which no single grant here does.
func kodaSpokenGrant(in kodaInput, thing kodaThing) bool {
	starts := func(word string) bool {
		return len(in.call.things) > 0 && thing.parts == 0 && len(thing.value) > len(word) && thing.value[:len(word)+1] == word+" "
	}
	switch in.grant {
	case `{"execution_prefix":["git"]}`:
		return thing.kind == "command" && starts("git")
	case `{"execution_prefix":["touch"]}`:
		return thing.kind == "command" && starts("touch")
	case `{"paths":[{"path":"/ext"}]}`:
		return thing.kind == "outside" && !thing.writes && path.Dir(thing.value) == "/ext"
	case `{"paths":[{"path":"/ext","write":true}]}`:
		return thing.kind == "outside" && path.Dir(thing.value) == "/ext"
	case `{"hosts":["h.test"]}`:
		return thing.kind == "target" && thing.value == "h.test" || thing.kind == "fetch" && thing.host == "h.test"
	case `{"execution_prefix":["nmap"],"hosts":["h.test"]}`:
		command := in.call.things[0].value
		return command == "nmap h.test" && (thing.kind == "command" || thing.kind == "target")
	}
	return false
}

// kodaInputs makes every combination; of rules those for the subjects that the
// call is about.
func kodaInputs(each func(kodaInput)) {
	for i := range kodaCalls {
		call := &kodaCalls[i]
		lists := map[string][][][2]string{}
		for subject, of := range map[string][]string{"external_directory": {"outside"}, "bash": {"command"}, "web_fetch": {"fetch"}, "network_target": {"target", "fetch"}} {
			lists[subject] = kodaLists[subject][:1]
			if slices.ContainsFunc(call.things, func(t kodaThing) bool { return slices.Contains(of, t.kind) }) {
				lists[subject] = kodaLists[subject]
			}
		}
		for _, external := range lists["external_directory"] {
			for _, bash := range lists["bash"] {
				for _, fetch := range lists["web_fetch"] {
					for _, target := range lists["network_target"] {
						rules := map[string][][2]string{"external_directory": external, "bash": bash, "web_fetch": fetch, "network_target": target}
						for _, network := range []bool{false, true} {
							for _, mode := range []string{"auto", "read_only", "full_access"} {
								for _, grant := range kodaGiven {
									each(kodaInput{call, mode, network, true, rules, grant})
								}
								each(kodaInput{call, mode, network, false, rules, ""})
							}
						}
					}
				}
			}
		}
	}
}

// A kodaDecider decides inputs by the preset. What is made once is kept.
type kodaDecider struct {
	t     *testing.T
	facts map[*kodaCall]*sayso.Facts
	plans map[string]sayso.Plan
	plan  func(cfg preset.KodaCodeConfig, mode string) sayso.Plan
}

func newKodaDecider(t *testing.T, plan func(preset.KodaCodeConfig, string) sayso.Plan) *kodaDecider {
	return &kodaDecider{t, map[*kodaCall]*sayso.Facts{}, map[string]sayso.Plan{}, plan}
}

func (d *kodaDecider) decide(in kodaInput) sayso.Decision {
	call := sayso.Call{Tool: in.call.tool, Input: json.RawMessage(in.call.input), Root: kodaRoot, Home: "/home/user"}
	if d.facts[in.call] == nil {
		a := sayso.Analyzer{}
		d.facts[in.call] = a.Analyze(call)
	}
	key := fmt.Sprint(in.mode, in.network, in.rules)
	if d.plans[key] == nil {
		cfg := preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{}}
		for subject, list := range in.rules {
			cfg.Permissions[subject] = kodaRulesOf(d.t, list)
		}
		if in.network {
			cfg.Network = preset.NetworkEnabled
		}
		d.plans[key] = d.plan(cfg, in.mode)
	}
	s := sayso.Session{Mode: in.mode}
	if in.grant != "" {
		s.Grants = sayso.PlainGrants([]sayso.Grant{{Rule: in.grant, Scope: sayso.ForSession}})
	}
	if !in.offered {
		s.Surface.Not = []string{in.call.tool}
	}
	return d.plans[key].Evaluate(context.Background(), &sayso.Case{Call: call, Facts: d.facts[in.call], Session: s})
}

// TestKodaCodeTable compares the preset with the second statement of its
// document.
func TestKodaCodeTable(t *testing.T) {
	d := newKodaDecider(t, func(cfg preset.KodaCodeConfig, mode string) sayso.Plan {
		plan, err := preset.KodaCode(cfg).For(mode)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	})
	count, wrong := 0, 0
	kodaInputs(func(in kodaInput) {
		count++
		got := d.decide(in)
		if want, stages := kodaSpoken(in); got.Effect != want || !slices.Contains(stages, got.Stage) || got.Code != kodaCodes[got.Stage] {
			if wrong++; wrong < 20 {
				t.Errorf("%s %s in %s, network %v, offered %v, rules %v, grant %s: %s by %s (%s), want %s by %s",
					in.call.tool, in.call.input, in.mode, in.network, in.offered, in.rules, in.grant, got.Effect, got.Stage, got.Reason, want, stages)
			}
		}
	})
	if count < 25_000 {
		t.Errorf("only %d combinations", count)
	}
	t.Logf("%d combinations", count)
}

// TestKodaCodeTableCatches: the comparison notices faults in the plan.
func TestKodaCodeTableCatches(t *testing.T) {
	without := func(i int) func([]sayso.Stage) []sayso.Stage {
		return func(list []sayso.Stage) []sayso.Stage { return slices.Delete(slices.Clone(list), i, i+1) }
	}
	swapped := func(i, j int) func([]sayso.Stage) []sayso.Stage {
		return func(list []sayso.Stage) []sayso.Stage {
			list = slices.Clone(list)
			list[i], list[j] = list[j], list[i]
			return list
		}
	}
	faults := map[string]preset.KodaFaults{
		"no posture":               {Stages: without(0)},
		"no grants":                {Stages: without(1)},
		"no rules":                 {Stages: without(2)},
		"what the mode says falls": {Stages: without(3)},
		"no defaults":              {Stages: without(4)},
		"rules before grants":      {Stages: swapped(1, 2)},
		"rules before the posture": {Stages: swapped(0, 2)},
		"posture before grants":    {Stages: swapped(1, 3)},
		"defaults before rules":    {Stages: swapped(2, 4)},
		"the first rule wins": {Rules: func(list []preset.KodaCodeRule) []preset.KodaCodeRule {
			list = slices.Clone(list)
			slices.Reverse(list)
			return list
		}},
		"only the first resource": {Resources: func(list []*sayso.Case) []*sayso.Case { return list[:1] }},
		"only the last resource":  {Resources: func(list []*sayso.Case) []*sayso.Case { return list[len(list)-1:] }},
		"no tool surface":         {First: func(p sayso.Plan) sayso.Plan { return p[1:] }},
		"targets are not looked at": {Resources: func(list []*sayso.Case) []*sayso.Case {
			kept := slices.DeleteFunc(slices.Clone(list), func(c *sayso.Case) bool { return c.Part().Subject == preset.SubjectNetworkTarget })
			return append(kept, list[0])
		}},
	}
	for name, fault := range faults {
		d := newKodaDecider(t, func(cfg preset.KodaCodeConfig, mode string) sayso.Plan {
			return preset.FaultyKodaCode(cfg, mode, fault)
		})
		caught := 0
		kodaInputs(func(in kodaInput) {
			if caught == 0 {
				got := d.decide(in)
				if want, stages := kodaSpoken(in); got.Effect != want || !slices.Contains(stages, got.Stage) {
					caught++
				}
			}
		})
		if caught == 0 {
			t.Errorf("%s: not noticed", name)
		}
	}
}
