package preset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// A kosmoCall is a call with what a reader of the document sees in it.
type kosmoCall struct {
	tool  string
	input map[string]string
	sees  kosmoSeen
}

// kosmoSeen are the questions that the document asks about a call.
type kosmoSeen struct {
	unreadable bool // there is no telling what it would do
	blockedAt  bool // a path of it matches blocked_paths
	outside    bool // its path is neither in the project nor below allowed_paths

	blockedCommand bool // its command matches bash.blocked_commands
	operators      bool // its command has a shell metacharacter
	pattern        bool // its command matches guardian_safe_commands
	risky          bool // it is git push or git reset --hard
	mutative       bool // it changes something
}

// A kosmoSituation is everything else that the decision depends on.
type kosmoSituation struct {
	mode      string
	agentMode sayso.AgentMode
	subagent  string
	granted   []string
	lists     kosmoLists
}

type kosmoLists struct{ safe, approval, denied []string }

// kosmoTable is the document as one reads it, in plain ifs: the effect, and the
// stage that gives it.
func kosmoTable(call *kosmoCall, at *kosmoSituation) (sayso.Effect, string) {
	sees, tool := &call.sees, call.tool
	isShell := tool == "bash" || tool == "shell_start" || tool == "shell_write"
	changes := isShell || tool == "file_write" || tool == "file_edit" || tool == "apply_patch" || tool == "execute_lua" || tool == "never_heard_of"

	// Interaction with Agent Modes; Subagent Permissions
	if changes {
		if at.agentMode == "plan" {
			return sayso.Deny, "agent_mode"
		}
		if at.agentMode == "ask" {
			if !isShell {
				return sayso.Deny, "agent_mode"
			}
			if sees.mutative || sees.operators || sees.unreadable {
				return sayso.Deny, "agent_mode"
			}
		}
		if at.subagent == "explore" || at.subagent == "plan" {
			return sayso.Deny, "agent_mode"
		}
	}
	if sees.unreadable {
		return sayso.Deny, "input"
	}

	// Chain Order, 1 to 3
	if sees.blockedAt {
		return sayso.Deny, "blocked_path"
	}
	if slices.Contains(at.lists.denied, tool) || isShell && sees.blockedCommand {
		return sayso.Deny, "deny_pattern"
	}
	if slices.Contains(at.granted, tool) {
		return sayso.Allow, "session_grant"
	}

	// 4: Prometheus is exempt
	if tool == "file_write" || tool == "file_edit" || tool == "file_read" || tool == "glob" || tool == "grep" {
		if sees.outside && at.mode != "prometheus" {
			return sayso.Ask, "project_boundary"
		}
	}

	// 5 and 6
	if slices.Contains(at.lists.safe, tool) {
		return sayso.Allow, "rule"
	}
	if !slices.Contains(at.lists.approval, tool) {
		return sayso.Deny, "default"
	}
	if at.mode == "prometheus" {
		return sayso.Allow, "mode_override"
	}
	if at.mode == "argus" {
		return sayso.Ask, "mode_override"
	}
	return kosmoGuardianTable(tool, isShell, sees), "mode_override"
}

// kosmoGuardianTable is Guardian Heuristics.
func kosmoGuardianTable(tool string, isShell bool, sees *kosmoSeen) sayso.Effect {
	if isShell {
		if sees.operators {
			return sayso.Ask
		}
		if sees.risky {
			return sayso.Ask
		}
		if sees.pattern {
			return sayso.Allow
		}
		return sayso.Ask
	}
	switch tool {
	case "file_read", "glob", "grep", "task_create", "task_update", "task_list", "task_get", "shell_read", "shell_kill",
		"memory_save", "memory_search", "lua_list_docs", "lua_search_docs", "lua_read_doc", "execute_lua":
		return sayso.Allow
	case "file_write", "file_edit":
		return sayso.Allow // the boundary has asked about what is outside
	}
	return sayso.Ask
}

// kosmoCalls are calls of every tool with every kind of argument.
func kosmoCalls() []kosmoCall {
	var calls []kosmoCall
	paths := []struct {
		name string
		sees kosmoSeen
	}{
		{"src/a.php", kosmoSeen{}},
		{"/work/proj/src/a.php", kosmoSeen{}},
		{"/etc/hosts", kosmoSeen{outside: true}},
		{"../other/x", kosmoSeen{outside: true}},
		{"out/x", kosmoSeen{outside: true}},
		{"/tmp/x", kosmoSeen{}},
		{"~/.kosmokrator/x", kosmoSeen{}},
		{"certs/a.pem", kosmoSeen{blockedAt: true}},
		{"/etc/ssl/a.pem", kosmoSeen{blockedAt: true, outside: true}},
		{"settings", kosmoSeen{blockedAt: true}},
	}
	for _, p := range paths {
		for _, tool := range []string{"file_read", "file_write", "file_edit", "glob", "grep", "apply_patch"} {
			input := map[string]string{"path": p.name}
			switch tool {
			case "glob", "grep":
				input["pattern"] = "x"
			case "apply_patch":
				input = map[string]string{"patch": "*** Begin Patch\n*** Add File: " + p.name + "\n+x\n*** End Patch"}
			}
			calls = append(calls, kosmoCall{tool, input, p.sees})
		}
	}
	for _, c := range []struct {
		line string
		sees kosmoSeen
	}{
		{"git status", kosmoSeen{pattern: true}},
		{"git push origin main", kosmoSeen{pattern: true, risky: true, mutative: true}},
		{"git reset --hard HEAD", kosmoSeen{pattern: true, risky: true, mutative: true}},
		{"npm install left-pad", kosmoSeen{pattern: true, mutative: true}},
		{"git log | head", kosmoSeen{pattern: true, operators: true}},
		{"stat x", kosmoSeen{}},
		{"docker ps", kosmoSeen{mutative: true}},
		{"mv a b", kosmoSeen{mutative: true}},
		{"rm -rf /", kosmoSeen{blockedCommand: true, mutative: true}},
		{"git status && rm -r -f /", kosmoSeen{pattern: true, operators: true, blockedCommand: true, mutative: true}},
	} {
		calls = append(calls, kosmoCall{"bash", map[string]string{"command": c.line}, c.sees}, kosmoCall{"shell_start", map[string]string{"command": c.line}, c.sees},
			kosmoCall{"shell_write", map[string]string{"input": c.line}, c.sees})
	}
	for _, tool := range []string{
		"task_create", "task_update", "task_list", "task_get", "shell_read", "shell_kill", "memory_save", "memory_search",
		"ask_user", "ask_choice", "subagent", "lua_list_docs", "lua_search_docs", "lua_read_doc", "never_heard_of",
	} {
		calls = append(calls, kosmoCall{tool, nil, kosmoSeen{}})
	}
	return append(calls,
		kosmoCall{"execute_lua", map[string]string{"code": "return 1"}, kosmoSeen{}},
		kosmoCall{"file_read", nil, kosmoSeen{unreadable: true}},
		kosmoCall{"file_write", nil, kosmoSeen{unreadable: true}},
		kosmoCall{"bash", nil, kosmoSeen{unreadable: true}})
}

// kosmoDisk has a link that leaves the project and one to a blocked file.
type kosmoDisk struct{}

func (kosmoDisk) Lstat(name string) (shell.Entry, error) {
	switch name {
	case "/work/proj/out":
		return shell.Entry{Link: "/srv/data"}, nil
	case "/work/proj/settings":
		return shell.Entry{Link: "deploy/prod.env"}, nil
	case "/work", "/work/proj", "/work/proj/deploy", "/srv", "/srv/data":
		return shell.Entry{Dir: true}, nil
	}
	return shell.Entry{}, errors.New("not there")
}

func (kosmoDisk) ReadFile(string, int) ([]byte, error) { return nil, errors.New("not there") }

// kosmoCase is a call that was analysed.
func (k *kosmoCall) kosmoCase() *sayso.Case {
	call := sayso.Call{Tool: k.tool, Root: "/work/proj", Home: "/home/u"}
	call.Input, _ = json.Marshal(k.input)
	a := sayso.Analyzer{Machine: kosmoDisk{}}
	return &sayso.Case{Call: call, Facts: a.Analyze(call)}
}

// kosmoCompare decides every call in every situation by plans and by the table,
// and returns how many were compared and the first difference. Change plants a
// fault; nil: none.
func kosmoCompare(t *testing.T, change func(mode string, p sayso.Plan) sayso.Plan) (int, string) {
	t.Helper()
	d := preset.KosmoKratorDefaults()
	calls := kosmoCalls()
	cases := make([]*sayso.Case, len(calls))
	for i := range calls {
		cases[i] = calls[i].kosmoCase()
	}
	n := 0
	for _, lists := range []kosmoLists{
		{d.SafeTools, d.ApprovalRequired, nil},
		{d.SafeTools, d.ApprovalRequired, []string{"bash", "file_read", "file_write", "task_get"}},
		{[]string{}, append(slices.Clone(d.SafeTools), d.ApprovalRequired...), nil},
		{d.ApprovalRequired, d.SafeTools, nil},
		{d.SafeTools, []string{"bash", "glob", "never_heard_of"}, nil},
	} {
		cfg := preset.KosmoKratorConfig{SafeTools: lists.safe, ApprovalRequired: lists.approval, DeniedTools: lists.denied, At: shell.Place{Dir: "/work/proj", Home: "/home/u"}}
		for _, m := range preset.KosmoKrator(cfg).Modes {
			plan, err := preset.KosmoKrator(cfg).For(m.Name)
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				plan = change(m.Name, slices.Clone(plan))
			}
			for i := range calls {
				for _, at := range kosmoSituations(m.Name, calls[i].tool, lists) {
					n++
					if differ := kosmoDiffer(plan, cases[i], &calls[i], &at); differ != "" {
						return n, differ
					}
				}
			}
		}
	}
	return n, ""
}

func kosmoSituations(mode, tool string, lists kosmoLists) []kosmoSituation {
	var out []kosmoSituation
	for _, agentMode := range []sayso.AgentMode{"", sayso.EditMode, sayso.PlanMode, sayso.AskMode} {
		for _, subagent := range []string{"", "explore", "plan", "general"} {
			for _, granted := range [][]string{nil, {tool}, {"another", "bash"}} {
				out = append(out, kosmoSituation{mode, agentMode, subagent, granted, lists})
			}
		}
	}
	return out
}

func kosmoDiffer(plan sayso.Plan, c *sayso.Case, call *kosmoCall, at *kosmoSituation) string {
	own := *c
	own.Call.Subagent, own.Session.AgentMode = at.subagent, at.agentMode
	var grants []sayso.Grant
	for _, tool := range at.granted {
		grants = append(grants, sayso.Grant{Rule: tool, Scope: sayso.ForSession})
	}
	own.Session.Grants = sayso.PlainGrants(grants)
	d := plan.Evaluate(context.Background(), &own)
	effect, stage := kosmoTable(call, at)
	code, says := kosmoTold(call, at, effect, stage)
	if d.Effect == effect && d.Stage == stage && string(d.Code) == code && strings.Contains(d.Reason, says) {
		return ""
	}
	return fmt.Sprintf("%s %v: %s by %q, %s (%s), the table has %s by %q, %s (%s): %+v", call.tool, call.input, d.Effect, d.Stage, d.Code, d.Reason, effect, stage, code, says, at)
}

// kosmoTold is the code of a decision, and what its reason says.
func kosmoTold(call *kosmoCall, at *kosmoSituation, effect sayso.Effect, stage string) (code, says string) {
	switch stage {
	case "agent_mode":
		if at.agentMode == "plan" {
			return "kosmokrator.agent_mode", "Plan mode"
		}
		if at.agentMode == "ask" && (call.tool != "bash" && call.tool != "shell_start" && call.tool != "shell_write" || call.sees.mutative || call.sees.operators || call.sees.unreadable) {
			return "kosmokrator.agent_mode", "Ask mode"
		}
		return "kosmokrator.subagent", at.subagent
	case "input":
		return "input", ""
	case "blocked_path":
		return "kosmokrator.blocked_path", "matches blocked pattern '*."
	case "deny_pattern":
		if slices.Contains(at.lists.denied, call.tool) {
			return "kosmokrator.denied_tool", "disabled in project configuration (denied_tools)"
		}
		return "kosmokrator.blocked_command", "Command matches blocked pattern 'rm -rf /'"
	case "session_grant":
		return "kosmokrator.grant", "approved for this session"
	case "project_boundary":
		return "kosmokrator.boundary", "outside the project root"
	case "rule":
		return "kosmokrator.rule.allow", "safe_tools"
	case "default":
		return "kosmokrator.default", "not explicitly allowed"
	}
	if at.mode == "guardian" && effect == sayso.Allow {
		return "kosmokrator.guardian.safe", ""
	}
	if at.mode == "guardian" {
		return "kosmokrator.guardian.risky", map[bool]string{true: "metacharacter"}[call.sees.operators]
	}
	return "kosmokrator." + at.mode, ""
}

// TestKosmoKratorTable compares the preset with a second statement of its
// document over every combination.
func TestKosmoKratorTable(t *testing.T) {
	n, differ := kosmoCompare(t, nil)
	if differ != "" {
		t.Error(differ)
	}
	if n < 50_000 {
		t.Errorf("only %d combinations", n)
	}
}

// TestKosmoKratorTableFindsFaults: the comparison notices when a check is missing,
// when two of them change places, and when a mode is taken for another.
func TestKosmoKratorTableFindsFaults(t *testing.T) {
	plan, err := preset.KosmoKrator(preset.KosmoKratorConfig{}).For("")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range plan {
		_, differ := kosmoCompare(t, func(_ string, p sayso.Plan) sayso.Plan { return slices.Delete(p, i, i+1) })
		if differ == "" {
			t.Errorf("nobody misses %s", s.Name())
		}
		if i == 0 || s.Name() == "blocked_path" { // a call that cannot be read has no path that could be blocked
			continue
		}
		_, differ = kosmoCompare(t, func(_ string, p sayso.Plan) sayso.Plan {
			p[i-1], p[i] = p[i], p[i-1]
			return p
		})
		if differ == "" {
			t.Errorf("%s may stand before %s", s.Name(), plan[i-1].Name())
		}
	}
	for _, from := range []string{preset.Guardian, preset.Argus, preset.Prometheus} {
		for _, to := range []string{preset.Guardian, preset.Argus, preset.Prometheus} {
			other, err := preset.KosmoKrator(preset.KosmoKratorConfig{}).For(to)
			if err != nil {
				t.Fatal(err)
			}
			for i := range other {
				if from == to || other[i].Name() != "project_boundary" && other[i].Name() != "mode_override" || other[i].Name() == "project_boundary" && from != preset.Prometheus && to != preset.Prometheus {
					continue
				}
				_, differ := kosmoCompare(t, func(mode string, p sayso.Plan) sayso.Plan {
					if mode == from {
						p[i] = other[i]
					}
					return p
				})
				if differ == "" {
					t.Errorf("%s in %s may be that of %s", other[i].Name(), from, to)
				}
			}
		}
	}
}
