package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/storetest"
)

// TestMemory: it is a store like any other.
func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Stores { return &store.Memory{} })
}

// TestClock: the time of requests is that of the clock.
func TestClock(t *testing.T) {
	ctx, now := context.Background(), time.Unix(1000, 0)
	m := store.Memory{Clock: func() time.Time { return now }}
	r, err := m.Open(ctx, sayso.Request{ID: "r", Until: now.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if err := m.Answer(ctx, sayso.Answer{RequestID: "r", ContractHash: r.Contract.Hash()}); !errors.Is(err, sayso.ErrLate) {
		t.Errorf("%v", err)
	}
}

// TestJournal: what is recorded is there.
func TestJournal(t *testing.T) {
	var m store.Memory
	if err := m.Record(context.Background(), sayso.Record{Kind: sayso.RecordDecision}); err != nil || len(m.Records()) != 1 {
		t.Errorf("%v, %v", m.Records(), err)
	}
}
