package sayso

import (
	"context"
	"errors"
)

// ErrNotFound is returned by stores for what they do not have.
var ErrNotFound = errors.New("not found")

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

// GrantStore keeps grants. A key says for whom: a session, a workspace, or the
// profile.
type GrantStore interface {
	Grants(ctx context.Context, session, root string) ([]Grant, error)
	AddGrant(ctx context.Context, session, root string, g Grant) error
	RevokeGrant(ctx context.Context, id string) error
}

// Approvals keeps the requests that wait for an answer. The first answer counts.
type Approvals interface {
	// Open makes a request known before anybody sees it.
	Open(ctx context.Context, r Request) error
	// Answer records an answer. It returns an error if the request has one
	// already, is not known, or if the answer is for another contract.
	Answer(ctx context.Context, a Answer) error
	// Waiting lists the requests without an answer, the oldest first.
	Waiting(ctx context.Context) ([]Request, error)
}

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

// RuleStore keeps the rules that people have added to a workspace or to their
// profile.
type RuleStore interface {
	Rules(ctx context.Context, root string) ([]Rule, error)
	AddRule(ctx context.Context, root string, r Rule) error
	RemoveRule(ctx context.Context, root, text string) error
}
