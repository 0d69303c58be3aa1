package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// turns is how often it is measured: a browser is slower than what else is.
const turns = 25

// BenchmarkShown: how long it takes from an ask of another process until a browser
// has drawn the card, where no other call waits and where a thousand do, in turns.
func BenchmarkShown(b *testing.B) {
	one, many := newQueue(b, 0), newQueue(b, 999)
	for b.Loop() {
		if len(one.times) < turns {
			one.ask(b)
			many.ask(b)
		}
	}
	b.ReportMetric(one.took(), "one-ns")
	b.ReportMetric(many.took(), "many-ns")
}

// seen notes when a card is drawn: in the frame behind the one in which it came.
const seen = `
window.seen = {};
new MutationObserver((list) => {
	for (const m of list) for (const e of m.addedNodes) if (e.dataset && e.dataset.id) {
		const id = e.dataset.id;
		requestAnimationFrame(() => { window.seen[id] = performance.timeOrigin + performance.now(); });
	}
}).observe(document.getElementById("cards"), { childList: true });
true`

// A queue is asked, and seen in a browser.
type queue struct {
	*world
	v       *tab
	db      *sqlite.DB
	n       int
	request sayso.Request // the last one
	times   []time.Duration
}

// newQueue is a page on which so many calls wait.
func newQueue(b *testing.B, pending int) *queue {
	b.Helper()
	q := &queue{world: newWorld(b)}
	q.serve()
	var err error
	if q.db, err = sqlite.Open(context.Background(), filepath.Join(q.home, ".local", "state", "sayso")); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = q.db.Close() })
	q.v = q.tab()
	value[bool](q.v, seen)
	for range pending {
		q.open(b)
	}
	if pending > 0 {
		q.shown(b)
	}
	return q
}

// open makes another request known.
func (q *queue) open(b *testing.B) {
	b.Helper()
	q.n++
	input, _ := json.Marshal(map[string]string{"command": fmt.Sprintf("npm ci && git push origin branch-%d", q.n)}) // a string can be written
	call := sayso.Call{ID: fmt.Sprint("call", q.n), Session: "s1", Agent: "claude", Tool: "Bash", Input: input, Root: q.repo, Home: q.home}
	q.request = sayso.Request{}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		var err error
		q.request, err = q.db.Open(ctx, r)
		return sayso.Answer{}, errors.Join(err, context.Canceled)
	})}
	if _, d, _ := e.Authorize(context.Background(), call); q.request.ID == "" { // nobody answers
		b.Fatalf("it was not asked: %s %s", d.Effect, d.Reason)
	}
}

// shown waits until the last request was drawn, and returns when that was.
func (q *queue) shown(b *testing.B) time.Time {
	b.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		at, err := chromedp.Run(q.v.ctx, chromedp.Evaluate[float64](fmt.Sprintf("window.seen[%q] ?? 0", q.request.ID)))
		if err != nil {
			b.Fatal(err)
		}
		if at > 0 {
			return time.UnixMicro(int64(at * 1000))
		}
	}
	b.Fatal("it was never shown")
	return time.Time{}
}

// ask asks, and answers when it was shown.
func (q *queue) ask(b *testing.B) {
	b.Helper()
	time.Sleep(time.Duration(q.n*7%40) * time.Millisecond) // not in step with who looks
	start := time.Now()
	q.open(b)
	q.times = append(q.times, q.shown(b).Sub(start))
	if err := q.db.Answer(context.Background(), sayso.Answer{RequestID: q.request.ID, ContractHash: q.request.Contract.Hash()}); err != nil {
		b.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond) // it is seen that it is gone, too
}

// took is the median of how long it took.
func (q *queue) took() float64 {
	slices.Sort(q.times)
	return float64(q.times[len(q.times)/2].Nanoseconds())
}
