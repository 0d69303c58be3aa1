package cli

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
)

// A firstIndex makes the index of a large journal while the page is served already,
// which may take longer than anybody waits for a page.
type firstIndex struct {
	folder  journal.Folder
	std     IO
	percent atomic.Int64
	ready   chan struct{} // it is made, or cannot be
}

func newFirstIndex(folder journal.Folder, std IO) *firstIndex {
	return &firstIndex{folder: folder, std: std, ready: make(chan struct{})}
}

// make makes the index, if it pays.
func (f *firstIndex) make(ctx context.Context) {
	defer close(f.ready)
	if !worthIndex(f.folder) {
		return
	}
	p := newProgress("indexing", f.std)
	defer p.end()
	x, err := updated(ctx, f.folder, func(done, all int64) {
		p.told(done, all)
		f.percent.Store(min(done, all) * 100 / max(1, all))
	})
	if err == nil {
		_ = x.Close() // it is opened again for each page
	}
}

// indexPatience is how long a page waits for the index to be made.
const indexPatience = 2 * time.Second

// reading tells how far it is, if that still takes a while.
func (f *firstIndex) reading() (percent int, busy bool) {
	select {
	case <-f.ready:
		return 100, false
	case <-time.After(indexPatience):
		return int(f.percent.Load()), true
	}
}

// open is the index of the journal, if the journal is large. One that cannot be used
// is no reason to show nothing.
func (f *firstIndex) open(ctx context.Context) (*index.Index, bool) {
	if !worthIndex(f.folder) {
		return nil, false
	}
	x, err := upToDate(ctx, f.folder, f.std)
	if err != nil {
		printf(f.std.Err, "sayso: note: the index of the journal cannot be used, so all of it is read: %v\n", err)
	}
	return x, err == nil
}
