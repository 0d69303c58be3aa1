//go:build unix && !linux

package line

import "time"

// forget throws away what was typed and not read.
func (t *Terminal) forget() error {
	buffer := make([]byte, 4<<10)
	for {
		if more, err := t.ready(time.Millisecond); err != nil || !more {
			return err
		}
		if _, err := t.in.Read(buffer); err != nil {
			return err
		}
	}
}

// Name tells the terminal from others of this machine; empty: it cannot be told.
func (t *Terminal) Name() string { return "" }
