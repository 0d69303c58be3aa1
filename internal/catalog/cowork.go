package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/preset"
)

// coworkManifest is where a workspace keeps the rules of CoWork OS.
const coworkManifest = ".cowork/policy/permissions.json"

// A coworkConfig is what can be configured. What is not given is as documented: a
// workspace has every capability that is not switched off.
type coworkConfig struct {
	Mode         string            `json:"mode"`
	Capabilities map[string]*bool  `json:"capabilities"`
	Rules        []json.RawMessage `json:"rules"`
	DeniedTools  []string          `json:"denied_tools"`
	AllowedTools []string          `json:"allowed_tools"`
	Guardrails   []string          `json:"guardrails"`
	Script       *string           `json:"policy_script"`

	// What older versions had.
	TrustedCommands []string                  `json:"trusted_commands"`
	Settings        *preset.CoWorkOldSettings `json:"builtin_settings"`
}

func cowork() System {
	return System{
		Name: "cowork", FromJSON: coworkFromJSON, FromFile: coworkFromFile, Load: coworkLoad, Grant: coworkGrant, Guards: true,
		Forms: map[Kind]Form{
			Command:  {Tool: "run_command", Key: "command"},
			Reading:  {Tool: "read_file", Key: "path"},
			Writing:  {Tool: "write_file", Key: "path"},
			Deleting: {Tool: "delete_file", Key: "path"},
			Fetching: {Tool: "web_fetch", Key: "url"},
		},
	}
}

func coworkFromJSON(raw json.RawMessage, at Place) (Setup, error) {
	var given coworkConfig
	if err := decode(raw, &given); err != nil {
		return Setup{}, err
	}
	cfg, err := given.preset()
	if err != nil {
		return Setup{}, fmt.Errorf("config: %w", err)
	}
	cfg.Scripts, cfg.Guarded = at.Scripts, at.Guarded
	return Setup{Preset: preset.CoWork(cfg)}, nil
}

func (given *coworkConfig) preset() (preset.CoWorkConfig, error) {
	cfg := preset.CoWorkConfig{
		Mode: given.Mode, DeniedTools: given.DeniedTools, AllowedTools: given.AllowedTools, BlockedCommands: given.Guardrails, ScriptResult: given.Script,
	}
	var errs []error
	for name, on := range given.Capabilities {
		switch {
		case on == nil:
			errs = append(errs, fmt.Errorf("capabilities.%s: want true or false", name))
		case !*on || !slices.Contains([]string{"read", "write", "delete", "network", "shell"}, name): // Check names one that does not exist
			cfg.Off = append(cfg.Off, preset.Capability(name))
		}
	}
	slices.Sort(cfg.Off)
	for i, raw := range given.Rules {
		v, err := jsontext.Parse(raw)
		if err != nil {
			errs = append(errs, fmt.Errorf("rules[%d]: %w", i, err))
			continue
		}
		r := coworkReader{text: raw, name: fmt.Sprintf("rules[%d]", i)}
		rule := r.rule(v, "")
		cfg.Rules, errs = append(cfg.Rules, rule), append(errs, r.errs...)
	}
	old, err := preset.CoWorkTrustedCommands(given.TrustedCommands)
	cfg.Rules, errs = append(cfg.Rules, old...), append(errs, err)
	if given.Settings != nil {
		cfg.Rules = append(cfg.Rules, given.Settings.Rules()...)
	}
	if err := errors.Join(errs...); err != nil {
		return cfg, err
	}
	return cfg, cfg.Check()
}

// coworkFromFile reads a manifest, or the same keys as FromJSON.
func coworkFromFile(file config.Other, at Place) (Setup, error) {
	raw, marks, err := file.JSON()
	if err != nil {
		return Setup{}, err
	}
	if v, err := jsontext.Parse(raw); err == nil && v.Get("version") != nil {
		rules, err := readManifest(file.Name, file.Text)
		if err != nil {
			return Setup{}, err
		}
		return Setup{Preset: preset.CoWork(preset.CoWorkConfig{Rules: rules, Scripts: at.Scripts, Guarded: at.Guarded})}, nil
	}
	setup, err := coworkFromJSON(raw, at)
	if err != nil {
		return Setup{}, inFile(marks, err)
	}
	return setup, nil
}

// coworkLoad reads the manifest of a workspace. Until a person trusts it, only its
// rules that deny and ask count, and only where they tighten.
func coworkLoad(at config.Places, p config.Policy) (Setup, error) {
	cfg := preset.CoWorkConfig{Scripts: Scripts(p.Scripts, at.RunScript), Guarded: at.Guarded}
	var dropped []config.Dropped
	if at.Root != "" {
		file, err := at.ReadOther(path.Join(at.Root, coworkManifest))
		var rules []preset.CoWorkRule
		if err == nil && file.Text != nil {
			rules, err = readManifest(file.Name, file.Text)
		}
		p.Err = errors.Join(p.Err, err) // what was lost might have denied
		if file.Trusted {
			cfg.Rules = rules
		} else {
			cfg.Untrusted, dropped = rules, coworkDropped(rules)
		}
	}
	for _, off := range p.Off {
		if off == preset.CanMCP { // here every MCP call is one of the network
			cfg.DeniedTools = append(cfg.DeniedTools, "mcp*")
			continue
		}
		cfg.Off = append(cfg.Off, off)
	}
	return Setup{Preset: tighten(preset.CoWork(cfg), p), Mode: p.Mode, Also: p.Also, Dropped: dropped}, nil
}

func coworkDropped(rules []preset.CoWorkRule) []config.Dropped {
	var out []config.Dropped
	for _, r := range rules {
		if r.Effect == sayso.Allow {
			out = append(out, config.Dropped{What: r.String(), Source: r.At, Why: "the workspace is not trusted"})
		}
	}
	return out
}

// coworkGrant reads a rule that was made when a person was asked: as a manifest
// has it, or as text.
func coworkGrant(raw json.RawMessage) (sayso.Grant, error) {
	keep := map[sayso.Layer]sayso.Scope{preset.FromSession: sayso.ForSession, preset.FromWorkspaceDB: sayso.ForWorkspace, preset.FromProfile: sayso.ForProfile}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return sayso.Grant{Rule: text, Scope: sayso.ForSession}, nil
	}
	v, err := jsontext.Parse(raw)
	if err != nil {
		return sayso.Grant{}, fmt.Errorf("grant: %w", err)
	}
	if v.Get("rule") != nil {
		var g sayso.Grant
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		return g, dec.Decode(&g)
	}
	r := coworkReader{text: raw, name: "grant"}
	rule := r.rule(v, preset.FromSession)
	if keep[rule.Source] == "" {
		r.fail(v, "a grant comes from session, workspace_db or profile", "")
	}
	return sayso.Grant{Rule: rule.String(), Scope: keep[rule.Source]}, errors.Join(r.errs...)
}
