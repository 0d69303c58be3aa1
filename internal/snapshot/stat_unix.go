//go:build unix

package snapshot

import (
	"io/fs"
	"syscall"
)

// stat is which file it is, and when anything about it was last changed, in
// nanoseconds since 1970. Nobody can set that time back.
func stat(info fs.FileInfo) (inode uint64, changed int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino), changedAt(s)
	}
	return 0, 0
}
