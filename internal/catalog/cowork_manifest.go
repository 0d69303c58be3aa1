package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// CoWorkManifest is where a workspace keeps the rules of CoWork OS.
const CoWorkManifest = ".cowork/policy/permissions.json"

// ManifestRules reads the rules of a manifest, in the order in which they stand
// there. What is not understood is an error.
func ManifestRules(name string, text []byte) ([]preset.CoWorkRule, error) {
	return parseManifest(config.Other{Name: name, Text: text})
}

// isManifest reports whether a configuration is a manifest: those have a version.
func isManifest(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m["version"] != nil
}

// parseManifest reads the manifest of a workspace, which is JSON.
func parseManifest(file config.Other) ([]preset.CoWorkRule, error) {
	if text := bytes.TrimSpace(file.Text); len(text) == 0 || text[0] != '{' {
		return nil, &config.Error{File: file.Name, Line: 1, Column: 1, Problem: `want a JSON object: {"version": 1, "rules": []}`}
	}
	raw, marks, err := file.JSON()
	if err != nil {
		return nil, err
	}
	return readManifest(raw, marks)
}

// readManifest reads the rules of a manifest strictly: what is not understood
// might have denied something. Wherever a rule says it comes from, in this file it
// is one of the manifest.
func readManifest(raw json.RawMessage, marks config.Marks) ([]preset.CoWorkRule, error) {
	var errs []error
	f := value{"", raw, &errs}.fields("version", "rules")
	if version := f["version"]; version.raw != nil && string(bytes.TrimSpace(version.raw)) != "1" {
		version.wrong("want 1", "")
	}
	var rules []preset.CoWorkRule
	for _, item := range f["rules"].list() {
		rule := coworkRule(item, preset.FromManifest)
		rule.Source, rule.At = preset.FromManifest, marks.Source(item.key)
		rules = append(rules, rule)
	}
	if len(errs) > 0 {
		return nil, inFile(marks, errors.Join(errs...))
	}
	return rules, nil
}

// one reads one of some words, which has to be there.
func (v value) one(among ...string) string {
	n := len(*v.errs)
	word := v.text()
	switch {
	case len(*v.errs) > n:
	case v.null():
		v.wrong("it is missing: want one of "+strings.Join(among, ", "), "")
	case !slices.Contains(among, word):
		v.wrong(fmt.Sprintf("%q is none of %s", word, strings.Join(among, ", ")), config.DidYouMean(word, among))
	}
	return word
}

// coworkRule reads {source, effect, scope}. The source may be missing if there is
// one that the rule has then.
func coworkRule(v value, source sayso.Layer) preset.CoWorkRule {
	if v.null() {
		v.want("a rule")
	}
	f := v.fields("source", "effect", "scope", "id", "createdAt", "metadata")
	rule := preset.CoWorkRule{Source: source}
	if given := f["source"]; source == "" || !given.null() {
		var words []string
		for _, s := range preset.CoWorkSources() {
			words = append(words, string(s))
		}
		rule.Source = sayso.Layer(given.one(words...))
	}
	_ = rule.Effect.UnmarshalText([]byte(f["effect"].one("allow", "ask", "deny"))) // what is wrong with it is noted
	rule.Scope = coworkScope(f["scope"])
	return rule
}

// coworkScope reads {kind, …} with the keys of that kind.
func coworkScope(v value) preset.CoWorkScope {
	var s preset.CoWorkScope
	if v.null() {
		v.wrong(`it is missing: want {"kind": …}`, "")
		return s
	}
	_, given := v.table()
	kind, ok := given["kind"]
	if !ok {
		kind = value{v.key + ".kind", nil, v.errs}
	}
	n := len(*v.errs)
	s.Kind = kind.one(preset.ScopeTool, preset.ScopePath, preset.ScopeCommand, preset.ScopeServer)
	if len(*v.errs) > n {
		return s
	}
	switch s.Kind {
	case preset.ScopeTool:
		s.Tool = v.fields("kind", "toolName")["toolName"].needed()
	case preset.ScopePath:
		f := v.fields("kind", "path", "toolName")
		s.Path = f["path"].needed()
		if !f["toolName"].null() {
			s.Tool = f["toolName"].needed()
		}
	case preset.ScopeCommand:
		s.Prefix = v.fields("kind", "prefix")["prefix"].needed()
	case preset.ScopeServer:
		f := v.fields("kind", "serverName", "server")
		name := f["serverName"]
		switch server := f["server"]; { // the document does not say which
		case !server.null() && !name.null():
			server.wrong("serverName says the same", "leave one of them out")
		case !server.null():
			name = server
		}
		s.Server = name.needed()
	}
	return s
}

// needed reads text that has to be there.
func (v value) needed() string {
	n := len(*v.errs)
	text := v.text()
	if len(*v.errs) == n && strings.TrimSpace(text) == "" {
		v.wrong("it is missing or empty", "")
	}
	return text
}

// coworkGrant reads a rule that was made when a person was asked: as text, as a
// manifest has it, or as it is kept.
func coworkGrant(raw json.RawMessage) (sayso.Grant, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return sayso.Grant{Rule: text, Scope: sayso.ForSession}, nil
	}
	var kept struct {
		Rule  string
		Scope sayso.Scope
	}
	if json.Unmarshal(raw, &kept) == nil && kept.Rule != "" {
		return sayso.Grant{Rule: kept.Rule, Scope: kept.Scope}, nil
	}
	var errs []error
	v := value{"grant", raw, &errs}
	rule := coworkRule(v, preset.FromSession)
	scope := map[sayso.Layer]sayso.Scope{preset.FromSession: sayso.ForSession, preset.FromWorkspaceDB: sayso.ForWorkspace, preset.FromProfile: sayso.ForProfile}[rule.Source]
	if len(errs) == 0 && scope == "" {
		v.wrong("a grant is kept in the session, the workspace_db or the profile", "")
	}
	return sayso.Grant{Rule: rule.String(), Scope: scope}, errors.Join(errs...)
}
