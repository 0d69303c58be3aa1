package otlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/private"
)

// An Exporter sends the journal, or what is wanted of it.
type Exporter struct {
	Folder journal.Folder
	Sender Sender
	Cursor *Cursor // nil: from the start, and nothing is kept

	// Send sends a request. It comes back when the collector has it.
	Send func(ctx context.Context, signal Signal, body []byte) (Partial, error)

	// Wants says which records are sent. It is asked about every record that is read,
	// in order. A call is sent as a trace if one of its records is.
	Wants func(*journal.Line) bool

	// Whole says that Wants must see the journal from its start.
	Whole bool

	// Damaged is told of lines that are no records, and are not sent.
	Damaged func(*journal.Line)

	// Rejected is told of what the collector did not take.
	Rejected func(Signal, Partial)

	Most  int              // log records or spans in a request; 0: 512
	Clock func() time.Time // nil: time.Now

	calls  calls
	at     position
	logs   batch
	spans  batch
	report Report
}

// A Report is what was sent.
type Report struct {
	Records  int    `json:"records"`
	Spans    int    `json:"spans"`
	Requests int    `json:"requests"`
	Rejected int64  `json:"rejected"`
	Open     int    `json:"open"` // calls that have not ended, whose spans are sent later
	Last     uint64 `json:"last"` // the number of the last record that was read
	Hash     string `json:"hash,omitempty"`
}

const (
	defaultMost = 512
	mostBytes   = 4 << 20 // of a request: a collector takes 20 MiB, unless it is told otherwise
	lookEach    = 200 * time.Millisecond
)

// A batch is what goes into a request.
type batch struct {
	items []json.RawMessage
	bytes int
}

func (b *batch) add(v any) error {
	text, err := json.Marshal(v)
	b.items = append(b.items, text)
	b.bytes += len(text)
	return err
}

// Run sends what is there, and with follow goes on until ctx ends, which is no error
// then.
func (x *Exporter) Run(ctx context.Context, follow bool) (Report, error) {
	if x.Clock == nil {
		x.Clock = time.Now
	}
	if x.Most <= 0 {
		x.Most = defaultMost
	}
	x.calls.known = map[key]*call{}
	err := x.resume()
	for err == nil {
		if err = x.round(ctx); err != nil || !follow {
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(lookEach):
		}
	}
	if follow && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	x.report.Open, x.report.Last, x.report.Hash = x.calls.open(), x.at.Seq, x.at.Hash
	return x.report, err
}

// round sends what was written since.
func (x *Exporter) round(ctx context.Context) error {
	for line, err := range x.Folder.From(&x.at.Next) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if line.Err != nil {
			x.Damaged(&line)
			continue
		}
		if err := x.line(ctx, &line); err != nil {
			return err
		}
	}
	if err := x.done(ctx, x.calls.sweep(x.Clock())); err != nil {
		return err
	}
	return x.flush(ctx)
}

// line takes one record.
func (x *Exporter) line(ctx context.Context, l *journal.Line) error {
	wanted := x.Wants(l)
	trace, span, done := x.calls.take(l, wanted)
	if wanted && l.At.Compare(x.at.Logs) >= 0 {
		if err := x.logs.add(logRecord(l, trace, span)); err != nil {
			return err
		}
	}
	x.at.Last, x.at.Hash, x.at.Seq = l.At, l.Hash, l.Seq
	return x.done(ctx, done)
}

// done puts the spans of calls that are over into the batch, and sends it if it is
// full.
func (x *Exporter) done(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		if !c.wanted {
			continue
		}
		for _, s := range c.spans() {
			if err := x.spans.add(s); err != nil {
				return err
			}
		}
	}
	if full := func(b *batch) bool { return len(b.items) >= x.Most || b.bytes >= mostBytes }; full(&x.logs) || full(&x.spans) {
		return x.flush(ctx)
	}
	return nil
}

// flush sends what is collected, and keeps how far that is: log records first. If
// spans then cannot be sent, it is kept that log records were.
func (x *Exporter) flush(ctx context.Context) error {
	moved := x.Cursor != nil && x.Cursor.at.Next != x.at.Next
	if len(x.logs.items) > 0 {
		if err := x.send(ctx, Logs, &x.logs); err != nil {
			return err
		}
		if x.Cursor != nil && len(x.spans.items) > 0 {
			half := x.Cursor.at
			half.Logs = x.at.Next
			if err := x.Cursor.save(half); err != nil {
				return err
			}
		}
	}
	if len(x.spans.items) > 0 {
		moved = x.Cursor != nil
		if err := x.send(ctx, Traces, &x.spans); err != nil {
			return err
		}
	}
	x.at.Logs = x.at.Next
	if !moved {
		return nil
	}
	x.at.Calls = x.calls.list()
	return x.Cursor.save(x.at)
}

// send sends a batch, and empties it. There can be many spans at once, when calls are
// not waited for any more: they go in several requests.
func (x *Exporter) send(ctx context.Context, signal Signal, b *batch) error {
	for rest := b.items; len(rest) > 0; {
		n := len(rest)
		if signal == Traces {
			n = fitting(rest, x.Most)
		}
		body, err := x.Sender.Body(signal, rest[:n])
		if err != nil {
			return err
		}
		part, err := x.Send(ctx, signal, body)
		if err != nil {
			return err
		}
		x.report.Requests++
		x.report.Rejected += part.Rejected
		if part.Rejected > 0 || part.Message != "" {
			x.Rejected(signal, part)
		}
		if signal == Logs {
			x.report.Records += n
		} else {
			x.report.Spans += n
		}
		rest = rest[n:]
	}
	*b = batch{}
	return nil
}

// fitting is how many items go into one request.
func fitting(items []json.RawMessage, most int) (n int) {
	for size := 0; n < min(len(items), most) && (n == 0 || size+len(items[n]) <= mostBytes); n++ {
		size += len(items[n])
	}
	return n
}

// resume goes on where the cursor is: it reads once more what is known of calls that
// have not ended.
func (x *Exporter) resume() error {
	if x.Cursor == nil {
		return nil
	}
	if x.at = x.Cursor.at; x.at.Hash == "" {
		return nil // it has sent log records at most
	}
	from := x.at.Last
	for _, k := range x.at.Calls {
		x.calls.known[k.key] = k.call()
		if k.First.Compare(from) < 0 {
			from = k.First
		}
	}
	if x.Whole {
		from = journal.Place{}
	}
	same := false
	for line, err := range x.Folder.From(&from) {
		if err != nil {
			return err
		}
		if line.At.Compare(x.at.Next) >= 0 {
			break
		}
		if line.Err != nil {
			continue
		}
		wanted := x.Wants(&line)
		c := x.calls.known[key{line.Session, line.Call}]
		if c != nil && line.At.Compare(c.first) >= 0 {
			c.wanted = c.wanted || wanted
			if !c.ended {
				c.take(&line)
			}
		}
		same = same || line.At == x.at.Last && line.Hash == x.at.Hash
	}
	if !same {
		return private.Fail(x.Cursor.file, fmt.Sprintf("it says that all was sent up to record %d, and that record is not where it was", x.at.Seq), "sayso log verify tells whether the journal is whole; "+againHint, nil)
	}
	return nil
}

// list are the calls of which more may come, as a cursor keeps them.
func (s *calls) list() []knownCall {
	var out []knownCall
	for k, c := range s.known {
		out = append(out, knownCall{k, c.trace, c.root.ID, c.root.Parent, c.first, c.ended, c.last})
	}
	slices.SortFunc(out, func(a, b knownCall) int { return a.First.Compare(b.First) })
	return out
}

func (k *knownCall) call() *call {
	c := &call{key: k.key, trace: k.Trace, first: k.First, ended: k.Ended}
	c.root.ID, c.root.Parent = k.Span, k.Parent
	if k.Ended {
		c.last = k.Last
	}
	return c
}
