package otlp

import (
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

// How long a call is waited for after its last record, by the time of the journal or
// of the clock. What has begun and not ended is waited for longer: a person may be
// away, a command may run all night. One that has ended stays known for a while, so
// that what is recorded late is told to belong to it.
const (
	openFor  = time.Hour
	begunFor = 24 * time.Hour
	knownFor = 10 * time.Minute

	mostCalls = 10_000 // that are known at once
	sweepEach = time.Minute
)

// calls are the calls that are known, and what they make of records.
type calls struct {
	known map[key]*call
	swept time.Time
}

// take notes a record, and returns the trace and the span that it belongs to, if any,
// and the calls whose spans are whole now.
func (s *calls) take(l *journal.Line, wanted bool) (trace, span string, done []*call) {
	done = s.sweep(l.Time)
	if l.Call == "" {
		return "", "", done
	}
	k := key{l.Session, l.Call}
	c := s.known[k]
	if l.Kind == sayso.RecordRequest && (c == nil || c.ended || c.settled()) {
		if c != nil && !c.ended {
			done = append(done, s.close(c))
		}
		c = newCall(l, s.parent(l))
		s.known[k] = c
	}
	if c == nil {
		return "", "", done
	}
	c.wanted = c.wanted || wanted
	if c.ended {
		return c.trace, c.root.ID, done
	}
	span = c.take(l)
	if final(&l.Record) {
		done = append(done, s.close(c))
	}
	return c.trace, span, done
}

// parent is the script of which a call is a step.
func (s *calls) parent(l *journal.Line) *call {
	name := script(l.Call)
	if p := s.known[key{l.Session, name}]; name != "" && p != nil && !p.ended {
		return p
	}
	return nil
}

func (s *calls) close(c *call) *call {
	c.ended = true
	return c
}

// over reports whether nothing more is waited for.
func (c *call) over(now time.Time) bool {
	patience := openFor
	switch {
	case c.ended:
		patience = knownFor
	case c.waiting > 0, c.running > 0:
		patience = begunFor
	}
	return now.Sub(c.last) > patience
}

// sweep forgets what is not waited for any more, and returns what of it was open.
func (s *calls) sweep(now time.Time) (done []*call) {
	if now.Sub(s.swept) < sweepEach && len(s.known) <= mostCalls {
		return nil
	}
	s.swept = now
	var left []*call
	for k, c := range s.known {
		if !c.over(now) {
			left = append(left, c)
			continue
		}
		delete(s.known, k)
		if !c.ended {
			done = append(done, c)
		}
	}
	if len(left) > mostCalls { // the half that was quiet for longest
		slices.SortFunc(left, func(a, b *call) int { return a.last.Compare(b.last) })
		for _, c := range left[:len(left)/2] {
			delete(s.known, c.key)
			if !c.ended {
				done = append(done, c)
			}
		}
	}
	slices.SortFunc(done, func(a, b *call) int { return a.first.Compare(b.first) })
	return done
}

// open counts the calls whose spans are not made yet.
func (s *calls) open() (n int) {
	for _, c := range s.known {
		if !c.ended && c.wanted {
			n++
		}
	}
	return n
}
