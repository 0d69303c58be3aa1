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

// open opens a file, follows no link, and does not wait for somebody to write into
// a pipe. A file that it would wait for is not handed to the poller of package os
// either, which costs a hook more than the file itself.
func open(name string, flags int) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		if err := syscall.SetNonblock(fd, false); err != nil {
			_ = syscall.Close(fd) // nothing was read
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return os.NewFile(uintptr(fd), name), nil
	}
}

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
