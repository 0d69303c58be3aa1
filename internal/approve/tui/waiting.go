package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// What became of answers, and of requests that were answered elsewhere.
type (
	answeredMsg struct {
		of   *dialog
		said string
		ids  []string // of those that were answered
		err  error
	}
	outcomeMsg struct {
		what   string
		answer sayso.Answer
		known  bool
		late   bool // its time was over
	}
)

func (o outcomeMsg) text() string {
	e := line.ElsewhereError{Answer: o.answer}
	switch {
	case o.known:
		return o.what + ": " + e.Error()
	case o.late:
		return o.what + ": nobody answered in time, so it is denied"
	}
	return o.what + ": it waits no longer"
}

// setWaiting takes the requests that wait. A dialog for one that does not closes,
// and says who was first.
func (m *Model) setWaiting(list []*sayso.Request, err error) tea.Cmd {
	if err != nil {
		m.say("", err)
		return nil
	}
	setRows(m, tabWaiting, &m.requests, list, nil, func(r **sayso.Request) string { return (*r).ID })
	waits := map[string]bool{}
	for _, r := range list {
		waits[r.ID] = true
	}
	maps.DeleteFunc(m.views, func(id string, _ *view.View) bool { return !waits[id] })
	maps.DeleteFunc(m.same, func(id, _ string) bool { return !waits[id] })
	var gone []tea.Cmd
	for _, o := range append([]overlay{}, m.over...) {
		if d, ok := o.(*dialog); ok && !waits[d.r.ID] && !d.sent {
			m.remove(d)
			gone = append(gone, m.outcome(d))
		}
	}
	return tea.Batch(gone...)
}

// outcome asks who has answered.
func (m *Model) outcome(d *dialog) tea.Cmd {
	queue, r, what := m.desk.Queue, d.r, brief(&d.v)
	late := r.Over(m.o.Clock())
	return m.command(func(ctx context.Context) tea.Msg {
		a, ok := queue.Outcome(ctx, r)
		return outcomeMsg{what, a, ok, late}
	})
}

// view is what is shown of a request. It is made when it is first seen.
func (m *Model) view(r *sayso.Request) *view.View {
	if v, ok := m.views[r.ID]; ok {
		return v
	}
	v := view.Of(r, m.o.View)
	m.views[r.ID] = &v
	return &v
}

// brief is what a request is about, in a line that may be cut.
func brief(v *view.View) string {
	text := v.Wants
	if len(v.What) > 0 {
		text = strings.TrimSpace(v.What[0].String())
	}
	if len(v.What) > 1 {
		text += fmt.Sprintf(" (and %d more lines)", len(v.What)-1)
	}
	return text
}

// identical are the other requests for which the same answer means the same: the
// call is the same, what would run is, and so are the choices.
func (m *Model) identical(r *sayso.Request) []sayso.Request {
	var out []sayso.Request
	common := m.common(r)
	for _, o := range m.requests {
		if o.ID != r.ID && m.common(o) == common {
			out = append(out, *o)
		}
	}
	return out
}

// common is what identical requests have in common.
func (m *Model) common(r *sayso.Request) string {
	if text, ok := m.same[r.ID]; ok {
		return text
	}
	choices, _ := json.Marshal(r.Decision.Choices) // they were read from JSON
	text := strings.Join([]string{r.Call.Fingerprint(), r.Contract.Hash(), string(choices)}, " ")
	m.same[r.ID] = text
	return text
}

// answer answers the request of a dialog, and those that are answered alike.
func (m *Model) answer(d *dialog, c view.Choice) tea.Cmd {
	d.sent = true
	queue, list := m.desk.Queue, append([]sayso.Request{d.r}, d.alike...)
	said := map[bool]string{true: "yes", false: "no"}[c.Yes] + " (" + c.Label + "): " + brief(&d.v)
	return m.command(func(ctx context.Context) tea.Msg {
		msg := answeredMsg{of: d, said: said}
		for _, r := range list {
			err := queue.Answer(ctx, r, c.Yes, c.Name)
			if err == nil {
				msg.ids = append(msg.ids, r.ID)
			}
			msg.err = errors.Join(msg.err, err)
		}
		return msg
	})
}

// answered tells what became of an answer.
func (m *Model) answered(msg answeredMsg) tea.Cmd {
	m.remove(msg.of)
	var before *sayso.AnsweredError
	switch {
	case errors.As(msg.err, &before):
		m.say((outcomeMsg{what: brief(&msg.of.v), answer: before.Answer, known: true}).text(), nil)
	case msg.err != nil:
		m.say("", msg.err)
	case len(msg.ids) > 1:
		m.say(fmt.Sprintf("said %s (%d calls)", msg.said, len(msg.ids)), nil)
	default:
		m.say("said "+msg.said, nil)
	}
	var left []*sayso.Request
	for _, r := range m.requests {
		gone := r.ID == msg.of.r.ID
		for _, id := range msg.ids {
			gone = gone || r.ID == id
		}
		if !gone {
			left = append(left, r)
		}
	}
	return tea.Batch(m.setWaiting(left, nil), m.load(tabWaiting))
}
