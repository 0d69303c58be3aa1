package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/sayso-dev/sayso/internal/private"
)

// The schema only ever goes forward: a file for each version, in order, which is
// never changed once it was released.
//
//go:embed schema/*.sql
var schema embed.FS

// application marks the file as one of sayso: "say!".
const application = 0x73617921

// steps are the texts of the migrations; the first leads to version 1.
func steps() ([]string, error) {
	names, err := fs.Glob(schema, "schema/*.sql") // in order
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		text, err := schema.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, string(text))
	}
	return out, nil
}

// migrate brings the schema up to date. A newer one is refused: it may hold what
// denies, in a way that is not understood here.
func (db *DB) migrate(ctx context.Context) error {
	todo, err := steps()
	if err != nil {
		return err
	}
	at, err := db.version(ctx, db.db)
	if err != nil || at == len(todo) {
		return err
	}
	return db.change(ctx, func(tx *sql.Tx) error {
		at, err := db.version(ctx, tx) // another process may have been quicker
		if err != nil {
			return err
		}
		for _, text := range todo[min(at, len(todo)):] {
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("bring the schema from version %d forward: %w", at, err)
			}
			at++
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, at))
		return err
	})
}

// queries is a database or a transaction.
type queries interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// version is that of the schema; 0: the database is new. Whatever is not known
// here is an error.
func (db *DB) version(ctx context.Context, in queries) (int, error) {
	var at, app, tables int
	// In one statement: another process may be making the tables.
	const query = `SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`
	if err := in.QueryRowContext(ctx, query).Scan(&at, &app, &tables); err != nil {
		return 0, db.fail(err)
	}
	todo, err := steps()
	switch {
	case err != nil:
		return 0, err
	case at == 0 && app == 0 && tables == 0 && db.fresh:
		return 0, nil
	case at == 0 && app == 0 && tables == 0:
		return 0, private.Fail(db.name, "it is empty: what was in it is gone", startAfresh, nil)
	case app != application || at < 1:
		return 0, private.Fail(db.name, "it is no database of sayso", "move it away: sayso makes its own", nil)
	case at > len(todo):
		return 0, private.Fail(db.name, fmt.Sprintf("its schema has version %d, and this sayso knows up to %d", at, len(todo)), "install the newer sayso again", nil)
	}
	return at, nil
}
