//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package private

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

func open(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// waitFor fails: without a lock two processes could write at once.
func waitFor(context.Context, *os.File) error {
	return errors.New("sayso cannot lock files on this system yet")
}

func foreign(fs.FileInfo) bool { return false }

func shared(fs.FileInfo) bool { return false }
