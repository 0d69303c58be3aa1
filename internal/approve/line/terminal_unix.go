//go:build unix

package line

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// canWait says that it can be waited for a key without taking it.
const canWait = true

// ready reports whether something can be read within the time.
func (t *Terminal) ready(wait time.Duration) (bool, error) {
	fd := int(t.in.Fd())
	var set unix.FdSet
	if fd < 0 || fd >= unix.FD_SETSIZE {
		return false, ErrNoTerminal
	}
	set.Set(fd)
	timeout := unix.NsecToTimeval(wait.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &timeout)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}
