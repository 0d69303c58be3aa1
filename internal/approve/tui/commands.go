package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A command is what the palette offers.
type command struct{ name, does string }

// commands are those that there are under the preset in force.
func (m *Model) commands() []command {
	var out []command
	for _, mode := range m.mode.Known {
		out = append(out, command{commandFor(mode), "switch to " + strings.TrimSpace(mode.Symbol+" "+mode.Name) + ": " + mode.Doc})
	}
	out = append(
		out,
		command{"/mode", "the modes of preset " + m.mode.Preset + "; /mode NAME switches"},
		command{"/trust", "what you trust here and elsewhere, and what you could"},
		command{"/trace", "the selected call from request to result; /trace CALL another one"},
		command{"/help", "the keys and the commands"},
	)
	for _, name := range tabNames {
		out = append(out, command{name, "go to this tab"})
	}
	return append(out, command{"leave", "end this screen; what waits goes on waiting"})
}

// commandFor is what switches to a mode.
func commandFor(mode sayso.Mode) string { return cmp.Or(mode.Command, "/mode "+mode.Name) }

// run does what was selected.
func (m *Model) run(name string) tea.Cmd {
	if i := slices.Index(tabNames[:], name); i >= 0 {
		m.over = nil
		m.changed()
		return m.show(i)
	}
	if name == "leave" {
		return tea.Quit
	}
	return m.slash(name)
}

// slash does what was typed.
func (m *Model) slash(text string) tea.Cmd {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	name, args := words[0], words[1:]
	for _, mode := range m.mode.Known {
		if mode.Command == name && len(args) == 0 {
			return m.switchMode(mode.Name)
		}
	}
	switch {
	case name == "/mode" && len(args) == 0:
		m.push(m.modes())
	case name == "/mode" && len(args) == 1:
		return m.chooseMode(args[0])
	case name == "/trust" && len(args) == 0:
		return m.loadOffer(true)
	case name == "/trace" && len(args) <= 1:
		call := strings.Join(args, "")
		if call == "" {
			call = m.selectedCall()
		}
		if call == "" {
			m.warn("there is no selected call: /trace CALL shows another one")
			return nil
		}
		return m.trace(call)
	case name == "/help" && len(args) == 0:
		m.push(m.help())
	case slices.Contains([]string{"/mode", "/trust", "/trace", "/help"}, name):
		m.warn(name + " does not take " + strings.Join(args, " "))
	default:
		m.warn("preset " + m.mode.Preset + " knows no " + text + ": /help lists what it knows")
	}
	return nil
}

func (m *Model) chooseMode(name string) tea.Cmd {
	for _, mode := range m.mode.Known {
		if mode.Name == name || mode.Command == name {
			return m.switchMode(mode.Name)
		}
	}
	m.warn("preset " + m.mode.Preset + " has no mode " + name + ": /mode lists them")
	return nil
}

// selectedCall is the call that is looked at.
func (m *Model) selectedCall() string {
	for _, o := range slices.Backward(m.over) {
		if d, ok := o.(*dialog); ok {
			return d.r.Call.ID
		}
	}
	i := m.lists[m.tab].at
	switch {
	case i >= m.lists[m.tab].len():
	case m.tab == tabWaiting:
		return m.requests[i].Call.ID
	case m.tab == tabGrants:
		return m.grants[i].Call
	case m.tab == tabJournal:
		return m.entries[i].Call
	}
	return ""
}

// modes is a page of the modes.
func (m *Model) modes() *page {
	lines := []string{"mode " + m.modeName() + " of session " + cmp.Or(m.mode.Session, "-") + " in " + m.mode.Root, ""}
	for _, mode := range m.mode.Known {
		lines = append(lines, strings.TrimSpace(mode.Symbol+" "+mode.Name)+" ("+commandFor(mode)+"): "+mode.Doc)
	}
	return &page{title: "modes of preset " + view.Safe(m.mode.Preset), lines: texts(lines, view.Plain)}
}

// help is a page about keys and commands.
func (m *Model) help() *page {
	lines := []string{
		"1 2 3 4, Tab: the tabs", "Up, Down, j, k, Space: move", "Enter: open what is selected",
		"r: revoke the selected grant; f: filter the journal", "Ctrl+P: commands; /: the same, with a slash", "q: leave; Ctrl+C: leave from anywhere", "",
		"In a request the key in brackets answers. Tab goes to a choice, and then Enter takes it; Enter alone answers nothing.",
		"? explains it; * answers identical calls alike; Esc goes back and answers nothing.", "",
	}
	for _, c := range m.commands() {
		if strings.HasPrefix(c.name, "/") {
			lines = append(lines, c.name+": "+c.does)
		}
	}
	return &page{title: "help", lines: texts(lines, view.Plain)}
}

// search are the commands that fit what was typed, the best first.
func search(text string, list []command) []command {
	text = strings.ToLower(strings.TrimSpace(text))
	type hit struct {
		command
		score int
	}
	var hits []hit
	for _, c := range list {
		if score, ok := fuzzy(text, strings.ToLower(c.name)); ok {
			hits = append(hits, hit{c, score + 100}) // a name says more than what stands behind it
		} else if score, ok := fuzzy(text, strings.ToLower(c.does)); ok && score >= 3*len(text) {
			hits = append(hits, hit{c, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	out := make([]command, len(hits))
	for i := range hits {
		out[i] = hits[i].command
	}
	return out
}

// fuzzy reports whether the letters are in the text, in order, and how well: those
// that stand together, and at the start of words, count most.
func fuzzy(letters, text string) (score int, ok bool) {
	before, last := ' ', -2
	left := []rune(letters)
	for i, r := range []rune(text) {
		if len(left) == 0 {
			break
		}
		if r == left[0] {
			left = left[1:]
			score++
			if i == last+1 {
				score += 3
			}
			if !unicode.IsLetter(before) {
				score += 2
			}
			last = i
		}
		before = r
	}
	return score, len(left) == 0
}
