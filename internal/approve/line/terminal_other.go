//go:build !unix

package line

import "time"

// canWait says that it can be waited for a key without taking it.
const canWait = false

func (t *Terminal) ready(time.Duration) (bool, error) { return false, ErrNoTerminal }

func (t *Terminal) forget() error { return ErrNoTerminal }

// Name tells the terminal from others of this machine; empty: it cannot be told.
func (t *Terminal) Name() string { return "" }
