// Package termtest runs programs in a pseudo-terminal for tests, and shows what a
// person would see there.
//
//	term := termtest.Start(t, exec.Command(…), 80, 24)
//	term.Wait("[y] once")
//	term.Golden("native-80")
//	term.Type("y")
//	if term.Exit() != 0 { … }
package termtest

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

var update = flag.Bool("update", false, "write the screens that the tests see to testdata")

// patience is how long a program may take to show something. It is only used up by
// tests that fail.
const patience = 60 * time.Second

// A Terminal is a pseudo-terminal with a program in it.
type Terminal struct {
	t    *testing.T
	file *os.File
	cmd  *exec.Cmd
	done chan struct{} // nothing more is shown
	news chan struct{} // something was

	mu     sync.Mutex
	screen *Screen
}

// Start starts a program, whose standard input, output and error are the terminal
// unless they are set, and whose controlling terminal it is. It is ended with the
// test.
func Start(t *testing.T, cmd *exec.Cmd, cols, rows int) *Terminal {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append([]string{"TERM=xterm-256color"}, cmd.Env...)
	file, err := pty.StartWithSize(cmd, size(cols, rows))
	if err != nil {
		t.Fatalf("start %s in a terminal: %v", cmd.Path, err)
	}
	term := &Terminal{t: t, file: file, cmd: cmd, done: make(chan struct{}), news: make(chan struct{}, 1), screen: NewScreen(cols, rows)}
	term.screen.Answer = func(text string) {
		go func() { _, _ = file.WriteString(text) }() // the program may have ended
	}
	go term.show()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = file.Close()
	})
	return term
}

func size(cols, rows int) *pty.Winsize { return &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)} }

// show reads what the program writes, until it ends.
func (term *Terminal) show() {
	defer close(term.done)
	buffer := make([]byte, 32<<10)
	for {
		n, err := term.file.Read(buffer)
		term.mu.Lock()
		_, _ = term.screen.Write(buffer[:n])
		term.mu.Unlock()
		select {
		case term.news <- struct{}{}:
		default: // nobody has looked since
		}
		if err != nil { // the other end is closed
			return
		}
	}
}

// Type presses keys.
func (term *Terminal) Type(keys string) {
	if _, err := term.file.WriteString(keys); err != nil {
		term.t.Errorf("type %q: %v", keys, err)
	}
}

// Resize changes the size of the window.
func (term *Terminal) Resize(cols, rows int) {
	term.mu.Lock()
	term.screen.Resize(cols, rows)
	term.mu.Unlock()
	if err := pty.Setsize(term.file, size(cols, rows)); err != nil {
		term.t.Errorf("resize: %v", err)
	}
}

// See looks at the screen while nothing is written to it.
func (term *Terminal) See(look func(*Screen)) {
	term.mu.Lock()
	defer term.mu.Unlock()
	look(term.screen)
}

// Text is what is on the screen, with what has scrolled away.
func (term *Terminal) Text() string {
	var text string
	term.See(func(s *Screen) { text = s.All() })
	return text
}

// Wait waits until the text is on the screen, or has been there.
func (term *Terminal) Wait(text string) {
	term.t.Helper()
	term.Until("want "+text, func(s *Screen) bool { return strings.Contains(s.All(), text) })
}

const (
	// calm is how long a program that writes is let write before anybody looks.
	calm = 2 * time.Millisecond
	// again is when one looks although nothing was written: what is waited for may
	// be that nothing is.
	again = 50 * time.Millisecond
)

// Until waits until the screen is as it should be.
func (term *Terminal) Until(what string, is func(*Screen) bool) {
	term.t.Helper()
	good := func() (ok bool) {
		term.See(func(s *Screen) { ok = is(s) })
		return ok
	}
	for end := time.Now().Add(patience); ; {
		if good() {
			return
		}
		select {
		case <-term.done:
			if good() {
				return
			}
			term.t.Fatalf("%s: the program has ended with\n%s", what, term.Text())
		case <-term.news:
			time.Sleep(calm)
		case <-time.After(again):
		}
		if time.Now().After(end) {
			term.t.Fatalf("%s, and after %v there is\n%s", what, patience, term.Text())
		}
	}
}

// nudge is when a key is pressed again that has done nothing.
const nudge = 3 * time.Second

// Press presses a key until the text is on the screen, as a person does: a program may
// take no key that comes right after it has drawn something, and a busy machine draws
// at any time.
func (term *Terminal) Press(key, text string) {
	term.t.Helper()
	var pressed time.Time
	term.Until("want "+text, func(s *Screen) bool {
		if strings.Contains(s.Text(), text) {
			return true
		}
		if time.Since(pressed) > nudge {
			pressed = time.Now()
			term.Type(key)
		}
		return false
	})
}

// Leave presses a key until the program has ended, and returns its exit code.
func (term *Terminal) Leave(key string) int {
	term.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		term.Type(key)
		select {
		case <-term.done:
			return term.Exit()
		case <-time.After(nudge):
		}
	}
	return term.Exit()
}

// Exit waits until the program has ended, and returns its exit code; -1: it was
// killed.
func (term *Terminal) Exit() int {
	term.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- term.cmd.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			term.t.Fatalf("wait: %v", err)
		}
	case <-time.After(patience):
		term.t.Fatalf("it does not end:\n%s", term.Text())
	}
	select { // what it wrote last may not have been read
	case <-term.done:
	case <-time.After(patience): // somebody else has the terminal open
	}
	return term.cmd.ProcessState.ExitCode()
}

// Golden compares the screen, with what has scrolled away and how it looks, with
// testdata/NAME.screen. With -update it is written there.
func (term *Terminal) Golden(name string) {
	term.t.Helper()
	var got string
	term.See(func(s *Screen) { got = s.Marked() })
	Golden(term.t, name, got)
}

// Golden compares a screen with testdata/NAME.screen, or writes it there.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".screen")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: go test -update writes it", err)
	}
	if string(want) != got {
		t.Errorf("%s: the screen is\n%s\nwant\n%s", file, got, want)
	}
}
