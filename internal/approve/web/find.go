package web

import (
	"context"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
)

// index opens the index of the journal, if there is one that pays; done closes it.
func (p *Page) index(ctx context.Context) (x *index.Index, done func()) {
	if p.Index == nil {
		return nil, nil
	}
	x, ok := p.Index(ctx)
	if !ok {
		return nil, nil
	}
	return x, func() { _ = x.Close() } // it was only read
}

// query is what a search asks the index for.
func (s *search) query(last int) index.Query {
	q := index.Query{Session: s.Session, From: s.from, To: s.to, Last: last}
	if s.Text == "" { // else it may stand in another record of the call
		q.Effect = s.Effect
	}
	if s.Tool != "" {
		q.Tool = func(name string) bool { return strings.EqualFold(name, s.Tool) }
	}
	return q
}

// indexed is stories where an index finds the last records, and with them the
// calls: only these are read.
func (p *Page) indexed(ctx context.Context, x *index.Index, s search) (list []*story, more bool, err error) {
	const each = 12 // records of a call, at most
	var found []journal.Line
	for line, err := range p.Journal.Read(x.Find(ctx, s.query(each*mostShown))) {
		if err != nil {
			return nil, false, err
		}
		if line.Err == nil {
			found = append(found, line)
		}
	}
	seen := map[string]bool{}
	for _, line := range slices.Backward(found) {
		if line.Call != "" && seen[line.Call] {
			continue
		}
		seen[line.Call] = true
		if len(list) == mostShown {
			return list, true, nil
		}
		one := &story{Call: line.Call}
		if line.Call == "" {
			one.add(&line.Record)
		} else if err := p.tellCall(ctx, x, one); err != nil {
			return nil, false, err
		}
		if s.wants(one) {
			list = append(list, one)
		}
	}
	return list, len(found) == each*mostShown, nil
}

// tellCall reads all records of a call.
func (p *Page) tellCall(ctx context.Context, x *index.Index, one *story) error {
	for line, err := range p.Journal.Read(x.Find(ctx, index.Query{Call: one.Call})) {
		if err != nil {
			return err
		}
		if line.Err == nil && line.Call == one.Call {
			one.add(&line.Record)
		}
	}
	return nil
}

// linesOf are the records of a call.
func (p *Page) linesOf(ctx context.Context, id string) (lines []journal.Line, err error) {
	all := p.Journal.All()
	if x, done := p.index(ctx); x != nil {
		defer done()
		all = p.Journal.Read(x.Find(ctx, index.Query{Call: id}))
	}
	for line, err := range all {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if line.Err == nil && line.Call == id && id != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
