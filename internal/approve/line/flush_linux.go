package line

import "golang.org/x/sys/unix"

// forget throws away what was typed and not read.
func (t *Terminal) forget() error {
	return unix.IoctlSetInt(int(t.in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
