package line_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// BenchmarkShown: how long it takes from an ask until all of it is drawn, where no
// other call waits and where a thousand do, in turns. scripts/askbench compares
// the two for every channel.
func BenchmarkShown(b *testing.B) {
	one, many := newQueue(b, 1), newQueue(b, 1000)
	for b.Loop() {
		one.ask(b)
		many.ask(b)
	}
	b.ReportMetric(one.took(), "one-ns")
	b.ReportMetric(many.took(), "many-ns")
}

// A queue is asked, and draws what it is asked.
type queue struct {
	approve.Queue
	request sayso.Request
	start   time.Time
	times   []time.Duration
}

// newQueue is a queue in which so many calls wait, the next one included.
func newQueue(b *testing.B, pending int) *queue {
	b.Helper()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	call := sayso.Call{Tool: "bash", Input: []byte(`{"command": "git status && git push origin main"}`), Root: "/w"}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	q := &queue{request: sayso.Request{
		Call: call, Decision: e.Check(ctx, call, sayso.Session{}), Contract: sayso.PlainContract(call, e.Analyzer.Analyze(call)),
		Opened: time.Now(), Until: time.Now().Add(time.Hour),
	}}
	for range pending - 1 {
		if _, err := db.Open(ctx, q.next()); err != nil {
			b.Fatal(err)
		}
	}
	q.Store = db
	q.Opened = func(r sayso.Request) {
		v := view.Of(&r, view.Options{})
		if line.Draw(&v, 80, func(string) string { return "xterm" }) == "" {
			b.Error("nothing is drawn")
		}
		q.times = append(q.times, time.Since(q.start))
		if err := db.Answer(ctx, sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash()}); err != nil {
			b.Error(err)
		}
	}
	return q
}

// next is another request.
func (q *queue) next() sayso.Request {
	q.request.Call.ID += "x"
	q.request.ID = fmt.Sprint("request ", len(q.request.Call.ID))
	return q.request
}

func (q *queue) ask(b *testing.B) {
	b.Helper()
	r := q.next()
	q.start = time.Now()
	if _, err := q.Approve(context.Background(), r); err != nil {
		b.Fatal(err)
	}
}

// took is how long it took where nothing else kept the machine busy: what a
// quarter of the asks did not need.
func (q *queue) took() float64 {
	slices.Sort(q.times)
	return float64(q.times[len(q.times)/4].Nanoseconds())
}
