package sayso_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// TestFits: an answer is for exactly what was shown, and one of what was offered.
func TestFits(t *testing.T) {
	open := sayso.Choice{Key: "net", Yes: true, Network: sayso.NetworkAll}
	r := sayso.Request{ID: "r", Contract: sayso.Contract{Tool: "bash"}, Decision: sayso.Decision{Choices: []sayso.Choice{open}}}
	shown, opened := r.Contract.Hash(), open.Contract(r.Contract).Hash()
	for _, one := range []struct {
		choice, hash string
		want         error
	}{
		{"", shown, nil},
		{"", opened, sayso.ErrContract},
		{"", "", sayso.ErrContract},
		{"net", opened, nil},
		{"net", shown, sayso.ErrContract},
		{"other", shown, sayso.ErrChoice},
	} {
		if err := r.Fits(sayso.Answer{Choice: one.choice, ContractHash: one.hash}); !errors.Is(err, one.want) {
			t.Errorf("%q %q: %v, want %v", one.choice, one.hash, err, one.want)
		}
	}
}

// TestHears: where the policy names the places, a yes counts only there, and a no
// everywhere.
func TestHears(t *testing.T) {
	yes := sayso.Choice{Key: "y", Yes: true}
	for _, one := range []struct {
		via  []string
		a    sayso.Answer
		want error
	}{
		{nil, sayso.Answer{Yes: true, Channel: "terminal"}, nil},
		{[]string{"page"}, sayso.Answer{Yes: true, Channel: "page"}, nil},
		{[]string{"page"}, sayso.Answer{Yes: true, Channel: "terminal"}, sayso.ErrChannel},
		{[]string{"page"}, sayso.Answer{Yes: true}, sayso.ErrChannel},
		{[]string{"page"}, sayso.Answer{Choice: "y", Channel: "terminal"}, sayso.ErrChannel},
		{[]string{"page"}, sayso.Answer{Channel: "terminal"}, nil},
	} {
		r := sayso.Request{ID: "r", Via: one.via, Contract: sayso.Contract{Tool: "bash"}, Decision: sayso.Decision{Choices: []sayso.Choice{yes}}}
		one.a.ContractHash = r.Contract.Hash()
		if err := r.Fits(one.a); !errors.Is(err, one.want) {
			t.Errorf("%v %+v: %v, want %v", one.via, one.a, err, one.want)
		}
	}
}

// TestOver: a request ends with its time, if it has one.
func TestOver(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, one := range []struct {
		until, now time.Time
		want       bool
	}{
		{time.Time{}, at, false}, {at, at.Add(-1), false}, {at, at, true}, {at, at.Add(1), true},
	} {
		r := sayso.Request{Until: one.until}
		if r.Over(one.now) != one.want {
			t.Errorf("%v at %v is over: %v", one.until, one.now, !one.want)
		}
	}
}

// TestAnswered: whoever comes second is told who was first, what they said and
// when.
func TestAnswered(t *testing.T) {
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.FixedZone("", 3600))
	for want, a := range map[string]sayso.Answer{
		"it was answered already: kim through page said yes at 2031-02-03T03:05:06Z": {Yes: true, By: "kim", Channel: "page", Time: at},
		"it was answered already: somebody said no at 2031-02-03T03:05:06Z":          {Time: at},
	} {
		err := &sayso.AnsweredError{Answer: a}
		if err.Error() != want || !errors.Is(err, sayso.ErrAnswered) {
			t.Errorf("%v", err)
		}
	}
}

// TestOnce: what was approved for one call counts for one, however many are made
// at once.
func TestOnce(t *testing.T) {
	ctx, m := context.Background(), &store.Memory{}
	for _, rule := range []string{"bash(git push *)", "bash(git fetch *)"} {
		if err := m.AddGrant(ctx, "s", "/w", sayso.Grant{ID: rule, Rule: rule, Scope: sayso.Once}); err != nil {
			t.Fatal(err)
		}
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: m, Grants: m, Journal: m}
	call := bash("git push origin main && git push origin next && git fetch origin")
	call.Session, call.Root = "s", "/w"
	var wg sync.WaitGroup
	var mu sync.Mutex
	allowed := 0
	for range 8 {
		wg.Go(func() {
			_, d, _ := e.Authorize(ctx, call)
			mu.Lock()
			defer mu.Unlock()
			if d.Effect == sayso.Allow {
				allowed++
			}
		})
	}
	wg.Wait()
	if st, err := m.Get(ctx, "s"); err != nil || allowed != 1 || len(st.Spent) != 2 {
		t.Errorf("%d were allowed, spent is %v, %v", allowed, st.Spent, err)
	}
	e.Sessions = nil // so that nobody knows what was spent
	if _, d, err := e.Authorize(ctx, call); d.Effect != sayso.Deny || err == nil || !strings.Contains(err.Error(), "nobody keeps") {
		t.Errorf("without sessions: %+v %v", d, err)
	}
}

// A quickOther spends a grant while another call is decided that uses it.
type quickOther struct{ store.Memory }

func (q *quickOther) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	list, err := q.Memory.Grants(ctx, session, root)
	return list, errors.Join(err, q.Update(ctx, session, func(st *sayso.SessionState) error { st.Spent = []string{"g"}; return nil }))
}

// TestOnceQuicker: of two calls that use one grant, the slower is denied.
func TestOnceQuicker(t *testing.T) {
	ctx, m := context.Background(), &quickOther{}
	if err := m.AddGrant(ctx, "s", "/w", sayso.Grant{ID: "g", Rule: "bash(git push *)", Scope: sayso.Once}); err != nil {
		t.Fatal(err)
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: m, Grants: m, Journal: m}
	call := bash("git push origin main")
	call.Session, call.Root = "s", "/w"
	if _, d, err := e.Authorize(ctx, call); d.Effect != sayso.Deny || err == nil || !strings.Contains(err.Error(), "another one was quicker") {
		t.Errorf("%+v %v", d, err)
	}
}

// TestOncePlain: a preset with its own language for grants cannot tell when one
// is used, so that one for a single call does not count.
func TestOncePlain(t *testing.T) {
	ctx := context.Background()
	for scope, want := range map[sayso.Scope]int{sayso.Once: 0, sayso.ForSession: 1} {
		m := &store.Memory{}
		if err := m.AddGrant(ctx, "s", "/w", sayso.Grant{ID: "g", Rule: "own", Scope: scope}); err != nil {
			t.Fatal(err)
		}
		seen := -1
		look := sayso.Func("look", func(c *sayso.Case) sayso.Verdict {
			seen = len(c.Session.Grants.List())
			return sayso.Decide(sayso.Deny, "x", "x")
		})
		p := sayso.Preset{
			Modes: []sayso.Mode{{Name: "m"}}, Plan: func(string) (sayso.Plan, error) { return sayso.Plan{look}, nil },
			CheckRule: func(string) error { return nil },
		}
		e := sayso.Engine{Preset: p, Sessions: m, Grants: m}
		call := bash("ls")
		call.Session, call.Root = "s", "/w"
		if _, _, err := e.Authorize(ctx, call); err != nil || seen != want {
			t.Errorf("%s: %d grants count, want %d (%v)", scope, seen, want, err)
		}
	}
}

// TestProfileTold: what is kept in the profile is named in no reason.
func TestProfileTold(t *testing.T) {
	for scope, want := range map[sayso.Scope]string{
		sayso.ForSession: "it was approved before: bash(git push *) (session)", sayso.ForProfile: "it was approved before: a rule (profile)",
	} {
		grants, err := sayso.NewGrants([]sayso.Grant{{ID: "g", Rule: "bash(git push *)", Scope: scope}})
		if err != nil {
			t.Fatal(err)
		}
		e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
		if d := e.Check(context.Background(), bash("git push origin main"), sayso.Session{Grants: grants}); d.Reason != want || d.Effect != sayso.Allow {
			t.Errorf("%+v", d)
		}
	}
	for layer, want := range map[sayso.Layer]string{
		sayso.User: "the rule bash(git push *) in user denies it: it is secret", sayso.OfProfile: "a rule (profile) denies it",
	} {
		set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Deny, Text: "bash(git push *)", Because: "it is secret", Source: sayso.Source{Layer: layer}}})
		if err != nil {
			t.Fatal(err)
		}
		e := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set})}
		if d := e.Check(context.Background(), bash("git push origin main"), sayso.Session{}); d.Reason != want || d.Effect != sayso.Deny {
			t.Errorf("%+v", d)
		}
	}
}

// A lateJournal fails at records of one kind.
type lateJournal struct {
	store.Memory
	fails sayso.RecordKind
}

func (j *lateJournal) Record(ctx context.Context, records ...sayso.Record) error {
	for _, r := range records {
		if r.Kind == j.fails {
			return errors.New("the disk is full")
		}
	}
	return j.Memory.Record(ctx, records...)
}

// TestGrantRecorded: what a person approves for longer is in the journal before
// it counts, with who, for which call and until when; else it does not count.
func TestGrantRecorded(t *testing.T) {
	until := time.Now().Add(time.Hour)
	said := sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		if r.Opened.IsZero() {
			t.Error("the request does not say when it was opened")
		}
		return sayso.Answer{
			RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForWorkspace, Rule: "bash(git push *)", By: "kim", Channel: "page", Expires: until,
		}, nil
	})
	for _, fails := range []sayso.RecordKind{"", sayso.RecordGrant} {
		j := &lateJournal{fails: fails}
		e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: said, Sessions: j, Grants: j, Journal: j}
		call := bash("git push origin main")
		call.ID, call.Root = "call", "/w"
		_, d, err := e.Authorize(context.Background(), call)
		kept, _ := j.AllGrants(context.Background())
		if fails != "" {
			if err == nil || d.Effect != sayso.Deny || len(kept) != 0 {
				t.Errorf("not recorded: %s, %v, %+v", d.Effect, err, kept)
			}
			continue
		}
		if err != nil || d.Effect != sayso.Allow || len(kept) != 1 {
			t.Fatalf("%+v %v %+v", d, err, kept)
		}
		g := kept[0]
		if g.By != "kim" || g.Call != "call" || g.Root != "/w" || !g.Expires.Equal(until) || g.Given.IsZero() {
			t.Errorf("%+v", g)
		}
		found := 0
		for _, r := range j.Records() {
			if r.Kind == sayso.RecordGrant && r.Grant.ID == g.ID && r.Root == "/w" && r.Call == "call" && r.Decider.Name == "kim" && r.Decider.Channel == "page" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d records of the grant", found)
		}
	}
}
