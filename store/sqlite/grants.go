package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
)

// Grants lists the grants that count in a session of a workspace.
func (db *DB) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	list, err := db.grants(ctx, "WHERE scope = ? OR scope = ? AND root = ? OR scope NOT IN (?, ?) AND session = ?",
		sayso.ForProfile, sayso.ForWorkspace, root, sayso.ForProfile, sayso.ForWorkspace, session)
	var out []sayso.Grant
	for _, g := range list {
		out = append(out, g.Grant)
	}
	return out, err
}

// AllGrants lists the grants of every session and workspace.
func (db *DB) AllGrants(ctx context.Context) ([]sayso.GivenGrant, error) { return db.grants(ctx, "") }

func (db *DB) grants(ctx context.Context, where string, args ...any) ([]sayso.GivenGrant, error) {
	rows, err := db.db.QueryContext(ctx, "SELECT id, session, root, scope, body, sum FROM grants "+where+" ORDER BY n", args...)
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []sayso.GivenGrant
	for rows.Next() {
		var g sayso.GivenGrant
		var id, scope, body, kept string
		err := rows.Scan(&id, &g.Session, &g.Root, &scope, &body, &kept)
		if err == nil {
			err = checked(kept, "grants", id, g.Session, g.Root, scope, body)
		}
		if err == nil {
			err = json.Unmarshal([]byte(body), &g.Grant)
		}
		if err != nil {
			return nil, db.fail(err)
		}
		out = append(out, g)
	}
	return out, db.fail(rows.Err())
}

// AddGrant keeps a grant.
func (db *DB) AddGrant(ctx context.Context, session, root string, g sayso.Grant) error {
	if g.ID == "" {
		return errors.New("the grant has no id")
	}
	body, err := text(g)
	if err != nil {
		return err
	}
	return db.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO grants (id, session, root, scope, body, sum) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
			g.ID, session, root, g.Scope, body, sum("grants", g.ID, session, root, g.Scope, body))
		return touched(done, err, fmt.Errorf("grant %q: %w", g.ID, sayso.ErrExists))
	})
}

// touched returns otherwise if a statement has changed nothing.
func touched(done sql.Result, err, otherwise error) error {
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return otherwise
}

// RevokeGrant takes a grant back.
func (db *DB) RevokeGrant(ctx context.Context, id string) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM grants WHERE id = ?", id)
		return touched(done, err, fmt.Errorf("grant %q: %w", id, sayso.ErrNotFound))
	})
}

// keepEnded is how long a grant is listed that has ended, or whose session nobody
// uses any more: as long as sessions themselves are kept.
const keepEnded = 90 * 24 * time.Hour

// prune forgets grants that have ended long ago. It does what it can: that they
// are kept for longer does no harm.
func (db *DB) prune(ctx context.Context, list []sayso.GivenGrant) {
	before := db.now().Add(-keepEnded)
	for _, g := range list {
		lasting := g.Scope == sayso.ForWorkspace || g.Scope == sayso.ForProfile
		ended := !g.Expires.IsZero() && g.Expires.Before(before)
		forgotten := !lasting && !g.Given.IsZero() && g.Given.Before(before)
		if ended || forgotten {
			_ = db.RevokeGrant(ctx, g.ID) // another time, then
		}
	}
}
