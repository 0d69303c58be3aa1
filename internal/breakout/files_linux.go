package breakout

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const text = "changed by an attempt\n"

// files are attempts to change or see files.
var files = []attempt{
	{"write", func(a args) error { return put(unix.AT_FDCWD, a.at(0), unix.O_WRONLY) }},
	{"append", func(a args) error { return put(unix.AT_FDCWD, a.at(0), unix.O_WRONLY|unix.O_APPEND) }},
	{"create", func(a args) error { return put(unix.AT_FDCWD, a.at(0), unix.O_WRONLY|unix.O_CREAT) }},
	{"read", func(a args) error { _, err := os.ReadFile(a.at(0)); return err }},
	{"open", func(a args) error { return opened(a.at(0), unix.O_RDONLY) }},
	{"open-write", func(a args) error { return opened(a.at(0), unix.O_WRONLY) }},
	{"rewrite", rewrite},
	{"truncate", func(a args) error { return unix.Truncate(a.at(0), 0) }},
	{"unlink", func(a args) error { return unix.Unlink(a.at(0)) }},
	{"remove-all", func(a args) error { return os.RemoveAll(a.at(0)) }},
	{"rename", func(a args) error { return unix.Rename(a.at(0), a.at(1)) }},
	{"exchange", func(a args) error {
		return unix.Renameat2(unix.AT_FDCWD, a.at(0), unix.AT_FDCWD, a.at(1), unix.RENAME_EXCHANGE)
	}},
	{"link", func(a args) error { return unix.Link(a.at(0), a.at(1)) }},
	{"link-write", func(a args) error {
		return then(unix.Link(a.at(0), a.at(1)), put(unix.AT_FDCWD, a.at(1), unix.O_WRONLY))
	}},
	{"symlink-write", func(a args) error {
		_ = unix.Unlink(a.at(1)) // it may not be there
		if err := unix.Symlink(a.at(0), a.at(1)); err != nil {
			return err
		}
		return put(unix.AT_FDCWD, a.at(1), unix.O_WRONLY)
	}},
	{"symlink-create", func(a args) error {
		_ = unix.Unlink(a.at(1)) // it may not be there
		if err := unix.Symlink(a.at(0), a.at(1)); err != nil {
			return err
		}
		return put(unix.AT_FDCWD, filepath.Join(a.at(1), a.at(2)), unix.O_WRONLY|unix.O_CREAT)
	}},
	{"upwards", upwards},
	{"tmpfile", tmpfile},
	{"chmod", func(a args) error { return unix.Chmod(a.at(0), 0o606) }},
	{"run-as-owner", func(a args) error { return unix.Chmod(a.at(0), 0o4755) }},
	{"make-as-group", func(a args) error { return closed(unix.Open(a.at(0), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o2755)) }},
	{"make-as-owner", func(a args) error { return closed(unix.Open(a.at(0), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o4755)) }},
	{"make-as-owner-2", func(a args) error {
		return closed(unix.Openat2(unix.AT_FDCWD, a.at(0), &unix.OpenHow{Flags: unix.O_CREAT | unix.O_EXCL | unix.O_WRONLY, Mode: 0o4755}))
	}},
	{"chmod-as-it-is", func(a args) error {
		var stat unix.Stat_t
		return errors.Join(unix.Stat(a.at(0), &stat), unix.Chmod(a.at(0), stat.Mode&0o7777))
	}},
	{"utimes", func(a args) error { return unix.Utimes(a.at(0), []unix.Timeval{{Sec: 1}, {Sec: 1}}) }},
	{"xattr", func(a args) error { return unix.Setxattr(a.at(0), "user.attempt", []byte("1"), 0) }},
	{"mkdir", func(a args) error { return unix.Mkdir(a.at(0), 0o755) }},
	{"mkdir-all", func(a args) error { return os.MkdirAll(a.at(0), 0o755) }},
	{"mkfifo", func(a args) error { return unix.Mkfifo(a.at(0), 0o644) }},
	{"symlink", func(a args) error { return unix.Symlink("/", a.at(0)) }},
	{"mknod", func(a args) error { return unix.Mknod(a.at(0), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) }},
	{"chown", func(a args) error { return unix.Lchown(a.at(0), 12345, 12345) }},
}

func then(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// put writes to a file.
func put(dir int, name string, flags int) error {
	fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(text))
	return then(err, unix.Close(fd))
}

func opened(name string, flags int) error {
	fd, err := unix.Open(name, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// rewrite writes to a file of the kernel what it has.
func rewrite(a args) error {
	value, err := os.ReadFile(a.at(0))
	if err != nil {
		return err
	}
	return os.WriteFile(a.at(0), value, 0)
}

// upwards leaves a folder through its descriptor.
func upwards(a args) error {
	fd, err := unix.Open(a.at(0), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	return put(fd, a.at(1), unix.O_WRONLY)
}

// tmpfile gives a name to a file that has none.
func tmpfile(a args) error {
	fd, err := unix.Open(a.at(0), unix.O_TMPFILE|unix.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+itoa(fd), unix.AT_FDCWD, a.at(1), unix.AT_SYMLINK_FOLLOW)
}

// closed closes what was opened.
func closed(fd int, err error) error {
	if err != nil {
		return err
	}
	return unix.Close(fd)
}
