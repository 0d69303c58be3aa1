package catalog

import (
	"errors"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// Keep adds the rules that people keep besides the policy files to a policy. A
// rule is kept in the language of the preset under which it was added: that of
// sayso, or that of CoWork OS. Under another preset it counts if it denies or
// asks, so that nobody loses what was forbidden; the error says which cannot.
func (s System) Keep(p *config.Policy, rules []sayso.Rule) error {
	var errs []error
	for _, r := range rules {
		theirs, err := preset.ParseCoWorkRule(r.Text)
		switch {
		case err != nil: // it is in the language of sayso
			errs = append(errs, add(p, r, r))
		case s.Name == "cowork":
			p.Kept = append(p.Kept, r)
		case theirs.Effect == sayso.Allow:
			p.Dropped = append(p.Dropped, config.Dropped{What: theirs.String(), Source: r.Source, Why: "it was kept for the preset cowork", Remedy: "none is needed, or add it for this one: sayso rule add"})
		default:
			errs = append(errs, add(p, r, nativeRules(theirs, r)...))
		}
	}
	return errors.Join(errs...)
}

// add adds what a kept rule comes to, if all of it is understood.
func add(p *config.Policy, kept sayso.Rule, rules ...sayso.Rule) error {
	if _, err := sayso.NewRuleSet(rules); err != nil {
		return quiet(kept, err)
	}
	p.Rules = append(p.Rules, rules...)
	return nil
}

// quiet is an error that does not tell what is in the profile.
func quiet(r sayso.Rule, err error) error {
	if err != nil && r.Source.Layer == sayso.OfProfile {
		return &config.Error{File: r.Source.File, Problem: "a rule in it is not understood", Hint: "sayso rule list shows them"}
	}
	return err
}

// coworkKept reads a rule that is kept for CoWork OS, with where it is kept.
func coworkKept(r sayso.Rule) ([]preset.CoWorkRule, error) {
	rule, err := preset.ParseCoWorkRule(r.Text)
	if err != nil {
		return nil, quiet(r, err)
	}
	rule.Source, rule.At = preset.FromWorkspaceDB, r.Source
	if r.Source.Layer == sayso.OfProfile {
		rule.Source, rule.At = preset.FromProfile, sayso.Source{}
	}
	return []preset.CoWorkRule{rule}, nil
}

// nativeRules say in the language of sayso what a rule of CoWork OS says, or more.
func nativeRules(r preset.CoWorkRule, kept sayso.Rule) []sayso.Rule {
	var texts []string
	switch scope := r.Scope; scope.Kind {
	case preset.ScopeTool:
		texts = []string{scope.Tool}
		for kind, form := range cowork().Forms {
			if form.Tool == scope.Tool {
				texts = append(texts, ruleTools[kind]...)
			}
		}
	case preset.ScopeCommand:
		texts = []string{"bash(" + scope.Prefix + " *)"}
	case preset.ScopeServer:
		texts = []string{"mcp(" + scope.Server + "/*)"}
	case preset.ScopePath:
		at := filepath.ToSlash(scope.Path)
		if filepath.IsAbs(scope.Path) {
			at = "/" + at // as rules write what is not in the workspace
		}
		for _, tool := range []string{"read", "edit", "delete"} {
			texts = append(texts, tool+"("+at+")", tool+"("+at+"/**)")
		}
	}
	var out []sayso.Rule
	for _, text := range texts {
		out = append(out, sayso.Rule{Effect: r.Effect, Text: text, Until: kept.Until, Source: kept.Source})
	}
	return out
}

// ruleTools are the tools of rules for the usual kinds of calls.
var ruleTools = map[Kind][]string{
	Command: {"bash"}, Reading: {"read"}, Writing: {"edit"}, Deleting: {"delete"}, Fetching: {"fetch"},
}
