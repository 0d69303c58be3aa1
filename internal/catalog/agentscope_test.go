package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
)

// TestAgentScopeMistakes: a configuration is read strictly, and every mistake is
// told with its key.
func TestAgentScopeMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                 `config: want a JSON object`,
		`{"mode": "explor"}`: `config: mode: want default, accept_edits, explore, bypass or dont_ask, not "explor"`,
		`{"mode": 3}`:        `config: mode: want text, not a number`,
		`{"alow": []}`:       `config: alow: unknown key (did you mean "allow"?)`,
		`{"zzzzzzzz": []}`:   `config: zzzzzzzz: unknown key (want mode, allow_rules,`,
		`{"allow": {}}`:      `config: allow: want a list, not keys and values`,
		`{"allow": [3]}`:     `config: allow[0]: want keys and values, not a number`,
		`{"allow": [{}]}`:    `config: allow[0].tool: want the name of a tool`,
		`{"deny": [{"tool": "Bash", "patern": null}]}`:                                                `config: deny[0].patern: unknown key (did you mean "pattern"?)`,
		`{"deny": [{"tool": "Bash", "pattern": 1}]}`:                                                  `config: deny[0].pattern: want text, not a number`,
		`{"deny": [{"tool": "Bash", "pattern": ""}]}`:                                                 `config: deny_rules.Bash[0].rule_content: it is empty`,
		`{"ask_rules": {"Bash": [{"tool_name": "Bash"}]}}`:                                            `config: ask_rules.Bash[0].rule_content: it is missing (write null for every call of the tool)`,
		`{"ask_rules": {"Bash": [{"tool_name": "Read", "rule_content": null}]}}`:                      `config: ask_rules.Bash[0].tool_name: want the tool that it is listed under, Bash, not "Read"`,
		`{"ask_rules": {"Bash": [{"tool_name": "Bash", "rule_content": null, "behavior": "ALLOW"}]}}`: `config: ask_rules.Bash[0].behavior: want ASK in this list, not "ALLOW"`,
		`{"ask_rules": {"Bash": [{"rule_content": null, "rule_content": "x"}]}}`:                      `config: ask_rules.Bash[0].rule_content: it is given twice`,
		`{"ask_rules": {"Bash": "rm:*"}}`:                                                             `config: ask_rules.Bash: want a list, not text`,
		`{"ask_rules": []}`:                                                                           `config: ask_rules: want keys and values, not a list`,
		`{"working_directories": [1]}`:                                                                `config: working_directories[0]: want text, not a number`,
		`{"working_directories": {"/a": {"path": "/b"}}}`:                                             `config: working_directories./a: want the path that it is listed under, not "/b"`,
		`{"working_directories": {"/a": {"paht": "/a"}}}`:                                             `config: working_directories./a.paht: unknown key (did you mean "path"?)`,
		`{"working_directories": true}`:                                                               `config: working_directories: want keys and values, not true`,
		`{"tool_check": {"behavior": "maybe"}}`:                                                       `config: tool_check.behavior: want allow, ask, deny or passthrough, not "maybe"`,
		`{"tool_check": {"behavior": "ask", "bypass_immune": "yes"}}`:                                 `config: tool_check.bypass_immune: want true or false, not text`,
	} {
		_, err := agentscope().FromJSON(json.RawMessage(text), Place{Root: "/w"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	_, err := agentscope().FromJSON(json.RawMessage(`{"mode": 1, "ask": 2, "deny": [3]}`), Place{Root: "/w"})
	if got := len(unjoin(err)); got != 4 { // the mode, the list, the rule, and that it has no tool
		t.Errorf("%d mistakes: %v", got, err)
	}
}

// TestAgentScopeGrant: accepted rules are read as the document writes rules, and
// as sayso does.
func TestAgentScopeGrant(t *testing.T) {
	for text, want := range map[string]string{
		`{"tool_name": "Bash", "rule_content": "npm run:*", "behavior": "ALLOW", "source": "session"}`: "Bash(npm run:*)",
		`{"tool_name": "Bash", "rule_content": null}`:                                                  "Bash",
		`{"rule": "Write(src/**)", "scope": "session"}`:                                                "Write(src/**)",
		`{"tool_name": "Bash", "rule_content": "x", "behavior": "DENY"}`:                               "",
		`{"rule_content": "x"}`: "",
		`{"tool_name": "Bash"}`: "",
		`{}`:                    "",
	} {
		g, err := agentscope().ReadGrant(json.RawMessage(text))
		if g.Rule != want || (err == nil) != (want != "") || err == nil && g.Scope != sayso.ForSession {
			t.Errorf("%s: %+v %v", text, g, err)
		}
	}
}

// TestAgentScopeLoad: rules of a policy that deny and ask hold in front of the
// preset, those that allow do not count, a policy that does not load denies, and
// its mode counts.
func TestAgentScopeLoad(t *testing.T) {
	rule := func(e sayso.Effect, text string) sayso.Rule { return sayso.Rule{Effect: e, Text: text} }
	policy := config.Policy{Rules: []sayso.Rule{rule(sayso.Deny, "bash(make *)"), rule(sayso.Ask, "bash(ls *)"), rule(sayso.Allow, "bash(npm *)")}}
	with := func(change func(*config.Policy)) config.Policy { p := policy; change(&p); return p }
	for _, test := range []struct {
		policy     config.Policy
		mode, line string
		want       sayso.Effect
	}{
		{config.Policy{}, "", "ls", sayso.Allow},
		{config.Policy{}, "", "make x", sayso.Ask},
		{policy, "", "ls x", sayso.Ask},
		{policy, "", "npm test", sayso.Ask},
		{policy, "", "pwd", sayso.Allow},
		{policy, "bypass", "make x", sayso.Deny},
		{policy, "bypass", "npm test", sayso.Allow},
		{policy, "dont_ask", "ls x", sayso.Deny},
		{with(func(p *config.Policy) { p.Err = errors.New("broken") }), "bypass", "pwd", sayso.Deny},
		{with(func(p *config.Policy) { p.Mode = "plan" }), "", "npm test", sayso.Deny},
		{with(func(p *config.Policy) { p.Mode = "dont-ask" }), "", "npm test", sayso.Deny},
		{with(func(p *config.Policy) { p.Mode = "bypass" }), "", "npm test", sayso.Allow},
		{with(func(p *config.Policy) { p.Mode = "plan+dont-ask" }), "", "npm test", sayso.Deny},
		{with(func(p *config.Policy) { p.Mode = "careful+bypass" }), "", "npm test", sayso.Ask},
	} {
		setup, err := agentscope().Load(config.Places{}, test.policy)
		if err != nil {
			t.Fatal(err)
		}
		mode := test.mode
		if mode == "" {
			mode = setup.Mode
		}
		e := setup.Engine(nil)
		input, _ := json.Marshal(map[string]string{"command": test.line})
		d := e.Check(context.Background(), sayso.Call{Tool: "Bash", Input: input, Root: "/w", Home: "/home/me"}, sayso.Session{Mode: mode})
		if d.Effect != test.want {
			t.Errorf("%s in %q of %+v: %s %s %s", test.line, mode, test.policy, d.Effect, d.Code, d.Reason)
		}
	}
}

// TestConfigured: a file that a person names is trusted, and mistakes in it are
// told with their place.
func TestConfigured(t *testing.T) {
	read := func(text string) (Setup, error) {
		file := config.Other{Name: "context.yaml", Text: []byte(text), Trusted: true}
		return agentscope().Configured(file, Place{Root: "/w"}, config.Policy{Rules: []sayso.Rule{{Effect: sayso.Deny, Text: "bash(npm publish *)"}}})
	}
	setup, err := read("mode: EXPLORE\nallow: [{tool: Bash, pattern: 'npm:*'}]\n")
	if err != nil || setup.Mode != "explore" {
		t.Fatalf("%+v %v", setup, err)
	}
	e := setup.Engine(nil)
	for line, want := range map[string]sayso.Effect{"npm test": sayso.Allow, "npm publish": sayso.Deny} {
		input, _ := json.Marshal(map[string]string{"command": line})
		if d := e.Check(context.Background(), sayso.Call{Tool: "Bash", Input: input, Root: "/w"}, sayso.Session{Mode: "default"}); d.Effect != want {
			t.Errorf("%s: %+v", line, d)
		}
	}
	for text, want := range map[string]string{
		"mode: x\n":                             "context.yaml:1:1: mode: want default",
		"ask:\n  - tool: Bash\n    patern: x\n": `context.yaml:3:5: ask[0].patern: unknown key (did you mean "pattern"?)`,
		"{\n\t\"mode\": \"x\"\n}":               "context.yaml:2:2: mode: want default",
		"{\"mode\": 1, \"mode\": 2}":            `context.yaml:1:13: the key "mode" is given twice`,
		"ask:\n  - pattern: x\n":                "context.yaml:2:5: ask[0].tool: want the name of a tool",
		"- a\n":                                 "context.yaml:1:1: want a JSON object",
		"ask: [\n":                              "context.yaml:1:1: not YAML",
		"ask: *x\n":                             "context.yaml:1:1: not YAML: unknown anchor",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}
