//go:build unix

package dbstamp

import (
	"io/fs"
	"syscall"
)

// openFlags follow no link, and do not wait for somebody to write into a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
