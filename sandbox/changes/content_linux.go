package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// content is what a file has, if that is not too much.
func content(name string, most int64) ([]byte, error) {
	f, err := open(name)
	if errors.Is(err, fs.ErrPermission) {
		if info, failed := os.Lstat(name); failed == nil && info.Mode().IsRegular() && os.Chmod(name, info.Mode()|0o400) == nil {
			f, err = open(name)
			err = errors.Join(err, os.Chmod(name, info.Mode()))
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, most+1))
}

// copyTo writes a new file to where it waits for its place. It must be what was shown.
func (a *applier) copyTo(i int, c *Change) error {
	name := a.s.upper(c)
	from, err := open(name)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(name, 0o600) == nil { // it is our own, and what it was is known
		from, err = open(name)
	}
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	fd, err := unix.Openat(a.staged[c.layer], stagedName(i), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	to := os.NewFile(uintptr(fd), c.Path)
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, h), io.LimitReader(from, c.After.Size+1))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != c.After.Hash {
		err = errors.New("it is not what was shown any more")
	}
	times := []unix.Timespec{timespec(c.After.Time), timespec(c.After.Time)}
	if err == nil {
		err = errors.Join(unix.Fchmod(fd, bits(c.After.Mode)), to.Sync())
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		err = unix.UtimesNanoAt(a.staged[c.layer], stagedName(i), times, unix.AT_SYMLINK_NOFOLLOW)
	}
	return err
}

// Copy copies a folder, for where there can be no layer: files, folders, links and
// pipes with their permissions and times. Sockets are copied as places without anybody
// behind them.
func Copy(from, to string, limits Limits) error {
	c := &copier{limits: limits.Or(DefaultLimits), names: map[identity]string{}}
	return c.folder(from, to)
}

type copier struct {
	limits Limits
	files  int
	bytes  int64
	names  map[identity]string
}

func (c *copier) folder(from, to string) error {
	s, err := look(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := c.one(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return errors.Join(os.Chmod(to, s.Mode), os.Chtimes(to, s.Time, s.Time))
}

func (c *copier) one(from, to string) error {
	s, err := look(from)
	if err != nil {
		return err
	}
	if c.files, c.bytes = c.files+1, c.bytes+s.Size; c.files > c.limits.Files || c.bytes > c.limits.Bytes {
		return ErrTooMuch
	}
	switch s.Type {
	case Folder:
		return c.folder(from, to)
	case Link:
		return os.Symlink(s.To, to)
	case Pipe:
		return unix.Mkfifo(to, bits(s.Mode))
	case File:
		return c.file(from, to, s)
	}
	return unix.Mknod(to, unix.S_IFSOCK|0o600, 0)
}

func (c *copier) file(from, to string, s *State) error {
	if first, ok := c.names[s.key()]; ok {
		return os.Link(first, to)
	}
	if s.id.names > 1 {
		c.names[s.key()] = to
	}
	in, err := open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chmod(to, s.Mode), os.Chtimes(to, s.Time, s.Time))
}
