package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso/internal/termtest"
)

// A bench runs a model without a terminal: the clock goes when the test says so,
// and commands run at once.
type bench struct {
	t    *testing.T
	m    *Model
	f    *fake
	at   time.Time
	held []tea.Msg // ticks, which a test lets through
	quit bool
	stop bool // interrupted
}

func newBench(t *testing.T, f *fake, start Start) *bench {
	t.Helper()
	b := &bench{t: t, f: f, at: now}
	b.m = New(context.Background(), f.desk(), Options{Start: start, View: plainView, Settle: time.Millisecond, Poll: time.Millisecond, Clock: func() time.Time { return b.at }})
	b.send(tea.WindowSizeMsg{Width: 80, Height: 40})
	b.do(b.m.Init())
	b.wait()
	return b
}

// do runs a command, and all that follows from it.
func (b *bench) do(cmd tea.Cmd) {
	b.t.Helper()
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		b.take(msg)
	case <-time.After(10 * time.Second):
		b.t.Fatal("a command does not end")
	}
}

func (b *bench) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			b.do(c)
		}
	case tickMsg, settleMsg:
		b.held = append(b.held, msg)
	case tea.QuitMsg:
		b.quit = true
	case tea.InterruptMsg:
		b.stop = true
	default:
		b.send(msg)
	}
}

func (b *bench) send(msg tea.Msg) {
	_, cmd := b.m.Update(msg)
	_ = b.m.View() // what is drawn counts as seen
	b.do(cmd)
}

// wait lets a second pass, with all that happens in it.
func (b *bench) wait() {
	b.at = b.at.Add(time.Second)
	held := b.held
	b.held = nil
	for _, msg := range held {
		if _, tick := msg.(tickMsg); !tick {
			b.send(msg)
		}
	}
}

// look is what happens now and then: it looks for what is new.
func (b *bench) look() {
	b.do(b.m.look())
	b.wait()
}

var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
}

// hit presses a key, at once.
func (b *bench) hit(name string) {
	b.t.Helper()
	k := tea.KeyPressMsg{}
	rest, ctrl := strings.CutPrefix(name, "ctrl+")
	if shifted, ok := strings.CutPrefix(name, "shift+"); ok {
		k.Mod, rest = tea.ModShift, shifted
	}
	switch code, ok := keyCodes[rest]; {
	case ok:
		k.Code = code
	case ctrl:
		k.Code, k.Mod = []rune(rest)[0], tea.ModCtrl
	default:
		k.Code, k.Text = []rune(name)[0], name
	}
	if got := k.String(); got != name {
		b.t.Fatalf("the key %s is %s", name, got)
	}
	b.send(k)
}

// press presses keys, one after the other as a person does.
func (b *bench) press(names ...string) {
	b.t.Helper()
	for _, n := range names {
		b.hit(n)
		b.wait()
	}
}

func (b *bench) typed(text string) {
	b.t.Helper()
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		b.press(name)
	}
}

// screen is what is shown, as letters.
func (b *bench) screen() string {
	s := termtest.NewScreen(b.m.width, b.m.height)
	_, _ = s.Write([]byte(strings.ReplaceAll(b.m.View().Content, "\n", "\r\n")))
	return s.Text()
}

func (b *bench) wants(parts ...string) {
	b.t.Helper()
	screen := b.screen()
	for _, p := range parts {
		if !strings.Contains(screen, p) {
			b.t.Errorf("want %q in\n%s", p, screen)
		}
	}
}

func (b *bench) not(parts ...string) {
	b.t.Helper()
	screen := b.screen()
	for _, p := range parts {
		if strings.Contains(screen, p) {
			b.t.Errorf("do not want %q in\n%s", p, screen)
		}
	}
}
