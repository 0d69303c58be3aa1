package stepwise

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
	"mvdan.cc/sh/v3/interp"
)

// Open opens a file for the shell. Links are resolved first, and what is checked is
// what is opened: nobody can put a link there between.
func (f *Files) Open(path string, flag int, perm os.FileMode) (*os.File, error) {
	name, err := f.see(path)
	if err != nil {
		return nil, err
	}
	real, err := resolve(name)
	if err != nil {
		return nil, err
	}
	if err := f.may(path, name, real, flag); err != nil {
		return nil, err
	}
	how := &unix.OpenHow{Flags: uint64(flag) | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY, Resolve: unix.RESOLVE_NO_SYMLINKS} //nolint:gosec // flags
	if flag&os.O_CREATE != 0 {
		how.Mode = uint64(perm.Perm())
	}
	how.Flags &^= unix.O_TRUNC // not before it is known what it is
	fd, err := unix.Openat2(unix.AT_FDCWD, real, how)
	if err != nil {
		return nil, err
	}
	if err := f.ready(fd, path, flag); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}

// ready makes sure that it is a file, and empties it if it is to be.
func (f *Files) ready(fd int, path string, flag int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG && !slices.Contains(devices, path) {
		return errors.New("it is no file; only files are opened by the shell itself")
	}
	if flag&os.O_TRUNC != 0 && st.Mode&unix.S_IFMT == unix.S_IFREG {
		if err := unix.Ftruncate(fd, 0); err != nil {
			return err
		}
	}
	return unix.SetNonblock(fd, false)
}

// resolve is the path of a file without links, which may not be there yet.
func resolve(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(name); err == nil {
		return "", errors.New("it is a link to what is not there")
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	return filepath.Join(dir, filepath.Base(name)), err
}

// may says why a file may not be opened. The path is what a command sees, name where
// that is, and real the same without links.
func (f *Files) may(path, name, real string, flag int) error {
	if slices.Contains(devices, path) && real == path {
		return nil
	}
	temp := []string{}
	if f.Temp != "" && name != path {
		temp = append(temp, f.Temp)
	}
	if under(real, hidden) || under(real, f.Hidden) || under(real, private) && !under(real, f.Write) && !under(real, temp) {
		return errors.New("it leads to what the shell itself does not open")
	}
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		if len(f.Read) > 0 && !under(real, slices.Concat(f.Read, f.Write, temp)) {
			return errors.New("the contract does not let it be read")
		}
		return nil
	}
	switch {
	case under(real, f.Protected) || above(real, f.Protected) || f.Barred != nil && f.Barred(real):
		return errors.New("it is protected")
	case under(real, f.Write) || under(real, temp):
		return nil
	}
	return fmt.Errorf("%w: the contract lets it be written nowhere but in the workspace", unix.EROFS)
}

// stream is one of the streams of a command, under the names that they have as files.
func stream(hc *interp.HandlerContext, path string, flag int) (io.ReadWriteCloser, bool, error) {
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch path {
	case "/dev/stdin", "/dev/fd/0":
		in, ok := hc.Stdin.(*os.File)
		if writes || !ok || in == nil {
			return nil, true, &fs.PathError{Op: "open", Path: path, Err: unix.ENXIO}
		}
		fd, err := unix.FcntlInt(in.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return nil, true, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return os.NewFile(uintptr(fd), path), true, nil
	case "/dev/stdout", "/dev/fd/1":
		return kept{hc.Stdout}, true, nil
	case "/dev/stderr", "/dev/fd/2":
		return kept{hc.Stderr}, true, nil
	}
	return nil, false, nil
}

// A kept stream stays open.
type kept struct{ io.Writer }

func (kept) Read([]byte) (int, error) { return 0, io.EOF }
func (kept) Close() error             { return nil }

// broken reports whether nobody reads any more what is written.
func broken(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || f == nil {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}} //nolint:gosec // a descriptor
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&unix.POLLERR != 0
	})
	return err == nil && gone
}
