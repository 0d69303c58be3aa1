package preset_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// scopeDecide prints what an engine decides about calls.
func scopeDecide(e *sayso.Engine, mode string, calls ...sayso.Call) {
	for _, c := range calls {
		d := e.Check(context.Background(), c, sayso.Session{Mode: mode})
		fmt.Println(d.Effect, d.Code)
	}
}

// Rules and a mode are configured once; a tool's safety ask is stronger than an
// allow rule.
func ExampleAgentScope() {
	cfg := preset.AgentScopeConfig{
		AllowRules: map[string][]preset.AgentScopeRule{
			"Bash":  {{ToolName: "Bash", RuleContent: "npm run:*", Behavior: "ALLOW", Source: "userSettings"}},
			"Write": {{ToolName: "Write", RuleContent: "**", Behavior: "ALLOW", Source: "userSettings"}},
		},
		DenyRules: map[string][]preset.AgentScopeRule{
			"Bash": {{ToolName: "Bash", RuleContent: "rm:*", Behavior: "DENY", Source: "userSettings"}},
		},
	}
	e := &sayso.Engine{Preset: preset.AgentScope(cfg)}
	scopeDecide(e, "", scopeBash("npm run build"), scopeBash("npm install"), scopeBash("ls && rm x"), scopeFile("Write", "~/.bashrc"))
	// Output:
	// allow rule.allow
	// ask mode.default
	// deny rule.deny
	// ask safety.path
}

// Read-only exploration: reading is free, every change is denied.
func ExampleAgentScope_explore() {
	e := &sayso.Engine{Preset: preset.AgentScope(preset.AgentScopeConfig{Mode: preset.AgentScopeExplore})}
	scopeDecide(e, "", scopeFile("Read", "main.go"), scopeBash("git status | head"), scopeFile("Write", "main.go"), scopeBash("make"))
	// Output:
	// allow tool.read_only
	// allow tool.read_only
	// deny mode.explore
	// deny mode.explore
}

// Unattended automation: what is not allowed is denied, safety asks too.
func ExampleAgentScope_unattended() {
	cfg := preset.AgentScopeConfig{
		Mode: preset.AgentScopeDontAsk,
		AllowRules: map[string][]preset.AgentScopeRule{
			"Bash": {{RuleContent: "npm run:*", Source: "project"}, {RuleContent: "git commit:*", Source: "project"}},
		},
	}
	e := &sayso.Engine{Preset: preset.AgentScope(cfg)}
	scopeDecide(e, "", scopeBash("npm run build && git commit -m ok"), scopeBash("npm install"), scopeBash("rm -rf /"), scopeFile("Write", "~/.bashrc"))
	// Output:
	// allow rule.allow
	// deny mode.dont_ask
	// deny unattended
	// deny unattended
}

// Bypass with explicit guardrails: deny rules are all that is left.
func ExampleAgentScope_bypass() {
	cfg := preset.AgentScopeConfig{
		Mode: preset.AgentScopeBypass,
		DenyRules: map[string][]preset.AgentScopeRule{
			"Bash":  {{RuleContent: "rm:*", Source: "userSettings"}, {RuleContent: "git push:*", Source: "userSettings"}},
			"Write": {{RuleContent: "**/.bashrc", Source: "userSettings"}, {RuleContent: "**/.ssh/**", Source: "userSettings"}},
		},
	}
	e := &sayso.Engine{Preset: preset.AgentScope(cfg)}
	scopeDecide(e, "", scopeBash("make"), scopeBash("sudo rm -rf /"), scopeFile("Write", "/home/user/.ssh/config"), scopeFile("Write", "/home/user/.profile"))
	// Output:
	// allow mode.bypass
	// deny rule.deny
	// deny rule.deny
	// allow mode.bypass
}

// Files in working directories may be changed; a path is followed to where it
// leads.
func ExampleAgentScope_acceptEdits() {
	cfg := preset.AgentScopeConfig{
		Mode:               preset.AgentScopeAcceptEdits,
		WorkingDirectories: map[string]preset.AgentScopeDirectory{"/my/project": {Path: "/my/project", Source: "userSettings"}},
	}
	e := &sayso.Engine{Preset: preset.AgentScope(cfg)}
	scopeDecide(e, "", scopeFile("Write", "/my/project/a.py"), scopeBash("mv /my/project/a.py /my/project/b.py"), scopeBash("rm /my/project/../x"), scopeFile("Edit", "/my/project/.env"))
	// Output:
	// allow tool.accept_edits
	// allow tool.accept_edits
	// ask mode.accept_edits
	// ask safety.path
}

// The mode of a session can be changed at any time.
func ExampleAgentScope_runtimeMode() {
	m := &store.Memory{}
	e := &sayso.Engine{Preset: preset.AgentScope(preset.AgentScopeConfig{}), Sessions: m}
	for _, mode := range []string{preset.AgentScopeBypass, preset.AgentScopeExplore} {
		_ = m.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Mode = mode; return nil })
		_, d, _ := e.Authorize(context.Background(), scopeBash("make"))
		fmt.Println(mode, d.Effect)
	}
	// Output:
	// bypass allow
	// explore deny
}

// A custom tool has its own permission check; what it marks as immune no allow
// rule silences.
func ExampleAgentScope_customTool() {
	deploy := sayso.Tool{
		Name:     "DeployTool",
		ReadOnly: func(input json.RawMessage) bool { return string(input) == `{"operation":"list"}` },
		Check: func(c *sayso.Case) sayso.Verdict {
			var in struct{ Target string }
			if json.Unmarshal(c.Call.Input, &in) == nil && in.Target == "prod" {
				return sayso.Decide(sayso.Ask, "tool.production", "it targets production").Immune()
			}
			return sayso.Pass()
		},
	}
	cfg := preset.AgentScopeConfig{
		Tools:      []sayso.Tool{deploy},
		AllowRules: map[string][]preset.AgentScopeRule{"DeployTool": {{RuleContent: preset.AgentScopeEvery}}},
	}
	e := &sayso.Engine{Preset: preset.AgentScope(cfg), Analyzer: sayso.Analyzer{Tools: cfg.Tools}}
	staging, prod := scopeCall("DeployTool", map[string]string{"target": "staging"}), scopeCall("DeployTool", map[string]string{"target": "prod"})
	scopeDecide(e, "", staging, prod)
	scopeDecide(e, preset.AgentScopeExplore, prod, scopeCall("DeployTool", map[string]string{"operation": "list"}))
	// Output:
	// allow rule.allow
	// ask tool.production
	// deny mode.explore
	// allow tool.read_only
}

// An ask comes with rules made of the call; one that is accepted allows later
// calls of the session.
func ExampleAgentScopeView() {
	m := &store.Memory{}
	e := &sayso.Engine{Preset: preset.AgentScope(preset.AgentScopeConfig{}), Grants: m}
	e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		shown := preset.AgentScopeView(r.Decision)
		fmt.Println(shown.Behavior, shown.DecisionReason)
		for _, rule := range shown.SuggestedRules {
			fmt.Println(" ", rule)
		}
		accepted := shown.SuggestedRules[len(shown.SuggestedRules)-1]
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForSession, Rule: accepted.String()}, nil
	})
	for _, line := range []string{"npm run build", "npm run test"} {
		_, d, _ := e.Authorize(context.Background(), scopeBash(line))
		fmt.Println(line+":", d.Effect, d.Code)
	}
	// Output:
	// ASK no rule speaks about it, and the mode DEFAULT asks
	//   Bash(npm run build)
	//   Bash(npm run build:*)
	//   Bash(npm run:*)
	// npm run build: allow person.yes
	// npm run test: allow rule.allow
}
