package approve_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// counted counts how many requests are read.
type counted struct {
	*sqlite.DB
	reads int
}

func (c *counted) Request(ctx context.Context, id string) (sayso.Request, error) {
	c.reads++
	return c.DB.Request(ctx, id)
}

// TestKnown: the list is that of the store, in its order, and each request is read
// once.
func TestKnown(t *testing.T) {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	lister := &counted{DB: db}
	for name, s := range map[string]sayso.Approvals{"a database": lister, "memory": &store.Memory{}} {
		known := approve.Known{Store: s}
		for i := range 6 {
			r := sayso.Request{ID: fmt.Sprint("r", i), Call: sayso.Call{ID: fmt.Sprint("c", i)}, Contract: sayso.Contract{Script: fmt.Sprint(i)}}
			if i == 5 {
				r.Until = time.Now().Add(-time.Second)
			}
			if _, err := s.Open(ctx, r); err != nil {
				t.Fatal(err)
			}
			if i == 3 {
				err := s.Answer(ctx, sayso.Answer{RequestID: "r1", ContractHash: sayso.Contract{Script: "1"}.Hash()})
				if err != nil {
					t.Fatal(err)
				}
			}
			want, err1 := s.Waiting(ctx)
			got, err2 := known.Waiting(ctx)
			if err1 != nil || err2 != nil || len(got) != len(want) {
				t.Fatalf("%s: %d, want %d: %v %v", name, len(got), len(want), err1, err2)
			}
			for j := range got {
				if got[j].ID != want[j].ID || got[j].Contract.Hash() != want[j].Contract.Hash() {
					t.Errorf("%s: %s, want %s", name, got[j].ID, want[j].ID)
				}
			}
		}
	}
	if lister.reads != 5 {
		t.Errorf("5 requests were read %d times", lister.reads)
	}
}
