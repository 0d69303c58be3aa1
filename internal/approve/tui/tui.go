// Package tui is the full-screen view: what waits for an answer, and what sayso
// remembers.
//
// The model is pure: messages go in, a screen comes out. What looks at or changes
// anything else is a command that asks the [Desk].
//
// Nothing is answered by accident. A key counts only if it was pressed alone, and
// only if what it answers was on the screen for a moment before; Enter answers
// nothing unless a choice was gone to first; what is pasted is text for the palette
// or nothing; and what was not shown can only be denied.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/preset"
)

// A Desk is what the screen shows and changes.
type Desk struct {
	Queue   Queue
	Kept    Kept
	History History
	Modes   Modes
	Trusts  Trusts
}

// A Queue has the requests that wait.
type Queue interface {
	// Waiting lists them, the oldest first. It is called several times a second;
	// what it returns does not change.
	Waiting(ctx context.Context) ([]*sayso.Request, error)
	// Answer answers one with one of its choices, by name; without a name with
	// the plain one.
	Answer(ctx context.Context, r sayso.Request, yes bool, name string) error
	// Outcome is what somebody else has answered; not ok: nobody has, or it is
	// not known.
	Outcome(ctx context.Context, r sayso.Request) (a sayso.Answer, ok bool)
}

// Kept is what people have allowed for later calls, and the rules.
type Kept interface {
	Grants(ctx context.Context) ([]sayso.GivenGrant, error)
	Revoke(ctx context.Context, g sayso.GivenGrant) error
	// Rules lists all that count, and then what does not.
	Rules(ctx context.Context) ([]Rule, error)
}

// A Rule is a rule with where it stands.
type Rule struct {
	Effect, Text string
	Place        string // file and line, or where it is kept
	Note         string // why it does not count; empty: it does
}

// A History is what has happened.
type History interface {
	// Latest are the records that have the text in them, the newest first, and
	// not more than most of them.
	Latest(ctx context.Context, text string, most int) ([]Entry, error)
	// Trace is one call from request to result; the id may be the start of one.
	Trace(ctx context.Context, call string) ([]string, error)
	// Percent is how far Latest is while it looks at all of it for the first time.
	Percent() int
}

// An Entry is a record of the journal.
type Entry struct {
	Seq  uint64
	Time time.Time
	Call string // empty: it is about none
	Kind string
	Text string // what it says, in one line
}

// Modes are the modes of sessions.
type Modes interface {
	// Mode is that of a session; without one, of the latest in this workspace.
	Mode(ctx context.Context, session, root string) (Mode, error)
	// Switch changes it.
	Switch(ctx context.Context, session, root, name string) (Mode, error)
}

// A Mode is the mode of a session.
type Mode struct {
	Session, Root string // whose; no session: there is none yet
	Preset        string
	Name          string // of the mode; several that count together are joined by +
	Known         []sayso.Mode
}

// Trusts is what a person trusts.
type Trusts interface {
	// Offer is what can be trusted in this workspace.
	Offer(ctx context.Context) (Offer, error)
	// Trust trusts what was chosen, as it was when it was offered.
	Trust(ctx context.Context, o Offer, a preset.TrustAnswer) error
	// Manager lists what is trusted; behind each entry may be said what is
	// remarkable about it.
	Manager(ctx context.Context) (preset.TrustManager, []string, error)
	// Revoke takes trust back.
	Revoke(ctx context.Context, list []sayso.Trust) error
}

// An Offer is what can be trusted in a workspace, as it is now.
type Offer struct {
	Root   string
	Prompt preset.TrustPrompt
	Files  []sayso.Trust // the policy files that are trusted with the workspace
	Needed bool          // not all of it is trusted
	First  bool          // nothing else is shown before it was answered

	// Missing names what is there and would count for more if it were trusted.
	Missing []string
}

// A Start is what is shown first.
type Start uint8

// The starts.
const (
	AtQueue Start = iota // the requests that wait
	AtTrust              // what can be, and is trusted; leaving it ends the program
)

// Options are how the screen behaves.
type Options struct {
	Start Start
	View  view.Options

	// Guard is how long something new is on the screen before a key counts:
	// nobody can have read it earlier. 0: 300 milliseconds.
	Guard time.Duration
	// Settle is how long no other key may be pressed before and after one that
	// answers. 0: 50 milliseconds.
	Settle time.Duration
	// Poll is how often it is looked for what is new. 0: 50 milliseconds.
	Poll time.Duration

	// Clock is the time; nil: time.Now.
	Clock func() time.Time

	// pressed is when the last key arrived, and whether it came by itself; nil:
	// when it is looked at.
	pressed func(name string, settle time.Duration) (at time.Time, alone bool)
}

// ErrInterrupted says that somebody pressed Ctrl+C.
var ErrInterrupted = errors.New("interrupted")

// Run shows the screen until a person leaves it, or ctx ends. However it ends, the
// terminal is as it was.
func Run(ctx context.Context, in, out *os.File, desk Desk, o Options) error {
	colours := colorprofile.ANSI // the sixteen that every terminal has, in the user's own shades
	if os.Getenv("NO_COLOR") != "" {
		colours = colorprofile.ASCII
	}
	keys := &keyboard{File: in}
	if o.Clock == nil && runtime.GOOS != "windows" { // where keys are no bytes
		o.pressed = keys.pressed
	}
	m := New(ctx, desk, o)
	var input io.Reader = keys
	var output io.Writer = display{out}
	if runtime.GOOS == "windows" {
		input, output = in, out
	}
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(input), tea.WithOutput(output), tea.WithColorProfile(colours), tea.WithEnvironment(quiet(os.Getenv("TERM")))).Run()
	switch {
	case errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err != nil:
		return err
	}
	return m.failed
}

// asked are terminals that Bubble Tea asks for what they can do, whatever else it is
// told. All of them understand what xterm does.
var asked = []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"}

// quiet are variables with which Bubble Tea asks a terminal nothing, as it does where
// the terminal is far away: a reply that arrives after the screen was left would stand
// in the shell like something that was typed.
func quiet(term string) []string {
	if slices.ContainsFunc(asked, func(name string) bool { return strings.Contains(term, name) }) {
		term = "xterm-256color"
	}
	return []string{"TERM=" + term, "SSH_TTY=quiet"}
}

// Fits reports whether a terminal can show the screen.
func Fits(term string) bool { return term != "" && term != "dumb" }
