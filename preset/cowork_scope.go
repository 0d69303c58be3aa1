package preset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// The sources of the rules of CoWork OS, the strongest first. The last two are of
// one rank.
const (
	FromSession        sayso.Layer = "session"
	FromWorkspaceDB    sayso.Layer = "workspace_db"
	FromManifest       sayso.Layer = "workspace_manifest"
	FromProfile        sayso.Layer = "profile"
	FromLegacyCommands sayso.Layer = "legacy_guardrails"
	FromLegacySettings sayso.Layer = "legacy_builtin_settings"
)

// CoWorkSources returns the sources of rules, the strongest first.
func CoWorkSources() []sayso.Layer {
	return []sayso.Layer{FromSession, FromWorkspaceDB, FromManifest, FromProfile, FromLegacyCommands, FromLegacySettings}
}

// coworkRank is how strong a source is; the strongest has the highest.
func coworkRank(source sayso.Layer) int {
	at := slices.Index(CoWorkSources(), source)
	return -min(at, slices.Index(CoWorkSources(), FromLegacyCommands))
}

// The kinds of scopes, the least specific first.
const (
	ScopeTool    = "tool"
	ScopeServer  = "mcp_server"
	ScopeCommand = "command_prefix"
	ScopePath    = "path"
)

var coworkKinds = []string{ScopeTool, ScopeServer, ScopeCommand, ScopePath}

// A CoWorkScope says which calls a rule of CoWork OS is about.
type CoWorkScope struct {
	Kind   string // tool, path, command_prefix or mcp_server
	Tool   string // tool: its name; path: the same, empty for every tool
	Path   string // path: a file or a folder; made absolute from the workspace
	Prefix string // command_prefix: the words that a command starts with
	Server string // mcp_server: its name

	exact bool // of a command: this one, without anything behind it
}

// String returns the scope as it is written in a grant.
func (s CoWorkScope) String() string {
	words := []string{s.Kind, s.Tool}
	switch s.Kind {
	case ScopePath:
		words = append(words, s.Path)
	case ScopeCommand:
		words = []string{s.Kind, foldBlanks(s.Prefix)}
	case ScopeServer:
		words = []string{s.Kind, serverName(s.Server)}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// ParseCoWorkScope reads a scope as String writes it:
//
//	tool open_url
//	path /srv/shared
//	path edit_file /srv/shared
//	command_prefix git status
//	mcp_server github
func ParseCoWorkScope(text string) (CoWorkScope, error) {
	kind, rest, _ := strings.Cut(text, " ")
	s := CoWorkScope{Kind: kind}
	switch kind {
	case ScopeTool:
		s.Tool = rest
	case ScopeServer:
		s.Server = rest
	case ScopeCommand:
		s.Prefix = rest
	case ScopePath:
		s.Path = rest
		if tool, path, ok := strings.Cut(rest, " "); ok && !strings.ContainsAny(tool, "/~.") {
			s.Tool, s.Path = tool, path
		}
	}
	return s, s.check()
}

// check says what is wrong with a scope.
func (s CoWorkScope) check() error {
	value := ""
	switch s.Kind {
	case ScopeTool:
		value = s.Tool
	case ScopeServer:
		value = s.Server
	case ScopeCommand:
		value = s.Prefix
	case ScopePath:
		value = s.Path
	default:
		return fmt.Errorf("the scope has the kind %q: want one of %s", s.Kind, strings.Join([]string{ScopeTool, ScopePath, ScopeCommand, ScopeServer}, ", "))
	}
	switch {
	case strings.TrimSpace(value) == "":
		return fmt.Errorf("the scope %s names nothing", s.Kind)
	case strings.ContainsRune(value+s.Tool, 0):
		return fmt.Errorf("the scope %s holds a NUL", s.Kind)
	}
	return nil
}

// A CoWorkRule is a permission rule of CoWork OS. The zero value is none and
// makes a configuration invalid.
type CoWorkRule struct {
	Effect sayso.Effect
	Source sayso.Layer // one of CoWorkSources
	Scope  CoWorkScope
	At     sayso.Source // the file and the line it stands in, if any
}

// String returns the effect and the scope, as a grant has them.
func (r CoWorkRule) String() string { return r.Effect.String() + " " + r.Scope.String() }

// ParseCoWorkRule reads a rule as String writes it, such as allow tool open_url.
// Where it comes from is not part of it.
func ParseCoWorkRule(text string) (CoWorkRule, error) {
	word, rest, _ := strings.Cut(text, " ")
	var r CoWorkRule
	if err := r.Effect.UnmarshalText([]byte(word)); err != nil {
		return r, fmt.Errorf("the rule %q does not start with allow, ask or deny", text)
	}
	var err error
	if r.Scope, err = ParseCoWorkScope(rest); err != nil {
		return r, fmt.Errorf("the rule %q: %w", text, err)
	}
	return r, nil
}

func (r CoWorkRule) check() error {
	if !slices.Contains(CoWorkSources(), r.Source) {
		return fmt.Errorf("the rule %s has the source %q: want one of %s", r, r.Source, joinLayers(CoWorkSources()))
	}
	return r.Scope.check()
}

// place is where the rule comes from, for a decision.
func (r CoWorkRule) place() *sayso.Rule {
	at := r.At
	at.Layer = r.Source
	return &sayso.Rule{Effect: r.Effect, Text: r.Scope.String(), Source: at}
}

func joinLayers(list []sayso.Layer) string {
	words := make([]string, len(list))
	for i, l := range list {
		words[i] = string(l)
	}
	return strings.Join(words, ", ")
}

// foldBlanks writes every stretch of what separates words in a shell as one
// blank, and none at the ends.
func foldBlanks(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
}

// foldSpaces does the same with everything that looks like white space.
func foldSpaces(text string) string { return strings.Join(strings.Fields(text), " ") }

// serverName is the name of an MCP server as it is compared.
func serverName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// checkAll says what is wrong with rules.
func checkAll(rules []CoWorkRule) error {
	var errs []error
	for _, r := range rules {
		if err := r.check(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
