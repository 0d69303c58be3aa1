package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sayso-dev/sayso/store/sqlite"
	"github.com/sayso-dev/sayso/store/storetest"
)

var ctx = context.Background()

// open opens the database of a folder until the test ends.
func open(t *testing.T, dir string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestSQLite: it is a store like any other, wherever it is.
func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Stores { return open(t, filepath.Join(t.TempDir(), "a b%20?#ü")) })
}
