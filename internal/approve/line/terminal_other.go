//go:build !unix

package line

import "time"

// canWait says that it can be waited for a key without taking it.
const canWait = false

func (t *Terminal) ready(time.Duration) (bool, error) { return false, ErrNoTerminal }

func (t *Terminal) forget() error { return ErrNoTerminal }
