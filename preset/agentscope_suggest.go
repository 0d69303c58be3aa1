package preset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// grant compiles an accepted rule, which is written as decisions show it:
// Bash(npm run:*), Write(src/**), or a tool alone.
func (a *agentScope) grant(text string) (agentScopeRule, error) {
	rule, err := parseAgentScopeRule(text)
	if err != nil {
		return agentScopeRule{}, err
	}
	r, wrong := a.compile(rule.ToolName, rule.RuleContent, sayso.Allow, sayso.Source{Layer: sayso.SessionOf})
	if wrong != nil {
		return r, fmt.Errorf("rule %q: %w", text, wrong)
	}
	return r, nil
}

func parseAgentScopeRule(text string) (AgentScopeRule, error) {
	tool, content, ok := strings.Cut(text, "(")
	if !ok {
		content = AgentScopeEvery
	} else if content, ok = strings.CutSuffix(content, ")"); !ok {
		return AgentScopeRule{}, fmt.Errorf("rule %q: the closing parenthesis is missing", text)
	}
	return AgentScopeRule{ToolName: strings.TrimSpace(tool), RuleContent: content, Behavior: "ALLOW", Source: string(sayso.SessionOf)}, nil
}

// An AgentScopeDecision is AgentScope's PermissionDecision.
type AgentScopeDecision struct {
	Behavior       string           `json:"behavior"`        // ALLOW, ASK or DENY
	Message        string           `json:"message"`         // what the call would do
	DecisionReason string           `json:"decision_reason"` // why it is allowed, asked about or denied
	SuggestedRules []AgentScopeRule `json:"suggested_rules"` // that would allow calls like it
	BypassImmune   bool             `json:"bypass_immune"`   // no allow rule answers it
}

// AgentScopeView writes a decision as AgentScope does.
func AgentScopeView(d sayso.Decision) AgentScopeDecision {
	v := AgentScopeDecision{Behavior: strings.ToUpper(d.Effect.String()), Message: d.Explanation, DecisionReason: d.Reason, BypassImmune: d.Immune}
	for _, s := range d.Suggestions {
		if r, err := parseAgentScopeRule(s.Rule); err == nil {
			v.SuggestedRules = append(v.SuggestedRules, r)
		}
	}
	return v
}

// accepted are the rules that people have accepted and that still count.
func (a *agentScope) accepted(c *sayso.Case) []agentScopeRule {
	var out []agentScopeRule
	for _, g := range c.Session.Grants.List() {
		if !g.Counts(&c.Session) {
			continue
		}
		if r, err := a.grant(g.Rule); err == nil { // one that is not understood allows nothing
			out = append(out, r)
		}
	}
	return out
}

// suggest makes rules of the call that would have allowed it, the narrowest
// first. None is offered that would not: a safety ask and an ask rule hold
// whatever is accepted.
func (a *agentScope) suggest(c *sayso.Case) []sayso.Suggestion {
	var out []sayso.Suggestion
	for _, s := range a.candidates(c) {
		if a.wouldAllow(c, s.Rule) && !slices.ContainsFunc(out, func(o sayso.Suggestion) bool { return o.Rule == s.Rule }) {
			s.Keep = []sayso.Scope{sayso.ForSession}
			out = append(out, s)
		}
	}
	return out
}

// wouldAllow decides the call again as if the rule had been accepted.
func (a *agentScope) wouldAllow(c *sayso.Case, rule string) bool {
	mode := c.Session.Mode
	if mode == "" {
		mode = a.mode
	}
	plan, err := sayso.Preset{Modes: agentScopeModes, Plan: a.plan}.For(mode)
	if err != nil {
		return false
	}
	again := sayso.Case{Call: c.Call, Facts: c.Facts, Session: c.Session}
	again.Session.Grants = sayso.PlainGrants(append(slices.Clone(c.Session.Grants.List()), sayso.Grant{Rule: rule, Scope: sayso.ForSession}))
	return plan.Evaluate(context.Background(), &again).Effect == sayso.Allow
}

// candidates are the rules that can be made of a call, by what its tool is.
func (a *agentScope) candidates(c *sayso.Case) []sayso.Suggestion {
	tool := c.Tool()
	rule := func(content, allows string) sayso.Suggestion {
		return sayso.Suggestion{Rule: tool + "(" + content + ")", Allows: allows}
	}
	if own := a.own(tool); own != nil && own.Suggest != nil {
		var out []sayso.Suggestion
		for _, text := range own.Suggest(c) {
			out = append(out, sayso.Suggestion{Rule: text, Allows: "calls of " + tool + " that match it"})
		}
		return out
	}
	switch builtInOf(c) {
	case toolBash:
		return bashCandidates(c, rule)
	case toolRead, toolWrite, toolEdit:
		return fileCandidates(c, rule)
	}
	var input bytes.Buffer
	if json.Compact(&input, c.Call.Input) != nil {
		input.WriteString("{}")
	}
	return []sayso.Suggestion{rule(input.String(), "calls of "+tool+" with exactly this input")}
}

// bashCandidates are the command line itself and, if it is one command, the
// words that it starts with.
func bashCandidates(c *sayso.Case, rule func(content, allows string) sayso.Suggestion) []sayso.Suggestion {
	var out []sayso.Suggestion
	if line := strings.TrimSpace(lineOf(c)); line != AgentScopeEvery && !strings.HasSuffix(line, ":*") {
		out = append(out, rule(line, "exactly this command"))
	}
	var only *shell.Command
	for i := range c.Facts.Parts {
		cmd := c.Facts.Parts[i].Command
		if cmd == nil || cmd.Via >= 0 {
			continue
		}
		if only != nil {
			return out
		}
		only = cmd
	}
	if only == nil || !only.Suggest || len(only.Prefix) == 0 {
		return out
	}
	words := only.Prefix
	for _, n := range []int{len(words), 2} { // npm run build, then npm run
		if n <= len(words) && n > 0 && !strings.ContainsAny(strings.Join(words[:n], ""), " \t\n") {
			prefix := strings.Join(words[:n], " ")
			out = append(out, rule(prefix+":*", "every command that starts with "+shell.Shown(prefix)))
		}
	}
	return out
}

// fileCandidates are the file and its folder.
func fileCandidates(c *sayso.Case, rule func(content, allows string) sayso.Suggestion) []sayso.Suggestion {
	if len(c.Facts.Parts) != 1 || len(c.Facts.Parts[0].Paths) == 0 {
		return nil
	}
	abs := c.Facts.Parts[0].Paths[0].Abs
	name := abs
	for _, root := range c.Facts.Place.Workspace {
		if rel := relativeTo(abs, root); len(rel) > 0 {
			name = rel[0]
			break
		}
	}
	out := []sayso.Suggestion{rule(glob.Escape(name), "exactly this file")}
	if dir := path.Dir(name); dir != "." && dir != "/" {
		out = append(out, rule(glob.Escape(dir)+"/**", "every file under "+shell.Shown(dir)))
	}
	return out
}

// agentScopeChoices offers yes, yes with each of the suggested rules, and no.
func agentScopeChoices(_ *sayso.Case, d *sayso.Decision) []sayso.Choice {
	list := []sayso.Choice{{Key: "y", Label: "allow", Yes: true, Scope: sayso.Once}}
	for i, s := range d.Suggestions {
		list = append(list, sayso.Choice{Key: strconv.Itoa(i + 1), Label: "allow, and accept the rule " + s.Rule, Yes: true, Scope: sayso.ForSession, Rule: s.Rule})
	}
	return append(list, sayso.Choice{Key: "n", Label: "deny"})
}
