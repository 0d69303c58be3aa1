package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

const (
	// frame is what stands around a list: the tabs and a rule above, a note and
	// the keys below.
	frame = 4
	// margin is what stands around a box: a border and a blank on each side.
	margin = 4
)

func (m *Model) bodyHeight() int { return max(1, m.height-frame) }

// boxWidth and boxHeight are the room inside the largest box.
func (m *Model) boxWidth() int  { return max(20, m.width-margin) }
func (m *Model) boxHeight() int { return max(2, m.height-frame-1) } // its upper border lies on the frame

// A box is drawn above the tabs.
type box struct {
	title string
	foot  string // what can be done
	rows  []view.Line
	full  bool // as large as can be; otherwise as large as its rows
	on    int  // the row that is selected, from 1; 0: none is
}

// View is the screen.
func (m *Model) View() tea.View {
	screen := tea.NewView(m.draw())
	screen.AltScreen = true
	return screen
}

func (m *Model) draw() string {
	rows := []string{m.header(), m.paint(view.Line{{Text: strings.Repeat("─", m.width), Role: view.Note}}, false)}
	rows = append(rows, m.body()...)
	for len(rows) < m.height-2 {
		rows = append(rows, "")
	}
	rows = append(rows[:max(0, m.height-2)], m.footer()...)
	for _, o := range m.over {
		text, x, y := m.frame(o.draw(m))
		rows = above(rows[:max(0, m.height-2)], text, x, y)
	}
	if len(m.over) > 0 { // a box may reach below what is shown
		rows = append(rows[:min(len(rows), max(0, m.height-2))], m.footer()...)
	}
	return strings.Join(rows, "\n")
}

// above lays the rows of a box over others.
func above(rows, box []string, x, y int) []string {
	for i, text := range box {
		for len(rows) <= y+i {
			rows = append(rows, "")
		}
		under, width := rows[y+i], lipgloss.Width(text)
		left := ansi.Truncate(under, x, "")
		rows[y+i] = left + strings.Repeat(" ", x-lipgloss.Width(left)) + text + ansi.TruncateLeft(under, x+width, "")
	}
	return rows
}

// frame draws a box, and says where.
func (m *Model) frame(b box) (text []string, x, y int) {
	width, page := m.boxWidth(), m.boxHeight()
	if !b.full {
		width = min(width, 76)
	}
	rows := b.rows
	if len(rows) > page {
		from := max(0, min(b.on-page/2, len(rows)-page))
		rows, b.on = rows[from:from+page], b.on-from
	}
	rule := func(left, fill, right string) string {
		return lipgloss.NewStyle().Faint(true).Render(left + fill + right)
	}
	title := cut(" "+b.title+" ", width)
	out := []string{rule("╭─", title+strings.Repeat("─", width-view.Width(title)), "─╮")}
	for i, row := range rows {
		out = append(out, rule("│", " ", "")+m.paint(pad(row, width), i+1 == b.on)+rule("", " ", "│"))
	}
	foot := ""
	if b.foot != "" {
		foot = cut(" "+b.foot+" ", width)
	}
	out = append(out, rule("╰─", foot+strings.Repeat("─", width-view.Width(foot)), "─╯"))
	x = max(0, (m.width-width-margin)/2)
	return out, x, max(1, (m.height-1-len(rows))/2-1)
}

var styles = map[string]func(lipgloss.Style) lipgloss.Style{
	"red":    func(s lipgloss.Style) lipgloss.Style { return s.Foreground(lipgloss.Red) },
	"green":  func(s lipgloss.Style) lipgloss.Style { return s.Foreground(lipgloss.Green) },
	"yellow": func(s lipgloss.Style) lipgloss.Style { return s.Foreground(lipgloss.Yellow) },
}

// paint is a line as the terminal wants it.
func (m *Model) paint(l view.Line, on bool) string {
	var b strings.Builder
	for _, s := range l {
		how := s.Role.Style()
		style := lipgloss.NewStyle().Bold(how.Bold).Faint(how.Dim && !on).Underline(how.Underline).Reverse(how.Reverse || on)
		if colour := styles[how.Color]; colour != nil {
			style = colour(style)
		}
		b.WriteString(style.Render(s.Text))
	}
	return b.String()
}

// header has the tabs, and the mode of the session.
func (m *Model) header() string {
	mode := m.modeName()
	var b strings.Builder
	used := 0
	for i, name := range tabNames {
		text := fmt.Sprintf(" %d %s ", i+1, name)
		if i == tabWaiting && len(m.requests) > 0 {
			text = fmt.Sprintf(" %d %s %d ", i+1, name, len(m.requests))
		}
		used += view.Width(text)
		b.WriteString(lipgloss.NewStyle().Bold(i == m.tab).Reverse(i == m.tab).Render(text))
	}
	room := m.width - used - 1
	if mode = cut(mode, max(0, room-1)); mode != "" {
		b.WriteString(strings.Repeat(" ", room-view.Width(mode)) + lipgloss.NewStyle().Bold(true).Render(mode))
	}
	return b.String()
}

// modeName is the mode of the session with its symbol.
func (m *Model) modeName() string {
	var out []string
	for _, name := range strings.Split(m.mode.Name, "+") {
		i := slices.IndexFunc(m.mode.Known, func(k sayso.Mode) bool { return k.Name == name })
		if i >= 0 && m.mode.Known[i].Symbol != "" {
			name = m.mode.Known[i].Symbol + " " + name
		}
		out = append(out, view.Safe(name))
	}
	return strings.Join(out, "+")
}

// footer has what happened last, and the keys.
func (m *Model) footer() []string {
	note := view.Line{{Text: cut(" "+m.note, m.width), Role: m.noteRole}}
	if wrapped := (view.Line{{Text: m.note, Role: m.noteRole}}).Wrap(max(2, m.width-2)); len(wrapped) > 1 && m.top() == nil {
		note = append(view.Line{{Text: " "}}, wrapped[0]...) // the rest stands where the keys would
		return []string{m.paint(note, false), m.paint(fit(append(view.Line{{Text: " "}}, wrapped[1]...), m.width), false)}
	}
	return []string{m.paint(note, false), m.paint(view.Line{{Text: cut(" "+m.keys(), m.width), Role: view.Note}}, false)}
}

// keys are those that do something in a tab.
func (m *Model) keys() string {
	switch {
	case !m.ready:
		return "Ctrl+C leave"
	case m.top() != nil:
		return "Ctrl+P commands · Ctrl+C leave"
	}
	more := "Tab next · Ctrl+P commands · ? help · q leave"
	switch m.tab {
	case tabWaiting:
		return "Enter open · " + more
	case tabGrants:
		return "Enter look · r revoke · " + more
	case tabJournal:
		if m.filter != "" {
			return "Enter trace · f filter · Esc all · " + more
		}
		return "Enter trace · f filter · " + more
	}
	return "Enter look · " + more
}

// cut is a text that is not wider than that. Only what can be looked at whole
// elsewhere is cut.
func cut(text string, width int) string { return fit(view.Line{{Text: text}}, width).String() }

func fit(l view.Line, width int) view.Line {
	if view.Width(l.String()) <= width {
		return l
	}
	var out view.Line
	left := width - 1
	for _, s := range l {
		for i, r := range s.Text {
			w := view.Width(string(r))
			if w > left {
				return append(out, view.Span{Text: s.Text[:i], Role: s.Role}, view.Span{Text: strings.Repeat("…", min(1, max(0, width))), Role: view.Note})
			}
			left -= w
		}
		out = append(out, s)
	}
	return out
}

// pad is a line that is exactly as wide as that.
func pad(l view.Line, width int) view.Line {
	l = fit(l, width)
	return append(l[:len(l):len(l)], view.Span{Text: strings.Repeat(" ", max(0, width-view.Width(l.String())))})
}
