package approve_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
	"github.com/sayso-dev/sayso/store/storetest"
)

var ctx = context.Background()

// stores are those that the queue is tried with.
func stores(t *testing.T) map[string]storetest.Stores {
	t.Helper()
	db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return map[string]storetest.Stores{"memory": &store.Memory{}, "sqlite": db}
}

func push(id string) sayso.Call {
	input, _ := json.Marshal(map[string]string{"command": "git push origin main"})
	return sayso.Call{ID: id, Session: "s", Tool: "bash", Input: input, Root: "/w", Home: "/home/dev"}
}

// TestAnswered: an engine waits until somebody else answers, and does what they
// say; a no, and a yes with a choice.
func TestAnswered(t *testing.T) {
	for name, s := range stores(t) {
		for key, want := range map[string]sayso.Effect{"y": sayso.Allow, "n": sayso.Deny, "s": sayso.Allow} {
			q := &approve.Queue{Store: s, Timeout: time.Minute, Opened: func(r sayso.Request) {
				waiting, err := s.Waiting(ctx)
				if err != nil || len(waiting) != 1 || waiting[0].ID != r.ID {
					t.Errorf("%s: it is shown before it is kept: %v %v", name, waiting, err)
				}
				go func() {
					time.Sleep(5 * time.Millisecond)
					if err := s.Answer(ctx, sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: key, By: "kim"}); err != nil {
						t.Error(err)
					}
				}()
			}}
			e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: q, Sessions: s, Grants: s}
			call := push("call " + key)
			call.Session = key
			p, d, err := e.Authorize(ctx, call)
			if err != nil || d.Effect != want {
				t.Errorf("%s %s: %+v %v", name, key, d, err)
			}
			if _, err := p.Use(); (err == nil) != (want == sayso.Allow) {
				t.Errorf("%s %s: permit %v", name, key, err)
			}
			if grants, err := s.Grants(ctx, key, "/w"); err != nil || (len(grants) == 1) != (key == "s") {
				t.Errorf("%s %s: %+v %v", name, key, grants, err)
			}
		}
	}
}

// TestNobody: a time-out denies, and whoever answers later is told.
func TestNobody(t *testing.T) {
	for name, s := range stores(t) {
		var asked sayso.Request
		q := &approve.Queue{Store: s, Timeout: 20 * time.Millisecond, Opened: func(r sayso.Request) { asked = r }}
		e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: q, Sessions: s, Grants: s}
		_, d, err := e.Authorize(ctx, push("call"))
		if err != nil || d.Effect != sayso.Deny || d.Code != sayso.CodeNobodyAsk {
			t.Errorf("%s: %+v %v", name, d, err)
		}
		if err := s.Answer(ctx, sayso.Answer{RequestID: asked.ID, ContractHash: asked.Contract.Hash(), Yes: true}); !errors.Is(err, sayso.ErrLate) {
			t.Errorf("%s: a late answer: %v", name, err)
		}
	}
}

// TestWithdrawn: when the asker gives up, the request cannot be answered any more.
func TestWithdrawn(t *testing.T) {
	for name, s := range stores(t) {
		short, cancel := context.WithCancel(ctx)
		q := &approve.Queue{Store: s, Opened: func(sayso.Request) { cancel() }}
		r := sayso.Request{ID: "r", Call: push("call")}
		if _, err := q.Approve(short, r); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := s.Waiting(ctx); err != nil || len(list) != 0 {
			t.Errorf("%s: %v %v", name, list, err)
		}
		if err := s.Answer(ctx, sayso.Answer{RequestID: "r", ContractHash: r.Contract.Hash(), Yes: true}); !errors.Is(err, sayso.ErrAnswered) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFoundAgain: a process that was killed while it waited finds its request
// and the answer that came meanwhile, once; the same call made again is asked
// again.
func TestFoundAgain(t *testing.T) {
	for name, s := range stores(t) {
		first := sayso.Request{ID: "first", Call: push("call"), Contract: sayso.Contract{Tool: "bash"}, Until: time.Now().Add(time.Hour)}
		if _, err := s.Open(ctx, first); err != nil { // and killed
			t.Fatal(err)
		}
		if err := s.Answer(ctx, sayso.Answer{RequestID: "first", ContractHash: first.Contract.Hash(), Yes: true, By: "kim"}); err != nil {
			t.Fatal(err)
		}
		q := &approve.Queue{Store: s, Timeout: 20 * time.Millisecond}
		second := first
		second.ID = "second"
		if a, err := q.Approve(ctx, second); err != nil || !a.Yes || a.By != "kim" || a.RequestID != "second" {
			t.Errorf("%s: %+v %v", name, a, err)
		}
		third := first
		third.ID = "third"
		if a, err := q.Approve(ctx, third); !errors.Is(err, approve.ErrTimeout) || a.Yes {
			t.Errorf("%s: a yes counts twice: %+v %v", name, a, err)
		}
	}
}

// A broken store fails.
type broken struct{ store.Memory }

var errDisk = errors.New("the disk is full")

func (*broken) Open(context.Context, sayso.Request) (sayso.Request, error) {
	return sayso.Request{}, errDisk
}

// TestBroken: what cannot be kept is not shown, and denied.
func TestBroken(t *testing.T) {
	q := &approve.Queue{Store: &broken{}, Opened: func(sayso.Request) { t.Error("shown") }}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: q}
	if _, d, err := e.Authorize(ctx, push("call")); err != nil || d.Effect != sayso.Deny || d.Code != sayso.CodeNobodyAsk {
		t.Errorf("%+v %v", d, err)
	}
}

// TestVia: a yes that is said where it does not count changes nothing, in every
// store; the one that counts is waited for. Whoever asks may be stricter.
func TestVia(t *testing.T) {
	for name, s := range stores(t) {
		for own, want := range map[string]string{"": "page", "terminal": "terminal"} {
			q := &approve.Queue{Store: s, Timeout: time.Minute, Via: []string{"page"}, Opened: func(r sayso.Request) {
				a := sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: "y", Yes: true}
				for _, a.Channel = range []string{"", "agent", map[string]string{"page": "terminal", "terminal": "page"}[want]} {
					if err := s.Answer(ctx, a); !errors.Is(err, sayso.ErrChannel) {
						t.Errorf("%s through %q: %v", name, a.Channel, err)
					}
				}
				a.Channel = want
				if err := s.Answer(ctx, a); err != nil {
					t.Errorf("%s through %s: %v", name, want, err)
				}
			}}
			stricter := sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
				if own != "" {
					r.Via = []string{own}
				}
				return q.Approve(ctx, r)
			})
			e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: stricter}
			if _, d, err := e.Authorize(ctx, push("via "+own)); err != nil || d.Effect != sayso.Allow {
				t.Errorf("%s: %+v %v", name, d, err)
			}
		}
	}
}
