package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// patience is how long a command may take.
const patience = 20 * time.Second

// longPatience is how long it may take to look at all of a large journal, once.
const longPatience = time.Hour

// mostEntries is how many records of the journal are shown.
const mostEntries = 500

// What was found by commands.
type (
	waitingMsg struct {
		list []*sayso.Request
		err  error
	}
	grantsMsg struct {
		list []sayso.GivenGrant
		err  error
	}
	rulesMsg struct {
		list []Rule
		err  error
	}
	entriesMsg struct {
		filter string
		list   []Entry
		err    error
	}
	modeMsg struct {
		mode Mode
		said string // what was done
		err  error
	}
	traceMsg struct {
		call  string
		lines []string
		err   error
	}
)

func settled(turn int) func(time.Time) tea.Msg {
	return func(time.Time) tea.Msg { return settleMsg{turn} }
}

// command is one that has not for ever.
func (m *Model) command(do func(context.Context) tea.Msg) tea.Cmd { return m.within(patience, do) }

// within is a command that has so long.
func (m *Model) within(patience time.Duration, do func(context.Context) tea.Msg) tea.Cmd {
	parent := m.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, patience)
		defer cancel()
		return do(ctx)
	}
}

// load looks for what is in a tab, unless somebody does.
func (m *Model) load(tab int) tea.Cmd {
	if m.loading[tab] {
		return nil
	}
	m.loading[tab] = true
	desk, filter, time := m.desk, m.filter, patience
	if tab == tabJournal {
		time = longPatience
	}
	return m.within(time, func(ctx context.Context) tea.Msg {
		switch tab {
		case tabWaiting:
			list, err := desk.Queue.Waiting(ctx)
			return waitingMsg{list, err}
		case tabGrants:
			list, err := desk.Kept.Grants(ctx)
			return grantsMsg{list, err}
		case tabRules:
			list, err := desk.Kept.Rules(ctx)
			return rulesMsg{list, err}
		}
		list, err := desk.History.Latest(ctx, filter, mostEntries)
		return entriesMsg{filter, list, err}
	})
}

// loaded takes what was found.
func (m *Model) loaded(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case waitingMsg:
		m.loading[tabWaiting] = false
		return m.setWaiting(msg.list, msg.err)
	case grantsMsg:
		m.loading[tabGrants] = false
		setRows(m, tabGrants, &m.grants, msg.list, msg.err, func(g *sayso.GivenGrant) string { return g.ID })
	case rulesMsg:
		m.loading[tabRules] = false
		setRows(m, tabRules, &m.rules, msg.list, msg.err, func(r *Rule) string { return r.Effect + r.Text + r.Place })
	case entriesMsg:
		m.loading[tabJournal] = false
		if msg.filter != m.filter { // it was changed meanwhile
			return m.load(tabJournal)
		}
		setRows(m, tabJournal, &m.entries, msg.list, msg.err, func(e *Entry) string { return fmt.Sprint(e.Seq) })
	case modeMsg:
		m.moding = false
		m.setMode(msg)
	case traceMsg:
		if msg.err != nil {
			m.say("", msg.err)
			return nil
		}
		m.push(&page{title: "call " + view.Safe(msg.call), lines: texts(msg.lines, view.Plain)})
	case answeredMsg:
		return m.answered(msg)
	case outcomeMsg:
		m.say(msg.text(), nil)
	case offerMsg:
		return m.setOffer(msg)
	case managerMsg:
		return m.setManager(msg)
	default:
		m.stirred()
	}
	return nil
}

// setRows takes the rows of a tab. What could not be read leaves what was there.
func setRows[T any](m *Model, tab int, to *[]T, list []T, err error, id func(*T) string) {
	if err != nil {
		m.say("", err)
		return
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = id(&list[i])
	}
	*to, m.known[tab] = list, true
	m.lists[tab].set(ids)
}

// find filters the journal.
func (m *Model) find(text string) tea.Cmd {
	m.filter, m.entries, m.known[tabJournal] = text, nil, false
	m.lists[tabJournal].set(nil)
	return m.load(tabJournal)
}

// trace shows one call.
func (m *Model) trace(call string) tea.Cmd {
	history := m.desk.History
	return m.command(func(ctx context.Context) tea.Msg {
		lines, err := history.Trace(ctx, call)
		return traceMsg{call, lines, err}
	})
}

// session is the one that the mode is shown of: that of the selected request, or
// the latest of the workspace.
func (m *Model) session() (id, root string) {
	if i := m.lists[tabWaiting].at; i < len(m.requests) {
		return m.requests[i].Call.Session, m.requests[i].Call.Root
	}
	return "", ""
}

func (m *Model) loadMode() tea.Cmd {
	if m.moding {
		return nil
	}
	m.moding = true
	modes := m.desk.Modes
	id, root := m.session()
	return m.command(func(ctx context.Context) tea.Msg {
		mode, err := modes.Mode(ctx, id, root)
		return modeMsg{mode: mode, err: err}
	})
}

// switchMode changes the mode of the session that is shown.
func (m *Model) switchMode(name string) tea.Cmd {
	modes, now := m.desk.Modes, m.mode
	return m.command(func(ctx context.Context) tea.Msg {
		mode, err := modes.Switch(ctx, now.Session, now.Root, name)
		return modeMsg{mode: mode, said: "the mode of session " + mode.Session + " is " + mode.Name + " now", err: err}
	})
}

func (m *Model) setMode(msg modeMsg) {
	why := ""
	if msg.err != nil {
		why = msg.err.Error()
	}
	switch {
	case why != "" && (msg.said != "" || why != m.modeWhy): // what is looked for again and again is told once
		m.say("", msg.err)
	case why == "" && msg.said != "":
		m.say(msg.said, nil)
	}
	if m.modeWhy = why; why != "" && msg.mode.Known == nil {
		return
	}
	m.mode = msg.mode
}
