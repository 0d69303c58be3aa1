package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// clearError fails the test unless an error names the database and holds the text.
func clearError(t *testing.T, err error, dir, text string) {
	t.Helper()
	var p *private.Error
	if !errors.As(err, &p) || !strings.HasPrefix(p.File, dir) || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v\nwant one about %s with %q", err, dir, text)
	}
}

// filled is a folder with a database in which something of everything is kept.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		id := string(rune('a' + i))
		r := sayso.Request{ID: id, Call: sayso.Call{ID: id}, Contract: sayso.Contract{Tool: "bash", Dir: strings.Repeat("/x", 50)}}
		_, opened := db.Open(ctx, r)
		for _, err := range []error{
			db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: id, Rule: "bash(git push *)", Scope: sayso.ForWorkspace}),
			db.Trust(ctx, "/r", id, "print"), db.AddRule(ctx, "/r", sayso.Rule{Effect: sayso.Deny, Text: "bash(" + id + ")"}),
			db.Update(ctx, id, func(st *sayso.SessionState) error { st.Tainted = "secret"; return nil }), opened,
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// everything is all that a database says, or the first error.
func everything(dir string) (out []any, err error) {
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // it was only read
	grants, err := db.AllGrants(ctx)
	trust, err2 := db.AllTrust(ctx)
	rules, err3 := db.Rules(ctx, "/r")
	waiting, err4 := db.Waiting(ctx)
	state, err5 := db.Get(ctx, "a")
	return []any{grants, trust, rules, waiting, state}, errors.Join(err, err2, err3, err4, err5)
}

// TestKept: what was kept is there when the database is opened again, for the
// user alone.
func TestKept(t *testing.T) {
	dir := filled(t)
	if all, err := everything(dir); err != nil || reflect.ValueOf(all[0]).Len() != 20 || reflect.ValueOf(all[3]).Len() != 20 {
		t.Errorf("%v %v", all, err)
	}
	for _, name := range []string{dir, sqlite.File(dir), sqlite.File(dir) + "-journal"} {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = errors.New("others can reach it")
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamaged: whatever bytes of the file are changed, either it is noticed, or
// the database says what it said before. Nothing is allowed that was not.
func TestDamaged(t *testing.T) {
	dir := filled(t)
	want, err := everything(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(sqlite.File(dir))
	if err != nil {
		t.Fatal(err)
	}
	rounds := 250
	if testing.Short() {
		rounds = 60
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	noticed := 0
	for i := range rounds {
		text := append([]byte(nil), whole...)
		at := rnd.IntN(len(text))
		if i%10 == 0 {
			at = rnd.IntN(100) // the header
		}
		for range 1 + rnd.IntN(4) {
			text[at%len(text)] ^= byte(1 + rnd.IntN(255))
			at++
		}
		if i%25 == 24 { // cut off
			text = text[:rnd.IntN(len(text))]
		}
		if err := os.WriteFile(sqlite.File(dir), text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := everything(dir)
		switch {
		case err != nil:
			noticed++
			clearError(t, err, dir, "")
		case !reflect.DeepEqual(got, want):
			t.Errorf("round %d: the database says something else now", i)
		}
	}
	if noticed < rounds/4 {
		t.Errorf("of %d changes %d were noticed: does the test change anything?", rounds, noticed)
	}
	if err := os.WriteFile(sqlite.File(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = everything(dir)
	clearError(t, err, dir, "it is empty: what was in it is gone")
	if err := os.WriteFile(sqlite.File(dir), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = everything(dir)
	clearError(t, err, dir, "it is damaged")
	clearError(t, err, dir, "move it away: sayso then starts with an empty one")
}

// TestImpatient: who has little time is told that the database is locked, and not
// only that the time is over; and nothing is left behind where one was made.
func TestImpatient(t *testing.T) {
	dir := filled(t)
	other, err := sql.Open("sqlite", sqlite.File(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // a test
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err = sqlite.Open(short, dir)
	clearError(t, err, dir, "another process keeps it locked")
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != filepath.Base(sqlite.File(dir)) && e.Name() != filepath.Base(sqlite.File(dir))+"-journal" {
			t.Errorf("%s is left over, %v", e.Name(), err)
		}
	}
}

// raw runs a statement behind the back of the package.
func raw(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", sqlite.File(dir))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestForeign: a database of a newer sayso, or of another program, is refused
// and left as it is.
func TestForeign(t *testing.T) {
	for statement, want := range map[string]string{
		"PRAGMA user_version = 99":                                    "its schema has version 99, and this sayso knows up to 2 (install the newer sayso again)",
		"PRAGMA application_id = 7":                                   "it is no database of sayso (move it away",
		"PRAGMA user_version = 0":                                     "it is no database of sayso",
		"UPDATE grants SET body = replace(body, 'push', 'pull')":      "a row is not what was written, in grants",
		"UPDATE rules SET root = '/else' WHERE n = 3":                 "a row is not what was written, in rules",
		"UPDATE trust SET fingerprint = 'x' WHERE n = 1":              "a row is not what was written, in trust",
		"UPDATE approvals SET answer = '{\"yes\":true}' WHERE n = 20": "a row is not what was written, in approvals",
		"UPDATE sessions SET body = '{}' WHERE id = 'c'":              "a row is not what was written, in sessions",
		// An index that has lost its rows: what is looked up by it would not be found.
		"CREATE TABLE empty (a TEXT, b TEXT, c TEXT); CREATE INDEX none ON empty (a, b, c); PRAGMA writable_schema = ON;" +
			"UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'none') WHERE name = 'grants_of'": "it is damaged: ",
		"DROP TABLE trust": "it cannot be used",
	} {
		dir := filled(t)
		raw(t, dir, statement)
		before, _ := os.ReadFile(sqlite.File(dir))
		_, err := sqlite.Open(ctx, dir)
		clearError(t, err, dir, want)
		if after, _ := os.ReadFile(sqlite.File(dir)); string(after) != string(before) {
			t.Errorf("%s: the file was changed", statement)
		}
	}
}

// TestOthersLog: a database that was switched to a write-ahead log goes back to
// the rollback journal.
func TestOthersLog(t *testing.T) {
	dir := filled(t)
	raw(t, dir, "PRAGMA journal_mode = WAL")
	if _, err := everything(dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(sqlite.File(dir)); err != nil || text[18] != 1 || text[19] != 1 {
		t.Errorf("it still has a write-ahead log: %v", err)
	}
}

// TestPrivate: a database that others can reach, or that is a link, is refused.
func TestPrivate(t *testing.T) {
	dir := filled(t)
	name := sqlite.File(dir)
	for what, do := range map[string]func() error{
		"file":    func() error { return os.Chmod(name, 0o644) },
		"folder":  func() error { return os.Chmod(dir, 0o755) },
		"journal": func() error { return os.Chmod(name+"-journal", 0o666) },
		"link":    func() error { return errors.Join(os.Rename(name, name+"2"), os.Symlink(name+"2", name)) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if db, err := sqlite.Open(ctx, dir); err == nil {
			t.Errorf("%s: it was opened", what)
			_ = db.Close()
		}
		if what == "link" {
			_ = os.Rename(name+"2", name)
		}
		for file, mode := range map[string]os.FileMode{name: 0o600, dir: 0o700, name + "-journal": 0o600} {
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := everything(dir); err != nil {
		t.Errorf("after all: %v", err)
	}
}
