package preset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// An agentScopeRule is a rule, compiled.
type agentScopeRule struct {
	rule    sayso.Rule // as decisions show it
	tool    string
	content agentScopeContent
}

// An agentScopeContent says which calls of a tool a rule means.
type agentScopeContent interface {
	// any reports whether the call or a part of it is meant: enough to deny
	// or ask.
	any(c *sayso.Case) bool
	// covers reports whether all of a part is meant. Rules that allow must
	// together cover every part.
	covers(c *sayso.Case, p *sayso.Part) bool
}

// An AgentScopeError says what is wrong with a configuration.
type AgentScopeError struct {
	Key     string // as in a PermissionContext: deny_rules.Bash[0].behavior
	Problem string
}

func (e *AgentScopeError) Error() string { return e.Key + ": " + e.Problem }

// below returns the error for a key that stands below another.
func (e *AgentScopeError) below(key string) *AgentScopeError {
	return &AgentScopeError{key + "." + e.Key, e.Problem}
}

func newAgentScope(cfg AgentScopeConfig) *agentScope {
	a := &agentScope{mode: cmp.Or(cfg.Mode, AgentScopeDefault), tools: cfg.Tools}
	var errs []error
	if cfg.Mode != "" && !slices.ContainsFunc(agentScopeModes, func(m sayso.Mode) bool { return m.Name == cfg.Mode }) {
		errs = append(errs, &AgentScopeError{"mode", fmt.Sprintf("want default, accept_edits, explore, bypass or dont_ask, not %q", cfg.Mode)})
	}
	for _, list := range []struct {
		key    string
		effect sayso.Effect
		rules  map[string][]AgentScopeRule
	}{{"allow_rules", sayso.Allow, cfg.AllowRules}, {"ask_rules", sayso.Ask, cfg.AskRules}, {"deny_rules", sayso.Deny, cfg.DenyRules}} {
		for _, tool := range slices.Sorted(maps.Keys(list.rules)) {
			for i, r := range list.rules[tool] {
				compiled, err := a.listed(tool, r, list.effect)
				if err != nil {
					errs = append(errs, err.below(fmt.Sprintf("%s.%s[%d]", list.key, tool, i)))
					continue
				}
				a.rules[list.effect] = append(a.rules[list.effect], compiled)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cfg.WorkingDirectories)) {
		dir := cfg.WorkingDirectories[key].Path
		if dir == "" {
			dir = key
		}
		if dir == "" || path.Clean(dir) != path.Clean(key) {
			errs = append(errs, &AgentScopeError{"working_directories." + key, fmt.Sprintf("want the path that it is listed under, not %q", dir)})
		}
		a.dirs = append(a.dirs, dir)
	}
	a.err = errors.Join(errs...)
	return a
}

// listed compiles a rule of a list. Its fields must say the same as where it
// stands: a rule that means something else than it seems to is a mistake.
func (a *agentScope) listed(tool string, r AgentScopeRule, e sayso.Effect) (agentScopeRule, *AgentScopeError) {
	if r.ToolName != "" && r.ToolName != tool {
		return agentScopeRule{}, &AgentScopeError{"tool_name", fmt.Sprintf("want the tool that it is listed under, %s, not %q", tool, r.ToolName)}
	}
	if r.Behavior != "" && !strings.EqualFold(r.Behavior, e.String()) {
		return agentScopeRule{}, &AgentScopeError{"behavior", fmt.Sprintf("want %s in this list, not %q", strings.ToUpper(e.String()), r.Behavior)}
	}
	return a.compile(tool, r.RuleContent, e, sayso.Source{Layer: sayso.Layer(r.Source)})
}

func (a *agentScope) compile(tool, content string, e sayso.Effect, from sayso.Source) (agentScopeRule, *AgentScopeError) {
	switch {
	case tool == "" || tool == "*":
		return agentScopeRule{}, &AgentScopeError{"tool_name", fmt.Sprintf("want the name of a tool, such as Bash, not %q", tool)}
	case strings.TrimSpace(content) == "":
		return agentScopeRule{}, &AgentScopeError{"rule_content", "it is empty: write * for every call of the tool"}
	}
	r := agentScopeRule{tool: tool, rule: sayso.Rule{Effect: e, Text: tool + "(" + content + ")", Source: from}}
	var err error
	switch r.content, err = a.content(tool, content); {
	case err != nil:
		return r, &AgentScopeError{"rule_content", err.Error()}
	case content == AgentScopeEvery:
		r.rule.Text = tool
	}
	return r, nil
}

// content compiles the content of a rule: what it means depends on the tool.
func (a *agentScope) content(tool, text string) (agentScopeContent, error) {
	if text == AgentScopeEvery {
		return everyCall{}, nil
	}
	class := classOfTool(tool)
	if own := a.own(tool); own != nil {
		if own.Matches != nil {
			return ownContent{text, own.Matches}, nil
		}
		class = own.Class
	}
	switch builtInByClass[class] {
	case toolBash:
		return newBashContent(text)
	case toolRead, toolWrite, toolEdit:
		return newFileContent(text)
	}
	return newJSONContent(text)
}

// classOfTool returns the class of a tool that sayso knows by name.
func classOfTool(name string) sayso.Class {
	a := sayso.Analyzer{}
	return a.Analyze(sayso.Call{Tool: name, Root: "/"}).Class
}

// isFor reports whether the rule is for the tool that is called: by its own
// name, or by that of the built-in tool that it is like.
func (r *agentScopeRule) isFor(c *sayso.Case) bool {
	return r.tool == c.Tool() || r.tool == builtInOf(c)
}

// rulesStage decides by the rules that deny or ask.
func (a *agentScope) rulesStage(name string, e sayso.Effect) sayso.Stage {
	code := map[sayso.Effect]sayso.Code{sayso.Deny: sayso.CodeDenyRule, sayso.Ask: sayso.CodeAskRule}[e]
	return sayso.Func(name, func(c *sayso.Case) sayso.Verdict {
		for i := range a.rules[e] {
			if r := &a.rules[e][i]; r.isFor(c) && r.content.any(c) {
				return sayso.Decide(e, code, r.reason()).By(&r.rule)
			}
		}
		return sayso.Pass()
	})
}

// allowStage decides by the rules that allow, configured and accepted ones:
// together they must cover every part of the call.
func (a *agentScope) allowStage() sayso.Stage {
	return sayso.Func("allow rules", func(c *sayso.Case) sayso.Verdict {
		rules := append(slices.Clip(a.rules[sayso.Allow]), a.accepted(c)...)
		rules = slices.DeleteFunc(slices.Clone(rules), func(r agentScopeRule) bool { return !r.isFor(c) })
		var first *agentScopeRule
		for i := range c.Facts.Parts {
			r := covering(rules, c, &c.Facts.Parts[i])
			if r == nil {
				return sayso.Pass()
			}
			if first == nil {
				first = r
			}
		}
		if first == nil {
			return sayso.Pass()
		}
		return sayso.Decide(sayso.Allow, sayso.CodeAllowRule, first.reason()).By(&first.rule)
	})
}

func covering(rules []agentScopeRule, c *sayso.Case, p *sayso.Part) *agentScopeRule {
	for i := range rules {
		if rules[i].content.covers(c, p) {
			return &rules[i]
		}
	}
	return nil
}

// reason says which rule decided.
func (r *agentScopeRule) reason() string {
	text := fmt.Sprintf("the %s rule %s", r.rule.Effect, r.rule.Text)
	if from := r.rule.Source.String(); from != "" {
		text += " of " + from
	}
	return text + " matches"
}

// everyCall means every call of the tool.
type everyCall struct{}

func (everyCall) any(*sayso.Case) bool                 { return true }
func (everyCall) covers(*sayso.Case, *sayso.Part) bool { return true }
