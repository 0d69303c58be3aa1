package dbstamp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/dbstamp"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// TestOf: every change shows, and reading shows nothing.
func TestOf(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "state")
	name := sqlite.File(dir)
	if s, err := dbstamp.Of(name); err != nil || s != (dbstamp.Stamp{}) {
		t.Errorf("missing: %+v %v", s, err)
	}
	with := func(do func(*sqlite.DB) error) dbstamp.Stamp {
		t.Helper()
		db, err := sqlite.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := do(db); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		s, err := dbstamp.Of(name)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	last := with(func(*sqlite.DB) error { return nil })
	for what, do := range map[string]func(*sqlite.DB) error{
		"grant":    func(db *sqlite.DB) error { return db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "g"}) },
		"trust":    func(db *sqlite.DB) error { return db.Trust(ctx, "/r", "", "") },
		"rule":     func(db *sqlite.DB) error { return db.AddRule(ctx, "/r", sayso.Rule{Text: "bash"}) },
		"approval": func(db *sqlite.DB) error { _, err := db.Open(ctx, sayso.Request{ID: "r"}); return err },
	} {
		s := with(do)
		if s.Changes != last.Changes+1 {
			t.Errorf("%s: %d changes after %d", what, s.Changes, last.Changes)
		}
		last = s
	}
	same := with(func(db *sqlite.DB) error {
		_, err := db.AllGrants(ctx)
		return err
	})
	if same != last {
		t.Errorf("reading shows as a change: %+v, before %+v", same, last)
	}
}

// TestOfOthers: what is no database, or would not show its changes, is an error.
func TestOfOthers(t *testing.T) {
	dir := t.TempDir()
	header := "SQLite format 3\x00\x10\x00\x02\x02" + strings.Repeat("\x00", 80)
	for name, text := range map[string]string{"text": strings.Repeat("x", 200), "short": "SQLite format 3\x00", "log": header} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := dbstamp.Of(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	if _, err := dbstamp.Of(dir); err == nil {
		t.Error("a folder has a stamp")
	}
}
