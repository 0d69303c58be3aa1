package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// The tabs.
const (
	tabWaiting = iota
	tabGrants
	tabRules
	tabJournal
	tabs
)

var tabNames = [tabs]string{"waiting", "grants", "rules", "journal"}

// A Model is the state of the screen.
type Model struct {
	ctx  context.Context
	desk Desk
	o    Options

	width, height int
	tab           int
	lists         [tabs]list
	over          []overlay // what lies above the tab, the last on top

	requests []*sayso.Request
	same     map[string]string     // what identical calls have in common, by the id of their request
	views    map[string]*view.View // of requests that were shown, by id
	grants   []sayso.GivenGrant
	rules    []Rule
	entries  []Entry
	filter   string // of the journal
	mode     Mode
	modeWhy  string // what is wrong with it

	note     string // the last thing that happened
	noteRole view.Role
	loading  [tabs]bool // somebody looks already
	known    [tabs]bool // what is in it was found once
	moding   bool
	ready    bool // it is known whether trust is asked about first
	ticks    int
	failed   error // ends the program

	opened     time.Time // when what is on top was shown, or has changed
	lastKey    time.Time
	hurried    bool // the last key came so quickly that it was not pressed by itself
	pending    func() tea.Cmd
	pendingKey string // that it was pressed for
	name       string // of the key that is looked at
	turn       int    // counts what was pending
}

// An overlay lies above the tabs, and gets the keys.
type overlay interface {
	key(m *Model, name string) tea.Cmd
	draw(m *Model) box
}

// New is a model that has seen nothing yet.
func New(ctx context.Context, desk Desk, o Options) *Model {
	for _, d := range []struct {
		of      *time.Duration
		usually time.Duration
	}{{&o.Guard, 300 * time.Millisecond}, {&o.Settle, 50 * time.Millisecond}, {&o.Poll, 50 * time.Millisecond}} {
		if *d.of == 0 {
			*d.of = d.usually
		}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Model{ctx: ctx, desk: desk, o: o, width: 80, height: 24, views: map[string]*view.View{}, same: map[string]string{}}
}

// Init looks for everything that is shown first.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.loadOffer(false), m.load(tabWaiting), m.loadMode(), m.tick())
}

func (m *Model) tick() tea.Cmd {
	return tea.Tick(m.o.Poll, func(time.Time) tea.Msg { return tickMsg{} })
}

// Messages from commands.
type (
	tickMsg   struct{}
	settleMsg struct{ turn int }
	noteMsg   struct { // something was done, or not
		text string
		err  error
	}
)

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return m, m.update(msg) }

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.ResumeMsg:
		m.opened = m.o.Clock()
	case tickMsg:
		return tea.Batch(m.look(), m.tick())
	case settleMsg:
		return m.settle(msg.turn)
	case noteMsg:
		m.say(msg.text, msg.err)
		return m.load(m.tab)
	default:
		return m.loaded(msg)
	}
	return nil
}

// look looks for what is new, as often as it may be.
func (m *Model) look() tea.Cmd {
	m.ticks++
	list := []tea.Cmd{m.load(tabWaiting)}
	if every := max(1, int(time.Second/m.o.Poll)); m.ticks%every == 0 {
		list = append(list, m.loadMode())
		if m.tab != tabWaiting {
			list = append(list, m.load(m.tab))
		}
	}
	return tea.Batch(list...)
}

// say tells what has happened, below the list.
func (m *Model) say(text string, err error) {
	m.note, m.noteRole = view.Safe(text), view.Plain
	if err != nil {
		m.note, m.noteRole = view.Safe(err.Error()), view.RiskDangerous
	}
}

// warn tells what a key does not do.
func (m *Model) warn(text string) { m.note, m.noteRole = view.Safe(text), view.RiskModerate }

// push shows something above all else.
func (m *Model) push(o overlay) {
	m.over = append(m.over, o)
	m.changed()
}

// pop takes away what is on top.
func (m *Model) pop() {
	if n := len(m.over); n > 0 {
		m.over = m.over[:n-1]
	}
	m.changed()
}

// remove takes one away, wherever it is.
func (m *Model) remove(o overlay) {
	for i := range m.over {
		if m.over[i] == o {
			m.over = append(m.over[:i:i], m.over[i+1:]...)
			m.changed()
			return
		}
	}
}

// changed says that something else is on the screen than was before: what is
// being pressed was not meant for it.
func (m *Model) changed() { m.opened, m.pending = m.o.Clock(), nil }

func (m *Model) top() overlay {
	if n := len(m.over); n > 0 {
		return m.over[n-1]
	}
	return nil
}
