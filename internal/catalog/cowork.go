package catalog

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

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

// coworkFromJSON reads a configuration. What is not given is as documented: a
// workspace has every capability that is not switched off.
func coworkFromJSON(raw json.RawMessage, at Place) (Setup, error) {
	if len(raw) > 0 {
		var err error
		if raw, err = nest(raw); err != nil {
			return Setup{}, err
		}
	}
	var errs []error
	f := value{"", raw, &errs}.fields("mode", "capabilities", "rules", "denied_tools", "allowed_tools", "guardrails", "policy_script", "trusted_commands", "builtin_settings")
	cfg := preset.CoWorkConfig{
		Mode: f["mode"].text(), Off: coworkOff(f["capabilities"]), DeniedTools: f["denied_tools"].names(), AllowedTools: f["allowed_tools"].names(),
		BlockedCommands: f["guardrails"].names(), Scripts: at.Scripts, Guarded: at.Guarded,
	}
	if result := f["policy_script"]; !result.null() {
		text := result.text()
		cfg.ScriptResult = &text
	}
	for _, item := range f["rules"].list() {
		cfg.Rules = append(cfg.Rules, coworkRule(item, ""))
	}
	old := f["trusted_commands"]
	trusted, err := preset.CoWorkTrustedCommands(old.names())
	if err != nil {
		old.wrong(err.Error(), "")
	}
	cfg.Rules = slices.Concat(cfg.Rules, trusted, coworkSettings(f["builtin_settings"]).Rules())
	if len(errs) == 0 {
		if err := cfg.Check(); err != nil {
			errs = append(errs, &KeyError{Problem: err.Error()})
		}
	}
	return Setup{Preset: preset.CoWork(cfg), Mode: cfg.Mode}, errors.Join(errs...)
}

// coworkOff reads which capabilities are switched off.
func coworkOff(v value) []preset.Capability {
	var off []preset.Capability
	all := []preset.Capability{preset.CanRead, preset.CanWrite, preset.CanDelete, preset.CanNetwork, preset.CanShell}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = string(c)
	}
	given := v.fields(names...)
	for _, c := range all {
		switch on := given[string(c)]; {
		case on.raw == nil:
		case on.null():
			on.want("true or false")
		case !on.flag():
			off = append(off, c)
		}
	}
	return off
}

// coworkSettings reads the settings of older versions.
func coworkSettings(v value) preset.CoWorkOldSettings {
	f := v.fields("disabled", "autoApprove")
	s := preset.CoWorkOldSettings{Disabled: f["disabled"].names(), AutoApprove: map[string]bool{}}
	tools, flags := f["autoApprove"].table()
	for _, tool := range tools {
		s.AutoApprove[tool] = flags[tool].flag()
	}
	return s
}

// names reads a list of texts; none is nil.
func (v value) names() []string {
	if v.null() {
		return nil
	}
	out := []string{}
	for _, item := range v.list() {
		text := item.text()
		if strings.TrimSpace(text) == "" {
			item.wrong("it is empty", "")
		}
		out = append(out, text)
	}
	return out
}

// coworkFromFile reads a manifest, or the keys of coworkFromJSON.
func coworkFromFile(file config.Other, at Place) (Setup, error) {
	raw, marks, err := file.JSON()
	if err != nil {
		return Setup{}, err
	}
	if isManifest(raw) {
		rules, err := readManifest(raw, marks)
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
		file, err := at.ReadOther(path.Join(at.Root, CoWorkManifest))
		var rules []preset.CoWorkRule
		if err == nil && file.Text != nil {
			rules, err = parseManifest(file)
		}
		p.Err = errors.Join(p.Err, err) // what was lost might have denied
		if file.Trusted {
			cfg.Rules = rules
		} else {
			cfg.Untrusted, dropped = rules, coworkDropped(rules)
		}
	}
	for _, r := range p.Kept {
		kept, err := coworkKept(r)
		p.Err = errors.Join(p.Err, err)
		cfg.Rules = append(cfg.Rules, kept...)
	}
	for _, off := range p.Off {
		if off == preset.CanMCP { // it is part of the network here
			off = preset.CanNetwork
		}
		cfg.Off = append(cfg.Off, off)
	}
	setup := Setup{Preset: tighten(preset.CoWork(cfg), p), Also: p.Also, Dropped: dropped}
	setup.Mode, setup.Preset = coworkMode(p.Mode, setup.Preset)
	return setup, nil
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

// coworkMode translates the mode of a policy, or several that count together.
// Where dont-ask is among them, which means the opposite here, nobody is asked.
func coworkMode(mode string, p sayso.Preset) (string, sayso.Preset) {
	own := map[string]string{preset.Careful: preset.Default, preset.DontAsk: preset.Default, preset.Bypass: preset.BypassPermissions}
	names := strings.Split(mode, "+")
	if slices.Contains(names, preset.DontAsk) {
		inner := p.Plan
		p.Plan = func(mode string) (sayso.Plan, error) {
			plan, err := inner(mode)
			return sayso.Plan{sayso.Unattended(plan...)}, err
		}
	}
	for i, name := range names {
		if translated, ok := own[name]; ok {
			names[i] = translated
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "+"), p
}
