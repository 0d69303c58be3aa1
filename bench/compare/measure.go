package main

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/bench"
)

// A result is what one engine took for one decision.
type result struct {
	engine bench.Engine
	match  string // one, none, or turn: many calls, each rule in turn
	rules  int
	ns     float64 // of the quickest stretch
	allocs float64

	all  []bench.Decide
	next int
	n    int  // decisions in a stretch
	slow bool // one decision takes longer than a stretch by far
}

const (
	// stretch is how long decisions are timed at once: short enough that on a
	// busy machine some stretches are not interrupted.
	stretch = 200 * time.Microsecond

	// slow is what takes long enough to get a turn in every tenth round only,
	// but then several times, because the caches are cold after the others.
	slow  = time.Millisecond
	times = 4

	// calls are so many, at every size, that neither they nor all rules stay
	// in the processor's caches.
	calls = 10_000
)

// measure gives every engine at every size its turn in each round, so that
// whatever else the machine does strikes all alike, and keeps the quickest
// stretch of each.
func measure(k bench.Kind, rounds int) ([]*result, error) {
	all, err := build(k)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	for round := range rounds {
		for _, r := range all {
			if round%10 > 0 && r.slow {
				continue
			}
			if err := r.turn(); err != nil {
				return nil, fmt.Errorf("%s, %s rules: %w", r.engine.Name, k, err)
			}
		}
	}
	return all, nil
}

func build(k bench.Kind) ([]*result, error) {
	var all []*result
	for i, e := range bench.Engines() {
		for _, n := range bench.Sizes {
			policy, err := e.Build(k, n)
			if err != nil {
				return nil, fmt.Errorf("%s, %d %s rules: %w", e.Name, n, k, err)
			}
			for _, c := range bench.Cases {
				decide, err := c.Decide(policy, k, n)
				if err != nil {
					return nil, fmt.Errorf("%s, %d %s rules: %w", e.Name, n, k, err)
				}
				all = append(all, &result{engine: e, match: c.Name, rules: n, all: []bench.Decide{decide}})
			}
			if i > 1 {
				continue // only sayso is asked about many calls
			}
			turn := &result{engine: e, match: "turn", rules: n}
			for i := range calls {
				decide, err := policy(bench.Matching(k, i%n))
				if err != nil {
					return nil, fmt.Errorf("%s, %d %s rules: %w", e.Name, n, k, err)
				}
				turn.all = append(turn.all, decide)
			}
			all = append(all, turn)
		}
	}
	for _, r := range all {
		r.calibrate()
	}
	return all, nil
}

// calibrate finds out how many decisions make a stretch.
func (r *result) calibrate() {
	r.ns, r.n = math.Inf(1), 1
	for range 5 {
		_ = r.time() // an error comes back when it is measured
	}
	r.n, r.slow = max(1, int(float64(stretch)/r.ns)), r.ns > float64(slow)
	r.ns = math.Inf(1)
	r.allocs = testing.AllocsPerRun(5, func() { _, _ = r.decide() })
}

func (r *result) decide() (bool, error) {
	yes, err := r.all[r.next]()
	if r.next++; r.next == len(r.all) {
		r.next = 0
	}
	return yes, err
}

func (r *result) turn() error {
	if r.slow {
		for range times - 1 {
			if err := r.time(); err != nil {
				return err
			}
		}
	}
	return r.time()
}

// time times one stretch.
func (r *result) time() error {
	start := time.Now()
	for range r.n {
		if _, err := r.decide(); err != nil {
			return err
		}
	}
	r.ns = min(r.ns, float64(time.Since(start))/float64(r.n))
	return nil
}
