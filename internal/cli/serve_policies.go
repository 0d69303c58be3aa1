package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/session"
)

// pagePolicies are the policies of the workspaces, for the page.
type pagePolicies struct {
	desk   *manage.Desk
	phrase func() (string, error)
	std    IO

	mu sync.Mutex // one change at a time
}

// mostSessions is how many of the latest sessions are asked for their workspace.
const mostSessions = 200

// Workspaces lists the workspaces that sayso has heard of and that are there.
func (p *pagePolicies) Workspaces(ctx context.Context) ([]string, error) {
	var out []string
	add := func(root string) {
		root = local.Real(root)
		if info, err := os.Stat(root); err == nil && info.IsDir() && filepath.IsAbs(root) && !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	if root, err := here(); err == nil {
		add(root)
	}
	folder, err := local.State()
	if err != nil {
		return nil, err
	}
	n := 0
	sessions, err := folder.List(ctx, func(session.Summary) bool { n++; return n >= mostSessions })
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if s.Err == nil && s.State.Root != "" {
			add(s.State.Root)
		}
	}
	trusts, err := p.desk.Trusts.AllTrust(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range trusts {
		add(t.Root)
	}
	waiting, err := p.desk.Approvals.Waiting(ctx)
	for i := range waiting {
		add(waiting[i].Call.Root)
	}
	return out, err
}

// quiet are the streams of a verb whose notes are kept.
func (p *pagePolicies) quiet() (IO, *bytes.Buffer) {
	var notes bytes.Buffer
	return IO{In: strings.NewReader(""), Out: io.Discard, Err: &notes, Script: p.std.Script}, &notes
}

func (p *pagePolicies) places(root string) config.Places {
	home, _ := os.UserHomeDir() // without one there are fewer files
	return places(root, home)
}

// Policy is what counts in a workspace.
func (p *pagePolicies) Policy(_ context.Context, root string) (web.Policy, error) {
	std, _ := p.quiet()
	at := p.places(root)
	l, err := loadWith(loading{passphrase: p.phrase}, at.Root, at.Home, std)
	if err != nil {
		return web.Policy{}, err
	}
	out := web.Policy{Root: root}
	report, err := reportMode(session.Summary{}, l, root)
	if err != nil {
		return out, err
	}
	out.Preset, out.Mode, out.From = report.Preset, report.Mode, report.From
	for _, m := range l.engine.Preset.Modes {
		out.Modes = append(out.Modes, web.Mode{Name: m.Name, Doc: m.Doc})
	}
	for _, one := range split(l.Err) {
		out.Problems = append(out.Problems, one.Error())
	}
	for _, r := range slices.Concat(l.Rules, l.Kept, granted(l.given, at.Root)) {
		out.Rules = append(out.Rules, p.shown(at, r))
	}
	for _, d := range l.Dropped {
		out.Dropped = append(out.Dropped, fmt.Sprintf("%s: %s does not count: %s", d.Source, d.What, d.Why))
	}
	return out, nil
}

// shown is a rule with where it stands.
func (p *pagePolicies) shown(at config.Places, r sayso.Rule) web.Rule {
	out := web.Rule{Place: web.InOther, Effect: r.Effect, Text: r.Text, Where: r.Source.String()}
	state, _ := local.State() // at the desk there is one
	for place, file := range map[string]string{
		web.InUser: at.File(sayso.User), web.InFile: at.File(sayso.Workspace), web.InCommitted: at.File(sayso.Committed),
		web.InDatabase: local.Database(state.Dir), web.InProfile: local.Profile(state.Dir),
	} {
		if file != "" && file == r.Source.File {
			out.Place = place
		}
	}
	if out.Place == web.InOther {
		out.Fixed = "change it in its file"
	}
	return out
}

// SetMode writes the mode into the user's own file for a workspace.
func (p *pagePolicies) SetMode(_ context.Context, root, mode string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	std, _ := p.quiet()
	at := p.places(root)
	l, err := loadWith(loading{passphrase: p.phrase}, at.Root, at.Home, std)
	if err != nil {
		return err
	}
	if err := knownMode(mode, l.engine.Preset); mode != "" && err != nil {
		return err
	}
	return rewrite(at.File(sayso.Workspace), func(text []byte) ([]byte, error) { return config.SetMode(text, mode) })
}

// A fileRules is a policy file as a store, so that its changes are recorded like
// those of others.
type fileRules struct {
	name   string
	effect sayso.Effect
}

func (f fileRules) Rules(context.Context, string) ([]sayso.Rule, error) { return nil, nil }

func (f fileRules) AddRule(_ context.Context, _ string, r sayso.Rule) error {
	return rewrite(f.name, func(text []byte) ([]byte, error) { return config.AddRule(text, r.Effect, r.Text) })
}

func (f fileRules) RemoveRule(_ context.Context, _, text string) error {
	return rewrite(f.name, func(before []byte) ([]byte, error) { return config.RemoveRule(before, f.effect, text) })
}

// inFile is the desk for the rules of a policy file.
func (p *pagePolicies) inFile(at config.Places, r web.Rule) (*manage.Desk, error) {
	layer, ok := map[string]sayso.Layer{web.InUser: sayso.User, web.InFile: sayso.Workspace, web.InCommitted: sayso.Committed}[r.Place]
	if !ok {
		return nil, fmt.Errorf("rules are not changed there: %q", r.Place)
	}
	d := *p.desk
	d.Rules = fileRules{at.File(layer), r.Effect}
	return &d, nil
}

// AddRule adds a rule.
func (p *pagePolicies) AddRule(ctx context.Context, root string, r web.Rule) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	std, notesOf := p.quiet()
	at := p.places(root)
	do := ruleChange{verb: "add", args: []string{r.Effect.String(), r.Text}, phrase: p.phrase}
	switch r.Place {
	case web.InDatabase, web.InBoth, web.InProfile:
		do.kept, do.shared, do.profile = r.Place != web.InProfile, r.Place == web.InBoth, r.Place == web.InProfile
		err := keepRule(ctx, p.desk, do, r.Effect, at, std)
		return noted(notesOf), err
	}
	if _, err := sayso.NewRuleSet([]sayso.Rule{{Text: r.Text}}); err != nil {
		return nil, err
	}
	d, err := p.inFile(at, r)
	if err != nil {
		return nil, err
	}
	if err := d.AddRule(ctx, at.Root, sayso.Rule{Effect: r.Effect, Text: r.Text}); err != nil {
		return nil, err
	}
	file := d.Rules.(fileRules).name
	notes(at, r.Effect, r.Text, file, std)
	return noted(notesOf), nil
}

// noted are the notes that a verb has printed.
func noted(b *bytes.Buffer) []string {
	var out []string
	for one := range strings.Lines(b.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(one), "sayso: note: "); ok {
			out = append(out, text)
		}
	}
	return out
}

// RemoveRule removes a rule.
func (p *pagePolicies) RemoveRule(ctx context.Context, root string, r web.Rule) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.places(root)
	switch r.Place {
	case web.InDatabase, web.InProfile:
		from := at.Root
		if r.Place == web.InProfile {
			from = ""
		}
		n, err := dropFrom(ctx, p.desk, from, r.Effect, []string{r.Text, r.Effect.String() + " " + r.Text})
		if n == 0 && err == nil {
			err = fmt.Errorf("there is no such rule any more: %s %s", r.Effect, r.Text)
		}
		return err
	}
	d, err := p.inFile(at, r)
	if err != nil {
		return err
	}
	return d.RemoveRule(ctx, at.Root, sayso.Rule{Effect: r.Effect, Text: r.Text})
}

// Trusted says what is trusted.
func (p *pagePolicies) Trusted(t sayso.Trust) (about string, same bool) {
	now, ok := asItIs(t)
	same = ok && now == t.Fingerprint
	if t.Name == "" {
		return "the workspace itself", same
	}
	if file, is := manage.IsFile(t); is {
		return "the file " + file, same
	}
	s, err := serverOf(t.Root, t.Name)
	if err != nil {
		return "the MCP server " + t.Name, same
	}
	about = "the MCP server " + t.Name + ": " + s.Type + " " + strings.Join(append([]string{s.Command}, s.Args...), " ")
	var keys []string
	for key := range s.Env {
		keys = append(keys, key)
	}
	if slices.Sort(keys); len(keys) > 0 {
		about += ", with " + strings.Join(keys, ", ")
	}
	return about, same
}

var _ web.Policies = (*pagePolicies)(nil)
