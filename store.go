package sayso

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of stores.
var (
	// ErrNotFound is for what a store does not have.
	ErrNotFound = errors.New("not found")
	// ErrExists is for what is kept already, under the same id.
	ErrExists = errors.New("it is there already")
	// ErrWaiting is for a request that has no answer yet.
	ErrWaiting = errors.New("there is no answer yet")
	// ErrAnswered is for a request that has an answer already. The error is an
	// [*AnsweredError], which tells whose.
	ErrAnswered = errors.New("it was answered already")
	// ErrLate is for an answer that comes after the time of its request.
	ErrLate = errors.New("nobody waits for the answer any more")
	// ErrContract is for an answer to something else than what was shown.
	ErrContract = errors.New("the answer is for another contract")

	// ErrChannel is for a yes that was said where the policy lets nobody say it.
	ErrChannel = errors.New("the policy lets nobody say yes here")
	// ErrChoice is for an answer that was not offered.
	ErrChoice = errors.New("the answer was not offered")
)

// Sessions keeps what the calls of a session leave behind.
//
// Update must run change alone: no other update of the same session may happen
// in between. A session that does not exist starts as the zero state.
type Sessions interface {
	Get(ctx context.Context, id string) (SessionState, error)
	Update(ctx context.Context, id string, change func(*SessionState) error) error
	Remove(ctx context.Context, id string) error
}

// A SessionState is what survives of a session from one call to the next.
type SessionState struct {
	Root      string            `json:"root,omitempty"` // the workspace, fixed at the first call
	Mode      string            `json:"mode,omitempty"`
	AgentMode AgentMode         `json:"agent_mode,omitempty"`
	Surface   Surface           `json:"surface,omitzero"`
	Turn      int               `json:"turn,omitempty"`
	Prompt    string            `json:"prompt,omitempty"`  // the last one, without secrets, or how it begins
	Stopped   int               `json:"stopped,omitempty"` // the turn that a person's no has ended, plus one
	Denied    []Denial          `json:"denied,omitempty"`
	Soft      map[string]Denies `json:"soft,omitempty"`
	Tainted   string            `json:"tainted,omitempty"`
	Written   map[string]int    `json:"written,omitempty"`

	// Waiting are the calls that asked and of which is not known yet whether
	// they ran, by the id of the call.
	Waiting map[string]Waiting `json:"waiting,omitempty"`

	// Spent are the grants for one call that were used.
	Spent []string `json:"spent,omitempty"`
}

// GrantStore keeps grants, each with the session and the workspace in which it
// was given. Whether a grant still counts is told by [Grant.Counts]: a store
// returns those that have ended, too, until they are revoked, their session is
// removed, or that was long ago.
type GrantStore interface {
	// Grants lists those for a session in a workspace: its own, those of the
	// workspace, and those of the profile; the oldest first.
	Grants(ctx context.Context, session, root string) ([]Grant, error)
	// AddGrant keeps a grant, which has an id; ErrExists: one with that id is
	// kept, so that trying again does not double it.
	AddGrant(ctx context.Context, session, root string, g Grant) error
	RevokeGrant(ctx context.Context, id string) error
	// AllGrants lists the grants of every session and workspace, the oldest
	// first.
	AllGrants(ctx context.Context) ([]GivenGrant, error)
}

// A GivenGrant is a grant with where it was given.
type GivenGrant struct {
	Grant
	Session string `json:"session,omitempty"`
	Root    string `json:"root,omitempty"`
}

// CountsIn reports whether the scope of the grant reaches a session in a
// workspace.
func (g *GivenGrant) CountsIn(session, root string) bool {
	switch g.Scope {
	case ForProfile:
		return true
	case ForWorkspace:
		return g.Root == root
	}
	return g.Session == session
}

// Approvals keeps the requests that wait for an answer, and the answers until
// somebody takes them. Any number of processes may ask and answer: the first
// answer counts.
type Approvals interface {
	// Open makes a request known before anybody sees it, and returns the one
	// that stands: r, or an earlier one for the same call in the same session,
	// with the same contract, whose answer nobody has taken and whose time is
	// not over. So a process that was started again finds what it had asked.
	Open(ctx context.Context, r Request) (Request, error)
	// Answer keeps an answer. Otherwise the error is ErrNotFound,
	// ErrAnswered, ErrLate, or what [Request.Fits] says, and nothing changes.
	Answer(ctx context.Context, a Answer) error
	// Take returns the answer of a request, once: a second time it is
	// ErrNotFound. It is ErrWaiting as long as there is none.
	Take(ctx context.Context, id string) (Answer, error)
	// Waiting lists the requests that can be answered, the oldest first.
	Waiting(ctx context.Context) ([]Request, error)
}

// An AnsweredError says who has answered a request before.
type AnsweredError struct{ Answer Answer }

func (e *AnsweredError) Error() string {
	a := e.Answer
	text, by := "no", "somebody"
	if a.Yes {
		text = "yes"
	}
	if a.By != "" {
		by = a.By
	}
	if a.Channel != "" {
		by += " through " + a.Channel
	}
	return fmt.Sprintf("%v: %s said %s at %s", ErrAnswered, by, text, a.Time.UTC().Format(time.RFC3339))
}

func (e *AnsweredError) Unwrap() error { return ErrAnswered }

// TrustStore keeps which workspaces and MCP servers a person trusts. A server is
// trusted in one workspace, by its name; the workspace itself has the empty name.
type TrustStore interface {
	Trusted(ctx context.Context, root, name, fingerprint string) (bool, error)
	Trust(ctx context.Context, root, name, fingerprint string) error
	Revoke(ctx context.Context, root, name string) error
	// AllTrust lists what is trusted in every workspace, ordered by root and
	// name.
	AllTrust(ctx context.Context) ([]Trust, error)
}

// A Trust is what a person trusts, as it was when they said so.
type Trust struct {
	Root        string `json:"root"`
	Name        string `json:"name,omitempty"` // of an MCP server; empty: the workspace
	Fingerprint string `json:"fingerprint,omitempty"`
}

// RuleStore keeps the rules that people have added to a workspace, or, where the
// root is empty, to their profile.
type RuleStore interface {
	// Rules lists the rules, in the order in which they were added.
	Rules(ctx context.Context, root string) ([]Rule, error)
	// AddRule keeps a rule; one with the same effect and text is replaced.
	AddRule(ctx context.Context, root string, r Rule) error
	// RemoveRule forgets the rules with that text.
	RemoveRule(ctx context.Context, root, text string) error
}
