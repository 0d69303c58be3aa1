package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/sayso-dev/sayso/internal/private"
)

// sum is over all that a row says, with the table that it stands in.
func sum(table string, values ...any) string {
	h := sha256.New()
	for _, v := range append([]any{table}, values...) {
		text := fmt.Sprint(v)
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // a hash cannot fail
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// checked returns an error if a row is not what was written.
func checked(found, table string, values ...any) error {
	if found != sum(table, values...) {
		return fmt.Errorf("%w, in %s", errSum, table)
	}
	return nil
}

// text is a value as it is kept.
func text(v any) (string, error) {
	out, err := json.Marshal(v)
	return string(out), err
}

// verify reads the whole database. It is small, and what is damaged might have
// denied something.
func (db *DB) verify(ctx context.Context) error {
	var said string
	if err := db.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return db.fail(err)
	}
	if said != "ok" {
		return private.Fail(db.name, "it is damaged: "+said, startAfresh, nil)
	}
	if _, err := db.sessions(ctx); err != nil {
		return err
	}
	grants, err := db.AllGrants(ctx)
	if err != nil {
		return err
	}
	db.prune(ctx, grants)
	if _, err := db.approvals(ctx, db.db, ""); err != nil {
		return err
	}
	if _, err := db.AllTrust(ctx); err != nil {
		return err
	}
	_, err = db.rules(ctx, "")
	return err
}
