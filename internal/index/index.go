// Package index finds records of the journal and sessions without reading all of
// them. What it knows is derived from their files, and never counts by itself: it
// can be lost at any time, is brought up to date before each use, and a file that
// is not as it was when it was read is read again.
package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/sayso-dev/sayso/internal/private"
)

// version is that of the tables. An index of another one is made anew.
const version = 1

const tables = `
CREATE TABLE files (first INTEGER PRIMARY KEY, offset INTEGER NOT NULL, lines INTEGER NOT NULL, sum BLOB NOT NULL, look TEXT NOT NULL);
CREATE TABLE records (
	n INTEGER PRIMARY KEY, first INTEGER NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL, bad INTEGER NOT NULL,
	time INTEGER NOT NULL, kind TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL, effect TEXT NOT NULL,
	tool TEXT, root TEXT
);
CREATE INDEX by_file ON records (first);
CREATE INDEX by_call ON records (call);
CREATE INDEX by_session ON records (session);
CREATE INDEX by_time ON records (time);
CREATE INDEX by_bad ON records (bad) WHERE bad;
CREATE TABLE sessions (file TEXT PRIMARY KEY, look TEXT NOT NULL, root TEXT NOT NULL);
`

// An Index is an open index.
type Index struct {
	db *sql.DB
}

// File is where the index of a state folder is.
func File(dir string) string { return filepath.Join(dir, "index.db") }

// Open opens the index of a state folder. One that is damaged, or that others
// could have written, is made anew.
func Open(ctx context.Context, dir string) (*Index, error) {
	if err := private.Make(dir); err != nil {
		return nil, err
	}
	x, err := open(ctx, File(dir))
	if err == nil || ctx.Err() != nil {
		return x, err
	}
	for _, name := range []string{File(dir), File(dir) + "-journal"} {
		if gone := os.Remove(name); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			return nil, errors.Join(err, gone)
		}
	}
	return open(ctx, File(dir))
}

// Close ends the use of the index.
func (x *Index) Close() error { return x.db.Close() }

func open(ctx context.Context, name string) (*Index, error) {
	if err := ready(name); err != nil {
		return nil, err
	}
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(2000)", "journal_mode(TRUNCATE)", "synchronous(NORMAL)", "trusted_schema(0)"}}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(name), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	x := &Index{db}
	if err := x.prepare(ctx); err != nil {
		_ = db.Close() // it is of no use
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

// ready makes the file, for the user alone.
func ready(name string) error {
	err := private.CheckFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := private.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) { // another process was quicker
		return private.CheckFile(name)
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// errVersion is for an index of another version.
var errVersion = errors.New("it has another version")

func (x *Index) prepare(ctx context.Context) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		var at, tablesThere int
		if err := tx.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&at, &tablesThere); err != nil {
			return err
		}
		switch {
		case at == version:
			return nil
		case at != 0 || tablesThere != 0:
			return errVersion
		}
		_, err := tx.ExecContext(ctx, tables+fmt.Sprintf("PRAGMA user_version = %d;", version))
		return err
	})
}

// change does something alone among the processes that use the index.
func (x *Index) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it is over, or nothing of it counts
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
