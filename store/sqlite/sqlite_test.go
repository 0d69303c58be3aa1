package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

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

// TestOpenAtOnce: a database is made once, however many open it at once.
func TestOpenAtOnce(t *testing.T) {
	for range 5 {
		dir := filepath.Join(t.TempDir(), "state")
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				db, err := sqlite.Open(ctx, dir)
				if err == nil {
					err = errors.Join(db.Trust(ctx, "/r", fmt.Sprint(i), ""), db.Close())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if all, err := open(t, dir).AllTrust(ctx); err != nil || len(all) != 6 {
			t.Errorf("%d of 6, %v", len(all), err)
		}
	}
}

// TestTime: see [storetest.Time].
func TestTime(t *testing.T) {
	storetest.Time(t, func(now func() time.Time) storetest.Stores {
		db := open(t, filepath.Join(t.TempDir(), "state"))
		db.Clock = now
		return db
	})
}
