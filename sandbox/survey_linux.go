package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Where the parts of an entry are, as the kernel writes it.
const (
	entryLength = 16
	entryKind   = 18
	entryName   = 19
)

// entries are those of a folder, which must be no link, with their kind: to ask for
// more would take a call for each of them.
func entries(dir string, buffer []byte, each func(name []byte, kind fs.FileMode)) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only read
	for {
		n, err := unix.Getdents(fd, buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n <= 0:
			return err
		}
		for rest := buffer[:n]; len(rest) > entryName; {
			length := int(binary.NativeEndian.Uint16(rest[entryLength:]))
			if length <= entryName || length > len(rest) {
				return unix.EIO // the kernel writes whole ones
			}
			name, _, _ := bytes.Cut(rest[entryName:length], []byte{0})
			if dots := bytes.Trim(name, "."); len(dots) > 0 || len(name) > 2 {
				each(name, entryMode(dir, name, rest[entryKind]))
			}
			rest = rest[length:]
		}
	}
}

// entryMode is what kind of thing an entry is. Some file systems do not tell.
func entryMode(dir string, name []byte, kind byte) fs.FileMode {
	switch kind {
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		if info, err := os.Lstat(dir + "/" + string(name)); err == nil {
			return info.Mode().Type()
		}
	}
	return 0
}

// couldLook reports whether there is a folder that the command could look into, though
// this user may not do so now: its owner can change that.
func couldLook(dir string) bool {
	var stat unix.Stat_t
	err := unix.Lstat(dir, &stat)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return false // it has gone
	case err != nil:
		return true
	}
	return stat.Mode&unix.S_IFMT == unix.S_IFDIR && int(stat.Uid) == os.Geteuid()
}
