package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A page is text to be read, all of it.
type page struct {
	title string
	lines []view.Line
	at    int
}

// texts are lines in one role.
func texts(list []string, role view.Role) []view.Line {
	out := make([]view.Line, len(list))
	for i, t := range list {
		out[i] = view.Words(t, role)
	}
	return out
}

func (p *page) key(m *Model, name string) tea.Cmd {
	step := m.boxHeight()
	switch name {
	case "esc", "enter", "q":
		m.pop()
	case "up", "k":
		p.at--
	case "down", "j":
		p.at++
	case "pgup":
		p.at -= step
	case "pgdown", "space":
		p.at += step
	case "home", "g":
		p.at = 0
	case "end", "G":
		p.at = 1 << 30
	}
	return nil
}

func (p *page) draw(m *Model) box {
	paper := &paper{width: m.boxWidth()}
	for _, l := range p.lines {
		text := l.String()
		indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
		paper.put("", indent+"  ", l)
	}
	show := m.boxHeight()
	p.at = max(0, min(p.at, len(paper.rows)-show))
	end := min(len(paper.rows), p.at+show)
	rows := append([]view.Line{}, paper.rows[p.at:end]...)
	for len(rows) < show {
		rows = append(rows, view.Line{})
	}
	status := "Esc back"
	if end < len(paper.rows) {
		status = "more: Space · " + status
	}
	return box{title: p.title, foot: status, rows: rows, full: true}
}

func grantPage(g *sayso.GivenGrant, now time.Time) *page {
	ends := "by itself: never"
	if !g.Expires.IsZero() {
		ends = "ends: " + g.Expires.Local().Format(time.DateTime)
		if !now.Before(g.Expires) {
			ends = "ended: " + g.Expires.Local().Format(time.DateTime)
		}
	}
	return &page{title: "grant " + view.Safe(g.ID), lines: texts([]string{
		"rule: " + g.Rule,
		"for: " + string(g.Scope),
		"session: " + cmp.Or(g.Session, "-"),
		"workspace: " + cmp.Or(g.Root, "-"),
		"given by: " + cmp.Or(g.By, "somebody") + ", " + g.Given.Local().Format(time.DateTime),
		"for the call: " + cmp.Or(g.Call, "-"),
		ends,
	}, view.Plain)}
}

func rulePage(r Rule) *page {
	lines := []string{r.Effect + " " + r.Text, "stands in: " + r.Place}
	if r.Note != "" {
		lines = append(lines, "it does not count: "+r.Note)
	}
	return &page{title: "rule", lines: texts(lines, view.Plain)}
}

func entryPage(e Entry) *page {
	return &page{title: fmt.Sprintf("record %d", e.Seq), lines: texts([]string{e.Time.Local().Format(time.DateTime) + " " + e.Kind, e.Text}, view.Plain)}
}

// A question is one that is answered with yes or no.
type question struct {
	lines []view.Line
	yes   func(m *Model) tea.Cmd
}

func (q *question) key(m *Model, name string) tea.Cmd {
	switch name {
	case "y", "enter": // Enter confirms what a key has asked for
		return m.commit(func() tea.Cmd {
			m.remove(q)
			return q.yes(m)
		})
	case "n", "esc":
		m.pop()
	}
	return nil
}

func (q *question) draw(m *Model) box {
	paper := &paper{width: min(m.boxWidth(), 76)}
	for _, l := range q.lines {
		paper.put("", "  ", l)
	}
	return box{title: "sure?", foot: "Enter or y: yes · Esc or n: no", rows: paper.rows}
}

// askRevoke asks whether the selected grant is to be taken back.
func (m *Model) askRevoke() {
	i := m.lists[tabGrants].at
	if i >= len(m.grants) {
		return
	}
	g := m.grants[i]
	m.push(&question{
		lines: texts([]string{"Revoke this grant?", string(g.Scope) + ": " + g.Rule}, view.Plain),
		yes: func(m *Model) tea.Cmd {
			kept := m.desk.Kept
			return m.command(func(ctx context.Context) tea.Msg {
				return noteMsg{"revoked: " + g.Rule, kept.Revoke(ctx, g)}
			})
		},
	})
}
