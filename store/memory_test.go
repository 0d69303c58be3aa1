package store_test

import (
	"context"
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

// TestTime: see [storetest.Time].
func TestTime(t *testing.T) {
	storetest.Time(t, func(now func() time.Time) storetest.Stores { return &store.Memory{Clock: now} })
}

// TestJournal: what is recorded is there.
func TestJournal(t *testing.T) {
	var m store.Memory
	if err := m.Record(context.Background(), sayso.Record{Kind: sayso.RecordDecision}); err != nil || len(m.Records()) != 1 {
		t.Errorf("%v, %v", m.Records(), err)
	}
}
