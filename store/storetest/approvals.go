package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

// ask is a request for a call.
func ask(id, call string) sayso.Request {
	r := sayso.Request{
		ID: id, Call: sayso.Call{ID: call, Session: "s", Tool: "bash", Input: []byte(`{"command":"git push"}`), Root: "/r"},
		Decision: sayso.Decision{Effect: sayso.Ask, Code: "mode.ask", Reason: "it asks", Keep: []sayso.Scope{sayso.ForSession}},
		Contract: sayso.Contract{Tool: "bash", Input: []byte(`{"command":"git push"}`), Dir: "/r", Env: map[string]string{"A": "b"}},
		Opened:   time.Now().Add(-time.Second).UTC().Truncate(time.Millisecond), Until: time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond),
	}
	r.Decision.Choices = []sayso.Choice{{Key: "y", Yes: true}, {Key: "net", Yes: true, Network: sayso.NetworkAll}, {Key: "n"}}
	return r
}

func yes(r sayso.Request) sayso.Answer {
	return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForSession, Rule: "bash(git push)", By: "kim", Channel: "terminal"}
}

// waiting are the ids of the requests that wait, in order.
func waiting(t *testing.T, s Stores) string {
	t.Helper()
	out := ""
	for _, r := range got(s.Waiting(ctx))(t) {
		out += r.ID
	}
	return out
}

// approval: a request waits, is answered once, and its answer is taken once.
func approval(t *testing.T, s Stores) {
	r := ask("a", "call a")
	if stands := got(s.Open(ctx, r))(t); !reflect.DeepEqual(stands, r) {
		t.Errorf("opened %+v\nwant %+v", stands, r)
	}
	got(s.Open(ctx, ask("b", "call b")))(t)
	if list := got(s.Waiting(ctx))(t); len(list) != 2 || !reflect.DeepEqual(list[0], r) {
		t.Errorf("waiting is %+v\nwant %+v", list, r)
	}
	_, err := s.Take(ctx, "a")
	is(t, err, sayso.ErrWaiting)
	before := time.Now().Add(-time.Second)
	must(t, s.Answer(ctx, yes(r)))
	if left := waiting(t, s); left != "b" {
		t.Errorf("waiting are %s", left)
	}
	a := got(s.Take(ctx, "a"))(t)
	if a.Time.Before(before) || a.Time.After(time.Now().Add(time.Second)) {
		t.Errorf("answered at %s", a.Time)
	}
	want := yes(r)
	want.Time = a.Time
	if !reflect.DeepEqual(a, want) {
		t.Errorf("taken %+v\nwant %+v", a, want)
	}
	_, err = s.Take(ctx, "a")
	is(t, err, sayso.ErrNotFound)
	if errors.Is(err, sayso.ErrWaiting) {
		t.Error("an answer that was taken is waited for")
	}
}

// approvalRefused: an answer to nothing, to something else, or a second one does
// not count, and the second is told of the first.
func approvalRefused(t *testing.T, s Stores) {
	if _, err := s.Open(ctx, sayso.Request{}); err == nil {
		t.Error("a request without an id is kept")
	}
	bad := ask("bad", "bad")
	bad.Call.Input = []byte("{")
	if _, err := s.Open(ctx, bad); err == nil {
		t.Error("a request that cannot be written is kept")
	}
	r := got(s.Open(ctx, ask("a", "call")))(t)
	is(t, s.Answer(ctx, sayso.Answer{RequestID: "none"}), sayso.ErrNotFound)
	_, err := s.Take(ctx, "none")
	is(t, err, sayso.ErrNotFound)
	other := yes(r)
	other.ContractHash = strings.Repeat("0", 64)
	is(t, s.Answer(ctx, other), sayso.ErrContract)
	if left := waiting(t, s); left != "a" {
		t.Errorf("waiting are %q: an answer that was refused counts", left)
	}
	no := sayso.Answer{RequestID: "a", ContractHash: r.Contract.Hash(), By: "kim", Channel: "page", Time: time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)}
	must(t, s.Answer(ctx, no))
	for range 2 { // before it is taken, and after
		err := s.Answer(ctx, yes(r))
		is(t, err, sayso.ErrAnswered)
		var first *sayso.AnsweredError
		if !errors.As(err, &first) || first.Answer.By != "kim" || !first.Answer.Time.Equal(no.Time) ||
			!strings.Contains(err.Error(), "kim through page said no at 2031-02-03T04:05:06Z") {
			t.Errorf("the second is told: %v", err)
		}
		if a, err := s.Take(ctx, "a"); err == nil && a.Yes {
			t.Error("the second answer counts")
		}
	}
	is(t, errOf(s.Open(ctx, ask("a", "another call"))), sayso.ErrExists)
}

func errOf(_ sayso.Request, err error) error { return err }

// approvalChoice: a choice has to be offered, and its answer names the contract
// that it leads to.
func approvalChoice(t *testing.T, s Stores) {
	r := got(s.Open(ctx, ask("a", "call")))(t)
	a := sayso.Answer{RequestID: "a", Choice: "all", ContractHash: r.Contract.Hash()}
	is(t, s.Answer(ctx, a), sayso.ErrChoice)
	a.Choice = "net"
	is(t, s.Answer(ctx, a), sayso.ErrContract)
	a.ContractHash = r.Decision.Choices[1].Contract(r.Contract).Hash()
	must(t, s.Answer(ctx, a))
	if taken := got(s.Take(ctx, "a"))(t); taken.Choice != "net" {
		t.Errorf("%+v", taken)
	}
}

// approvalLate: when its time is over nobody can answer, and it is not listed.
func approvalLate(t *testing.T, s Stores) {
	r := ask("a", "call")
	r.Until = time.Now().Add(-time.Millisecond)
	got(s.Open(ctx, r))(t)
	if left := waiting(t, s); left != "" {
		t.Errorf("waiting are %s", left)
	}
	is(t, s.Answer(ctx, yes(r)), sayso.ErrLate)
	_, err := s.Take(ctx, "a")
	is(t, err, sayso.ErrWaiting)
	if again := got(s.Open(ctx, ask("b", "call")))(t); again.ID != "b" {
		t.Errorf("a request whose time is over stands for the call: %s", again.ID)
	}
	forever := ask("c", "call c")
	forever.Until = time.Time{}
	got(s.Open(ctx, forever))(t)
	must(t, s.Answer(ctx, yes(forever)))
}

// approvalFound: whoever asks again about the same call finds the request, and
// its answer until somebody takes it; about another call they do not.
func approvalFound(t *testing.T, s Stores) {
	first := got(s.Open(ctx, ask("a", "call")))(t)
	if again := got(s.Open(ctx, ask("b", "call")))(t); again.ID != "a" {
		t.Errorf("asked again, %s stands", again.ID)
	}
	must(t, s.Answer(ctx, yes(first)))
	if again := got(s.Open(ctx, ask("c", "call")))(t); again.ID != "a" {
		t.Errorf("asked again after the answer, %s stands", again.ID)
	}
	got(s.Take(ctx, "a"))(t)
	if again := got(s.Open(ctx, ask("d", "call")))(t); again.ID != "d" {
		t.Errorf("a yes that was used stands for a second call: %s", again.ID)
	}
	for id, change := range map[string]func(*sayso.Request){
		"e": func(r *sayso.Request) { r.Call.Session = "other" },
		"f": func(r *sayso.Request) { r.Call.ID = "other" },
		"g": func(r *sayso.Request) { r.Contract.Dir = "/other" },
		"h": func(r *sayso.Request) { r.Call.ID = "" },
		"i": func(r *sayso.Request) { r.Call.ID = "" },
	} {
		r := ask(id, "call")
		change(&r)
		if stands := got(s.Open(ctx, r))(t); stands.ID != id {
			t.Errorf("%s: another call is answered with the request %s", id, stands.ID)
		}
	}
}

// approvalsAtOnce: however many ask about one call at once, one request stands.
func approvalsAtOnce(t *testing.T, s Stores) {
	var wg sync.WaitGroup
	stood := make([]string, 8)
	for i := range stood {
		wg.Go(func() {
			r, err := s.Open(ctx, ask(fmt.Sprint("r", i), "call"))
			if err != nil {
				t.Error(err)
			}
			stood[i] = r.ID
		})
	}
	wg.Wait()
	for _, id := range stood {
		if id != stood[0] {
			t.Errorf("several requests stand for one call: %v", stood)
		}
	}
	if n := len(got(s.Waiting(ctx))(t)); n != 1 {
		t.Errorf("%d wait", n)
	}
}

// answersAtOnce: of many answers one counts, the others are told which, and of
// many that take it one gets it.
func answersAtOnce(t *testing.T, s Stores) {
	r := got(s.Open(ctx, ask("a", "call")))(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won, told []string
	taken := 0
	for i := range 8 {
		wg.Go(func() {
			a := yes(r)
			a.By, a.Yes = fmt.Sprint("p", i), i%2 == 0
			err := s.Answer(ctx, a)
			var first *sayso.AnsweredError
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = append(won, a.By)
			case errors.As(err, &first):
				told = append(told, first.Answer.By)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || len(told) != 7 {
		t.Fatalf("won %v, told %v", won, told)
	}
	for _, by := range told {
		if by != won[0] {
			t.Errorf("somebody was told that %s was first, not %s", by, won[0])
		}
	}
	for range 8 {
		wg.Go(func() {
			a, err := s.Take(ctx, "a")
			mu.Lock()
			defer mu.Unlock()
			if err == nil && a.By == won[0] {
				taken++
			} else if !errors.Is(err, sayso.ErrNotFound) {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
	wg.Wait()
	if taken != 1 {
		t.Errorf("%d took the answer", taken)
	}
}

// Time tests what ends with its time in a store whose clock is given.
func Time(t *testing.T, open func(now func() time.Time) Stores) {
	t.Helper()
	now := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	s := open(func() time.Time { return now })
	asked := func(id string) sayso.Request {
		r := ask(id, "call")
		r.Opened, r.Until = now, now.Add(time.Minute)
		return r
	}
	first := got(s.Open(ctx, asked("a")))(t)
	now = now.Add(time.Minute - 1)
	must(t, s.Answer(ctx, yes(first)))
	if again := got(s.Open(ctx, asked("b")))(t); again.ID != "a" {
		t.Errorf("within its time, %s stands for the call", again.ID)
	}
	now = now.Add(1)
	second := got(s.Open(ctx, asked("c")))(t)
	if second.ID != "c" {
		t.Errorf("a yes that nobody took in time stands for the call: %s", second.ID)
	}
	if a := got(s.Take(ctx, "a"))(t); !a.Yes { // whoever has waited for it gets it
		t.Errorf("%+v", a)
	}
	now = now.Add(time.Minute)
	is(t, s.Answer(ctx, yes(second)), sayso.ErrLate)
	if left := waiting(t, s); left != "" {
		t.Errorf("waiting are %s", left)
	}
}
