package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
)

// Get returns the state of a session, or [sayso.ErrNotFound].
func (db *DB) Get(ctx context.Context, id string) (sayso.SessionState, error) {
	st, found, err := state(ctx, db.db, id)
	if err == nil && !found {
		err = fmt.Errorf("session %q: %w", id, sayso.ErrNotFound)
	}
	return st, db.fail(err)
}

func state(ctx context.Context, in queries, id string) (st sayso.SessionState, found bool, err error) {
	var changed int64
	var body, kept string
	err = in.QueryRowContext(ctx, "SELECT changed, body, sum FROM sessions WHERE id = ?", id).Scan(&changed, &body, &kept)
	if errors.Is(err, sql.ErrNoRows) {
		return st, false, nil
	}
	if err == nil {
		err = checked(kept, "sessions", id, changed, body)
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &st)
	}
	return st, err == nil, err
}

// sessions are the ids of the sessions.
func (db *DB) sessions(ctx context.Context) ([]string, error) {
	rows, err := db.db.QueryContext(ctx, "SELECT id, changed, body, sum FROM sessions ORDER BY id")
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []string
	for rows.Next() {
		var id, body, kept string
		var changed int64
		if err := errors.Join(rows.Scan(&id, &changed, &body, &kept), checked(kept, "sessions", id, changed, body)); err != nil {
			return nil, db.fail(err)
		}
		out = append(out, id)
	}
	return out, db.fail(rows.Err())
}

// Update changes the state of a session, alone. If change fails nothing is kept.
func (db *DB) Update(ctx context.Context, id string, change func(*sayso.SessionState) error) error {
	var mine error
	err := db.change(ctx, func(tx *sql.Tx) error {
		st, _, err := state(ctx, tx, id)
		if err != nil {
			return err
		}
		if mine = change(&st); mine != nil {
			return mine
		}
		body, err := text(st)
		if err != nil {
			return err
		}
		changed := db.now().UnixMilli()
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO sessions (id, changed, body, sum) VALUES (?, ?, ?, ?)", id, changed, body, sum("sessions", id, changed, body))
		return err
	})
	if mine != nil {
		return mine
	}
	return err
}

// Remove forgets a session, and the grants that end with it.
func (db *DB) Remove(ctx context.Context, id string) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = ?", id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM grants WHERE session = ? AND scope NOT IN (?, ?)", id, sayso.ForWorkspace, sayso.ForProfile)
		return err
	})
}
