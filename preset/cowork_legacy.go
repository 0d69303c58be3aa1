package preset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// CoWorkTrustedCommands makes rules of the patterns for trusted commands that
// older versions of CoWork OS had: git status is that command and no other, and
// npm test * or npm test* everything that starts so. A pattern that no rule can
// say is an error; the rules of the others are returned all the same.
func CoWorkTrustedCommands(patterns []string) ([]CoWorkRule, error) {
	var rules []CoWorkRule
	var errs []error
	for _, pattern := range patterns {
		prefix, open := strings.CutSuffix(foldBlanks(pattern), "*")
		prefix = strings.TrimSpace(prefix)
		switch {
		case prefix == "":
			errs = append(errs, fmt.Errorf("trusted command %q: it would trust every command", pattern))
			continue
		case strings.ContainsAny(prefix, "*?"):
			errs = append(errs, fmt.Errorf("trusted command %q: a rule names the start of a command, so that * can only stand at its end", pattern))
			continue
		}
		rules = append(rules, CoWorkRule{
			Effect: sayso.Allow, Source: FromLegacyCommands, Scope: CoWorkScope{Kind: ScopeCommand, Prefix: prefix, exact: !open},
		})
	}
	return rules, errors.Join(errs...)
}

// CoWorkOldSettings are the settings of the built-in tools of older versions of
// CoWork OS, by the names of the tools.
type CoWorkOldSettings struct {
	Disabled    []string        `json:"disabled"`    // tools that are switched off
	AutoApprove map[string]bool `json:"autoApprove"` // true: the tool needs no approval, false: it does
}

// Rules makes rules of the settings.
func (s CoWorkOldSettings) Rules() []CoWorkRule {
	var rules []CoWorkRule
	add := func(e sayso.Effect, tool string) {
		rules = append(rules, CoWorkRule{Effect: e, Source: FromLegacySettings, Scope: CoWorkScope{Kind: ScopeTool, Tool: tool}})
	}
	for _, tool := range s.Disabled {
		add(sayso.Deny, tool)
	}
	for _, tool := range slices.Sorted(maps.Keys(s.AutoApprove)) {
		if s.AutoApprove[tool] {
			add(sayso.Allow, tool)
		} else {
			add(sayso.Ask, tool)
		}
	}
	return rules
}

// A RuleRemover forgets rules of workspaces; [sayso.RuleStore] is one.
type RuleRemover interface {
	RemoveRule(ctx context.Context, root, text string) error
}

// A Removal is what became of a workspace rule that was to be removed.
type Removal struct {
	Rule     string
	Manifest error // why it still stands in the manifest; nil: it does not
}

// Partial reports whether the rule is gone from the database only.
func (r Removal) Partial() bool { return r.Manifest != nil }

// String says it for people.
func (r Removal) String() string {
	if r.Partial() {
		return fmt.Sprintf("removed %s from the database, but it still stands in the manifest: %v", r.Rule, r.Manifest)
	}
	return "removed " + r.Rule
}

// RemoveWorkspaceRule removes a rule of a workspace from the database and from the
// manifest that mirrors it. If the manifest cannot be written the rule is gone
// from the database nevertheless, and the removal says so. The error is that of
// the database; then nothing was removed.
func RemoveWorkspaceRule(ctx context.Context, db, manifest RuleRemover, root string, rule CoWorkRule) (Removal, error) {
	done := Removal{Rule: rule.String()}
	if err := db.RemoveRule(ctx, root, done.Rule); err != nil {
		return Removal{}, fmt.Errorf("remove the rule %s: %w", done.Rule, err)
	}
	if err := manifest.RemoveRule(ctx, root, done.Rule); err != nil && !errors.Is(err, sayso.ErrNotFound) {
		done.Manifest = err
	}
	return done, nil
}
