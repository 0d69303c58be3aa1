package line

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// A Terminal is where a person is asked.
type Terminal struct {
	in, out *os.File
	opened  bool // it is ours to close
}

// ErrNoTerminal says that there is no terminal to ask in.
var ErrNoTerminal = errors.New("there is no terminal to ask in")

// OpenTerminal opens the terminal that the process was started in, also where its
// standard input is something else; without one, the files if they are terminals.
func OpenTerminal(in, out *os.File) (*Terminal, error) {
	if !canWait {
		return nil, fmt.Errorf("%w on this system", ErrNoTerminal)
	}
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		if term.IsTerminal(int(tty.Fd())) {
			return &Terminal{tty, tty, true}, nil
		}
		_ = tty.Close() // nothing was written to it
	}
	if in != nil && out != nil && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) {
		return &Terminal{in, out, false}, nil
	}
	return nil, ErrNoTerminal
}

// Close closes what was opened.
func (t *Terminal) Close() error {
	if !t.opened {
		return nil
	}
	return t.in.Close()
}

// raw lets each key be read at once and none be shown, until restore is called.
// Keys that were pressed before are forgotten.
func (t *Terminal) raw() (restore func(), err error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("change the terminal: %w", err)
	}
	return func() { _ = term.Restore(int(t.in.Fd()), before) }, nil // if it is gone, so is what it looked like
}

// size is how many columns and rows there are; 80 and 24 if that is not known.
func (t *Terminal) size() (cols, rows int) {
	cols, rows, err := term.GetSize(int(t.out.Fd()))
	if err != nil || cols <= 0 || rows <= 0 {
		return 80, 24
	}
	return cols, rows
}

const (
	// tick is how often it is looked whether the question still stands.
	tick = 40 * time.Millisecond
	// quiet is how long no key may follow another that is to be an answer: who
	// presses keys takes longer, what is pasted does not.
	quiet = 30 * time.Millisecond
	// mostKeys is how much of a burst is kept; nothing longer means anything.
	mostKeys = 64
)

// burst reads the bytes that arrive together. It returns none if there are none
// for a tick, and an error if the terminal is gone.
func (t *Terminal) burst() ([]byte, error) {
	if ready, err := t.ready(tick); err != nil || !ready {
		return nil, err
	}
	var out []byte
	buffer := make([]byte, 4<<10)
	for {
		n, err := t.in.Read(buffer)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, os.ErrClosed
		}
		out = append(out, buffer[:n]...)
		if len(out) > mostKeys { // what it begins with and ends with tells whether it is pasted
			out = append(out[:mostKeys/2:mostKeys/2], out[len(out)-mostKeys/2:]...)
		}
		if more, err := t.ready(quiet); err != nil || !more {
			return out, nil //nolint:nilerr // the next burst finds it, too
		}
	}
}
