//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package private

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// openFlags follow no link, and do not wait for somebody to write into a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// waitFor locks the file. The lock ends when the file is closed, or with the
// process.
func waitFor(ctx context.Context, file *os.File) error {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func foreign(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) != os.Geteuid()
}

func shared(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
