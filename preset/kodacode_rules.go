package preset

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// A kodaRule is a rule that is compiled.
type kodaRule struct {
	text   string // the pattern, as it is matched
	glob   wildcard
	folded wildcard // without regard to case, for paths
	near   bool     // the pattern starts at the workspace or the home folder
	rule   *sayso.Rule

	doubtful bool // whether it matches cannot be known
}

// kodaRules are the rules of one subject, in order.
type kodaRules []kodaRule

func compileKodaRule(subject string, r KodaCodeRule) kodaRule {
	text := strings.TrimSpace(r.Pattern)
	out := kodaRule{rule: &sayso.Rule{Effect: r.Action, Text: subject + ": " + text, Source: r.Source}}
	switch subject {
	case SubjectExternalDirectory:
		out.near = text == "~" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
		if strings.HasPrefix(text, "/") {
			text = path.Clean(text)
		}
	case SubjectNetworkTarget:
		text = withoutPort(strings.ToLower(text))
	case SubjectWebFetch:
		text = lowerOrigin(text)
	}
	out.text, out.glob, out.folded = text, compileWildcard(text), compileWildcard(fspath.Fold(text))
	return out
}

// withoutPort is a host without the port behind it.
func withoutPort(text string) string {
	host, port, ok := strings.Cut(text, ":")
	if !ok || host == "" || port == "" || strings.Trim(port, "0123456789") != "" {
		return text
	}
	return host
}

// lowerOrigin is an address whose scheme and host are in small letters.
func lowerOrigin(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" || strings.ContainsFunc(scheme, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' }) {
		return text
	}
	end := strings.IndexAny(rest, "/?*")
	if end < 0 {
		end = len(rest)
	}
	return strings.ToLower(text[:len(text)-len(rest)+end]) + rest[end:]
}

// kodaWild is something that a pattern matches.
func kodaWild(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '*' || r == '?' {
			return 'x'
		}
		return r
	}, text)
}

// at returns the rule as it is meant in a workspace.
func (r kodaRule) at(c *sayso.Case) kodaRule {
	if !r.near {
		return r
	}
	if rest, home := strings.CutPrefix(r.text, "~"); home {
		if c.Facts.Place.Home == "" {
			return kodaRule{rule: r.rule} // it matches nothing but the empty text
		}
		r.text = path.Join(c.Facts.Place.Home, rest)
	} else {
		r.text = path.Join(c.Call.Root, r.text)
	}
	r.glob, r.folded = compileWildcard(r.text), compileWildcard(fspath.Fold(r.text))
	return r
}

// A kodaValue is what patterns are matched with.
type kodaValue struct {
	texts []string // ways to write it; one of them must match
	also  []string // further ones that a rule which allows does not match
	fold  bool     // a rule that denies matches it in upper and lower case
}

func (r *kodaRule) matches(v kodaValue) bool {
	if slices.ContainsFunc(v.texts, r.glob.match) {
		return true
	}
	if r.rule.Effect != sayso.Allow && slices.ContainsFunc(v.also, r.glob.match) {
		return true
	}
	return v.fold && r.rule.Effect == sayso.Deny && slices.ContainsFunc(v.texts, func(s string) bool { return r.folded.match(fspath.Fold(s)) })
}

// last returns the last rule that matches, or nil.
func (list kodaRules) last(v kodaValue) *kodaRule {
	if i := list.lastAt(v); i >= 0 {
		return &list[i]
	}
	return nil
}

// lastAt is where the last rule that matches stands; -1: nowhere.
func (list kodaRules) lastAt(v kodaValue) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].matches(v) {
			return i
		}
	}
	return -1
}

// forLine returns the rule that decides about a command line as a whole: the last
// that matches it, unless later ones speak about each of its commands.
func (list kodaRules) forLine(f *sayso.Facts, line *sayso.Part) *kodaRule {
	at := list.lastAt(kodaCommandValue(line))
	if at < 0 {
		return nil
	}
	some := false
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Command == nil && len(p.Opaque) == 0 {
			continue // a file that a redirection of a command touches
		}
		if p.Command == nil || list.lastAt(kodaCommandValue(&kodaCommand(f, p)[0])) <= at {
			return &list[at]
		}
		some = true
	}
	if !some {
		return &list[at]
	}
	return nil
}

// stricter returns the rule that lets less through; nil says nothing.
func (r *kodaRule) stricter(other *kodaRule) *kodaRule {
	if r == nil || other != nil && other.rule.Effect < r.rule.Effect {
		return other
	}
	return r
}

// kodaNormal is a value as it is matched: trimmed, paths cleaned, hosts in lower
// case and without a port.
func kodaNormal(subject, value string) []string {
	value = strings.TrimSpace(value)
	switch subject {
	case SubjectExternalDirectory:
		if value != "" {
			value = path.Clean(value)
		}
	case SubjectNetworkTarget:
		value = strings.ToLower(value)
		if !kodaSymbolic(value) && (strings.Count(value, ":") < 2 || value[0] == '[') { // else it is an address of many colons
			value = shell.Host(value)
		}
	case SubjectWebFetch:
		if u, err := url.Parse(value); err == nil && u.Host != "" {
			value = kodaAddress(u, []string{shell.Host(u.Host)})
		}
		return kodaAddressValue(value).texts
	}
	return []string{value}
}

// kodaTargetValue is how a network target can be written: by its name, or by the
// command that it is scoped to. A rule that allows a command the network does not
// allow it every host that it is given.
func kodaTargetValue(p *sayso.Part) kodaValue {
	v := kodaValue{texts: []string{p.Text}}
	if p.Command == nil {
		return v
	}
	scoped := kodaScope + p.Command.Words().Name
	if kodaSymbolic(p.Text) {
		v.texts = append(v.texts, scoped)
	} else {
		v.also = []string{scoped}
	}
	return v
}

// kodaScope stands in front of the name of a command that a target is scoped to.
const kodaScope = "command:"

// kodaSymbolic reports whether a network target is no host.
func kodaSymbolic(target string) bool {
	return slices.Contains([]string{shell.Registries, shell.Remotes, shell.External}, target) || strings.HasPrefix(target, kodaScope)
}

// kodaCommandValue is how a command can be written in a rule: as it stands
// there, and for rules that deny or ask also without needless blanks, quotes and
// the folder of its program.
func kodaCommandValue(p *sayso.Part) kodaValue {
	v := kodaValue{texts: []string{p.Text}, also: []string{strings.Join(strings.Fields(p.Text), " ")}}
	if p.Command != nil && len(p.Command.Args) > 0 {
		argv := kodaArgv(p.Command)
		name := p.Command.Args[0].Text
		v.also = append(v.also, argv, path.Base(name)+strings.TrimPrefix(argv, name))
	}
	return v
}

// kodaAddressValue is how an address can be written.
func kodaAddressValue(text string) kodaValue {
	v := kodaValue{texts: []string{text}}
	if strings.Count(text, "/") == 2 && !strings.Contains(text, "?") { // the root of a host
		v.texts = append(v.texts, text+"/")
	}
	return v
}

// forPath returns the rule that decides about a path. Where more than one file is
// meant, the strictest of what the rules say about them counts.
func (list kodaRules) forPath(p *shell.Path) *kodaRule {
	if p.Abs == "" {
		return list.forUnknown()
	}
	found := list.last(kodaValue{texts: []string{p.Abs}, fold: true})
	if !p.Recursive && !p.Glob {
		return found
	}
	for i := range list {
		one := kodaWild(list[i].text) // a file that this rule is about
		if p.Recursive && fspath.Within(one, p.Abs) || p.Glob && kodaFinds(p.Abs, one, p.Recursive) {
			found = found.stricter(list.last(kodaValue{texts: []string{one}, fold: true}))
		}
	}
	return found
}

// kodaFinds reports whether a pattern of the shell may find a file, or a folder
// above it if all of it is meant.
func kodaFinds(pattern, file string, recursive bool) bool {
	g, err := glob.CompileLoose(pattern)
	if err != nil {
		return true
	}
	for at := file; at != "/" && at != "."; at = path.Dir(at) {
		if g.Match(at) {
			return true
		}
		if !recursive {
			return false
		}
	}
	return false
}

// forUnknown returns the rule for a path that cannot be known. Only one about
// everything is about it for certain, and that cannot allow what another rule may
// forbid.
func (list kodaRules) forUnknown() *kodaRule {
	var found *kodaRule
	strict := false
	for i := range list {
		strict = strict || list[i].rule.Effect != sayso.Allow
		if strings.Trim(list[i].text, "*") == "" {
			found = &list[i]
		}
	}
	if found != nil && found.rule.Effect == sayso.Allow && strict {
		return nil
	}
	return found
}

// at returns the rules as they are meant in a workspace.
func (list kodaRules) at(c *sayso.Case) kodaRules {
	if !slices.ContainsFunc(list, func(r kodaRule) bool { return r.near }) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i] = out[i].at(c)
	}
	return out
}
