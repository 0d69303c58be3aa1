package preset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sayso-dev/sayso"
)

// A TrustManager shows what is trusted, and takes it back: r the selected entry,
// a all of the workspace, A all there is, each after it was confirmed. It is a
// value that keys change.
type TrustManager struct {
	root    string
	entries []sayso.Trust
	row     int
	pending []sayso.Trust // what is taken back once it is confirmed
}

// OpenTrustManager shows what is trusted everywhere; root is the workspace that
// the key a means.
func OpenTrustManager(ctx context.Context, kept sayso.TrustStore, root string) (TrustManager, error) {
	list, err := kept.AllTrust(ctx)
	if err != nil {
		return TrustManager{}, fmt.Errorf("trust: %w", err)
	}
	return TrustManager{root: root, entries: list}, nil
}

// A TrustAction is what is to be done after a key.
type TrustAction struct {
	Revoke []sayso.Trust // take this back, with [TrustAction.Apply]
	Close  bool          // the manager ends
}

// Press takes a key: up, down, j, k, r, a, A, enter, y, esc or n.
func (m TrustManager) Press(key string) (next TrustManager, do TrustAction) {
	key = keyName(key)
	if len(m.pending) > 0 {
		switch key {
		case "enter", "y":
			do.Revoke = m.pending
			gone := m.pending
			m.entries = slices.DeleteFunc(slices.Clone(m.entries), func(t sayso.Trust) bool { return slices.Contains(gone, t) })
			m.row, m.pending = max(0, min(m.row, len(m.entries)-1)), nil
		case "esc", "n":
			m.pending = nil
		}
		return m, do
	}
	switch key {
	case "up", "k":
		m.row = max(m.row-1, 0)
	case "down", "j":
		m.row = max(0, min(m.row+1, len(m.entries)-1))
	case "r":
		if len(m.entries) > 0 {
			m.pending = []sayso.Trust{m.entries[m.row]}
		}
	case "a":
		m.pending = slices.DeleteFunc(slices.Clone(m.entries), func(t sayso.Trust) bool { return t.Root != m.root })
	case "A":
		m.pending = slices.Clone(m.entries)
	case "esc", "n":
		do.Close = true
	}
	return m, do
}

// Apply takes trust back. What somebody else has taken back already is fine.
func (a TrustAction) Apply(ctx context.Context, in sayso.TrustStore) error {
	var errs []error
	for _, t := range a.Revoke {
		if err := in.Revoke(ctx, t.Root, t.Name); err != nil && !errors.Is(err, sayso.ErrNotFound) {
			errs = append(errs, fmt.Errorf("revoke: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Confirming reports how many entries wait to be taken back.
func (m TrustManager) Confirming() int { return len(m.pending) }

// Entries are what is trusted.
func (m TrustManager) Entries() []sayso.Trust { return slices.Clone(m.entries) }

// Row is the entry that the cursor is on.
func (m TrustManager) Row() int { return m.row }

// Lines draw the manager.
func (m TrustManager) Lines() []string {
	var out []string
	for i, t := range m.entries {
		mark := "  "
		if i == m.row {
			mark = "> "
		}
		what := "workspace"
		if t.Name != "" {
			what = "MCP server " + inFull(t.Name) + " " + t.Fingerprint[:min(12, len(t.Fingerprint))]
		}
		out = append(out, mark+inFull(t.Root)+"  "+what)
	}
	if n := len(m.pending); n > 0 {
		return append(out, fmt.Sprintf("Revoke %d? Enter or y: yes, Esc or n: no", n))
	}
	if len(out) == 0 {
		out = append(out, "nothing is trusted")
	}
	return append(out, "r: revoke, a: revoke all of this workspace, A: revoke all, Esc: close")
}
