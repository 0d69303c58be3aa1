//go:build !linux

package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// look tells what a file is like.
func look(name string) Source {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Source{File: name, Missing: true}
	}
	if err != nil {
		return Source{File: name} // it is there, and will not be the same
	}
	s := Source{File: name, Size: info.Size(), ModTime: info.ModTime()}
	s.Inode, s.Changed = stat(info)
	return s
}
