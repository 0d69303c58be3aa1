package preset_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// A coworkInput is one combination that is compared.
type coworkInput struct {
	mode    string
	call    string // one of coworkCalls
	off     string // the capability that is switched off; empty: none
	denied  bool   // the tool is on the denylist
	script  string // what the policy script says; empty: there is none
	rules   []string
	denials sayso.Denies
}

// coworkCalls are calls of every kind. What each of them is, the second statement
// says itself.
var coworkCalls = map[string]sayso.Call{
	"read":     {Tool: "read_file", Input: []byte(`{"path":"src/a.txt"}`)},
	"grep":     {Tool: "grep", Input: []byte(`{"pattern":"x"}`)},
	"write":    {Tool: "write_file", Input: []byte(`{"path":"src/a.txt"}`)},
	"edit":     {Tool: "edit_file", Input: []byte(`{"path":"src/a.txt"}`)},
	"outside":  {Tool: "write_file", Input: []byte(`{"path":"/srv/a.txt"}`)},
	"delete":   {Tool: "delete_file", Input: []byte(`{"path":"src/a.txt"}`), Approval: "delete_file"},
	"shell":    {Tool: "run_command", Input: []byte(`{"command":"frob status"}`), Approval: "run_command"},
	"mkfs":     {Tool: "run_command", Input: []byte(`{"command":"mkfs /dev/sda"}`)},
	"fetch":    {Tool: "web_fetch", Input: []byte(`{"url":"https://a.com"}`), Approval: "network_access"},
	"external": {Tool: "gmail_action", Input: []byte(`{}`), Approval: "external_service"},
	"mcp":      {Tool: "mcp_fetch_issue", Input: []byte(`{}`), Server: &sayso.Server{Name: "GitHub "}},
	"mcp read": {Tool: "mcp_list_issues", Input: []byte(`{}`), Server: &sayso.Server{Name: "github", Trusted: true, ReadOnly: true}},
	"unknown":  {Tool: "frobnicate", Input: []byte(`{}`)},
	"bad":      {Tool: "read_file", Input: []byte(`{"path":3}`)},
}

// coworkDiffers says in what a decision is not the one of the document: the effect,
// the stage, the code, the source of the rule, the mode, where it can be kept.
func coworkDiffers(in coworkInput, d sayso.Decision) string {
	effect, stage := coworkSpoken(in)
	code := map[string]string{
		"task_restriction": "cowork.task_restriction", "guardrail": "cowork.guardrail.device", "workspace_capability": "cowork.workspace_capability." + in.off,
		"policy_script": "cowork.policy_script." + map[string]string{"deny": "deny", "ask": "ask", "broken": "error"}[in.script], "rule": "cowork.rule." + effect.String(),
		"mode": "cowork.mode." + in.mode, "denial_fallback": "cowork.denial_fallback", "input": "input",
	}[stage]
	if d.Effect != effect || d.Stage != stage || string(d.Code) != code {
		return fmt.Sprintf("%s by %s, %s, want %s by %s, %s", d.Effect, d.Stage, d.Code, effect, stage, code)
	}
	if (d.Rule != nil) != (stage == "rule") {
		return fmt.Sprintf("the rule is %v", d.Rule)
	}
	if d.Rule != nil {
		_, source, _ := coworkSpokenRule(in)
		if legacy := strings.HasPrefix(source, "legacy_"); legacy != strings.HasPrefix(string(d.Rule.Source.Layer), "legacy_") || !legacy && string(d.Rule.Source.Layer) != source {
			return fmt.Sprintf("the source is %s, want %s", d.Rule.Source.Layer, source)
		}
	}
	if stage == "mode" && d.Soft != (effect == sayso.Deny) || d.Soft && stage != "mode" {
		return fmt.Sprintf("soft is %v", d.Soft)
	}
	return ""
}

// coworkSpoken is the document once more, in plain ifs: the effect and the stage.
func coworkSpoken(in coworkInput) (sayso.Effect, string) {
	// 1. hard task restrictions and explicit task denylists
	if in.denied {
		return sayso.Deny, "task_restriction"
	}
	// 2. hard guardrails and dangerous-command blocks
	if in.call == "mkfs" {
		return sayso.Deny, "guardrail"
	}
	// 3. coarse workspace capability gates
	if in.off == coworkNeeds(in.call) && in.off != "" || in.off == "read" && in.call == "mcp read" {
		return sayso.Deny, "workspace_capability"
	}
	// 4. workspace policy script results: one that denies ends it, one that
	// asks or fails leaves only a denial standing
	if in.script == "deny" {
		return sayso.Deny, "policy_script"
	}
	effect, stage := coworkSpokenAfter(in)
	if (in.script == "ask" || in.script == "broken") && effect != sayso.Deny {
		return sayso.Ask, "policy_script"
	}
	return effect, stage
}

// coworkSpokenAfter is the document from the fifth stage on.
func coworkSpokenAfter(in coworkInput) (sayso.Effect, string) {
	// 5. explicit permission rules
	effect, _, found := coworkSpokenRule(in)
	if in.call == "bad" && (!found || effect != sayso.Deny) {
		return sayso.Deny, "input"
	}
	if found {
		return effect, "rule"
	}
	// 6. mode defaults
	if in.mode == "dont_ask" || in.mode == "bypass_permissions" {
		return sayso.Allow, "mode"
	}
	if in.call == "read" || in.call == "grep" || in.call == "mcp read" {
		return sayso.Allow, "mode"
	}
	if in.mode == "accept_edits" && (in.call == "write" || in.call == "edit") {
		return sayso.Allow, "mode"
	}
	if in.mode != "plan" {
		return sayso.Ask, "mode"
	}
	// 7. denial fallback escalation
	if in.denials.Consecutive >= 3 || in.denials.Total >= 20 {
		return sayso.Ask, "denial_fallback"
	}
	return sayso.Deny, "mode"
}

// coworkNeeds is the capability that a call needs.
func coworkNeeds(call string) string {
	if call == "read" || call == "grep" || call == "bad" {
		return "read"
	}
	if call == "write" || call == "edit" || call == "outside" || call == "unknown" {
		return "write"
	}
	if call == "delete" {
		return "delete"
	}
	if call == "shell" || call == "mkfs" {
		return "shell"
	}
	return "network"
}

// coworkSpokenRule finds the rule that decides: specificity, source, effect.
func coworkSpokenRule(in coworkInput) (effect sayso.Effect, from string, found bool) {
	best := []int{-1, 0, 0, 0}
	for _, text := range in.rules {
		source, rest, _ := strings.Cut(text, " ")
		word, scope, _ := strings.Cut(rest, " ")
		if word == "ask" && in.mode == "bypass_permissions" {
			continue
		}
		kind, length := coworkSpokenScope(in.call, word, scope)
		if kind < 0 {
			continue
		}
		sources := map[string]int{"session": 5, "workspace_db": 4, "workspace_manifest": 3, "profile": 2, "legacy_guardrails": 1, "legacy_builtin_settings": 1}
		effects := map[string]int{"deny": 3, "ask": 2, "allow": 1}
		rank := []int{kind, length, sources[source], effects[word]}
		if slices.Compare(rank, best) > 0 {
			best, from, found = rank, source, true
			effect = map[string]sayso.Effect{"deny": sayso.Deny, "ask": sayso.Ask, "allow": sayso.Allow}[word]
		}
	}
	return effect, from, found
}

// coworkSpokenScope says how specific a scope is for a call; less than 0: it is
// about others.
func coworkSpokenScope(call, effect, scope string) (kind, length int) {
	tool := coworkCalls[call].Tool
	if scope == "tool "+tool {
		return 1, len(tool)
	}
	server := call == "mcp" || call == "mcp read"
	if scope == "mcp_server github" && server {
		return 2, len("github")
	}
	if prefix, ok := strings.CutPrefix(scope, "command_prefix "); ok && call == "shell" && (prefix == "frob" || prefix == "frob status") {
		return 3, len(prefix)
	}
	inSrc := call == "read" || call == "write" || call == "edit" || call == "delete"
	if scope == "path /w" && (inSrc || call == "grep") {
		return 4, len("/w")
	}
	if scope == "path /w/src" && inSrc {
		return 4, len("/w/src")
	}
	if below := scope == "path /w/src" || scope == "path /w/sr"; below && call == "grep" && effect != "allow" {
		return 4, len(scope) - len("path ") // it searches the whole workspace
	}
	return -1, 0
}

// coworkScopeTexts are the scopes that rules are made of.
var coworkScopeTexts = []string{
	"tool read_file", "tool run_command", "tool mcp_fetch_issue", "tool edit_file", "mcp_server github", "mcp_server gitlab",
	"command_prefix frob", "command_prefix frob status", "command_prefix frob stat", "path /w", "path /w/src", "path /w/sr",
}

// coworkStages makes calls of every kind in every mode, with each of the stages
// speaking or silent.
func coworkStages(yield func(coworkInput) bool) {
	counts := []sayso.Denies{{}, {Consecutive: 2, Total: 19}, {Consecutive: 3, Total: 3}, {Consecutive: 0, Total: 20}}
	for call := range coworkCalls {
		tool := coworkCalls[call].Tool
		sets := [][]string{nil, {"session allow tool " + tool}, {"profile deny tool " + tool}, {"workspace_db ask tool " + tool}}
		for i := range len(coworkModeNames) * 6 * 5 * len(sets) * (len(counts) + 1) {
			pick := func(n int) int { k := i % n; i /= n; return k }
			in := coworkInput{
				call: call, mode: coworkModeNames[pick(5)], off: []string{"", "read", "write", "delete", "shell", "network"}[pick(6)],
				script: []string{"", "pass", "ask", "deny", "broken"}[pick(5)], rules: sets[pick(len(sets))],
			}
			if n := pick(len(counts) + 1); n < len(counts) {
				in.denials = counts[n]
			} else {
				in.denied = true
			}
			if !yield(in) {
				return
			}
		}
	}
}

var coworkModeNames = []string{"default", "plan", "accept_edits", "dont_ask", "bypass_permissions"}

// coworkRulePairs makes two rules of every source, effect and scope.
func coworkRulePairs(yield func(coworkInput) bool) {
	var rules []string
	for _, source := range preset.CoWorkSources() {
		for _, effect := range []string{"allow", "ask", "deny"} {
			for _, scope := range coworkScopeTexts {
				rules = append(rules, fmt.Sprintf("%s %s %s", source, effect, scope))
			}
		}
	}
	for i, a := range rules {
		for j, b := range rules {
			call := []string{"read", "edit", "shell", "mcp", "grep"}[(i+j)%5]
			if !yield(coworkInput{mode: coworkModeNames[(i*7+j)%5], call: call, rules: []string{a, b}}) {
				return
			}
		}
	}
}

// A coworkJudge answers inputs with the preset; plan may change what it does.
type coworkJudge struct {
	t      *testing.T
	facts  map[string]*sayso.Facts
	config func(*preset.CoWorkConfig) // nil: as it is
	plan   func(sayso.Plan) sayso.Plan
}

func (j *coworkJudge) decide(in coworkInput) sayso.Decision {
	plan := j.planFor(in)
	call := coworkCalls[in.call]
	call.Root, call.Home = "/w", "/home/u"
	if j.facts[in.call] == nil {
		a := sayso.Analyzer{}
		j.facts[in.call] = a.Analyze(call)
	}
	c := &sayso.Case{Call: call, Facts: j.facts[in.call], Session: sayso.Session{Mode: in.mode, Soft: map[string]sayso.Denies{call.Fingerprint(): in.denials}}}
	return plan.Evaluate(context.Background(), c)
}

func (j *coworkJudge) planFor(in coworkInput) sayso.Plan {
	cfg := preset.CoWorkConfig{}
	if in.off != "" {
		cfg.Off = []preset.Capability{preset.Capability(in.off)}
	}
	if in.denied {
		cfg.DeniedTools = []string{coworkCalls[in.call].Tool}
	}
	if in.script != "" {
		result := map[string]string{"pass": `{"decision":"pass"}`, "ask": `{"decision":"ask"}`, "deny": `{"decision":"deny"}`, "broken": "no"}[in.script]
		cfg.ScriptResult = &result
	}
	for _, text := range in.rules {
		source, rest, _ := strings.Cut(text, " ")
		rule, err := preset.ParseCoWorkRule(rest)
		if err != nil {
			j.t.Fatal(err)
		}
		rule.Source = sayso.Layer(source)
		cfg.Rules = append(cfg.Rules, rule)
	}
	if j.config != nil {
		j.config(&cfg)
	}
	plan, err := preset.CoWork(cfg).For(in.mode)
	if err != nil {
		j.t.Fatal(err)
	}
	if j.plan != nil {
		plan = j.plan(plan)
	}
	return plan
}

func newCoworkJudge(t *testing.T) *coworkJudge {
	return &coworkJudge{t: t, facts: map[string]*sayso.Facts{}}
}

// TestCoWorkTable compares the preset with the second statement of its document.
func TestCoWorkTable(t *testing.T) {
	j := newCoworkJudge(t)
	count, wrong := 0, 0
	for _, inputs := range []iter.Seq[coworkInput]{coworkStages, coworkRulePairs} {
		for in := range inputs {
			count++
			if differs := coworkDiffers(in, j.decide(in)); differs != "" {
				if wrong++; wrong < 20 {
					t.Errorf("%+v: %s", in, differs)
				}
			}
		}
	}
	if count < 70_000 {
		t.Errorf("only %d combinations", count)
	}
	t.Logf("%d combinations", count)
}

// TestCoWorkTableCatches: the comparison notices a stage that is missing or in the
// wrong place, and a configuration that is taken wrongly.
func TestCoWorkTableCatches(t *testing.T) {
	drop := func(i int) func(sayso.Plan) sayso.Plan {
		return func(p sayso.Plan) sayso.Plan {
			if i >= len(p) {
				return p
			}
			return slices.Delete(slices.Clone(p), i, i+1)
		}
	}
	swap := func(i, k int) func(sayso.Plan) sayso.Plan {
		return func(p sayso.Plan) sayso.Plan {
			p = slices.Clone(p)
			if k < len(p) {
				p[i], p[k] = p[k], p[i]
			}
			return p
		}
	}
	rules := func(change func(*preset.CoWorkRule)) func(*preset.CoWorkConfig) {
		return func(cfg *preset.CoWorkConfig) {
			for i := range cfg.Rules {
				change(&cfg.Rules[i])
			}
		}
	}
	faults := map[string]coworkJudge{
		"no task restriction": {plan: drop(0)}, "no guardrail": {plan: drop(1)}, "no capability": {plan: drop(2)}, "no rule or script": {plan: drop(3)},
		"no check of the input": {plan: drop(4)}, "no mode": {plan: drop(5)}, "no fallback": {plan: drop(6)},
		"guardrail before task": {plan: swap(0, 1)}, "capability before guardrail": {plan: swap(1, 2)}, "rules before capability": {plan: swap(2, 3)}, "mode before rules": {plan: swap(3, 5)}, "fallback before mode": {plan: swap(5, 6)},
		"rules nobody trusts": {config: func(cfg *preset.CoWorkConfig) { cfg.Rules, cfg.Untrusted = nil, cfg.Rules }},
		"one source":          {config: rules(func(r *preset.CoWorkRule) { r.Source = preset.FromProfile })},
		"legacy is not one rank": {config: rules(func(r *preset.CoWorkRule) {
			if r.Source == preset.FromLegacySettings {
				r.Source = preset.FromProfile
			}
		})},
		"a path is a tool": {config: rules(func(r *preset.CoWorkRule) {
			if r.Scope.Path == "/w/src" {
				r.Scope.Path = "/w"
			}
		})},
		"asks are denials": {config: rules(func(r *preset.CoWorkRule) { r.Effect = min(r.Effect, sayso.Allow) &^ sayso.Ask })},
	}
	for name, j := range faults {
		j.t, j.facts = t, map[string]*sayso.Facts{}
		caught := false
		inputs := coworkStages
		if j.config != nil {
			inputs = coworkRulePairs
		}
		for in := range inputs {
			if caught = coworkDiffers(in, j.decide(in)) != ""; caught {
				break
			}
		}
		if !caught {
			t.Errorf("%s: not noticed", name)
		}
	}
}
