package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/preset"
)

// readManifest reads the rules of a manifest, strictly: what is not understood
// might have denied something. Wherever a rule says it comes from, in this file it
// is one of the manifest.
func readManifest(name string, text []byte) ([]preset.CoWorkRule, error) {
	v, err := jsontext.Parse(text)
	if err != nil {
		var bad *jsontext.Error
		if errors.As(err, &bad) {
			return nil, &config.Error{File: name, Line: bad.Line, Column: bad.Column, Problem: bad.Problem}
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := coworkReader{text: text, name: name}
	r.keys(v, "version", "rules")
	if version := v.Get("version"); version != nil && string(version.Source(text)) != "1" {
		r.fail(version, "version: want 1", "")
	}
	var rules []preset.CoWorkRule
	for _, item := range r.list(v, "rules") {
		rule := r.rule(item, preset.FromManifest)
		rule.Source = preset.FromManifest
		line, column := item.Position(text)
		rule.At = sayso.Source{File: name, Line: line, Column: column}
		rules = append(rules, rule)
	}
	return rules, errors.Join(r.errs...)
}

// A coworkReader reads rules and collects what is wrong with them.
type coworkReader struct {
	text []byte
	name string // of the file
	errs []error
}

func (r *coworkReader) fail(v *jsontext.Value, problem, hint string) {
	line, column := v.Position(r.text)
	r.errs = append(r.errs, &config.Error{File: r.name, Line: line, Column: column, Problem: problem, Hint: hint})
}

// keys reports the keys of an object that are not known.
func (r *coworkReader) keys(v *jsontext.Value, known ...string) {
	for _, m := range v.Members {
		if !slices.Contains(known, m.Key) {
			r.fail(m.Value, fmt.Sprintf("unknown key %q", m.Key), config.DidYouMean(m.Key, known))
		}
	}
}

func (r *coworkReader) list(v *jsontext.Value, key string) []*jsontext.Value {
	list := v.Get(key)
	switch {
	case list == nil:
		return nil
	case list.Kind != jsontext.Array:
		r.fail(list, key+": want a list", "")
	}
	return list.Items
}

// word reads a text that must be there.
func (r *coworkReader) word(v *jsontext.Value, key string) string {
	value := v.Get(key)
	switch {
	case value == nil:
		r.fail(v, "the key "+key+" is missing", "")
		return ""
	case value.Kind != jsontext.String:
		r.fail(value, key+": want text", "")
	case strings.TrimSpace(value.Text) == "":
		r.fail(value, key+" is empty", "")
	}
	return value.Text
}

// choice reads one of some words.
func (r *coworkReader) choice(v *jsontext.Value, key string, among ...string) string {
	n := len(r.errs)
	word := r.word(v, key)
	if len(r.errs) == n && !slices.Contains(among, word) {
		hint := config.DidYouMean(word, among)
		r.fail(v.Get(key), fmt.Sprintf("%s is %q: want one of %s", key, word, strings.Join(among, ", ")), hint)
	}
	return word
}

// rule reads {source, effect, scope}; the source may be missing if there is one
// that it has then.
func (r *coworkReader) rule(v *jsontext.Value, source sayso.Layer) preset.CoWorkRule {
	rule := preset.CoWorkRule{Source: source}
	if v.Kind != jsontext.Object {
		r.fail(v, "want a rule: {source, effect, scope}", "")
		return rule
	}
	r.keys(v, "source", "effect", "scope", "id", "createdAt", "metadata")
	if source == "" || v.Get("source") != nil {
		var words []string
		for _, s := range preset.CoWorkSources() {
			words = append(words, string(s))
		}
		rule.Source = sayso.Layer(r.choice(v, "source", words...))
	}
	_ = rule.Effect.UnmarshalText([]byte(r.choice(v, "effect", "allow", "ask", "deny"))) // choice has said it
	scope := v.Get("scope")
	switch {
	case scope == nil:
		r.fail(v, "the key scope is missing", "")
	case scope.Kind != jsontext.Object:
		r.fail(scope, "scope: want {kind, …}", "")
	default:
		rule.Scope = r.scope(scope)
	}
	return rule
}

// coworkKeys are the keys of scopes, by their kind; the first has to be there.
var coworkKeys = map[string][]string{
	preset.ScopeTool: {"toolName"}, preset.ScopePath: {"path", "toolName"}, preset.ScopeCommand: {"prefix"}, preset.ScopeServer: {"serverName"},
}

func (r *coworkReader) scope(v *jsontext.Value) preset.CoWorkScope {
	n := len(r.errs)
	s := preset.CoWorkScope{Kind: r.choice(v, "kind", preset.ScopeTool, preset.ScopePath, preset.ScopeCommand, preset.ScopeServer)}
	if len(r.errs) > n {
		return s
	}
	known := coworkKeys[s.Kind]
	r.keys(v, append([]string{"kind"}, known...)...)
	if !slices.ContainsFunc(v.Members, func(m jsontext.Member) bool { return m.Key == known[0] }) {
		r.fail(v, "the key "+known[0]+" is missing in a scope of the kind "+s.Kind, "")
		return s
	}
	for _, key := range known {
		if v.Get(key) == nil {
			continue
		}
		into := map[string]*string{"toolName": &s.Tool, "path": &s.Path, "prefix": &s.Prefix, "serverName": &s.Server}[key]
		*into = r.word(v, key)
	}
	return s
}
