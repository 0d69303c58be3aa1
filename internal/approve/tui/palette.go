package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A palette is a line to type into, with what fits what was typed below it.
type palette struct {
	title  string
	text   string
	at     int
	moved  bool                                  // the selected one is meant, and not what was typed
	offers func(m *Model) []command              // nil: none
	accept func(m *Model, text string) tea.Cmd   // what was typed
	chosen func(m *Model, chosen string) tea.Cmd // what was selected
}

// mostOffers is how many commands are shown at once.
const mostOffers = 12

// newPalette is where commands are looked for.
func newPalette(m *Model, text string) *palette {
	return &palette{title: "commands", text: text, offers: (*Model).commands, accept: (*Model).slash, chosen: (*Model).run}
}

// newFilter is where it is typed what records must have in them.
func newFilter(m *Model) *palette {
	return &palette{title: "records that have in them", text: m.filter, accept: (*Model).find}
}

func (p *palette) found(m *Model) []command {
	if p.offers == nil {
		return nil
	}
	return search(p.text, p.offers(m))
}

func (p *palette) key(m *Model, name string) tea.Cmd {
	found := p.found(m)
	p.at = max(0, min(p.at, len(found)-1))
	switch name {
	case "esc", "ctrl+p":
		m.pop()
	case "up":
		p.at, p.moved = max(0, p.at-1), true
	case "down":
		p.at, p.moved = max(0, min(p.at+1, len(found)-1)), true
	case "tab":
		if len(found) > 0 {
			p.text, p.at, p.moved = found[p.at].name, 0, false
		}
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(p.text)
		p.text, p.at, p.moved = p.text[:len(p.text)-n], 0, false
	case "ctrl+u":
		p.text, p.at, p.moved = "", 0, false
	case "space":
		p.insert(" ")
	case "enter":
		return p.enter(m, found)
	default:
		if utf8.RuneCountInString(name) == 1 {
			p.insert(name)
		}
	}
	return nil
}

// insert adds text.
func (p *palette) insert(text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' ' // it is on one line
		}
		return r
	}, text)
	if strings.TrimSpace(text) == "" && p.text == "" {
		return
	}
	p.text, p.at, p.moved = p.text+text, 0, false
}

// enter does what was typed or selected.
func (p *palette) enter(m *Model, found []command) tea.Cmd {
	do := p.accept
	text := p.text
	if p.offers != nil && len(found) > 0 && (p.moved || !strings.HasPrefix(text, "/")) {
		do, text = p.chosen, found[p.at].name
	}
	return m.commit(func() tea.Cmd {
		m.remove(p)
		return do(m, text)
	})
}

func (p *palette) draw(m *Model) box {
	found := p.found(m)
	p.at = max(0, min(p.at, len(found)-1))
	width := min(m.boxWidth(), 76)
	b := box{title: p.title, rows: []view.Line{{{Text: "> ", Role: view.Note}, {Text: lastFit(view.Safe(p.text), width-3)}, {Text: "_", Role: view.Note}}}}
	if p.offers == nil {
		b.foot = "Enter look · Esc back"
		return b
	}
	from := max(0, p.at-mostOffers+1)
	for i := from; i < min(len(found), from+mostOffers); i++ {
		b.rows = append(b.rows, pad(append(cell(found[i].name, 16, view.Plain), cell(" "+found[i].does, width-16, view.Note)...), width))
	}
	if len(found) > 0 {
		b.on = p.at - from + 2
	} else {
		b.rows = append(b.rows, view.Line{{Text: "there is no such command", Role: view.Note}})
	}
	b.foot = "Enter do it · Tab complete · Esc back"
	return b
}

// lastFit is the end of a text that fits.
func lastFit(text string, width int) string {
	if view.Width(text) <= width {
		return text
	}
	return lastOf(text, width)
}
