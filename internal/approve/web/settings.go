package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/manage"
)

// Policies are the policies of the workspaces that sayso knows.
type Policies interface {
	// Workspaces lists the roots, the one that is shown first before the others.
	Workspaces(ctx context.Context) ([]string, error)
	// Policy is what counts in a workspace.
	Policy(ctx context.Context, root string) (Policy, error)
	// SetMode sets the mode that counts in a workspace by default; empty: as
	// the other policies have it.
	SetMode(ctx context.Context, root, mode string) error
	// AddRule adds a rule, and returns what there is to say about it. A part
	// that failed is a [*manage.PartialError].
	AddRule(ctx context.Context, root string, r Rule) ([]string, error)
	// RemoveRule removes a rule that Policy listed, from everywhere it is kept.
	RemoveRule(ctx context.Context, root string, r Rule) error
	// Trusted says what is trusted, for people, and whether it is still as it
	// was.
	Trusted(t sayso.Trust) (about string, same bool)
}

// A Policy is what counts in a workspace.
type Policy struct {
	Root, Preset string
	Mode         string   // that counts by default
	From         string   // the file that sets it; empty: it is built in
	Modes        []Mode   // that there are
	Problems     []string // why it does not load: then every call is denied
	Rules        []Rule
	Dropped      []string // what does not count, and why
}

// A Mode is a mode of a preset.
type Mode struct{ Name, Doc string }

// A Rule is a rule with where it stands.
type Rule struct {
	Place  string // one of the places
	Effect sayso.Effect
	Text   string
	Where  string // file and line
	Fixed  string // why it cannot be removed here; empty: it can
}

// The places of rules.
const (
	InFile      = "file"      // the user's own file for the workspace
	InCommitted = "committed" // the file in the repository
	InUser      = "user"      // the user's file for all workspaces
	InDatabase  = "database"  // kept for the workspace
	InBoth      = "both"      // in the database, and in the file in the repository; only to add
	InProfile   = "profile"   // kept for all workspaces, encrypted
	InOther     = "other"     // a file that only people edit
)

// placeNames are the places, as people call them, in the order in which they are
// shown.
var placeNames = []struct{ Place, Name string }{
	{InProfile, "Profile rules: for you, in every workspace"},
	{InUser, "Your policy file, for every workspace"},
	{InDatabase, "Workspace rules: kept for this workspace"},
	{InFile, "Your file for this workspace"},
	{InCommitted, "The file in the repository"},
	{InOther, "Elsewhere"},
}

// settings is what the settings page shows.
type settings struct {
	Policy
	Roots  []string
	Groups []group
}

// A group are the rules of one place.
type group struct {
	Name  string
	Rules []Rule
}

// root is the workspace that a request is about: one that is known.
func (p *Page) root(r *http.Request) (string, []string, error) {
	roots, err := p.Policies.Workspaces(r.Context())
	if err != nil {
		return "", nil, err
	}
	want := r.FormValue("root")
	switch {
	case want == "" && len(roots) > 0:
		return roots[0], roots, nil
	case slices.Contains(roots, want):
		return want, roots, nil
	}
	return "", roots, fmt.Errorf("the workspace %q is not known", view.Safe(want))
}

func (p *Page) showSettings(w http.ResponseWriter, r *http.Request, s *session) {
	root, roots, err := p.root(r)
	if err != nil {
		p.fail(w, r, s, err)
		return
	}
	policy, err := p.Policies.Policy(r.Context(), root)
	if err != nil {
		p.fail(w, r, s, err)
		return
	}
	find := strings.ToLower(r.FormValue("find"))
	shown := settings{Policy: policy, Roots: roots}
	for _, place := range placeNames {
		g := group{Name: place.Name}
		for _, rule := range policy.Rules {
			if rule.Place == place.Place && (find == "" || strings.Contains(strings.ToLower(rule.Effect.String()+" "+rule.Text), find)) {
				g.Rules = append(g.Rules, rule)
			}
		}
		if len(g.Rules) > 0 || place.Place == InProfile || place.Place == InDatabase {
			shown.Groups = append(shown.Groups, g)
		}
	}
	p.show(w, r, s, "settings", "Settings", struct {
		settings
		Find string
	}{shown, r.FormValue("find")})
}

// here is the settings page of a workspace.
func here(root string) string { return "settings?root=" + url.QueryEscape(root) }

func (p *Page) setMode(w http.ResponseWriter, r *http.Request, s *session) {
	root, _, err := p.root(r)
	mode := r.PostForm.Get("mode")
	if err == nil {
		err = p.Policies.SetMode(r.Context(), root, mode)
	}
	done := "The default mode is " + view.Safe(mode) + "."
	if mode == "" {
		done = "The default mode is that of the other policies."
	}
	p.back(w, r, s, here(root), done, err)
}

// posted is the rule that a form names.
func posted(r *http.Request) (Rule, error) {
	form := r.PostForm
	rule := Rule{Place: form.Get("place"), Text: strings.TrimSpace(form.Get("text")), Where: form.Get("where")}
	if err := rule.Effect.UnmarshalText([]byte(form.Get("effect"))); err != nil {
		return rule, errors.New("a rule is to allow, ask or deny")
	}
	if rule.Text == "" {
		return rule, errors.New("the rule is empty; for example: bash(npm test *)")
	}
	return rule, nil
}

func (p *Page) addRule(w http.ResponseWriter, r *http.Request, s *session) {
	root, _, err := p.root(r)
	rule, wrong := posted(r)
	if err = errors.Join(err, wrong); err == nil {
		var notes []string
		notes, err = p.Policies.AddRule(r.Context(), root, rule)
		for _, n := range notes {
			s.say(true, view.Safe(n))
		}
	}
	p.back(w, r, s, here(root), fmt.Sprintf("Added: %s %s.", rule.Effect, view.Safe(rule.Text)), err)
}

func (p *Page) removeRule(w http.ResponseWriter, r *http.Request, s *session) {
	root, _, err := p.root(r)
	rule, wrong := posted(r)
	if err = errors.Join(err, wrong); err == nil {
		err = p.Policies.RemoveRule(r.Context(), root, rule)
	}
	p.back(w, r, s, here(root), fmt.Sprintf("Removed: %s %s.", rule.Effect, view.Safe(rule.Text)), err)
}

// partly says why a change was not made, or not wholly.
func partly(err error) string {
	var partial *manage.PartialError
	if errors.As(err, &partial) {
		return "Only a part of it was done: " + view.Safe(err.Error()) + ". Do it again when that is mended."
	}
	return view.Safe(err.Error())
}
