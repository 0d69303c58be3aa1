package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// body draws the list of the tab.
func (m *Model) body() []string {
	l := &m.lists[m.tab]
	if !m.ready {
		return nil // what is shown can be answered, and keys do not count yet
	}
	if len(m.over) > 0 {
		if s, ok := m.over[0].(*startup); ok && s.offer.First {
			return nil // the rest comes later
		}
	}
	if l.len() == 0 {
		empty := [tabs]string{"nothing waits for an answer", "nothing was approved for later calls", "no rule counts here", "nothing was recorded"}[m.tab]
		if m.tab == tabJournal && m.filter != "" {
			empty = "no record has " + view.Safe(m.filter) + " in it"
		}
		if !m.known[m.tab] && m.tab != tabWaiting {
			empty = m.reading()
		}
		return []string{"", m.paint(view.Line{{Text: cut("  "+empty, m.width), Role: view.Note}}, false)}
	}
	from, to := l.window(m.bodyHeight())
	var out []string
	for i := from; i < to; i++ {
		mark := "  "
		if i == l.at {
			mark = "> "
		}
		row := pad(append(view.Line{{Text: mark}}, m.row(i, m.width-3)...), m.width)
		out = append(out, m.paint(row, i == l.at))
	}
	return out
}

// reading tells that nothing is known of the tab yet, and how far that is where it
// may take long.
func (m *Model) reading() string {
	switch {
	case m.tab != tabJournal:
		return "reading …"
	case m.filter != "":
		return "looking for " + view.Safe(m.filter) + " …"
	}
	const width = 20
	done := max(0, min(100, m.desk.History.Percent()))
	full := width * done / 100
	return fmt.Sprintf("reading the journal: [%s%s] %d %%", strings.Repeat("#", full), strings.Repeat(" ", width-full), done)
}

// row is a row of the tab.
func (m *Model) row(i, width int) view.Line {
	switch m.tab {
	case tabWaiting:
		return waitingRow(m.view(m.requests[i]), width, m.o.Clock())
	case tabGrants:
		return grantRow(&m.grants[i], width)
	case tabRules:
		return ruleRow(m.rules[i], width)
	}
	return entryRow(&m.entries[i], width)
}

// A cell is a piece of a row in a width of its own.
func cell(text string, width int, role view.Role) view.Line {
	return pad(view.Line{{Text: view.Safe(text), Role: role}}, width)
}

func waitingRow(v *view.View, width int, now time.Time) view.Line {
	left := v.Left(now)
	room := width - 10 - view.Width(left) - 1
	who := cmp.Or(v.Agent, "an agent")
	name := min(max(8, room/6), 16)
	row := append(cell(v.Risk.Word, 10, v.Risk.Role), cell(who, name, view.Plain)...)
	row = append(row, view.Span{Text: " "})
	row = append(row, cell(brief(v), room-name-1, view.Command)...)
	return append(row, view.Span{Text: " " + left, Role: view.Note})
}

func grantRow(g *sayso.GivenGrant, width int) view.Line {
	by := cmp.Or(g.By, "somebody")
	room := width - 11 - 13
	return append(append(cell(string(g.Scope), 11, view.Note), cell(g.Rule, room, view.Plain)...), cell(" by "+by, 13, view.Note)...)
}

func ruleRow(r Rule, width int) view.Line {
	role := map[string]view.Role{"allow": view.RiskSafe, "ask": view.RiskModerate, "deny": view.RiskDangerous}[r.Effect]
	place := r.Place
	room := width / 2
	if n := view.Width(view.Safe(place)); n < room {
		room = n
	} else {
		place = lastOf(view.Safe(place), room)
	}
	text := r.Text
	if r.Note != "" {
		text, role = text+" does not count: "+r.Note, view.Note
	}
	row := append(cell(r.Effect, 6, role), cell(text, width-6-room-1, view.Plain)...)
	return append(row, append(view.Line{{Text: " "}}, cell(place, room, view.Note)...)...)
}

// lastOf is the end of a place, which tells the most.
func lastOf(text string, width int) string {
	runes := []rune(text)
	for view.Width(string(runes)) > width-1 && len(runes) > 0 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

func entryRow(e *Entry, width int) view.Line {
	row := append(cell(e.Time.Local().Format("01-02 15:04:05"), 15, view.Note), cell(e.Kind, 9, view.Plain)...)
	return append(row, cell(e.Text, width-24, view.Plain)...)
}
