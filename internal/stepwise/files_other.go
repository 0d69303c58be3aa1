//go:build !linux

package stepwise

import (
	"errors"
	"io"
	"os"

	"mvdan.cc/sh/v3/interp"
)

// Open opens a file for the shell.
func (f *Files) Open(string, int, os.FileMode) (*os.File, error) {
	return nil, errors.New("--stepwise works on Linux only")
}

func stream(*interp.HandlerContext, string, int) (io.ReadWriteCloser, bool, error) {
	return nil, false, nil
}

func broken(io.Writer) bool { return false }
