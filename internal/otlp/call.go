package otlp

import (
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/manage"
)

// Names of spans. The one of a call is followed by its tool, as the semantic
// conventions have it.
const (
	nameCall   = "execute_tool"
	nameDecide = "sayso decide"
	nameAsk    = "sayso ask a person"
	nameRun    = "sayso run"
	nameTry    = "sayso preview"
)

// A call is what is known of one from its records so far.
type call struct {
	key    key
	trace  string
	first  journal.Place // of its request
	ended  bool          // its spans are made: what comes later is a log record alone
	wanted bool          // one of its records is

	root    Span
	parts   []Span
	waiting int // the part in which a person is asked, from 1; 0: none is
	running int // the part in which it runs, likewise
	last    time.Time
	effect  string // of the last decision
	result  *sayso.Result
	preview bool // it was run to see what it would do
}

// A key tells calls apart that are open at the same time.
type key struct{ Session, Call string }

// newCall is the call whose request a line is. That a call is named by its agent is
// not enough: some name it by what it does, so the same id comes again.
func newCall(l *journal.Line, parent *call) *call {
	c := &call{key: key{l.Session, l.Call}, first: l.At}
	c.trace = idOf(traceBytes, "trace", l.Session, l.Call, l.Hash)
	if parent != nil {
		c.trace, c.root.Parent = parent.trace, parent.root.ID
		if parent.running > 0 {
			c.root.Parent = parent.parts[parent.running-1].ID
		}
	}
	c.root.ID = idOf(spanBytes, "call", c.trace, l.Hash)
	return c
}

// take notes a record of the call, and returns the span that it belongs to.
func (c *call) take(l *journal.Line) (span string) {
	if c.root.Start == 0 {
		c.root.Start, c.last = nanos(l.Time), l.Time
	}
	r := &l.Record
	c.preview = c.preview || isPreview(r)
	switch r.Kind {
	case sayso.RecordRequest:
		span = c.root.ID
		c.root.Name = nameCall
		if r.Request != nil && r.Request.Tool != "" {
			c.root.Name += " " + r.Request.Tool
		}
	case sayso.RecordDecision:
		span = c.decided(l)
	case sayso.RecordPrompt:
		c.end(&c.waiting, r)
		c.waiting, span = c.begin(nameAsk, l, r.Time)
	case sayso.RecordAnswer:
		span = c.answered(l)
	case sayso.RecordRun:
		c.end(&c.running, r)
		name := nameRun
		if isPreview(r) {
			name = nameTry
		}
		c.running, span = c.begin(name, l, r.Time)
	case sayso.RecordConnect, sayso.RecordExec:
		span = c.happened(l)
	case sayso.RecordResult:
		span = c.resulted(l)
	default:
		span = c.root.ID // what is kept for later calls
	}
	switch r.Kind {
	case sayso.RecordRequest, sayso.RecordDecision, sayso.RecordResult: // what a call is found by
		c.root.Attributes = describe(c.root.Attributes, r)
		c.root.Status = statusOf(r)
	}
	c.last = later(c.last, r.Time)
	return span
}

// begin makes a part that begins then.
func (c *call) begin(name string, l *journal.Line, at time.Time) (number int, id string) {
	s := Span{ID: idOf(spanBytes, name, c.trace, l.Hash), Parent: c.root.ID, Name: name, Start: nanos(at), End: nanos(l.Time)}
	s.Attributes = describe(nil, &l.Record)
	c.parts = append(c.parts, s)
	return len(c.parts), s.ID
}

// end ends a part, if there is one.
func (c *call) end(part *int, r *sayso.Record) (id string) {
	if *part == 0 {
		return ""
	}
	s := &c.parts[*part-1]
	s.End, *part = nanos(r.Time), 0
	return s.ID
}

// decided notes a decision. When it was begun is not recorded: it is taken to begin
// with the record before it.
func (c *call) decided(l *journal.Line) string {
	c.end(&c.waiting, &l.Record) // also if nobody has answered
	n, id := c.begin(nameDecide, l, c.last)
	c.parts[n-1].Status = statusOf(&l.Record)
	if l.Decision != nil {
		c.effect = l.Decision.Effect.String()
	}
	return id
}

// answered notes what a person said. One who answers elsewhere leaves two records:
// that it was said, and that it was heard.
func (c *call) answered(l *journal.Line) string {
	if c.waiting == 0 {
		for i := range c.parts {
			if s := &c.parts[i]; s.Name == nameAsk {
				return s.ID
			}
		}
		return c.root.ID
	}
	s := &c.parts[c.waiting-1]
	s.Attributes = describe(s.Attributes, &l.Record)
	if l.Note == manage.Said {
		s.End = nanos(l.Time)
		return s.ID
	}
	return c.end(&c.waiting, &l.Record)
}

// happened notes something that a command did while it ran.
func (c *call) happened(l *journal.Line) string {
	in := &c.root
	if c.running > 0 {
		in = &c.parts[c.running-1]
	}
	in.Events = append(in.Events, Event{Time: nanos(l.Time), Name: "sayso." + string(l.Kind), Attributes: describe(nil, &l.Record)})
	return in.ID
}

// resulted notes how it ended. An agent that runs its calls itself tells only that:
// the run is then taken to begin when it was allowed, or as long ago as it says.
func (c *call) resulted(l *journal.Line) string {
	r := l.Result
	if c.result = r; isPreview(&l.Record) {
		c.result = nil // it was not for real
	}
	if r == nil || !r.Ran && c.running == 0 {
		c.end(&c.waiting, &l.Record)
		return c.root.ID
	}
	c.end(&c.waiting, &l.Record)
	if c.running == 0 {
		from := c.last
		if r.Duration > 0 {
			from = later(time.Unix(0, int64(c.root.Start)), l.Time.Add(-r.Duration)) //nolint:gosec // it was a time
		}
		c.running, _ = c.begin(nameRun, l, from)
	}
	s := &c.parts[c.running-1]
	s.Attributes, s.Status = describe(s.Attributes, &l.Record), statusOf(&l.Record)
	return c.end(&c.running, &l.Record)
}

// final reports whether a record is the last one of a call that matters: it has ended,
// or may not run. After a preview it may still be run; where sayso only looks, a denial
// stops nothing.
func final(r *sayso.Record) bool {
	switch {
	case r.Result != nil:
		return !isPreview(r)
	case r.Decision != nil:
		return r.Decision.Effect == sayso.Deny && !r.Observed
	}
	return false
}

// spans are the spans of the call as it is known now.
func (c *call) spans() []Span {
	c.root.End = nanos(c.last)
	c.root.Attributes = set(c.root.Attributes, "sayso.outcome", c.outcome())
	out := append([]Span{c.root}, c.parts...)
	for i := range out {
		s := &out[i]
		s.Trace, s.Kind, s.Flags, s.End = c.trace, kindInternal, sampled, max(s.Start, s.End)
		if i > 0 && (i == c.waiting || i == c.running) { // it has not ended, as far as is known
			s.End = max(s.Start, c.root.End)
		}
	}
	return out
}

// outcome is what became of the call, in a word.
func (c *call) outcome() string {
	switch {
	case c.result != nil && c.result.Ran && c.root.Status.Code == statusError:
		return "failed"
	case c.result != nil && c.result.Ran:
		return "ran"
	case c.result != nil:
		return "not run"
	case c.effect == sayso.Deny.String():
		return "denied"
	}
	return "unknown"
}

// statusOf is the status that a record gives to its span.
func statusOf(r *sayso.Record) Status {
	if _, message := wrong(r); message != "" {
		return Status{Code: statusError, Message: message}
	}
	return Status{}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// settled reports whether an open call waits for nothing that is recorded: a request
// with the same id is then another call.
func (c *call) settled() bool {
	return c.waiting == 0 && c.running == 0 && c.effect == sayso.Allow.String() && !c.preview
}
