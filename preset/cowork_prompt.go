package preset

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

var coworkTargets = []sayso.Scope{sayso.ForSession, sayso.ForWorkspace, sayso.ForProfile}

// keep says where a rule about a call can be kept: nowhere where rules are
// not what decides.
func (w *cowork) keep(c *sayso.Case, d *sayso.Decision) []sayso.Scope {
	if d.Stage != "rule" && d.Stage != "mode" && d.Stage != "denial_fallback" || coworkDecide(w.tightening(), c).Speaks() {
		return nil
	}
	return slices.Clone(coworkTargets)
}

// coworkScopes are the scopes that a call is in, the narrowest first.
func coworkScopes(c *sayso.Case) []CoWorkScope {
	var out []CoWorkScope
	switch {
	case len(c.Facts.Lines) == 1 && isShell(c):
		out = append(out, CoWorkScope{Kind: ScopeCommand, Prefix: coworkLine(c)})
		if p := c.Facts.Parts; len(p) == 1 && p[0].Command != nil && p[0].Command.Suggest && len(p[0].Command.Prefix) > 0 {
			out = append(out, CoWorkScope{Kind: ScopeCommand, Prefix: strings.Join(p[0].Command.Prefix, " ")})
		}
		return out
	case isMCP(c):
		out = append(out, CoWorkScope{Kind: ScopeTool, Tool: c.Tool()})
		if server := coworkServer(c); server != "" {
			out = append(out, CoWorkScope{Kind: ScopeServer, Server: server})
		}
		return out
	}
	if abs := coworkOnlyPath(c); abs != "" {
		out = append(out, CoWorkScope{Kind: ScopePath, Tool: c.Tool(), Path: abs})
		if dir := path.Dir(abs); dir != "/" && slices.ContainsFunc(c.Facts.Place.Workspace, func(root string) bool { return strings.HasPrefix(dir+"/", root+"/") }) {
			out = append(out, CoWorkScope{Kind: ScopePath, Tool: c.Tool(), Path: dir})
		}
		return out
	}
	return append(out, CoWorkScope{Kind: ScopeTool, Tool: c.Tool()})
}

// coworkLine is the command line of a call, without quotes where they say nothing.
func coworkLine(c *sayso.Case) string {
	if p := c.Facts.Parts; len(p) == 1 && p[0].Command != nil && len(p[0].Command.Redirects) == 0 {
		scope := CoWorkScope{Prefix: argsText(p[0].Command.Args)}
		special := strings.ContainsFunc(scope.Prefix, func(r rune) bool { // without its quotes it would mean something else
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_./:=@%+,", r)
		})
		if !special && scope.startsArgs(p[0].Command.Args) {
			return scope.Prefix
		}
	}
	return foldBlanks(c.Facts.Lines[0])
}

// coworkOnlyPath is the one path that a call is about; empty: there are none, or
// several.
func coworkOnlyPath(c *sayso.Case) string {
	abs := ""
	for i := range c.Facts.Parts {
		for _, p := range c.Facts.Parts[i].Paths {
			if p.Abs == "" || abs != "" && abs != p.Abs {
				return ""
			}
			abs = p.Abs
		}
	}
	return abs
}

// coworkScopeOf is the narrowest scope that a call is in.
func coworkScopeOf(c *sayso.Case) CoWorkScope { return coworkScopes(c)[0] }

// suggest returns the rules that would allow the call, each with where it would
// have to be kept for that.
func (w *cowork) suggest(c *sayso.Case) []sayso.Suggestion {
	var out []sayso.Suggestion
	for _, scope := range coworkScopes(c) {
		rule := CoWorkRule{Effect: sayso.Allow, Scope: scope}
		if again, err := ParseCoWorkRule(rule.String()); err != nil || again.Scope != scope {
			continue // it cannot be written down
		}
		s := sayso.Suggestion{Rule: rule.String(), Allows: coworkAllows(scope)}
		for _, keep := range coworkTargets {
			rule.Source = coworkSource(keep)
			v := coworkDecide(append(slices.Concat(coworkGrants(c), w.Rules), rule), c)
			if v.Speaks() && v.Effect() == sayso.Allow {
				s.Keep = append(s.Keep, keep)
			}
		}
		if len(s.Keep) > 0 && !slices.ContainsFunc(out, func(o sayso.Suggestion) bool { return o.Rule == s.Rule }) {
			out = append(out, s)
		}
	}
	return out
}

func coworkAllows(s CoWorkScope) string {
	switch s.Kind {
	case ScopePath:
		return "calls of " + s.Tool + " for " + shell.Shown(s.Path) + " and what is below it"
	case ScopeCommand:
		return "commands that start with " + shell.Shown(s.Prefix)
	case ScopeServer:
		return "every tool of the MCP server " + shell.Shown(s.Server)
	}
	return "every call of " + shell.Shown(s.Tool)
}

// coworkChoices offers yes for once and for as long as a rule can be kept, and no.
func coworkChoices(_ *sayso.Case, d *sayso.Decision) []sayso.Choice {
	list := []sayso.Choice{{Key: "y", Label: "Allow once", Yes: true, Scope: sayso.Once}}
	keys := map[sayso.Scope]string{sayso.ForSession: "s", sayso.ForWorkspace: "w", sayso.ForProfile: "p"}
	for _, scope := range coworkTargets {
		for _, s := range d.Suggestions {
			if slices.Contains(s.Keep, scope) {
				label := "Allow for " + string(scope) + ": " + strings.TrimPrefix(s.Rule, "allow ")
				list = append(list, sayso.Choice{Key: keys[scope], Label: label, Yes: true, Scope: scope, Rule: s.Rule})
				break
			}
		}
	}
	return append(list, sayso.Choice{Key: "n", Label: "Deny once"})
}
