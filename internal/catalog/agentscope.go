package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

func agentscope() System {
	return System{
		Name: "agentscope",
		Forms: map[Kind]Form{
			Command:  {Tool: "Bash", Key: "command"},
			Reading:  {Tool: "Read", Key: "file_path"},
			Writing:  {Tool: "Write", Key: "file_path"},
			Deleting: {Tool: "delete_file", Key: "path"}, // not one of its tools
			Fetching: {Tool: "fetch", Key: "url"},        // neither
		},
		FromJSON: func(raw json.RawMessage, _ Place) (Setup, error) {
			cfg, err := readAgentScope(raw)
			if err != nil {
				return Setup{}, err
			}
			return Setup{Preset: preset.AgentScope(cfg), Mode: cfg.Mode, Tools: cfg.Tools}, nil
		},
		Load: func(_ config.Places, p config.Policy) (Setup, error) {
			return Setup{Preset: tighten(preset.AgentScope(preset.AgentScopeConfig{}), p), Mode: agentscopeMode(p.Mode)}, nil
		},
		Grant: agentscopeGrant,
	}
}

// agentscopeModes are the modes that mean what a mode of a policy file means.
var agentscopeModes = map[string]string{
	preset.Default: preset.AgentScopeDefault, preset.Careful: preset.AgentScopeDefault, preset.Plan: preset.AgentScopeExplore,
	preset.DontAsk: preset.AgentScopeDontAsk, preset.Bypass: preset.AgentScopeBypass,
}

// agentscopeMode translates the mode of a policy, or several that count together.
func agentscopeMode(mode string) string {
	if mode == "" {
		return ""
	}
	names := strings.Split(mode, "+")
	for i, name := range names {
		if own, ok := agentscopeModes[name]; ok {
			names[i] = own
		}
	}
	return strings.Join(names, "+")
}

// readAgentScope reads a PermissionContext. Rules are either by tool, as the
// document has them, or in the flat lists allow, ask and deny.
func readAgentScope(raw json.RawMessage) (preset.AgentScopeConfig, error) {
	var cfg preset.AgentScopeConfig
	if len(raw) > 0 {
		var err error
		if raw, err = nest(raw); err != nil {
			return cfg, err
		}
	}
	var errs []error
	f := value{"", raw, &errs}.fields("mode", "allow_rules", "ask_rules", "deny_rules", "working_directories", "allow", "ask", "deny", "tool_check")
	cfg.Mode = strings.ToLower(f["mode"].text())
	cfg.AllowRules = agentscopeRules(f["allow_rules"], f["allow"])
	cfg.AskRules = agentscopeRules(f["ask_rules"], f["ask"])
	cfg.DenyRules = agentscopeRules(f["deny_rules"], f["deny"])
	cfg.WorkingDirectories = agentscopeDirs(f["working_directories"])
	if check := f["tool_check"]; !check.null() {
		cfg.Tools = append(cfg.Tools, agentscopeTool(check))
	}
	if err := errors.Join(errs...); err != nil {
		return cfg, err
	}
	if err := cfg.Check(); err != nil {
		return cfg, keyErrors(err)
	}
	return cfg, nil
}

// keyErrors gives the errors of the preset the keys of the configuration.
func keyErrors(err error) error {
	var out []error
	for _, e := range unjoin(err) {
		var wrong *preset.AgentScopeError
		if errors.As(e, &wrong) {
			e = &KeyError{wrong.Key, wrong.Problem, ""}
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

// unjoin returns the errors that were joined.
func unjoin(err error) []error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()
	}
	return []error{err}
}

// agentscopeRules reads the rules of one behaviour, from both forms.
func agentscopeRules(byTool, flat value) map[string][]preset.AgentScopeRule {
	out := map[string][]preset.AgentScopeRule{}
	tools, lists := byTool.table()
	for _, tool := range tools {
		for _, rule := range lists[tool].list() {
			out[tool] = append(out[tool], agentscopeRule(rule))
		}
	}
	for _, rule := range flat.list() {
		f := rule.fields("tool", "pattern", "source")
		tool := f["tool"].text()
		if tool == "" {
			f["tool"].wrong("want the name of a tool", "")
			continue
		}
		out[tool] = append(out[tool], preset.AgentScopeRule{RuleContent: agentscopeContent(f["pattern"]), Source: f["source"].text()})
	}
	return out
}

// agentscopeRule reads a PermissionRule, or its content alone.
func agentscopeRule(v value) preset.AgentScopeRule {
	if v.first() == '"' {
		return preset.AgentScopeRule{RuleContent: agentscopeContent(v)}
	}
	f := v.fields("tool_name", "rule_content", "behavior", "source")
	if v.first() == '{' && f["rule_content"].raw == nil {
		f["rule_content"].wrong("it is missing", "write null for every call of the tool")
	}
	return preset.AgentScopeRule{
		ToolName: f["tool_name"].text(), RuleContent: agentscopeContent(f["rule_content"]), Behavior: f["behavior"].text(), Source: f["source"].text(),
	}
}

// agentscopeContent reads the content of a rule: text, or null for every call.
func agentscopeContent(v value) string {
	if v.null() {
		return preset.AgentScopeEvery
	}
	return v.text()
}

// agentscopeDirs reads working directories: {path, source} by path, or paths.
func agentscopeDirs(v value) map[string]preset.AgentScopeDirectory {
	out := map[string]preset.AgentScopeDirectory{}
	if v.first() == '[' {
		for _, dir := range v.list() {
			path := dir.text()
			if path == "" {
				dir.wrong("want a path", "")
				continue
			}
			out[path] = preset.AgentScopeDirectory{Path: path}
		}
		return out
	}
	keys, dirs := v.table()
	for _, key := range keys {
		f := dirs[key].fields("path", "source")
		out[key] = preset.AgentScopeDirectory{Path: f["path"].text(), Source: f["source"].text()}
	}
	return out
}

// agentscopeTool makes the tool Custom, which says the same about every call.
func agentscopeTool(v value) sayso.Tool {
	f := v.fields("behavior", "bypass_immune", "read_only", "message")
	behavior, why, readOnly := strings.ToLower(f["behavior"].text()), f["message"].text(), f["read_only"].flag()
	if why == "" {
		why = "the tool says " + behavior
	}
	effects := map[string]sayso.Effect{"allow": sayso.Allow, "ask": sayso.Ask, "deny": sayso.Deny}
	effect, speaks := effects[behavior]
	verdict := sayso.Pass()
	switch {
	case speaks && f["bypass_immune"].flag():
		verdict = sayso.Decide(effect, "tool.custom", why).Immune()
	case speaks:
		verdict = sayso.Decide(effect, "tool.custom", why)
	case behavior != "passthrough":
		f["behavior"].wrong(fmt.Sprintf("want allow, ask, deny or passthrough, not %q", behavior), "")
	}
	return sayso.Tool{
		Name:     "Custom",
		ReadOnly: func(json.RawMessage) bool { return readOnly },
		Check:    func(*sayso.Case) sayso.Verdict { return verdict },
	}
}

// agentscopeGrant reads a rule that was accepted: as sayso writes grants, or as
// the document writes rules.
func agentscopeGrant(raw json.RawMessage) (sayso.Grant, error) {
	var g sayso.Grant
	if json.Unmarshal(raw, &g) == nil && g.Rule != "" {
		return g, nil
	}
	var errs []error
	rule := agentscopeRule(value{"", raw, &errs})
	switch {
	case len(errs) == 0 && rule.ToolName == "":
		errs = append(errs, errors.New("want a tool_name"))
	case !slices.Contains([]string{"", "allow"}, strings.ToLower(rule.Behavior)):
		errs = append(errs, fmt.Errorf("behavior: want ALLOW, not %q", rule.Behavior))
	}
	if err := errors.Join(errs...); err != nil {
		return g, fmt.Errorf("grant: %w", err)
	}
	return sayso.Grant{Rule: rule.String(), Scope: sayso.ForSession}, nil
}
