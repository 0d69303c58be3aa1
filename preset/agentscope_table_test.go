package preset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso"
)

// A tableCall is a call with what the document says of it, written down by hand.
type tableCall struct {
	name     string
	tool     string
	input    map[string]any
	contents []string // of rules that together mean all of it
	readOnly bool
	check    string     // what the tool says: allow, deny, ask, safety ask or nothing
	code     sayso.Code // with which it says so
	edits    bool       // the tool allows it in accept_edits with a working directory
}

func tableCalls() []tableCall {
	bash := func(line string, contents []string) tableCall {
		return tableCall{name: line, tool: "Bash", input: map[string]any{"command": line}, contents: contents}
	}
	with := func(c tableCall, change func(*tableCall)) tableCall { change(&c); return c }
	reads := func(c *tableCall) { c.readOnly, c.check, c.code = true, "allow", "tool.read_only" }
	safety := func(code sayso.Code) func(*tableCall) {
		return func(c *tableCall) { c.check, c.code = "safety ask", code }
	}
	edits := func(c *tableCall) { c.edits = true }
	file := func(tool, path string) tableCall {
		return tableCall{name: tool + " " + path, tool: tool, input: map[string]any{"file_path": path}, contents: []string{path}}
	}
	var calls []tableCall // the custom tool first: most faults show there
	for _, check := range []string{"", "allow", "deny", "ask", "safety ask"} {
		for _, readOnly := range []bool{false, true} {
			calls = append(calls, tableCall{
				name: fmt.Sprintf("Custom %s %v", check, readOnly), tool: "Custom", input: map[string]any{"a": 1}, contents: []string{`{"a": 1}`},
				readOnly: readOnly, check: check, code: "t",
			})
		}
	}
	return append(calls, []tableCall{
		with(bash("ls -la", []string{"ls:*"}), reads),
		with(bash("git status && cat a | wc", []string{"git:*", "cat:*", "wc"}), reads),
		bash("ls > o", []string{"ls:*"}),
		bash("npm run build", []string{"npm run:*"}),
		bash("ls; npm run build", []string{"ls:*", "npm run:*"}),
		bash("git branch -D x", []string{"git branch:*"}),
		with(bash("rm -rf /", []string{"rm:*"}), safety("safety.removal")),
		with(bash("ls $(touch x)", []string{"ls:*", "touch:*"}), safety("safety.injection")),
		with(bash("cat ~/.ssh/id_rsa", []string{"cat:*"}), safety("safety.path")),
		with(bash("touch /my/project/.env", []string{"touch:*"}), safety("safety.path")),
		with(bash("touch /my/project/a", []string{"touch:*"}), edits),
		with(bash("mkdir /my/project/d && ls", []string{"mkdir:*", "ls"}), edits),
		bash("mv /my/project/a /elsewhere", []string{"mv:*"}),
		with(file("Write", "/my/project/a.py"), edits),
		with(file("Edit", "/my/project/a.py"), edits),
		file("Write", "/elsewhere/a.py"),
		with(file("Write", "/my/project/.vscode/x"), safety("safety.path")),
		with(file("Edit", "/home/user/.bashrc"), safety("safety.path")),
		with(file("Read", "/home/user/.bashrc"), func(c *tableCall) { c.readOnly = true }),
		{name: "Grep", tool: "Grep", input: map[string]any{"pattern": "x"}, contents: []string{`{"pattern":"x"}`}, readOnly: true},
		{name: "Glob", tool: "Glob", input: map[string]any{"pattern": "**"}, contents: []string{`{"pattern": "**"}`}, readOnly: true},
	}...)
}

// ruleStates are what a list of rules may hold, as seen from a call.
var ruleStates = []string{"none", "other", "first", "all", "every"}

// state returns the contents of a list, and what the document says of it: does
// a part match, does all of it match.
func (c *tableCall) state(name string) (contents []string, some, all bool) {
	switch name {
	case "other":
		other := map[string]string{"Bash": "make:*", "Custom": `{"a":2}`, "Grep": "{}", "Glob": "{}"}[c.tool]
		if other == "" {
			other = "src/**"
		}
		return []string{other}, false, false
	case "first":
		return c.contents[:1], true, len(c.contents) == 1
	case "all":
		return c.contents, true, true
	case "every":
		return []string{"*"}, true, true
	}
	return nil, false, false
}

// A tableAnswer is what the document says of a call: which box of the flow decides,
// and how.
type tableAnswer struct {
	effect sayso.Effect
	stage  string
	code   sayso.Code
	immune bool
}

// documented is the decision table of the document once more, mode by mode, with
// none of the code that it is compared with.
func documented(mode string, c *tableCall, deny, ask, allow, workingDir bool) tableAnswer {
	check, code := c.check, c.code
	if mode == "accept_edits" && c.edits && workingDir {
		check, code = "allow", "tool.accept_edits"
	}
	nobody := tableAnswer{sayso.Deny, "unattended", "unattended", false}
	byRule := tableAnswer{sayso.Allow, "allow rules", "rule.allow", false}
	byMode := func(e sayso.Effect) tableAnswer {
		return tableAnswer{e, "otherwise", sayso.Code("mode." + mode), false}
	}
	byTool := func(e sayso.Effect, immune bool) tableAnswer {
		return tableAnswer{e, "check_permissions", code, immune}
	}
	if deny {
		return tableAnswer{sayso.Deny, "deny rules", "rule.deny", false}
	}
	if ask {
		if mode == "dont_ask" {
			return nobody
		}
		return tableAnswer{sayso.Ask, "ask rules", "rule.ask", false}
	}
	if c.readOnly && (mode == "explore" || mode == "accept_edits") {
		return tableAnswer{sayso.Allow, "check_read_only", "tool.read_only", false}
	}
	if mode == "explore" {
		return byMode(sayso.Deny)
	}
	if check == "allow" {
		return byTool(sayso.Allow, false)
	}
	if check == "deny" {
		return byTool(sayso.Deny, false)
	}
	if mode == "dont_ask" && check != "" {
		return nobody
	}
	if check == "safety ask" && mode != "bypass" {
		return byTool(sayso.Ask, true)
	}
	if allow {
		return byRule
	}
	if mode == "bypass" {
		return byMode(sayso.Allow)
	}
	if mode == "dont_ask" {
		return byMode(sayso.Deny)
	}
	if check == "ask" {
		return byTool(sayso.Ask, false)
	}
	return byMode(sayso.Ask)
}

// custom is the tool that always answers the same.
func custom(c *tableCall) sayso.Tool {
	verdict := map[string]sayso.Verdict{
		"": sayso.Pass(), "allow": sayso.Lean(sayso.Allow, "t", ""), "deny": sayso.Lean(sayso.Deny, "t", ""),
		"ask": sayso.Decide(sayso.Ask, "t", ""), "safety ask": sayso.Lean(sayso.Ask, "t", "").Immune(),
	}[c.check]
	return sayso.Tool{
		Name:     "Custom",
		ReadOnly: func(json.RawMessage) bool { return c.readOnly },
		Check:    func(*sayso.Case) sayso.Verdict { return verdict },
	}
}

// compareTable decides every combination in some modes with plans that change
// makes of the preset's, up to the first few answers that differ. It returns how
// many combinations there were, and those.
func compareTable(change func(a *agentScope, mode string) sayso.Plan, modes []string, few int) (n int, differ []string) {
	list := func(tool string, contents []string) map[string][]AgentScopeRule {
		var rules []AgentScopeRule
		for _, content := range contents {
			rules = append(rules, AgentScopeRule{RuleContent: content})
		}
		return map[string][]AgentScopeRule{tool: rules}
	}
	for _, call := range tableCalls() {
		input, _ := json.Marshal(call.input)
		k := sayso.Call{Tool: call.tool, Input: input, Root: "/home/user/app", Home: "/home/user"}
		tools := []sayso.Tool{custom(&call)}
		analyzer := sayso.Analyzer{Tools: tools}
		facts := analyzer.Analyze(k)
		for i := range len(ruleStates) * len(ruleStates) * len(ruleStates) * 4 {
			denyState, askState, allowState := ruleStates[i/4%5], ruleStates[i/20%5], ruleStates[i/100]
			workingDir, accepted := i%2 == 1, i/2%2 == 1
			denies, deny, _ := call.state(denyState)
			asks, ask, _ := call.state(askState)
			allows, _, allow := call.state(allowState)
			cfg := AgentScopeConfig{DenyRules: list(call.tool, denies), AskRules: list(call.tool, asks), AllowRules: list(call.tool, allows), Tools: tools}
			if workingDir {
				cfg.WorkingDirectories = map[string]AgentScopeDirectory{"/my/project": {Path: "/my/project"}}
			}
			session := sayso.Session{}
			if accepted {
				session.Grants = sayso.PlainGrants([]sayso.Grant{{Rule: call.tool, Scope: sayso.ForSession}})
				allow = true
			}
			a := newAgentScope(cfg)
			for _, mode := range modes {
				n++
				d := change(a, mode).Evaluate(context.Background(), &sayso.Case{Call: k, Facts: facts, Session: session})
				got := tableAnswer{d.Effect, d.Stage, d.Code, d.Immune && d.Effect == sayso.Ask}
				if want := documented(mode, &call, deny, ask, allow, workingDir); got != want {
					differ = append(differ, fmt.Sprintf("%s: %s, deny %s, ask %s, allow %s, accepted %v, working directory %v: %+v, want %+v",
						mode, call.name, denyState, askState, allowState, accepted, workingDir, got, want))
				}
				if len(differ) == few {
					return n, differ
				}
			}
		}
	}
	return n, differ
}

func asIs(a *agentScope, mode string) sayso.Plan {
	return attended(a.flow(mode), mode)
}

// attended is a flow as its mode runs it.
func attended(flow sayso.Plan, mode string) sayso.Plan {
	p := sayso.Preset{Modes: agentScopeModes, Plan: func(string) (sayso.Plan, error) { return flow, nil }}
	plan, _ := p.For(mode) // the mode is one of the list
	return plan
}

// TestAgentScopeTable compares the preset with the document's table for every
// combination of calls, rules, modes and directories.
func TestAgentScopeTable(t *testing.T) {
	var modes []string
	for _, m := range agentScopeModes {
		modes = append(modes, m.Name)
	}
	n, differ := compareTable(asIs, modes, 20)
	if n < 50_000 && len(differ) == 0 {
		t.Errorf("only %d combinations", n)
	}
	for _, d := range differ {
		t.Error(d)
	}
}

// TestAgentScopeTableFindsFaults: each stage of each mode is left out, and each
// pair of neighbours swapped; the comparison must see it.
func TestAgentScopeTableFindsFaults(t *testing.T) {
	// Faults that change no answer: nothing in the table is unreadable or not
	// offered.
	harmless := func(stages ...string) bool {
		return slices.Contains(stages, "input") || slices.Contains(stages, "tools")
	}
	for _, m := range agentScopeModes {
		flow := newAgentScope(AgentScopeConfig{}).flow(m.Name)
		for i := range flow {
			for _, swap := range []bool{false, true} {
				names := []string{flow[i].Name()}
				if swap && i+1 == len(flow) {
					continue
				}
				if swap {
					names = append(names, flow[i+1].Name())
				}
				if harmless(names...) {
					continue
				}
				fault := func(a *agentScope, mode string) sayso.Plan {
					flow := a.flow(mode)
					if swap {
						flow[i], flow[i+1] = flow[i+1], flow[i]
					} else {
						flow = slices.Delete(flow, i, i+1)
					}
					return attended(flow, mode)
				}
				if _, differ := compareTable(fault, []string{m.Name}, 1); len(differ) == 0 {
					t.Errorf("%s without or with swapped %q: nothing differs", m.Name, names)
				}
			}
		}
	}
}

// TestAgentScopeTableFindsWrongAsks: an ask of the tool that is worth something
// else than it is in a mode is seen, and so is a missing wrapper.
func TestAgentScopeTableFindsWrongAsks(t *testing.T) {
	takes := map[string]func(sayso.Verdict) sayso.Verdict{"holds": immuneHolds, "ignored": asksIgnored, "decide": asksDecide}
	right := map[string]string{AgentScopeDefault: "holds", AgentScopeAcceptEdits: "holds", AgentScopeBypass: "ignored", AgentScopeDontAsk: "decide"}
	for mode, name := range right {
		for other, take := range takes {
			if other == name {
				continue
			}
			_, differ := compareTable(func(a *agentScope, m string) sayso.Plan {
				flow := a.flow(m)
				at := slices.IndexFunc(flow, func(s sayso.Stage) bool { return s.Name() == "check_permissions" })
				flow[at] = a.checkStage(m, take)
				return attended(flow, m)
			}, []string{mode}, 1)
			if len(differ) == 0 {
				t.Errorf("%s with %s: nothing differs", mode, other)
			}
		}
	}
	_, differ := compareTable(func(a *agentScope, mode string) sayso.Plan { return a.flow(mode) }, []string{AgentScopeDontAsk}, 1)
	if len(differ) == 0 {
		t.Error("dont_ask without its wrapper: nothing differs")
	}
}
