package sayso

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Session is what is known of an agent's session when a call is decided. It
// is a value: deciding does not change it.
type Session struct {
	ID        string
	Now       time.Time // when the call is decided
	Turn      int       // counts the user's prompts
	Mode      string    // the permission mode; empty: the preset's default
	AgentMode AgentMode // what the agent was started or switched to do
	Surface   Surface   // which tools the agent is offered
	Stopped   bool      // a person's no has ended the turn

	Grants  *Grants           // what people have approved
	Denied  []Denial          // what people have denied
	Soft    map[string]Denies // denials that may turn into a question, by fingerprint
	Tainted string            // why sending data asks: which secret was read; empty: none
	Written map[string]int    // files that the session has written, with the turn
	Spent   []string          // the grants for one call that were used, by id
}

// An AgentMode narrows what the agent is there for; the zero value does not.
type AgentMode string

// The agent modes.
const (
	EditMode AgentMode = "edit" // everything that the permission mode lets through
	PlanMode AgentMode = "plan" // look, and plan: nothing is changed or run
	AskMode  AgentMode = "ask"  // answer questions: nothing is changed
)

// A Surface says which tools an agent is offered at all. The zero value offers
// every tool.
type Surface struct {
	Only []string `json:"only,omitzero"` // no others; nil: every tool
	Not  []string `json:"not,omitempty"` // whatever Only says
}

// Offers reports whether the tool is one of those that the agent is offered.
func (s Surface) Offers(tool string) bool {
	return (s.Only == nil || slices.Contains(s.Only, tool)) && !slices.Contains(s.Not, tool)
}

// A Scope says for how long an answer counts.
type Scope string

// The scopes, the shortest first.
const (
	Once         Scope = "once"
	ForTurn      Scope = "turn"
	ForSession   Scope = "session"
	ForWorkspace Scope = "workspace"
	ForProfile   Scope = "profile"
)

// A Grant is what a person has approved for later calls.
type Grant struct {
	ID      string    `json:"id"`
	Rule    string    `json:"rule"` // what it covers, as a rule that allows
	Scope   Scope     `json:"scope"`
	Turn    int       `json:"turn,omitempty"` // for ForTurn: which
	Expires time.Time `json:"expires,omitzero"`
	By      string    `json:"by,omitempty"`
	Call    string    `json:"call,omitempty"` // the call it was given for
	Given   time.Time `json:"given,omitzero"`
}

// Grants are the grants of a session, compiled.
type Grants struct {
	list []Grant
	set  *RuleSet
}

// NewGrants compiles grants.
func NewGrants(list []Grant, own ...Tool) (*Grants, error) {
	rules := make([]Rule, len(list))
	for i, g := range list {
		rules[i] = Rule{Effect: Allow, Text: g.Rule, Until: g.Expires, Source: Source{Layer: SessionOf}}
	}
	set, err := NewRuleSet(rules, own...)
	if err != nil {
		return nil, fmt.Errorf("grants: %w", err)
	}
	return &Grants{list: list, set: set}, nil
}

// PlainGrants keeps grants in the language of a preset that has its own; only
// the stages of that preset know what they cover.
func PlainGrants(list []Grant) *Grants { return &Grants{list: list} }

// Counts reports whether the grant has not ended with its turn, its time, or the
// one call that it was for.
func (g *Grant) Counts(s *Session) bool {
	switch {
	case g.Scope == ForTurn && g.Turn != s.Turn, g.Scope == Once && slices.Contains(s.Spent, g.ID):
		return false
	}
	return g.Expires.IsZero() || s.Now.Before(g.Expires)
}

// List returns the grants.
func (g *Grants) List() []Grant {
	if g == nil {
		return nil
	}
	return g.list
}

// Find returns the grant that covers the part of the call, or nil. A grant for
// a turn that is over covers nothing.
func (g *Grants) Find(c *Case, p *Part) *Grant {
	if g == nil || g.set == nil {
		return nil
	}
	over := func(r *compiledRule) bool {
		grant := &g.list[r.order]
		return !grant.Counts(&c.Session)
	}
	if r := g.set.find(Allow, c, p, over); r != nil {
		return &g.list[r.order]
	}
	return nil
}

// spends are the grants for one call that a decision uses up, by id.
func (g *Grants) spends(c *Case, d *Decision) []string {
	if d.Effect != Allow || d.Scope == "" {
		return nil
	}
	var out []string
	for i := range c.Facts.Parts {
		if used := g.Find(c, &c.Facts.Parts[i]); used != nil && used.Scope == Once && !slices.Contains(out, used.ID) {
			out = append(out, used.ID)
		}
	}
	return out
}

// A Denial is what a person has denied. It binds the effect, not the tool: a
// path that must not be written, a host that must not be reached, a package that
// must not be added, a command.
type Denial struct {
	Rule    string `json:"rule,omitempty"`    // what it covers, as a rule that denies; or
	Package string `json:"package,omitempty"` // what must not be added or run, such as npm:left-pad

	Turn int    `json:"turn,omitempty"`
	Text string `json:"text,omitempty"` // what was denied, for people
}

// Denies counts denials of one kind of call.
type Denies struct {
	Consecutive int `json:"consecutive,omitempty"`
	Total       int `json:"total,omitempty"`
}

// ClearGrants takes back what people have approved for a session: at its end,
// when its conversation starts anew, or because a person wants it. What they have
// approved for the workspace or for themselves stays.
func (e *Engine) ClearGrants(ctx context.Context, session, root string) error {
	if e.Grants == nil {
		return nil
	}
	list, err := e.Grants.Grants(ctx, session, root)
	if err != nil {
		return fmt.Errorf("clear grants: %w", err)
	}
	var errs []error
	for _, g := range list {
		if g.Scope == ForWorkspace || g.Scope == ForProfile {
			continue
		}
		if err := e.Grants.RevokeGrant(ctx, g.ID); err != nil && !errors.Is(err, ErrNotFound) {
			errs = append(errs, fmt.Errorf("clear grant %s: %w", g.Rule, err))
		}
	}
	return errors.Join(errs...)
}
