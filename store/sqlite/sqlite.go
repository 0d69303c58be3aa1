// Package sqlite keeps what sayso must remember in one file, for any number of
// processes at once.
//
// What was kept when a method returns survives that the process is killed or the
// power fails. A file that is damaged, or that a newer sayso has written, is an
// error that names it and the remedy: nothing in it counts, and the caller
// denies.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
)

// A DB is an open database. It may be used from several goroutines.
type DB struct {
	db    *sql.DB
	name  string
	fresh bool // it may be empty: it is just made

	// Clock is the time; nil: time.Now. It must be set before the first use.
	Clock func() time.Time
}

// busy is how long a statement waits for another process.
const busy = 5 * time.Second

// patience is busy, or less for who has less time: they are told who is in the way.
func patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(0, min(busy, time.Until(end)/2))
	}
	return busy
}

// File is where the database of a state folder is.
func File(dir string) string { return local.Database(dir) }

// Open opens the database of a state folder. Folder and file are made where they
// are missing, for the user alone.
func Open(ctx context.Context, dir string) (*DB, error) {
	if err := private.Make(dir); err != nil {
		return nil, err
	}
	name := File(dir)
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	return openFile(ctx, name, false)
}

// openFile opens a file that is there; it is empty if it is fresh.
func openFile(ctx context.Context, name string, fresh bool) (*DB, error) {
	pool, err := sql.Open("sqlite", source(name, patience(ctx)))
	if err != nil {
		return nil, private.Fail(name, "it cannot be opened", "", err)
	}
	// More than one, so that whoever changes a session may read what is granted
	// meanwhile.
	pool.SetMaxOpenConns(4)
	db := &DB{db: pool, name: name, fresh: fresh}
	if err := db.prepare(ctx); err != nil {
		_ = pool.Close() // it is of no use
		return nil, err
	}
	return db, nil
}

// Close ends the use of the database.
func (db *DB) Close() error { return db.db.Close() }

// making is held while the file is made or looked at. POSIX locks end when a
// process closes any descriptor of the file, also those of SQLite, so nothing
// here opens a file that SQLite may have open.
var making sync.Mutex

// ready makes the file if it is missing, and checks that it and the journal that
// SQLite keeps beside it belong to the user alone.
func ready(ctx context.Context, name string) error {
	making.Lock()
	defer making.Unlock()
	err := private.CheckFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(ctx, name); err == nil {
			err = private.CheckFile(name)
		}
	}
	if err != nil {
		return err
	}
	if err := private.CheckFile(name + "-journal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// create makes the file, whole: one that is empty has lost what was in it, and that
// may have denied something.
func create(ctx context.Context, name string) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return private.Fail(name, "it cannot be made", "", err)
	}
	defer os.Remove(file.Name() + "-journal") //nolint:errcheck // SQLite leaves it behind, empty
	defer os.Remove(file.Name())              //nolint:errcheck // it has another name by now, or is of no use
	db, err := (*DB)(nil), file.Close()
	if err == nil {
		db, err = openFile(ctx, file.Name(), true)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return err
	}
	err = os.Link(file.Name(), name)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist): // another process was quicker
		return nil
	case missing(name): // files have one name here
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return private.Fail(name, "it cannot be made", "", err)
	}
	return nil
}

func missing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// source says how SQLite opens the file. The rollback journal, and not a
// write-ahead log, keeps the file whole by itself: what has changed shows in its
// header, to a hook that does not open databases.
func source(name string, wait time.Duration) string {
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}}
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds()), "journal_mode(TRUNCATE)", "synchronous(FULL)",
		"secure_delete(1)", "trusted_schema(0)", "cell_size_check(1)",
	} {
		q.Add("_pragma", pragma)
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(name), RawQuery: q.Encode()}
	return u.String()
}

// prepare checks the file and brings its schema up to date.
func (db *DB) prepare(ctx context.Context) error {
	if err := db.migrate(ctx); err != nil {
		return err
	}
	var mode string
	if err := db.db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return db.fail(err)
	}
	if mode != "truncate" {
		return private.Fail(db.name, "it has the journal mode "+mode, "end what else uses it", nil)
	}
	return db.verify(ctx)
}

func (db *DB) now() time.Time {
	if db.Clock != nil {
		return db.Clock()
	}
	return time.Now()
}

// change does something alone: no other process changes the database meanwhile.
func (db *DB) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := db.db.BeginTx(ctx, nil)
	if err != nil {
		return db.fail(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is over, or nothing of it counts
	if err := do(tx); err != nil {
		return db.fail(err)
	}
	return db.fail(tx.Commit())
}

var (
	_ sayso.Sessions   = (*DB)(nil)
	_ sayso.GrantStore = (*DB)(nil)
	_ sayso.Approvals  = (*DB)(nil)
	_ sayso.TrustStore = (*DB)(nil)
	_ sayso.RuleStore  = (*DB)(nil)
)
