//go:build unix

package tui

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ready waits until a terminal has something to read, or only looks whether it has.
func ready(f *os.File, wait bool) bool {
	timeout := 0
	if wait {
		timeout = -1
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, timeout)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}
