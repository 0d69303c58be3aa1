package preset_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

func scopeCall(tool string, input any) sayso.Call {
	text, _ := json.Marshal(input)
	return sayso.Call{Session: "s", Tool: tool, Input: text, Root: "/home/user/app", Home: "/home/user"}
}

func scopeBash(line string) sayso.Call { return scopeCall("Bash", map[string]string{"command": line}) }

func scopeFile(tool, path string) sayso.Call {
	return scopeCall(tool, map[string]string{"file_path": path})
}

func scopeEngine(cfg preset.AgentScopeConfig) *sayso.Engine {
	m := &store.Memory{}
	return &sayso.Engine{
		Preset: preset.AgentScope(cfg), Analyzer: sayso.Analyzer{Tools: cfg.Tools}, Sessions: m, Grants: m, Journal: m,
		Clock: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
	}
}

func scopeRules(tool string, contents ...string) map[string][]preset.AgentScopeRule {
	var list []preset.AgentScopeRule
	for _, c := range contents {
		list = append(list, preset.AgentScopeRule{ToolName: tool, RuleContent: c, Source: "userSettings"})
	}
	return map[string][]preset.AgentScopeRule{tool: list}
}

// deployTool is the document's example: it asks about production whatever is
// allowed, and reads where it lists.
func deployTool() sayso.Tool {
	target := func(input json.RawMessage) (out struct{ Operation, Target string }) {
		_ = json.Unmarshal(input, &out) // what is no object has no target
		return out
	}
	return sayso.Tool{
		Name:     "DeployTool",
		ReadOnly: func(input json.RawMessage) bool { return target(input).Operation == "list" },
		Check: func(c *sayso.Case) sayso.Verdict {
			if to := target(c.Call.Input).Target; strings.HasPrefix(to, "prod-") {
				return sayso.Decide(sayso.Ask, "tool.production", "Safety check: production resource: "+to).Immune()
			}
			return sayso.Pass()
		},
		Matches: func(pattern string, input json.RawMessage) bool { return pattern == target(input).Target },
		Suggest: func(c *sayso.Case) []string { return []string{"DeployTool(" + target(c.Call.Input).Target + ")"} },
	}
}

// TestAgentScopeSuggestions: rules are made of the call, the narrowest first,
// and none that would not allow it.
func TestAgentScopeSuggestions(t *testing.T) {
	cfg := preset.AgentScopeConfig{AskRules: scopeRules("Bash", "make:*"), Tools: []sayso.Tool{deployTool()}}
	e := scopeEngine(cfg)
	for _, test := range []struct {
		call sayso.Call
		want string
	}{
		{scopeBash("npm run build"), "Bash(npm run build) Bash(npm run build:*) Bash(npm run:*)"},
		{scopeBash("git commit -m 'a b'"), "Bash(git commit -m 'a b') Bash(git commit:*)"},
		{scopeBash("npm test && git push"), "Bash(npm test && git push)"},
		{scopeBash("python x.py"), "Bash(python x.py)"},
		{scopeBash("sudo ls"), "Bash(sudo ls)"},
		{scopeBash("echo a:*"), "Bash(echo:*)"},
		{scopeBash("make"), ""},          // an ask rule holds
		{scopeBash("rm -rf /"), ""},      // a safety ask holds
		{scopeBash("cat .env"), ""},      //
		{scopeBash("echo $(id)"), ""},    //
		{scopeBash("cat \"$FILE\""), ""}, //
		{scopeFile("Write", "src/a.py"), "Write(src/a.py) Write(src/**)"},
		{scopeFile("Edit", "/home/user/app/a[1].py"), `Edit(a\[1\].py)`},
		{scopeFile("Read", "/srv/x/a"), "Read(/srv/x/a) Read(/srv/x/**)"},
		{scopeFile("Write", "~/.bashrc"), ""},
		{scopeCall("Grep", map[string]any{"pattern": "x", "path": "src"}), `Grep({"path":"src","pattern":"x"})`},
		{scopeCall("Other", map[string]any{"b": 1, "a": []int{2}}), `Other({"a":[2],"b":1})`},
		{sayso.Call{Tool: "Other", Root: "/w"}, "Other({})"},
		{scopeCall("DeployTool", map[string]any{"target": "staging"}), "DeployTool(staging)"},
		{scopeCall("DeployTool", map[string]any{"target": "prod-1"}), ""},
	} {
		d := e.Check(context.Background(), test.call, sayso.Session{})
		var got []string
		for _, s := range d.Suggestions {
			got = append(got, s.Rule)
			session := sayso.Session{Grants: sayso.PlainGrants([]sayso.Grant{{Rule: s.Rule, Scope: sayso.ForSession}})}
			if again := e.Check(context.Background(), test.call, session); again.Effect != sayso.Allow || again.Code != sayso.CodeAllowRule {
				t.Errorf("%s does not allow the call it was made of: %+v", s.Rule, again)
			}
		}
		if d.Effect != sayso.Ask || strings.Join(got, " ") != test.want {
			t.Errorf("%s %s: %s, suggests %q, want %q", test.call.Tool, test.call.Input, d.Effect, got, test.want)
		}
	}
}

// TestAgentScopeAccept: an accepted rule counts for the rest of the session, a
// yes alone does not, and a no is told to the agent and ends nothing.
func TestAgentScopeAccept(t *testing.T) {
	e := scopeEngine(preset.AgentScopeConfig{})
	answer := ""
	e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: answer}, nil
	})
	for _, step := range []struct {
		answer, line string
		want         sayso.Effect
		code         sayso.Code
	}{
		{"y", "npm run build", sayso.Allow, sayso.CodePersonYes},
		{"n", "npm run build", sayso.Deny, sayso.CodePersonNo},
		{"2", "npm run build", sayso.Allow, sayso.CodePersonYes},
		{"n", "npm run build --fast", sayso.Allow, sayso.CodeAllowRule},
		{"n", "npm run test", sayso.Deny, sayso.CodePersonNo},
		{"3", "npm run test", sayso.Allow, sayso.CodePersonYes},
		{"n", "npm run lint", sayso.Allow, sayso.CodeAllowRule},
		{"9", "npm install", sayso.Deny, sayso.CodeChanged},
	} {
		answer = step.answer
		_, d, err := e.Authorize(context.Background(), scopeBash(step.line))
		if err != nil || d.Effect != step.want || d.Code != step.code || d.Stop {
			t.Errorf("%s, answered %s: %s %s %v", step.line, step.answer, d.Effect, d.Code, err)
		}
	}
	other := scopeBash("npm run lint")
	other.Session = "another"
	answer = "n"
	if _, d, err := e.Authorize(context.Background(), other); err != nil || d.Effect != sayso.Deny {
		t.Errorf("another session has the rule: %+v %v", d, err)
	}
}

// TestAgentScopeAcceptSeveral: an answer may carry several rules, as the
// document's result event does.
func TestAgentScopeAcceptSeveral(t *testing.T) {
	e := scopeEngine(preset.AgentScopeConfig{})
	call := scopeBash("npm test && git push")
	e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{
			RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForSession,
			Rule: "Bash(npm test:*)", More: []string{"Bash(git push:*)"},
		}, nil
	})
	if _, d, err := e.Authorize(context.Background(), call); err != nil || d.Effect != sayso.Allow {
		t.Fatalf("%+v %v", d, err)
	}
	e.Approver = nil
	if _, d, err := e.Authorize(context.Background(), scopeBash("git push origin && npm test")); err != nil || d.Code != sayso.CodeAllowRule {
		t.Errorf("%+v %v", d, err)
	}
}

// TestAgentScopeModeAtRunTime: a mode that is switched counts for the next call.
func TestAgentScopeModeAtRunTime(t *testing.T) {
	e := scopeEngine(preset.AgentScopeConfig{Mode: preset.AgentScopeBypass})
	for _, step := range []struct {
		mode string
		want sayso.Effect
	}{{"", sayso.Allow}, {preset.AgentScopeExplore, sayso.Deny}, {preset.AgentScopeBypass, sayso.Allow}, {preset.AgentScopeDontAsk, sayso.Deny}, {"BYPASS", sayso.Deny}} {
		err := e.Sessions.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Mode = step.mode; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if _, d, err := e.Authorize(context.Background(), scopeBash("make")); err != nil || d.Effect != step.want {
			t.Errorf("%q: %+v %v", step.mode, d, err)
		}
	}
}

// TestAgentScopeCustomTool: a tool has its own check, read-only check, rule
// matching and suggestions; one that fails denies.
func TestAgentScopeCustomTool(t *testing.T) {
	broken := sayso.Tool{Name: "Broken", Check: func(*sayso.Case) sayso.Verdict { panic("broken") }}
	cfg := preset.AgentScopeConfig{Tools: []sayso.Tool{deployTool(), broken}, AllowRules: scopeRules("DeployTool", "staging", "prod-1"), DenyRules: scopeRules("DeployTool", "forbidden")}
	e := scopeEngine(cfg)
	for _, test := range []struct {
		tool, target, operation, mode string
		want                          sayso.Effect
		immune                        bool
	}{
		{"DeployTool", "staging", "", "default", sayso.Allow, false},
		{"DeployTool", "other", "", "default", sayso.Ask, false},
		{"DeployTool", "prod-1", "", "default", sayso.Ask, true},
		{"DeployTool", "prod-1", "", "accept_edits", sayso.Ask, true},
		{"DeployTool", "prod-1", "", "dont_ask", sayso.Deny, true},
		{"DeployTool", "prod-1", "", "bypass", sayso.Allow, false},
		{"DeployTool", "prod-1", "", "explore", sayso.Deny, false},
		{"DeployTool", "prod-1", "list", "explore", sayso.Allow, false},
		{"DeployTool", "prod-1", "list", "accept_edits", sayso.Allow, false},
		{"DeployTool", "prod-1", "list", "default", sayso.Ask, true},
		{"DeployTool", "forbidden", "list", "bypass", sayso.Deny, false},
		{"Broken", "", "", "bypass", sayso.Deny, false},
	} {
		d := e.Check(context.Background(), scopeCall(test.tool, map[string]string{"target": test.target, "operation": test.operation}), sayso.Session{Mode: test.mode})
		if d.Effect != test.want || d.Immune != test.immune {
			t.Errorf("%+v: %+v", test, d)
		}
	}
}

// TestAgentScopeConfig: what is wrong with a configuration is said, and denies.
func TestAgentScopeConfig(t *testing.T) {
	list := func(r ...preset.AgentScopeRule) map[string][]preset.AgentScopeRule {
		return map[string][]preset.AgentScopeRule{"Bash": r}
	}
	for want, cfg := range map[string]preset.AgentScopeConfig{
		`mode: want default, accept_edits, explore, bypass or dont_ask, not "EXPLORE"`: {Mode: "EXPLORE"},
		"allow_rules.Bash[0].rule_content: it is empty":                                {AllowRules: list(preset.AgentScopeRule{})},
		"allow_rules.Bash[1].tool_name: want the tool that it is listed":               {AllowRules: list(preset.AgentScopeRule{RuleContent: "*"}, preset.AgentScopeRule{ToolName: "Write", RuleContent: "*"})},
		`deny_rules.Bash[0].behavior: want DENY in this list`:                          {DenyRules: list(preset.AgentScopeRule{RuleContent: "*", Behavior: "ALLOW"})},
		"ask_rules.Bash[0].rule_content: there is nothing before :*":                   {AskRules: list(preset.AgentScopeRule{RuleContent: ":*"})},
		"deny_rules.Write[0].rule_content: pattern column 4":                           {DenyRules: scopeRules("Write", "src/")},
		"deny_rules.Grep[0].rule_content: want the input":                              {DenyRules: scopeRules("Grep", "src/**")},
		"deny_rules.X[0].rule_content: a key is given twice":                           {DenyRules: scopeRules("X", `{"a":1,"a":2}`)},
		"deny_rules.X[0].rule_content: want the input of the tool as JSON":             {DenyRules: scopeRules("X", `{"a":1} x`)},
		"deny_rules.*[0].tool_name: want the name of a tool":                           {DenyRules: scopeRules("*", "*")},
		`working_directories./a: want the path that it is listed under`:                {WorkingDirectories: map[string]preset.AgentScopeDirectory{"/a": {Path: "/b"}}},
	} {
		err := cfg.Check()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
		if d := scopeEngine(cfg).Check(context.Background(), scopeBash("ls"), sayso.Session{Mode: "bypass"}); d.Effect != sayso.Deny || d.Code != sayso.CodePolicy {
			t.Errorf("%s: %+v", want, d)
		}
	}
	good := preset.AgentScopeConfig{Mode: "explore", AskRules: list(preset.AgentScopeRule{ToolName: "Bash", RuleContent: "ls", Behavior: "ask"})}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	if name := preset.AgentScope(good).Modes[0].Name; name != "explore" {
		t.Errorf("the default is %s", name)
	}
}

// TestAgentScopeBadGrant: only what can be read is kept, and what cannot allows
// nothing.
func TestAgentScopeBadGrant(t *testing.T) {
	p := preset.AgentScope(preset.AgentScopeConfig{})
	for _, text := range []string{"", "Bash(", "Bash(npm run:*", "Bash()", "(x)", "Bash(:*)", "Write(src/)", "X(y)"} {
		if p.CheckRule(text) == nil {
			t.Errorf("%q is a rule", text)
		}
		session := sayso.Session{Grants: sayso.PlainGrants([]sayso.Grant{{Rule: text, Scope: sayso.ForSession}})}
		if d := scopeEngine(preset.AgentScopeConfig{}).Check(context.Background(), scopeBash("make"), session); d.Effect != sayso.Ask {
			t.Errorf("%q: %+v", text, d)
		}
	}
	for _, text := range []string{"Bash", "Bash(*)", "Bash(npm run:*)", "Write(src/**)", `X({"a":1})`} {
		if err := p.CheckRule(text); err != nil {
			t.Error(err)
		}
	}
}

// TestAgentScopeHostileInput: an input that can be read in two ways is covered
// by no rule that allows, and meant by one that denies.
func TestAgentScopeHostileInput(t *testing.T) {
	twice := sayso.Call{Tool: "X", Input: json.RawMessage(`{"a":{"b":2,"b":1}}`), Root: "/w"}
	allow := scopeEngine(preset.AgentScopeConfig{AllowRules: scopeRules("X", `{"a":{"b":1}}`)})
	if d := allow.Check(context.Background(), twice, sayso.Session{}); d.Effect != sayso.Ask {
		t.Errorf("%+v", d)
	}
	deny := scopeEngine(preset.AgentScopeConfig{DenyRules: scopeRules("X", `{"a":{"b":2}}`)})
	if d := deny.Check(context.Background(), twice, sayso.Session{Mode: "bypass"}); d.Effect != sayso.Deny {
		t.Errorf("%+v", d)
	}
	big := sayso.Call{Tool: "X", Input: json.RawMessage(`{"n":9007199254740993}`), Root: "/w"}
	exact := scopeEngine(preset.AgentScopeConfig{AllowRules: scopeRules("X", `{"n":9007199254740992}`)})
	if d := exact.Check(context.Background(), big, sayso.Session{}); d.Effect != sayso.Ask {
		t.Errorf("%+v", d)
	}
}

// TestAgentScopeChoices: yes, yes with each suggested rule, and no.
func TestAgentScopeChoices(t *testing.T) {
	d := scopeEngine(preset.AgentScopeConfig{}).Check(context.Background(), scopeFile("Write", "src/a"), sayso.Session{})
	var got []string
	for _, c := range d.Choices {
		got = append(got, c.Key+" "+c.Label)
		if c.Yes != (c.Key != "n") || (c.Rule != "") != (c.Scope == sayso.ForSession) {
			t.Errorf("%+v", c)
		}
	}
	if want := "y allow|1 allow, and accept the rule Write(src/a)|2 allow, and accept the rule Write(src/**)|n deny"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
