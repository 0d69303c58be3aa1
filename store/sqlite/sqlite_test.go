package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
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

// TestPrune: grants that have ended long ago are forgotten, and no others.
func TestPrune(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "state"), time.Now()
	old, late := now.Add(-91*24*time.Hour), now.Add(-89*24*time.Hour)
	db := open(t, dir)
	for _, g := range []sayso.Grant{
		{ID: "old session", Scope: sayso.ForSession, Given: old},
		{ID: "session", Scope: sayso.ForSession, Given: late},
		{ID: "undated", Scope: sayso.ForSession},
		{ID: "old workspace", Scope: sayso.ForWorkspace, Given: old},
		{ID: "old profile", Scope: sayso.ForProfile, Given: old},
		{ID: "ended", Scope: sayso.ForWorkspace, Given: old, Expires: old},
		{ID: "just ended", Scope: sayso.ForWorkspace, Given: old, Expires: late},
	} {
		if err := db.AddGrant(ctx, "s", "/r", g); err != nil {
			t.Fatal(err)
		}
	}
	all, err := open(t, dir).AllGrants(ctx)
	var left []string
	for _, g := range all {
		left = append(left, g.ID)
	}
	if got := strings.Join(left, ", "); err != nil || got != "session, undated, old workspace, old profile, just ended" {
		t.Errorf("left are %s, %v", got, err)
	}
}

// BenchmarkOpen: what it costs to open a database with that many grants, check
// all of them, and close it.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{0, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "state")
			db, err := sqlite.Open(ctx, dir)
			for i := range n {
				err = errors.Join(err, db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: fmt.Sprint(i), Rule: "bash(git push *)", Scope: sayso.ForWorkspace}))
			}
			if err := errors.Join(err, db.Close()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				db, err := sqlite.Open(ctx, dir)
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAddGrant: what it costs to keep a grant, on the disk.
func BenchmarkAddGrant(b *testing.B) {
	db, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a benchmark
	for i := 0; b.Loop(); i++ {
		if err := db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: fmt.Sprint(i), Rule: "bash(git push *)", Scope: sayso.ForWorkspace}); err != nil {
			b.Fatal(err)
		}
	}
}
