package preset

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// choices are the answers of an approval prompt: once, for the session, no; and
// for commands, behind these, what else the request allows.
func (k *koda) choices(c *sayso.Case, _ *sayso.Decision) []sayso.Choice {
	once := KodaCodeGrant{Execution: k.execution(c)}.String()
	asking := k.asking(c)
	list := []sayso.Choice{
		{Label: "Allow once", Yes: true, Scope: sayso.ForTurn, Rule: once},
		{Label: "Allow for session duration", Yes: true, Scope: sayso.ForSession, Rule: kodaGrantText(k.session(c, asking))},
		{Label: "Deny"},
	}
	if len(c.Facts.Lines) > 0 {
		if slices.ContainsFunc(asking, func(r *sayso.Case) bool { return r.Part().Subject == SubjectNetworkTarget }) {
			list = append(list, sayso.Choice{Label: "Allow with network enabled", Yes: true, Scope: sayso.Once, Network: sayso.NetworkAll})
		}
		if rules := k.amendment(c, asking); len(rules) > 0 {
			list = append(list, sayso.Choice{
				Label: "Allow with execution policy amendment: " + kodaShown(rules), Yes: true, Scope: sayso.ForSession,
				Rule: KodaCodeGrant{Rules: rules}.String(),
			})
		}
	}
	for i := range list {
		list[i].Key = strconv.Itoa(i + 1)
	}
	return list
}

// suggest returns what can be approved for the session.
func (k *koda) suggest(c *sayso.Case) []sayso.Suggestion {
	asking := k.asking(c)
	if len(asking) == 0 {
		return nil // something else asks, which no grant of ours changes
	}
	keep := []sayso.Scope{sayso.ForSession}
	session := k.session(c, asking)
	out := []sayso.Suggestion{{Rule: kodaGrantText(session), Allows: kodaAllows(session), Keep: keep}}
	if rules := k.amendment(c, asking); len(c.Facts.Lines) > 0 && len(rules) > 0 {
		out = append(out, sayso.Suggestion{Rule: KodaCodeGrant{Rules: rules}.String(), Allows: "what the permission rules " + kodaShown(rules) + " match", Keep: keep})
	}
	return out
}

// asking are the resources of a call that a person must approve.
func (k *koda) asking(c *sayso.Case) []*sayso.Case {
	if k.modeOf(c) == FullAccess {
		return nil
	}
	plan := sayso.Plan(k.stages(k.modeOf(c)))
	return slices.DeleteFunc(kodaResources(c), func(r *sayso.Case) bool {
		return plan.Evaluate(context.Background(), r).Effect != sayso.Ask
	})
}

// session is the grant for as long as the session lasts: the prefixes of the
// commands that ask, or that ask for something, with the paths and hosts that
// they ask for; or these alone.
func (k *koda) session(c *sayso.Case, asking []*sayso.Case) []KodaCodeGrant {
	var out []KodaCodeGrant
	add := func(g KodaCodeGrant) *KodaCodeGrant {
		i := slices.IndexFunc(out, func(o KodaCodeGrant) bool { return slices.Equal(o.ExecutionPrefix, g.ExecutionPrefix) })
		if i < 0 {
			i, out = len(out), append(out, g)
		}
		return &out[i]
	}
	for _, r := range asking {
		p := r.Part()
		commands := []*shell.Command{p.Command}
		if p.Subject == SubjectBash && p.Command == nil {
			commands = kodaCommands(c.Facts) // a whole line
		}
		for _, command := range commands {
			item, ok := kodaGrantFor(p, command)
			if !ok { // nothing but the same call again
				return []KodaCodeGrant{{Execution: k.execution(c)}}
			}
			g := add(KodaCodeGrant{ExecutionPrefix: item.ExecutionPrefix})
			g.Paths, g.Hosts = append(g.Paths, item.Paths...), append(g.Hosts, item.Hosts...)
		}
	}
	if len(out) == 0 {
		out = append(out, KodaCodeGrant{Execution: k.execution(c)})
	}
	return out
}

// kodaCommands are the commands of a call.
func kodaCommands(f *sayso.Facts) []*shell.Command {
	var out []*shell.Command
	for i := range f.Parts {
		if f.Parts[i].Command != nil {
			out = append(out, f.Parts[i].Command)
		}
	}
	return out
}

// kodaGrantFor is the grant for one resource, of a command if there is one. It is
// not ok if nothing can be named that the grant is about.
func kodaGrantFor(p *sayso.Part, command *shell.Command) (g KodaCodeGrant, ok bool) {
	if command != nil {
		g.ExecutionPrefix = kodaPrefix(command)
	}
	if command != nil && g.ExecutionPrefix == nil || !kodaKeyed(p, command) {
		return g, false
	}
	switch p.Subject {
	case SubjectExternalDirectory, kodaWorkspace:
		touched := p.Paths[0]
		g.Paths = []KodaCodePath{{touched.Abs, touched.Access != shell.Read && touched.Access != shell.List}}
	case SubjectWebFetch, SubjectNetworkTarget:
		g.Hosts = p.Hosts
	}
	return g, true
}

// kodaKeyed reports whether a resource has something that a grant can name.
func kodaKeyed(p *sayso.Part, command *shell.Command) bool {
	switch p.Subject {
	case SubjectExternalDirectory, kodaWorkspace:
		return path.IsAbs(p.Paths[0].Abs) && !p.Paths[0].Glob
	case SubjectWebFetch, SubjectNetworkTarget:
		return len(p.Hosts) > 0 && len(p.Opaque) == 0
	case SubjectBash:
		return command != nil
	}
	return false
}

// kodaPrefix are the words of a command that a grant names: its meaningful
// prefix, if it is one word by word, or else all of it. Nil: not all words are
// known, or what is behind them decides what runs, as for a shell, an interpreter
// or a wrapper.
func kodaPrefix(c *shell.Command) []string {
	if len(c.Assigns) > 0 || len(c.Args) == 0 || !c.Suggest {
		return nil
	}
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	n := len(words)
	if len(c.Prefix) > 0 && len(c.Prefix) <= n && slices.Equal(c.Prefix, words[:len(c.Prefix)]) {
		n = len(c.Prefix)
	}
	if slices.ContainsFunc(c.Args[:n], func(a shell.Arg) bool { return a.Unknown || a.Glob }) {
		return nil
	}
	return words[:n]
}

// amendment proposes rules that would have allowed the call. There are none where
// the mode asks, which no rule changes, or where a pattern cannot say it.
func (k *koda) amendment(c *sayso.Case, asking []*sayso.Case) []KodaCodeAmendment {
	var out []KodaCodeAmendment
	for _, r := range asking {
		p := r.Part()
		var patterns []string
		switch {
		case kodaRequires(k.modeOf(c), p) != "":
			return nil
		case p.Subject == SubjectBash && p.Command != nil && len(p.Opaque) == 0:
			patterns = kodaPatterns(p)
		case p.Subject == SubjectNetworkTarget:
			patterns = []string{p.Text}
		case p.Subject == SubjectExternalDirectory && !p.Paths[0].Glob && !p.Paths[0].Recursive && p.Paths[0].Abs != "":
			patterns = []string{p.Text}
		}
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(s string) bool { return strings.ContainsAny(strings.TrimSuffix(s, " *"), "*?") }) {
			return nil
		}
		for _, pattern := range patterns {
			if rule := (KodaCodeAmendment{p.Subject, pattern, sayso.Allow}); !slices.Contains(out, rule) {
				out = append(out, rule)
			}
		}
	}
	return out
}

// kodaPatterns are patterns for commands like this one.
func kodaPatterns(p *sayso.Part) []string {
	words := kodaPrefix(p.Command)
	if prefix := strings.Join(words, " "); len(words) > 0 && (p.Text == prefix || strings.HasPrefix(p.Text, prefix+" ")) {
		return []string{prefix, prefix + " *"}
	}
	return []string{p.Text}
}

func kodaShown(rules []KodaCodeAmendment) string {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = fmt.Sprintf("%s %q: %s", r.Subject, r.Pattern, r.Action)
	}
	return strings.Join(texts, ", ")
}

// kodaAllows says what grants cover.
func kodaAllows(list []KodaCodeGrant) string {
	var out []string
	for _, g := range list {
		var what []string
		for _, p := range g.Paths {
			verb := "reading "
			if p.Write {
				verb = "writing "
			}
			what = append(what, verb+shell.Shown(p.Path))
		}
		for _, h := range g.Hosts {
			what = append(what, "access to "+shell.Shown(h))
		}
		switch {
		case g.Execution != "":
			what = append(what, "exactly this call again")
		case len(g.ExecutionPrefix) > 0:
			what = append([]string{"commands that start with " + inFull(inWords(g.ExecutionPrefix))}, what...)
		}
		out = append(out, strings.Join(what, " with "))
	}
	return strings.Join(out, "; ")
}
