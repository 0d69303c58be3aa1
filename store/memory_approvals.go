package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
)

// A request is one that was opened, with what became of it.
type request struct {
	sayso.Request
	answer *sayso.Answer
	taken  bool
}

// stands reports whether whoever asks again about the call finds this request. A
// yes does not lie about for longer than somebody was expected to wait for it.
func (r *request) stands(now time.Time) bool { return !r.taken && !r.Over(now) }

func (m *Memory) now() time.Time {
	if m.Clock != nil {
		return m.Clock()
	}
	return time.Now()
}

// Open makes a request known, or finds the one that stands for the same call.
func (m *Memory) Open(_ context.Context, r sayso.Request) (sayso.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.ID == "" {
		return r, errors.New("the request has no id")
	}
	r, err := copyOf(r)
	if err != nil {
		return r, fmt.Errorf("request %q: %w", r.ID, err)
	}
	for _, old := range m.requests {
		same := old.Call.Session == r.Call.Session && old.Call.ID == r.Call.ID && r.Call.ID != ""
		if same && old.stands(m.now()) && old.Contract.Hash() == r.Contract.Hash() {
			return copyOf(old.Request)
		}
		if old.ID == r.ID {
			return r, fmt.Errorf("request %q: %w", r.ID, sayso.ErrExists)
		}
	}
	m.requests = append(m.requests, &request{Request: r})
	return copyOf(r)
}

// find returns a request, or [sayso.ErrNotFound].
func (m *Memory) find(id string) (*request, error) {
	i := slices.IndexFunc(m.requests, func(r *request) bool { return r.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("request %q: %w", id, sayso.ErrNotFound)
	}
	return m.requests[i], nil
}

// Answer keeps an answer; the first counts.
func (m *Memory) Answer(_ context.Context, a sayso.Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(a.RequestID)
	if err != nil {
		return err
	}
	if a.Time.IsZero() {
		a.Time = m.now()
	}
	switch {
	case r.answer != nil:
		return fmt.Errorf("request %q: %w", a.RequestID, &sayso.AnsweredError{Answer: *r.answer})
	case r.Over(m.now()):
		return fmt.Errorf("request %q: %w", a.RequestID, sayso.ErrLate)
	}
	if err := r.Fits(a); err != nil {
		return fmt.Errorf("request %q: %w", a.RequestID, err)
	}
	if a, err = copyOf(a); err != nil {
		return err
	}
	r.answer = &a
	return nil
}

// Take returns the answer of a request, once.
func (m *Memory) Take(_ context.Context, id string) (sayso.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(id)
	switch {
	case err != nil:
		return sayso.Answer{}, err
	case r.taken:
		return sayso.Answer{}, fmt.Errorf("the answer to request %q was taken: %w", id, sayso.ErrNotFound)
	case r.answer == nil:
		return sayso.Answer{}, fmt.Errorf("request %q: %w", id, sayso.ErrWaiting)
	}
	r.taken = true
	return copyOf(*r.answer)
}

// Waiting lists the requests that can be answered.
func (m *Memory) Waiting(context.Context) ([]sayso.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []sayso.Request
	for _, r := range m.requests {
		if r.answer == nil && !r.Over(m.now()) {
			out = append(out, r.Request)
		}
	}
	return copyOf(out)
}
