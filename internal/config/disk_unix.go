//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags follow no link, and do not wait for somebody to write into a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func infoOf(i fs.FileInfo) Info {
	info := Info{Mode: i.Mode(), Size: i.Size(), ModTime: i.ModTime(), Owner: -1, Group: -1, Self: os.Geteuid()}
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		info.Inode = uint64(s.Ino)
		info.Owner, info.Group = int(s.Uid), int(s.Gid)
	}
	return info
}

func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
