package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
)

// Trusted reports whether a person trusts exactly this.
func (db *DB) Trusted(ctx context.Context, root, name, fingerprint string) (bool, error) {
	list, err := db.trust(ctx, "WHERE root = ? AND name = ?", root, name)
	return err == nil && len(list) == 1 && list[0].Fingerprint == fingerprint, err
}

// Trust keeps that a person trusts it, as it is now.
func (db *DB) Trust(ctx context.Context, root, name, fingerprint string) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO trust (root, name, fingerprint, sum) VALUES (?, ?, ?, ?)",
			root, name, fingerprint, sum("trust", root, name, fingerprint))
		return err
	})
}

// Revoke takes trust back.
func (db *DB) Revoke(ctx context.Context, root, name string) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM trust WHERE root = ? AND name = ?", root, name)
		return touched(done, err, fmt.Errorf("trust in %s %s: %w", root, name, sayso.ErrNotFound))
	})
}

// AllTrust lists what is trusted in every workspace.
func (db *DB) AllTrust(ctx context.Context) ([]sayso.Trust, error) { return db.trust(ctx, "") }

func (db *DB) trust(ctx context.Context, where string, args ...any) ([]sayso.Trust, error) {
	rows, err := db.db.QueryContext(ctx, "SELECT root, name, fingerprint, sum FROM trust "+where+" ORDER BY root, name", args...)
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []sayso.Trust
	for rows.Next() {
		var t sayso.Trust
		var kept string
		if err := errors.Join(rows.Scan(&t.Root, &t.Name, &t.Fingerprint, &kept), checked(kept, "trust", t.Root, t.Name, t.Fingerprint)); err != nil {
			return nil, db.fail(err)
		}
		out = append(out, t)
	}
	return out, db.fail(rows.Err())
}

// Rules lists the rules kept for a workspace.
func (db *DB) Rules(ctx context.Context, root string) ([]sayso.Rule, error) {
	return db.rules(ctx, "WHERE root = ?", root)
}

func (db *DB) rules(ctx context.Context, where string, args ...any) ([]sayso.Rule, error) {
	rows, err := db.db.QueryContext(ctx, "SELECT root, effect, text, body, sum FROM rules "+where+" ORDER BY n", args...)
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []sayso.Rule
	for rows.Next() {
		var r sayso.Rule
		var root, effect, rule, body, kept string
		err := rows.Scan(&root, &effect, &rule, &body, &kept)
		if err == nil {
			err = checked(kept, "rules", root, effect, rule, body)
		}
		if err == nil {
			err = json.Unmarshal([]byte(body), &r)
		}
		if err != nil {
			return nil, db.fail(err)
		}
		out = append(out, r)
	}
	return out, db.fail(rows.Err())
}

// AddRule keeps a rule for a workspace.
func (db *DB) AddRule(ctx context.Context, root string, r sayso.Rule) error {
	body, err := text(r)
	if err != nil {
		return err
	}
	effect := r.Effect.String()
	return db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO rules (root, effect, text, body, sum) VALUES (?, ?, ?, ?, ?)",
			root, effect, r.Text, body, sum("rules", root, effect, r.Text, body))
		return err
	})
}

// RemoveRule forgets the rules of a workspace with that text.
func (db *DB) RemoveRule(ctx context.Context, root, rule string) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM rules WHERE root = ? AND text = ?", root, rule)
		return touched(done, err, fmt.Errorf("rule %s: %w", rule, sayso.ErrNotFound))
	})
}
