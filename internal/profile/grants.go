package profile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sayso-dev/sayso"
)

// Grants keeps those for the profile in the profile, and all others in another
// store.
type Grants struct {
	sayso.GrantStore
	Profile *Store
}

// Grants lists those for a session in a workspace.
func (g *Grants) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	out, err := g.GrantStore.Grants(ctx, session, root)
	if err != nil {
		return nil, err
	}
	c, err := g.Profile.read()
	if err != nil {
		return nil, err
	}
	for _, given := range c.Grants {
		out = append(out, given.Grant)
	}
	return out, nil
}

// AllGrants lists the grants of every session and workspace.
func (g *Grants) AllGrants(ctx context.Context) ([]sayso.GivenGrant, error) {
	out, err := g.GrantStore.AllGrants(ctx)
	if err != nil {
		return nil, err
	}
	c, err := g.Profile.read()
	return append(out, c.Grants...), err
}

// AddGrant keeps a grant.
func (g *Grants) AddGrant(ctx context.Context, session, root string, grant sayso.Grant) error {
	if grant.Scope != sayso.ForProfile {
		return g.GrantStore.AddGrant(ctx, session, root, grant)
	}
	if grant.ID == "" {
		return errors.New("the grant has no id")
	}
	return g.Profile.change(ctx, func(c *content) error {
		if slices.ContainsFunc(c.Grants, func(kept sayso.GivenGrant) bool { return kept.ID == grant.ID }) {
			return fmt.Errorf("grant %q: %w", grant.ID, sayso.ErrExists)
		}
		c.Grants = append(c.Grants, sayso.GivenGrant{Grant: grant, Session: session, Root: root})
		return nil
	})
}

// RevokeGrant takes a grant back.
func (g *Grants) RevokeGrant(ctx context.Context, id string) error {
	err := g.GrantStore.RevokeGrant(ctx, id)
	if !errors.Is(err, sayso.ErrNotFound) {
		return err
	}
	return g.Profile.change(ctx, func(c *content) error {
		n := len(c.Grants)
		if c.Grants = slices.DeleteFunc(c.Grants, func(kept sayso.GivenGrant) bool { return kept.ID == id }); len(c.Grants) == n {
			return fmt.Errorf("grant %q: %w", id, sayso.ErrNotFound)
		}
		return nil
	})
}

// Rules keeps those of the profile, which have no root, in the profile, and all
// others in another store.
type Rules struct {
	sayso.RuleStore
	Profile *Store
}

// Rules lists the rules of a workspace, or of the profile.
func (r *Rules) Rules(ctx context.Context, root string) ([]sayso.Rule, error) {
	if root != "" {
		return r.RuleStore.Rules(ctx, root)
	}
	c, err := r.Profile.read()
	return c.Rules, err
}

// AddRule keeps a rule.
func (r *Rules) AddRule(ctx context.Context, root string, rule sayso.Rule) error {
	if root != "" {
		return r.RuleStore.AddRule(ctx, root, rule)
	}
	return r.Profile.change(ctx, func(c *content) error {
		c.Rules = slices.DeleteFunc(c.Rules, func(old sayso.Rule) bool { return old.Text == rule.Text && old.Effect == rule.Effect })
		c.Rules = append(c.Rules, rule)
		return nil
	})
}

// RemoveRule forgets the rules with that text.
func (r *Rules) RemoveRule(ctx context.Context, root, text string) error {
	if root != "" {
		return r.RuleStore.RemoveRule(ctx, root, text)
	}
	return r.Profile.change(ctx, func(c *content) error {
		n := len(c.Rules)
		if c.Rules = slices.DeleteFunc(c.Rules, func(old sayso.Rule) bool { return old.Text == text }); len(c.Rules) == n {
			return fmt.Errorf("rule %q: %w", text, sayso.ErrNotFound)
		}
		return nil
	})
}
