package stepwise

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"time"
)

// The interpreter runs in this process, which no limit of a contract holds: a script
// that only sets variables would be decided by nobody, and could take all memory.

// mostMemory is how much this process may use while a script runs, if the script has no
// limit of its own; memoryPause is how often it is looked at.
const (
	mostMemory  = 512 << 20
	memoryPause = 10 * time.Millisecond
)

var errMemory = errors.New("its variables take too much memory")

// watch ends the script when too much memory is used, until the context is over.
func (r *run) watch(ctx context.Context, limit uint64) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(memoryPause):
		}
		if heap() <= limit {
			continue
		}
		if runtime.GC(); heap() > limit { // some of it was not needed any more
			_ = r.fail(errMemory)
			return
		}
	}
}

// heap is how much memory is used.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
