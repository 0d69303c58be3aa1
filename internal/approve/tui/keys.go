package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
)

const together = "several keys at once are no answer"

// key takes a key.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	now := m.o.Clock()
	m.hurried = now.Sub(m.lastKey) < m.o.Settle
	m.lastKey = now
	name := k.String()
	m.name = name
	_, typing := m.top().(*palette)
	switch {
	case name == "ctrl+c":
		return tea.Interrupt
	case !m.ready:
		return nil
	case m.pending != nil:
		m.pending = nil
		m.warn(together)
		return nil
	case m.top() != nil && now.Sub(m.opened) < m.o.Guard && !typing:
		return nil
	case name == "ctrl+z":
		return tea.Suspend
	case name == "ctrl+p" && !typing:
		if _, first := m.top().(*startup); !first {
			m.push(newPalette(m, ""))
		}
		return nil
	}
	if o := m.top(); o != nil {
		return o.key(m, name)
	}
	return m.mainKey(name)
}

// commit does what cannot be taken back, once it is clear that the key for it was
// pressed by itself: pasted text, or what is typed blindly, comes as many keys.
func (m *Model) commit(do func() tea.Cmd) tea.Cmd {
	if m.hurried {
		m.warn(together)
		return nil
	}
	m.turn++
	m.pending, m.pendingKey = do, m.name
	turn := m.turn
	return tea.Tick(m.o.Settle, settled(turn))
}

// settle does what a key was pressed for, if no other came.
func (m *Model) settle(turn int) tea.Cmd {
	do := m.pending
	if do == nil || turn != m.turn {
		return nil
	}
	m.pending = nil
	if m.o.pressed != nil {
		at, alone := m.o.pressed(m.pendingKey, m.o.Settle)
		if !alone {
			m.warn(together)
			return nil
		}
		if m.top() != nil && at.Sub(m.opened) < m.o.Guard { // it was pressed for what was there before
			return nil
		}
	}
	return do()
}

// stirred says that the terminal has sent what is no key: a key that comes with it
// was not pressed by itself.
func (m *Model) stirred() {
	m.lastKey = m.o.Clock()
	if m.pending != nil {
		m.pending = nil
		m.warn(together)
	}
}

// mainKey takes a key where nothing lies above the tabs.
func (m *Model) mainKey(name string) tea.Cmd {
	if m.lists[m.tab].key(name, m.bodyHeight()) {
		return m.loadMode() // of the session that the selected request is of
	}
	switch name {
	case "q", "ctrl+d":
		return tea.Quit
	case "tab", "right", "l":
		return m.show((m.tab + 1) % tabs)
	case "shift+tab", "left", "h":
		return m.show((m.tab + tabs - 1) % tabs)
	case "1", "2", "3", "4":
		n, _ := strconv.Atoi(name) // it is a digit
		return m.show(n - 1)
	case "/":
		m.push(newPalette(m, "/"))
	case "?":
		m.push(m.help())
	case "enter":
		return m.open()
	case "r":
		if m.tab == tabGrants {
			m.askRevoke()
		}
	case "f":
		if m.tab == tabJournal {
			m.push(newFilter(m))
		}
	case "esc":
		if m.tab == tabJournal && m.filter != "" {
			return m.find("")
		}
		m.note = ""
	}
	return nil
}

// show goes to a tab.
func (m *Model) show(tab int) tea.Cmd {
	m.tab, m.note = tab, ""
	return m.load(tab)
}

// open opens what is selected.
func (m *Model) open() tea.Cmd {
	i := m.lists[m.tab].at
	if i >= m.lists[m.tab].len() {
		return nil
	}
	m.note = ""
	switch m.tab {
	case tabWaiting:
		m.push(newDialog(m, *m.requests[i]))
	case tabGrants:
		m.push(grantPage(&m.grants[i], m.o.Clock()))
	case tabRules:
		m.push(rulePage(m.rules[i]))
	case tabJournal:
		if m.entries[i].Call == "" {
			m.push(entryPage(m.entries[i]))
			return nil
		}
		return m.trace(m.entries[i].Call)
	}
	return nil
}

// paste takes pasted text: it is what somebody looks for, or nothing.
func (m *Model) paste(text string) {
	if p, ok := m.top().(*palette); ok {
		p.insert(text)
		return
	}
	m.pending = nil
	m.warn("what is pasted is no answer")
}
