package manifest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
)

// A Mirror keeps grants in a database, and those for a workspace that are rules
// of CoWork OS in the workspace's manifest, too.
//
// The database is what counts. If the manifest cannot be written the change in
// the database stands, and the error, a [*manage.PartialError], says what is
// where.
type Mirror struct {
	sayso.GrantStore
	Manifest Files

	// Partial is told that a grant is kept in the database only. Nil: it is the
	// error of AddGrant, so that the call that it was given for is denied.
	Partial func(error)
}

// rule is the rule of a grant that belongs into a manifest.
func rule(g *sayso.Grant) (preset.CoWorkRule, bool) {
	r, err := preset.ParseCoWorkRule(g.Rule)
	return r, err == nil && g.Scope == sayso.ForWorkspace
}

// AddGrant keeps a grant.
func (m *Mirror) AddGrant(ctx context.Context, session, root string, g sayso.Grant) error {
	if err := m.GrantStore.AddGrant(ctx, session, root, g); err != nil {
		return err
	}
	r, ok := rule(&g)
	if !ok {
		return nil
	}
	err := m.Manifest.AddRule(ctx, root, sayso.Rule{Effect: r.Effect, Text: r.String()})
	if err == nil {
		return nil
	}
	err = partial("it is kept in the database", "it is not in "+file(root), err)
	if m.Partial == nil {
		return err
	}
	m.Partial(err)
	return nil
}

func file(root string) string { return filepath.Join(root, filepath.FromSlash(Name)) }

func partial(done, left string, err error) error {
	return &manage.PartialError{Done: done, Left: left, Err: err}
}

// RevokeGrant takes a grant back, from both places.
func (m *Mirror) RevokeGrant(ctx context.Context, id string) error {
	all, err := m.AllGrants(ctx)
	if err != nil {
		return err
	}
	if err := m.GrantStore.RevokeGrant(ctx, id); err != nil {
		return err
	}
	var gone *sayso.GivenGrant
	for i := range all {
		if all[i].ID == id {
			gone = &all[i]
		}
	}
	if gone == nil {
		return nil
	}
	r, ok := rule(&gone.Grant)
	if !ok {
		return nil
	}
	for i := range all {
		if same, ok := rule(&all[i].Grant); ok && all[i].ID != id && all[i].Root == gone.Root && same.String() == r.String() {
			return nil // another grant says the same
		}
	}
	if err := m.Manifest.RemoveRule(ctx, gone.Root, r.String()); err != nil && !errors.Is(err, sayso.ErrNotFound) {
		return partial("it is revoked in the database", "it still stands in "+file(gone.Root), err)
	}
	return nil
}

// Rules keeps rules of workspaces in a database and in a manifest in their
// repositories: those of CoWork OS in its own, and those of sayso in .sayso.yaml,
// if Shared says so. Rules without a workspace are in no manifest.
type Rules struct {
	sayso.RuleStore
	Manifest  Files
	Committed Committed
	Shared    bool
}

// A mirror is a manifest that a rule is written to.
type mirror struct {
	sayso.RuleStore
	name string
}

func (r *Rules) mirror(root, text string) (m mirror, ours bool) {
	if _, err := preset.ParseCoWorkRule(text); err == nil {
		return mirror{r.Manifest, file(root)}, false
	}
	return mirror{r.Committed, filepath.Join(root, local.CommittedFile)}, true
}

// AddRule keeps a rule in both places.
func (r *Rules) AddRule(ctx context.Context, root string, rule sayso.Rule) error {
	if err := r.RuleStore.AddRule(ctx, root, rule); err != nil {
		return err
	}
	m, ours := r.mirror(root, rule.Text)
	if root == "" || ours && !r.Shared {
		return nil
	}
	if err := m.AddRule(ctx, root, rule); err != nil {
		return partial("it is kept in the database", "it is not in "+m.name, err)
	}
	return nil
}

// RemoveRule removes a rule from both places. One that is in the manifest of
// CoWork OS only is removed there; what else stands in .sayso.yaml was not kept.
func (r *Rules) RemoveRule(ctx context.Context, root, text string) error {
	kept, err := r.Rules(ctx, root)
	if err != nil {
		return err
	}
	db := r.RuleStore.RemoveRule(ctx, root, text)
	if db != nil && (!errors.Is(db, sayso.ErrNotFound) || root == "") {
		return db // then nothing was removed
	}
	m, ours := r.mirror(root, text)
	switch {
	case root == "":
		return nil
	case ours && db != nil:
		return db
	case ours:
		err = r.Committed.remove(ctx, root, kept, text)
	default:
		err = m.RemoveRule(ctx, root, text)
	}
	switch {
	case err == nil, errors.Is(err, sayso.ErrNotFound) && db == nil:
		return nil
	case errors.Is(err, sayso.ErrNotFound):
		return db
	case db != nil:
		return err // it was in neither, as far as can be told
	}
	return partial("it is removed from the database", "it still stands in "+m.name, err)
}

// KeepTrust returns what [Files.Changed] does so that a manifest which was trusted
// stays so: it was the user's own change.
func KeepTrust(d *manage.Desk, name string) func(ctx context.Context, root string, before, after []byte) error {
	return func(ctx context.Context, root string, before, after []byte) error {
		if !manage.TrustsFile(ctx, d.Trusts, root, name, before) {
			return nil
		}
		if err := d.Trust(ctx, manage.FileTrust(root, name, after)); err != nil {
			return fmt.Errorf("it was written, but has to be trusted again with sayso trust add: %w", err)
		}
		return nil
	}
}
