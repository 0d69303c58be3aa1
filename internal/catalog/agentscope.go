package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

func agentscope() System {
	return System{
		Name: "agentscope",
		FromJSON: func(raw json.RawMessage, _ Place) (Setup, error) {
			var c agentscopeConfig
			if err := decode(raw, &c); err != nil {
				return Setup{}, err
			}
			return c.setup()
		},
		Load: func(_ config.Places, p config.Policy) (Setup, error) {
			return Setup{Preset: tighten(preset.AgentScope(preset.AgentScopeConfig{}), p), Mode: agentscopeModes[p.Mode]}, nil
		},
		Grant: agentscopeGrant,
	}
}

// agentscopeModes are the modes that mean what a mode of a policy file means.
var agentscopeModes = map[string]string{
	preset.Default: preset.AgentScopeDefault, preset.Careful: preset.AgentScopeDefault, preset.Plan: preset.AgentScopeExplore,
	preset.DontAsk: preset.AgentScopeDontAsk, preset.Bypass: preset.AgentScopeBypass,
}

// agentscopeConfig is a PermissionContext as JSON, with rules either by tool, as
// the document has them, or as flat lists.
type agentscopeConfig struct {
	Mode       string                      `json:"mode"`
	AllowRules map[string][]agentscopeRule `json:"allow_rules"`
	AskRules   map[string][]agentscopeRule `json:"ask_rules"`
	DenyRules  map[string][]agentscopeRule `json:"deny_rules"`
	Dirs       agentscopeDirs              `json:"working_directories"`

	Allow []agentscopeFlat `json:"allow"`
	Ask   []agentscopeFlat `json:"ask"`
	Deny  []agentscopeFlat `json:"deny"`

	// ToolCheck makes the tool Custom known, which answers always the same.
	ToolCheck *agentscopeCheck `json:"tool_check"`
}

// An agentscopeRule is a PermissionRule, or its content alone.
type agentscopeRule struct {
	ToolName    string          `json:"tool_name"`
	RuleContent json.RawMessage `json:"rule_content"`
	Behavior    string          `json:"behavior"`
	Source      string          `json:"source"`
}

// UnmarshalJSON reads either form.
func (r *agentscopeRule) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		r.RuleContent = text
		return nil
	}
	type plain agentscopeRule
	if err := strictly(text, (*plain)(r)); err != nil {
		return err
	}
	if r.RuleContent == nil {
		return errors.New("a rule has no rule_content: write null for every call of the tool")
	}
	return nil
}

// An agentscopeFlat is a rule in a flat list.
type agentscopeFlat struct {
	Tool    string          `json:"tool"`
	Pattern json.RawMessage `json:"pattern"`
	Source  string          `json:"source"`
}

// UnmarshalJSON reads a rule; a key too many is an error.
func (r *agentscopeFlat) UnmarshalJSON(text []byte) error {
	type plain agentscopeFlat
	return strictly(text, (*plain)(r))
}

// agentscopeDirs are the working directories by path, or a list of paths.
type agentscopeDirs map[string]preset.AgentScopeDirectory

// UnmarshalJSON reads either form.
func (d *agentscopeDirs) UnmarshalJSON(text []byte) error {
	*d = agentscopeDirs{}
	if text[0] == '[' {
		var list []string
		if err := json.Unmarshal(text, &list); err != nil {
			return errors.New("working_directories: want paths, or {path, source} by path")
		}
		for _, dir := range list {
			(*d)[dir] = preset.AgentScopeDirectory{Path: dir}
		}
		return nil
	}
	var table map[string]struct {
		Path   string `json:"path"`
		Source string `json:"source"`
	}
	if err := strictly(text, &table); err != nil {
		return fmt.Errorf("working_directories: %w", err)
	}
	for key, dir := range table {
		(*d)[key] = preset.AgentScopeDirectory{Path: dir.Path, Source: dir.Source}
	}
	return nil
}

// An agentscopeCheck is what a custom tool says about every call.
type agentscopeCheck struct {
	Behavior     string `json:"behavior"`
	BypassImmune bool   `json:"bypass_immune"`
	ReadOnly     bool   `json:"read_only"`
	Message      string `json:"message"`
}

func (c *agentscopeCheck) tool() (sayso.Tool, error) {
	why := c.Message
	if why == "" {
		why = "the tool says " + c.Behavior
	}
	effect, speaks := map[string]sayso.Effect{"allow": sayso.Allow, "ask": sayso.Ask, "deny": sayso.Deny}[strings.ToLower(c.Behavior)]
	verdict := sayso.Pass()
	switch {
	case speaks && c.BypassImmune:
		verdict = sayso.Decide(effect, "tool.custom", why).Immune()
	case speaks:
		verdict = sayso.Decide(effect, "tool.custom", why)
	case !strings.EqualFold(c.Behavior, "passthrough"):
		return sayso.Tool{}, fmt.Errorf("config: tool_check.behavior: want allow, ask, deny or passthrough, not %q", c.Behavior)
	}
	return sayso.Tool{
		Name:     "Custom",
		ReadOnly: func(json.RawMessage) bool { return c.ReadOnly },
		Check:    func(*sayso.Case) sayso.Verdict { return verdict },
	}, nil
}

// setup makes the preset.
func (c *agentscopeConfig) setup() (Setup, error) {
	cfg := preset.AgentScopeConfig{Mode: strings.ToLower(c.Mode), WorkingDirectories: c.Dirs}
	var errs []error
	for _, list := range []struct {
		key   string
		byKey map[string][]agentscopeRule
		flat  []agentscopeFlat
		into  *map[string][]preset.AgentScopeRule
	}{
		{"allow", c.AllowRules, c.Allow, &cfg.AllowRules},
		{"ask", c.AskRules, c.Ask, &cfg.AskRules},
		{"deny", c.DenyRules, c.Deny, &cfg.DenyRules},
	} {
		out := map[string][]preset.AgentScopeRule{}
		for tool, rules := range list.byKey {
			for _, r := range rules {
				content, err := agentscopeContent(r.RuleContent)
				errs = append(errs, at(err, "config: %s_rules: %s: rule_content", list.key, tool))
				out[tool] = append(out[tool], preset.AgentScopeRule{ToolName: r.ToolName, RuleContent: content, Behavior: r.Behavior, Source: r.Source})
			}
		}
		for i, r := range list.flat {
			content, err := agentscopeContent(r.Pattern)
			errs = append(errs, at(err, "config: %s[%d].pattern", list.key, i))
			out[r.Tool] = append(out[r.Tool], preset.AgentScopeRule{RuleContent: content, Source: r.Source})
		}
		*list.into = out
	}
	if c.ToolCheck != nil {
		tool, err := c.ToolCheck.tool()
		errs = append(errs, err)
		cfg.Tools = append(cfg.Tools, tool)
	}
	if err := errors.Join(errs...); err != nil {
		return Setup{}, err
	}
	if err := cfg.Check(); err != nil {
		return Setup{}, fmt.Errorf("config: %w", err)
	}
	return Setup{Preset: preset.AgentScope(cfg), Mode: cfg.Mode, Tools: cfg.Tools}, nil
}

// at says where an error is.
func at(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// agentscopeContent reads the content of a rule: text, or null for every call.
func agentscopeContent(raw json.RawMessage) (string, error) {
	var text *string
	if len(raw) > 0 && json.Unmarshal(raw, &text) != nil {
		return "", errors.New("want text, or null for every call of the tool")
	}
	if text == nil {
		return preset.AgentScopeEvery, nil
	}
	return *text, nil
}

// agentscopeGrant reads a rule that was accepted: as sayso writes grants, or as
// the document writes rules.
func agentscopeGrant(raw json.RawMessage) (sayso.Grant, error) {
	var g sayso.Grant
	if json.Unmarshal(raw, &g) == nil && g.Rule != "" {
		return g, nil
	}
	var r agentscopeRule
	if err := json.Unmarshal(raw, &r); err != nil {
		return g, fmt.Errorf("grant: %w", err)
	}
	content, err := agentscopeContent(r.RuleContent)
	switch {
	case err != nil:
		return g, fmt.Errorf("grant: rule_content: %w", err)
	case r.ToolName == "":
		return g, errors.New("grant: want a tool_name")
	case r.Behavior != "" && !strings.EqualFold(r.Behavior, "allow"):
		return g, fmt.Errorf("grant: behavior: want ALLOW, not %q", r.Behavior)
	}
	return sayso.Grant{Rule: r.ToolName + "(" + content + ")", Scope: sayso.ForSession}, nil
}

// strictly reads JSON; a key that is not known is an error.
func strictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
