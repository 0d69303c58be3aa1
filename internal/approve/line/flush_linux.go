package line

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Name tells the terminal from others of this machine; empty: it cannot be told.
func (t *Terminal) Name() string {
	device, err := unix.IoctlGetUint32(int(t.in.Fd()), unix.TIOCGDEV)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", device)
}

// forget throws away what was typed and not read.
func (t *Terminal) forget() error {
	return unix.IoctlSetInt(int(t.in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
