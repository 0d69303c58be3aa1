package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/preset"
)

// granted are the grants that count in a workspace for longer than a session, as
// the rules that they are.
func granted(given []sayso.GivenGrant, root string) []sayso.Rule {
	var out []sayso.Rule
	for _, g := range given {
		if !lasting(&g) || !g.CountsIn("", root) {
			continue
		}
		r := sayso.Rule{Effect: sayso.Allow, Text: g.Rule, Until: g.Expires, Source: grantSource(&g)}
		if theirs, err := preset.ParseCoWorkRule(g.Rule); err == nil {
			r.Effect = theirs.Effect
		}
		out = append(out, r)
	}
	return out
}

// ruleKeep adds a rule to, or removes it from, what is kept besides the files.
func ruleKeep(do ruleChange, effect sayso.Effect, at config.Places, std IO) error {
	if do.verb == "rm" && neverKept() {
		return noRule(do, effect)
	}
	return atDesk(std.key(do.phrase), func(ctx context.Context, d *manage.Desk) error {
		if do.verb == "add" {
			return keepRule(ctx, d, do, effect, at, std)
		}
		return dropRule(ctx, d, do, effect, at.Root, std)
	})
}

// place is where a rule is, or is to be, kept: the root, and the file, for people.
func (do ruleChange) place(root string) (string, string) {
	state, _ := local.State() // at the desk there is one
	if do.profile {
		return "", local.Profile(state.Dir)
	}
	return root, local.Database(state.Dir)
}

func keepRule(ctx context.Context, d *manage.Desk, do ruleChange, effect sayso.Effect, at config.Places, std IO) error {
	p, err := loadWith(loading{passphrase: do.phrase}, at.Root, at.Home, std)
	if err != nil {
		return err
	}
	r := sayso.Rule{Effect: effect, Text: do.args[1]}
	if p.engine.Preset.Name == "cowork" {
		r.Text = effect.String() + " " + r.Text
		if _, err := preset.ParseCoWorkRule(r.Text); err != nil {
			return &usageError{err.Error(), "for example: sayso rule add --kept deny 'tool open_url'"}
		}
	} else if _, err := sayso.NewRuleSet([]sayso.Rule{r}); err != nil {
		return &usageError{err.Error(), config.RuleHint(err)}
	}
	root, where := do.place(at.Root)
	list, err := d.Rules.Rules(ctx, root)
	if err != nil {
		return err
	}
	for _, old := range list {
		if old.Text == r.Text && old.Effect != effect {
			return &hintedError{fmt.Sprintf("%s: it is there already, to %s: %s", where, old.Effect, old.Text), "remove that first with sayso rule rm"}
		}
	}
	if both, ok := d.Rules.(*manifest.Rules); ok {
		both.Shared = do.shared
	}
	err = d.AddRule(ctx, root, r)
	if partial := (*manage.PartialError)(nil); err != nil && !errors.As(err, &partial) {
		return err
	}
	if err := errors.Join(err, do.told(effect, do.args[1], where, std)); err != nil {
		return err
	}
	if !do.shared { // the other of the two would be called pointless
		notes(at, effect, r.Text, where, std)
	}
	return nil
}

// dropRule removes a rule wherever it is kept, or where it is said to be.
func dropRule(ctx context.Context, d *manage.Desk, do ruleChange, effect sayso.Effect, root string, std IO) error {
	defer tellMirrors(d, std)()
	texts := []string{do.args[1], effect.String() + " " + do.args[1]} // the second as CoWork OS writes it
	var errs []error
	found := false
	for _, profile := range []bool{false, true} {
		if do.kept && profile || do.profile && !profile {
			continue
		}
		from := do
		from.profile = profile
		at, where := from.place(root)
		n, err := dropFrom(ctx, d, at, effect, texts)
		errs = append(errs, err)
		if n > 0 {
			found = true
			errs = append(errs, do.told(effect, do.args[1], where, std))
		}
	}
	if err := errors.Join(errs...); err != nil || found {
		return err
	}
	return noRule(do, effect)
}

// tellMirrors returns what names the files of the workspace that were changed since,
// because they had what was removed.
func tellMirrors(d *manage.Desk, std IO) func() {
	both, ok := d.Rules.(*manifest.Rules)
	if !ok {
		return func() {}
	}
	var files []string
	told := func(name string, then func(context.Context, string, []byte, []byte) error) func(context.Context, string, []byte, []byte) error {
		return func(ctx context.Context, root string, before, after []byte) error {
			files = append(files, filepath.Join(root, filepath.FromSlash(name)))
			return then(ctx, root, before, after)
		}
	}
	both.Committed.Changed = told(local.CommittedFile, both.Committed.Changed)
	both.Manifest.Changed = told(manifest.Name, both.Manifest.Changed)
	return func() {
		for _, file := range files {
			printf(std.Err, "sayso: note: it stood in %s, too, and is no longer there\n", file)
		}
	}
}

func noRule(do ruleChange, effect sayso.Effect) error {
	return &hintedError{fmt.Sprintf("there is no such rule to %s: %s", effect, do.args[1]), "sayso rule list shows all, each with its file"}
}

// neverKept reports whether nothing was ever kept: then there is no database that
// would be made just to look.
func neverKept() bool {
	state, err := local.State()
	if err != nil {
		return true
	}
	_, noDatabase := os.Lstat(local.Database(state.Dir))
	_, noProfile := os.Lstat(local.Profile(state.Dir))
	return errors.Is(noDatabase, fs.ErrNotExist) && errors.Is(noProfile, fs.ErrNotExist)
}

// dropFrom removes the rules and the grants with one of the texts that are kept
// for a root; it returns how many are gone.
func dropFrom(ctx context.Context, d *manage.Desk, root string, effect sayso.Effect, texts []string) (int, error) {
	list, err := d.Rules.Rules(ctx, root)
	if err != nil {
		return 0, err
	}
	if root != "" { // in the manifest there may be more
		state, _ := local.State() // at the desk there is one
		theirs, err := manifest.Files{State: state.Dir}.Rules(ctx, root)
		if err != nil && !slices.ContainsFunc(list, func(r sayso.Rule) bool { return slices.Contains(texts, r.Text) }) {
			return 0, err
		}
		list = append(list, theirs...)
	}
	given, err := d.Grants.AllGrants(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	n := 0
	count := func(err error) {
		partial := (*manage.PartialError)(nil)
		if err == nil || errors.As(err, &partial) {
			n++
		}
		if !errors.Is(err, sayso.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	seen := map[string]bool{}
	for _, r := range list {
		if r.Effect == effect && slices.Contains(texts, r.Text) && !seen[r.Text] {
			seen[r.Text] = true
			count(d.RemoveRule(ctx, root, r))
		}
	}
	for _, g := range given {
		here := g.Scope == sayso.ForProfile && root == "" || g.Scope == sayso.ForWorkspace && root != "" && g.Root == root
		if here && (g.Rule == texts[0] && effect == sayso.Allow || g.Rule == texts[1]) {
			count(d.RevokeGrant(ctx, g))
		}
	}
	return n, errors.Join(errs...)
}
