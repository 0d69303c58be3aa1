package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A dialog shows one request, all of it, and takes the answer.
type dialog struct {
	r sayso.Request
	v view.View

	explain bool            // with what every stage said
	focus   int             // the choice that Enter takes; -1: none was gone to
	alike   []sayso.Request // identical ones that get the same answer
	top     int             // the first row that is shown
	seen    int             // up to which one they were
	known   []bool          // the choices that were shown with all that stands before them
	sent    bool            // it is being answered

	rows  []view.Line // as they were drawn
	first []int       // the row of each choice
	drawn drawn
}

// drawn is what the rows of a dialog depend on.
type drawn struct {
	width, focus, alike, others int
	explain                     bool
}

func newDialog(m *Model, r sayso.Request) *dialog {
	return &dialog{r: r, v: *m.view(&r), focus: -1}
}

// key takes a key. The keys of the choices come first: whatever a preset calls
// them, they mean what is drawn.
func (d *dialog) key(m *Model, name string) tea.Cmd {
	if d.sent {
		return nil
	}
	d.layout(m)
	for i := range d.v.Choices {
		if d.v.Choices[i].Key == name {
			return d.take(m, i)
		}
	}
	page := d.page(m)
	switch name {
	case "esc", "q":
		m.pop()
	case "?":
		d.explain, d.top = !d.explain, 0
		m.changed()
	case "*":
		d.together(m)
	case "tab", "right":
		d.goTo(m, d.focus+1)
	case "shift+tab", "left":
		d.goTo(m, max(d.focus, 0)-1)
	case "up":
		d.top--
	case "down":
		d.top++
	case "pgup":
		d.top -= page
	case "pgdown", "space":
		d.top += page
	case "home":
		d.top = 0
	case "end":
		d.top, d.seen = len(d.rows), len(d.rows) // who wants the end knows what comes before it
	case "enter":
		if d.focus >= 0 {
			return d.take(m, d.focus)
		}
		m.warn("Enter is no answer: press the key of a choice, or go to one with Tab")
	default:
		m.warn("[" + name + "] is no answer")
	}
	return nil
}

// goTo goes to a choice, so that Enter takes it.
func (d *dialog) goTo(m *Model, to int) {
	n := len(d.v.Choices)
	d.focus = (to + n) % n
	d.layout(m)
	d.top = min(max(d.top, d.end(d.focus)-d.page(m)), d.first[d.focus])
}

// end is the row behind a choice.
func (d *dialog) end(i int) int {
	if i+1 < len(d.first) {
		return d.first[i+1]
	}
	return len(d.rows)
}

// together also answers the identical requests that wait now, or no longer does.
// Those that arrive later were not meant.
func (d *dialog) together(m *Model) {
	others := m.identical(&d.r)
	switch {
	case len(d.alike) > 0:
		d.alike = nil
	case len(others) == 0:
		m.warn("no other call that waits is identical")
		return
	default:
		d.alike = others
	}
	m.changed()
}

// take takes a choice for the answer.
func (d *dialog) take(m *Model, i int) tea.Cmd {
	c := d.v.Choices[i]
	if c.Yes && !d.known[i] {
		m.warn("not all of it was shown: see the rest with Space first, or say no")
		return nil
	}
	d.focus = i
	return m.commit(func() tea.Cmd { return m.answer(d, c) })
}

// page is how many rows are shown at once.
func (d *dialog) page(m *Model) int { return m.boxHeight() }

// layout draws the rows for the size that the screen has now.
func (d *dialog) layout(m *Model) {
	is := drawn{m.boxWidth(), d.focus, len(d.alike), len(m.identical(&d.r)), d.explain}
	if d.rows == nil || d.drawn != is {
		before := d.drawn
		d.drawn = is
		d.rows, d.first = d.lines(is.width, is.others)
		if before.alike != is.alike || d.known == nil {
			d.known = make([]bool, len(d.v.Choices)) // they mean something else
		}
		if before.focus = is.focus; before != is {
			d.seen = 0 // these are other rows
		}
	}
	d.top = max(0, min(d.top, len(d.rows)-d.page(m)))
	if d.top <= d.seen { // otherwise something between was passed over
		d.seen = max(d.seen, d.top+d.page(m))
	}
	for i := range d.known {
		d.known[i] = d.known[i] || d.seen >= d.end(i)
	}
}

// draw draws the part that is shown, and below it what can be done.
func (d *dialog) draw(m *Model) box {
	d.layout(m)
	end := min(len(d.rows), d.top+d.page(m))
	rows := append([]view.Line{}, d.rows[d.top:end]...)
	for len(rows) < d.page(m) {
		rows = append(rows, view.Line{})
	}
	b := box{title: "request " + d.v.ID, rows: rows, full: true}
	if left := d.v.Left(m.o.Clock()); left != "" {
		b.title += ", " + left
	}
	status := "Tab choose · ? explain · Esc back"
	if d.explain {
		status = "Tab choose · ? less · Esc back"
	}
	switch {
	case d.sent:
		status = "answering…"
	case end < len(d.rows):
		status = "more: Space · " + status
	case d.top > 0:
		status = "the end · " + status
	}
	b.foot = status
	return b
}
