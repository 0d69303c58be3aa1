package box

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// streamAgain opens a standard stream anew, through a mount that can only be read: whoever has
// the descriptor cannot change the mode, the owner or the times of the file. What is
// written to a terminal is not written to a file.
func (s *stage) streamAgain(number, name string) error {
	stream, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	flags, err := unix.FcntlInt(uintptr(stream), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return fmt.Errorf("open_tree: %w", err)
	}
	defer unix.Close(tree) //nolint:errcheck // what is open stays
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(tree), flags&(unix.O_ACCMODE|unix.O_APPEND|unix.O_NONBLOCK)|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // as above
	var was, is unix.Stat_t
	if err := errors.Join(unix.Fstat(stream, &was), unix.Fstat(fd, &is)); err != nil {
		return err
	}
	if was.Dev != is.Dev || was.Ino != is.Ino {
		return errors.New("it is another file now")
	}
	if stream == 0 && is.Mode&unix.S_IFMT == unix.S_IFREG {
		at, err := unix.Seek(0, 0, unix.SEEK_CUR)
		if err != nil {
			return err
		}
		if _, err := unix.Seek(fd, at, unix.SEEK_SET); err != nil {
			return err
		}
		if s.input, err = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, Watcher+1); err != nil {
			return err
		}
	}
	return unix.Dup3(fd, stream, 0)
}

// readOn lets whoever has given the input read on where the command has ended.
func (s *stage) readOn() {
	if s.input == 0 {
		return
	}
	if at, err := unix.Seek(0, 0, unix.SEEK_CUR); err == nil {
		_, _ = unix.Seek(s.input, at, unix.SEEK_SET) // it could be before
	}
}
