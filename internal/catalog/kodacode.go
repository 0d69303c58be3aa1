package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

func kodacode() System {
	return System{
		Name: "kodacode",
		Forms: map[Kind]Form{
			Command:  {Tool: "bash", Key: "cmd"},
			Reading:  {Tool: "read", Key: "paths", List: true},
			Writing:  {Tool: "write", Key: "path"},
			Deleting: {Tool: "delete_file", Key: "path"},
			Fetching: {Tool: "web_fetch", Key: "url"},
		},
		FromJSON: kodaFromJSON, FromFile: kodaFromFile, Load: kodaLoad, Grant: kodaGrant,
	}
}

// kodaRules are rules as JSON has them: a list of pairs, or an object, in which
// the order of the keys counts.
type kodaRules []preset.KodaCodeRule

func (list *kodaRules) UnmarshalJSON(text []byte) error {
	const want = `want pairs of a pattern and allow, ask or deny, such as [["git *", "allow"]]`
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err == nil && open == nil {
		return nil // nothing stands there
	}
	if err != nil || open != json.Delim('[') && open != json.Delim('{') {
		return errors.New(want)
	}
	for dec.More() {
		var pair [2]json.RawMessage
		if open == json.Delim('[') {
			var both []json.RawMessage
			if err := dec.Decode(&both); err != nil || len(both) != 2 {
				return errors.New(want)
			}
			pair = [2]json.RawMessage(both)
		} else {
			key, _ := dec.Token() // the text is known to be JSON
			pair[0], _ = json.Marshal(key)
			if err := dec.Decode(&pair[1]); err != nil {
				return errors.New(want)
			}
		}
		var r preset.KodaCodeRule
		if json.Unmarshal(pair[0], &r.Pattern) != nil {
			return errors.New(want)
		}
		if err := json.Unmarshal(pair[1], &r.Action); err != nil || bytes.Equal(pair[1], []byte("null")) {
			return fmt.Errorf("%s: %w", r.Pattern, errors.Join(errors.New("want allow, ask or deny"), err))
		}
		*list = append(*list, r)
	}
	return nil
}

// kodaPermissions are the rules by subject as JSON has them.
type kodaPermissions map[string][]preset.KodaCodeRule

func (p *kodaPermissions) UnmarshalJSON(text []byte) error {
	*p = kodaPermissions{}
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err == nil && open == nil {
		return nil
	}
	if err != nil || open != json.Delim('{') {
		return errors.New("permissions: want an object with the rules of each subject")
	}
	for dec.More() {
		key, _ := dec.Token() // the text is known to be JSON
		subject := fmt.Sprint(key)
		var rules kodaRules
		if err := dec.Decode(&rules); err != nil {
			return fmt.Errorf("permissions.%s: %w", subject, err)
		}
		if _, twice := (*p)[subject]; twice {
			return fmt.Errorf("permissions.%s is given twice", subject)
		}
		(*p)[subject] = rules
	}
	return nil
}

// kodaFromJSON reads permissions and execution, and the tools that an agent is
// offered.
func kodaFromJSON(raw json.RawMessage, _ Place) (Setup, error) {
	var given struct {
		Permissions   kodaPermissions `json:"permissions"`
		Execution     kodaExecution   `json:"execution"`
		AllowTools    []string        `json:"allow_tools"` // of an agent's frontmatter; nil: every tool
		DisallowTools []string        `json:"disallow_tools"`
	}
	if err := decode(raw, &given); err != nil {
		return Setup{}, err
	}
	cfg := preset.KodaCodeConfig{Mode: given.Execution.Mode, Network: given.Execution.Network, Permissions: given.Permissions}
	if err := cfg.Check(); err != nil {
		return Setup{}, fmt.Errorf("config: %w", err)
	}
	return Setup{Preset: preset.KodaCode(cfg), Contract: preset.KodaCodeContract(cfg), Surface: sayso.Surface{Only: given.AllowTools, Not: given.DisallowTools}}, nil
}

// kodaExecution is the execution: section.
type kodaExecution struct {
	Mode    string `json:"permission_mode"`
	Network string `json:"network"`
}

// kodaGrant reads a grant as KodaCode has it: {"execution_prefix": ["git", "diff"]},
// {"path": "/x"} or {"host": "example.com"}.
func kodaGrant(raw json.RawMessage) (sayso.Grant, error) {
	var one struct {
		preset.KodaCodeGrant
		Path string `json:"path"`
		Host string `json:"host"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&one); err != nil {
		return sayso.Grant{}, fmt.Errorf(`grant: want {"execution_prefix": [WORD …]}, {"path": PATH} or {"host": HOST}: %w`, err)
	}
	if one.Path != "" {
		one.Paths = append(one.Paths, preset.KodaCodePath{Path: one.Path, Write: true})
	}
	if one.Host != "" {
		one.Hosts = append(one.Hosts, strings.ToLower(one.Host))
	}
	return sayso.Grant{Rule: one.KodaCodeGrant.String(), Scope: sayso.ForSession}, nil
}

// kodaFile is config.yaml of KodaCode, as far as it is about permissions.
type kodaFile struct {
	cfg     preset.KodaCodeConfig
	dropped []config.Dropped
}

// kodaFromFile reads a config.yaml that was given, or the same keys as JSON.
func kodaFromFile(file config.Other, at Place) (Setup, error) {
	if text := bytes.TrimSpace(file.Text); bytes.HasPrefix(text, []byte("{")) {
		return kodaFromJSON(text, at)
	}
	f, err := parseKoda(file)
	if err != nil {
		return Setup{}, err
	}
	return Setup{Preset: preset.KodaCode(f.cfg), Contract: preset.KodaCodeContract(f.cfg), Dropped: f.dropped}, nil
}

// kodaLoad reads config.yaml in KodaCode's own config folder.
func kodaLoad(at config.Places, p config.Policy) (Setup, error) {
	var f kodaFile
	if name := kodaName(at); name != "" {
		other, err := at.ReadOther(name)
		if err == nil && other.Text != nil {
			f, err = parseKoda(other)
		}
		p.Err = errors.Join(p.Err, err) // what was lost might have denied
	}
	return Setup{Preset: tighten(preset.KodaCode(f.cfg), p), Contract: preset.KodaCodeContract(f.cfg), Dropped: f.dropped}, nil
}

func kodaName(at config.Places) string {
	switch {
	case filepath.IsAbs(at.ConfigHome):
		return filepath.Join(at.ConfigHome, "kodacode", "config.yaml")
	case at.Home != "":
		return filepath.Join(at.Home, ".config", "kodacode", "config.yaml")
	}
	return ""
}

// parseKoda reads a file. One that is not trusted only tightens.
func parseKoda(other config.Other) (kodaFile, error) {
	var f kodaFile
	var permissions struct {
		ExternalDirectory config.Pairs `json:"external_directory"`
		Bash              config.Pairs `json:"bash"`
		WebFetch          config.Pairs `json:"web_fetch"`
		NetworkTarget     config.Pairs `json:"network_target"`
	}
	var execution kodaExecution
	_, err1 := other.Section("permissions", &permissions)
	marks, err2 := other.Section("execution", &execution)
	if err1 != nil && err2 != nil && err1.Error() == err2.Error() {
		err2 = nil // about the file as a whole
	}
	if err := errors.Join(err1, err2); err != nil {
		return f, err
	}
	f.cfg = preset.KodaCodeConfig{Mode: execution.Mode, Network: execution.Network, Permissions: map[string][]preset.KodaCodeRule{}}
	for subject, pairs := range map[string]config.Pairs{
		preset.SubjectExternalDirectory: permissions.ExternalDirectory, preset.SubjectBash: permissions.Bash,
		preset.SubjectWebFetch: permissions.WebFetch, preset.SubjectNetworkTarget: permissions.NetworkTarget,
	} {
		for _, pair := range pairs {
			r := preset.KodaCodeRule{Pattern: pair.Key, Source: pair.Source}
			if err := r.Action.UnmarshalText([]byte(pair.Value)); err != nil {
				return f, &config.Error{File: pair.Source.File, Line: pair.Source.Line, Column: pair.Source.Column, Problem: fmt.Sprintf("permissions.%s: %q: want allow, ask or deny, not %q", subject, pair.Key, pair.Value)}
			}
			f.cfg.Permissions[subject] = append(f.cfg.Permissions[subject], r)
		}
	}
	for key, bad := range map[string]preset.KodaCodeConfig{"permission_mode": {Mode: execution.Mode}, "network": {Network: execution.Network}} {
		if err := bad.Check(); err != nil {
			return f, marks.Error("execution."+key, err.Error(), "")
		}
	}
	f.shadowed()
	if !other.Trusted {
		f.tighten(marks)
	}
	return f, nil
}
