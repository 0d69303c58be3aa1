// Package manage is what people do with what sayso remembers: they answer, take
// grants back, trust. Each change is recorded with who made it.
//
// What loosens is recorded before it counts, and does not count if that fails;
// what tightens counts at once, and that it could not be recorded is an error
// that says so.
package manage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
)

// A Desk is where a person makes changes.
type Desk struct {
	Grants    sayso.GrantStore
	Approvals sayso.Approvals
	Trusts    sayso.TrustStore
	Rules     sayso.RuleStore
	Journal   sayso.Journal

	By, Channel string // who, and through what
}

func (d *Desk) record(ctx context.Context, r sayso.Record) error {
	r.Decider = &sayso.Decider{Kind: "person", Name: d.By, Channel: d.Channel}
	if err := d.Journal.Record(ctx, r); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// after says that a change was made which could not be recorded.
func after(done string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s, but it is not in the journal: %w", done, err)
}

// Said is the note of an answer that was given and that nobody has taken yet.
const Said = "said"

// Answer answers a request with one of its choices; without a key with the plain
// one: yes for this call only, or no.
func (d *Desk) Answer(ctx context.Context, r sayso.Request, yes bool, key string) (sayso.Answer, error) {
	return d.AnswerUntil(ctx, r, yes, key, time.Time{})
}

// ErrOnce is for an answer that is to end at some time, and is for one call alone.
var ErrOnce = errors.New("it is for this call alone, and so ends with it")

// AnswerUntil is Answer with a time at which what is approved ends in any case; zero:
// with its scope.
func (d *Desk) AnswerUntil(ctx context.Context, r sayso.Request, yes bool, key string, until time.Time) (sayso.Answer, error) {
	choice, err := pick(r, yes, key)
	if err == nil && !until.IsZero() && (!choice.Yes || choice.Rule == "") {
		err = fmt.Errorf("choice %q: %w", choice.Key, ErrOnce)
	}
	if err != nil {
		return sayso.Answer{}, err
	}
	a := sayso.Answer{RequestID: r.ID, ContractHash: choice.Contract(r.Contract).Hash(), Choice: choice.Key, Yes: choice.Yes, Scope: choice.Scope, Expires: until, By: d.By, Channel: d.Channel}
	if choice.Key == "" && a.Yes {
		a.Scope = sayso.Once
	}
	if err := d.Approvals.Answer(ctx, a); err != nil {
		return sayso.Answer{}, err
	}
	said := a
	said.Rule = choice.Rule
	return a, after("it was answered", d.record(ctx, sayso.Record{
		Kind: sayso.RecordAnswer, Call: r.Call.ID, Session: r.Call.Session, Answer: &said, Contract: a.ContractHash, Note: Said,
	}))
}

// pick returns the choice with the key, or the plain one. It must say what the
// person says.
func pick(r sayso.Request, yes bool, key string) (sayso.Choice, error) {
	for _, c := range r.Decision.Choices {
		plain := c.Network == sayso.NetworkNone && (!c.Yes || c.Scope == "" || c.Scope == sayso.Once)
		switch {
		case key != "" && c.Key != key, c.Yes != yes && key == "", key == "" && !plain:
			continue
		case c.Yes != yes:
			return c, fmt.Errorf("choice %q: it says the opposite", key)
		}
		return c, nil
	}
	if key != "" {
		return sayso.Choice{}, fmt.Errorf("choice %q: %w", key, sayso.ErrChoice)
	}
	return sayso.Choice{Yes: yes}, nil
}

// RevokeGrant takes a grant back.
func (d *Desk) RevokeGrant(ctx context.Context, g sayso.GivenGrant) error {
	err := d.Grants.RevokeGrant(ctx, g.ID)
	var partial *PartialError
	if err != nil && !errors.As(err, &partial) {
		return err
	}
	return errors.Join(err, after("it was revoked", d.record(ctx, sayso.Record{
		Kind: sayso.RecordRevoke, Call: g.Call, Session: g.Session, Root: g.Root, Grant: &g.Grant,
	})))
}

// ClearGrants takes back what was approved for a session and no longer: the
// session says so itself, and why.
func (d *Desk) ClearGrants(ctx context.Context, session, why string) error {
	all, err := d.Grants.AllGrants(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, g := range all {
		if g.Session != session || g.Scope == sayso.ForWorkspace || g.Scope == sayso.ForProfile {
			continue
		}
		err := d.Grants.RevokeGrant(ctx, g.ID)
		if errors.Is(err, sayso.ErrNotFound) {
			continue // somebody else was quicker
		}
		if err == nil {
			err = after("it was revoked", d.Journal.Record(ctx, sayso.Record{
				Kind: sayso.RecordRevoke, Call: g.Call, Session: g.Session, Root: g.Root, Grant: &g.Grant, Note: why,
				Decider: &sayso.Decider{Kind: "session", Name: session},
			}))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Trust trusts a workspace or a server.
func (d *Desk) Trust(ctx context.Context, t sayso.Trust) error {
	if err := d.record(ctx, sayso.Record{Kind: sayso.RecordTrust, Root: t.Root, Trust: &t}); err != nil {
		return err
	}
	return d.Trusts.Trust(ctx, t.Root, t.Name, t.Fingerprint)
}

// RevokeTrust takes trust back.
func (d *Desk) RevokeTrust(ctx context.Context, t sayso.Trust) error {
	if err := d.Trusts.Revoke(ctx, t.Root, t.Name); err != nil {
		return err
	}
	return after("it was revoked", d.record(ctx, sayso.Record{Kind: sayso.RecordRevoke, Root: t.Root, Trust: &t}))
}

// AddRule keeps a rule for a workspace, or without a root for the profile.
func (d *Desk) AddRule(ctx context.Context, root string, r sayso.Rule) error {
	record := sayso.Record{Kind: sayso.RecordRule, Root: root, Rule: inPlace(root, r)}
	return d.either(ctx, r.Effect == sayso.Allow, "it is kept", record, func() error { return d.Rules.AddRule(ctx, root, r) })
}

// RemoveRule forgets a rule.
func (d *Desk) RemoveRule(ctx context.Context, root string, r sayso.Rule) error {
	record := sayso.Record{Kind: sayso.RecordRevoke, Root: root, Rule: inPlace(root, r)}
	return d.either(ctx, r.Effect != sayso.Allow, "it is removed", record, func() error { return d.Rules.RemoveRule(ctx, root, r.Text) })
}

// inPlace is a rule with where it is kept: one of the profile is told nowhere.
func inPlace(root string, r sayso.Rule) *sayso.Rule {
	r.Source = sayso.Source{Layer: sayso.Workspace}
	if root == "" {
		r.Source.Layer = sayso.OfProfile
	}
	return &r
}

// either records a change before it counts if it loosens, or else after.
func (d *Desk) either(ctx context.Context, loosens bool, done string, record sayso.Record, change func() error) error {
	if loosens {
		if err := d.record(ctx, record); err != nil {
			return err
		}
		return change()
	}
	err := change()
	var partial *PartialError
	if err != nil && !errors.As(err, &partial) {
		return err
	}
	return errors.Join(err, after(done, d.record(ctx, record)))
}

// A PartialError says that something was done in one of the two places in which a
// rule is kept, and not in the other.
type PartialError struct {
	Done, Left string // what was done, and what was not
	Err        error  // why
}

func (e *PartialError) Error() string { return fmt.Sprintf("%s, but %s: %v", e.Done, e.Left, e.Err) }

func (e *PartialError) Unwrap() error { return e.Err }
