package preset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// A KodaCodeGrant is something that was approved: a command by its first words,
// paths, hosts, or one execution to the letter. The text of a grant of [KodaCode]
// is one of them as JSON, or a list of them.
type KodaCodeGrant struct {
	// ExecutionPrefix are the first words of a command. Paths and hosts beside
	// it are approved for commands that start so; alone, for every call.
	ExecutionPrefix []string       `json:"execution_prefix,omitempty"`
	Paths           []KodaCodePath `json:"paths,omitempty"`
	Hosts           []string       `json:"hosts,omitempty"`

	// Execution is the fingerprint of a command with its folder and policies.
	Execution string `json:"execution,omitempty"`

	// Rules amend the permission rules: they count behind all others.
	Rules []KodaCodeAmendment `json:"rules,omitempty"`
}

// A KodaCodePath is a file, or a folder with all below it.
type KodaCodePath struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"` // and not only to be read
}

// A KodaCodeAmendment is a permission rule that a person has added.
type KodaCodeAmendment struct {
	Subject string       `json:"subject"`
	Pattern string       `json:"pattern"`
	Action  sayso.Effect `json:"action"`
}

// String is the text of the grant.
func (g KodaCodeGrant) String() string { return kodaGrantText([]KodaCodeGrant{g}) }

func kodaGrantText(list []KodaCodeGrant) string {
	var text []byte
	if len(list) == 1 {
		text, _ = json.Marshal(list[0]) // texts can be written
	} else {
		text, _ = json.Marshal(list)
	}
	return string(text)
}

// parseKodaGrant reads the text of a grant strictly.
func parseKodaGrant(text string) ([]KodaCodeGrant, error) {
	const want = `grant: want {"execution_prefix": ["git", "diff"]}, {"paths": [{"path": "/x"}]} or {"hosts": ["example.com"]}`
	var list []KodaCodeGrant
	into := any(&list)
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		list = make([]KodaCodeGrant, 1)
		into = &list[0]
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return nil, fmt.Errorf("%s: %w", want, err)
	}
	if dec.More() || len(list) == 0 {
		return nil, errors.New(want)
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// check says what is wrong with a grant: one that would cover more than it seems.
func (g *KodaCodeGrant) check() error {
	for _, p := range g.Paths {
		if !strings.HasPrefix(p.Path, "/") || path.Clean(p.Path) != p.Path {
			return fmt.Errorf("grant: the path %q is not absolute and clean", p.Path)
		}
	}
	for _, r := range g.Rules {
		if !slices.Contains(kodaSubjects, r.Subject) || strings.TrimSpace(r.Pattern) == "" {
			return fmt.Errorf("grant: the rule %s: %q is about nothing", r.Subject, r.Pattern)
		}
	}
	texts := slices.Concat(g.ExecutionPrefix[:min(1, len(g.ExecutionPrefix))], g.Hosts)
	if slices.ContainsFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return errors.New("grant: a command or a host is empty")
	}
	if len(texts)+len(g.Paths)+len(g.Rules)+len(g.Execution) == 0 {
		return errors.New("grant: it covers nothing")
	}
	return nil
}

// kodaItems are the grants of the session that count now. One that cannot be read
// covers nothing.
func kodaItems(c *sayso.Case) []KodaCodeGrant {
	var out []KodaCodeGrant
	for _, g := range c.Session.Grants.List() {
		if !g.Counts(&c.Session) {
			continue
		}
		if items, err := parseKodaGrant(g.Rule); err == nil {
			out = append(out, items...)
		}
	}
	return out
}

// kodaGranted is the second step: what was approved before in the session.
func kodaGranted(c *sayso.Case) sayso.Verdict {
	p := c.Part()
	items := kodaItems(c)
	covered := slices.ContainsFunc(items, func(g KodaCodeGrant) bool { return g.covers(p) })
	if p.Subject == SubjectBash && p.Command == nil && len(p.Opaque) == 0 { // a whole line: if all of it is
		covered = kodaAllGranted(c, items)
	}
	if !covered {
		return sayso.Pass()
	}
	return sayso.Decide(sayso.Allow, sayso.CodeGrant, "it was approved for the session: "+shell.Shown(p.Text))
}

func kodaAllGranted(c *sayso.Case, items []KodaCodeGrant) bool {
	some := false
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if p.Command == nil {
			continue
		}
		some = true
		if !slices.ContainsFunc(items, func(g KodaCodeGrant) bool { return g.starts(p.Command) }) {
			return false
		}
	}
	return some
}

// covers reports whether the grant is about a resource.
func (g *KodaCodeGrant) covers(p *sayso.Part) bool {
	if len(g.ExecutionPrefix) > 0 && !g.starts(p.Command) {
		return false
	}
	switch p.Subject {
	case SubjectBash:
		return len(g.ExecutionPrefix) > 0
	case SubjectNetworkTarget:
		return slices.Contains(g.Hosts, p.Text)
	case SubjectWebFetch:
		return len(p.Hosts) > 0 && len(p.Opaque) == 0 && !slices.ContainsFunc(p.Hosts, func(h string) bool { return !slices.Contains(g.Hosts, h) })
	case SubjectExternalDirectory, kodaWorkspace:
		return slices.ContainsFunc(g.Paths, func(granted KodaCodePath) bool { return granted.covers(&p.Paths[0]) })
	}
	return false
}

// starts reports whether the first words of a command are those of the grant,
// word by word. Variables in front of it change what it does, and a word that
// is not known may be anything.
func (g *KodaCodeGrant) starts(c *shell.Command) bool {
	if c == nil || len(g.ExecutionPrefix) == 0 || len(c.Assigns) > 0 || len(c.Args) < len(g.ExecutionPrefix) {
		return false
	}
	for i, word := range g.ExecutionPrefix {
		if a := &c.Args[i]; a.Text != word || a.Unknown || a.Glob {
			return false
		}
	}
	return true
}

// covers reports whether a path is the approved one or below it.
func (g KodaCodePath) covers(p *shell.Path) bool {
	reads := p.Access == shell.List || p.Access == shell.Read
	return p.Abs != "" && !p.Glob && (g.Write || reads) && fspath.Within(p.Abs, g.Path)
}
