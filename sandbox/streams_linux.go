package sandbox

import (
	"io"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// The standard streams are the only descriptors that a command has from outside, and each
// may be a way there: a socket of another network can be connected anew, and the mode of
// a file can be changed through a descriptor that was opened to be read.

// shut lets nothing but bytes through streams that lead elsewhere.
func (j *job) shut() {
	if f, ok := j.o.Stdin.(*os.File); ok && f != nil && (leads(f) || isInput(f) && pathOf(f) == "") {
		j.o.Stdin = copied{f}
	}
	for _, w := range []*io.Writer{&j.o.Stdout, &j.o.Stderr} {
		if f, ok := (*w).(*os.File); ok && f != nil && leads(f) {
			*w = struct{ io.Writer }{f}
		}
	}
}

// A copied is an input that comes through a pipe. Nobody waits for its end, which may
// never come.
type copied struct{ io.Reader }

// feed gives it to a command that is not started yet, and returns what to do then.
func feed(cmd *exec.Cmd) (begin func(), err error) {
	from, ok := cmd.Stdin.(copied)
	if !ok {
		return func() {}, nil
	}
	cmd.Stdin = nil
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func() {
		go func() {
			_, _ = io.Copy(to, from) // the command may not want all of it
			_ = to.Close()           // as above
		}()
	}, nil
}

// leads reports whether a descriptor is a socket that can be connected to others. One of
// this machine that is connected stays so.
func leads(f *os.File) bool {
	var stat unix.Stat_t
	if unix.Fstat(int(f.Fd()), &stat) != nil {
		return false // it is closed, which is seen later
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return false
	}
	family, err := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, failed := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_TYPE)
	_, open := unix.Getpeername(int(f.Fd()))
	return err != nil || failed != nil || open != nil || family != unix.AF_UNIX || kind == unix.SOCK_DGRAM
}

// isInput reports whether a descriptor is a file that is to be read, and that others
// have by its name.
func isInput(f *os.File) bool {
	var stat unix.Stat_t
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY && unix.Fstat(int(f.Fd()), &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Nlink > 0
}

// isTerminal reports whether a descriptor is a terminal of this user.
func isTerminal(f *os.File) bool {
	var stat unix.Stat_t
	if unix.Fstat(int(f.Fd()), &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFCHR || int(stat.Uid) != os.Getuid() {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// pathOf is where the file of a descriptor is; empty: it is not there any more.
func pathOf(f *os.File) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return ""
	}
	var here, there unix.Stat_t
	if unix.Fstat(int(f.Fd()), &here) != nil || unix.Lstat(name, &there) != nil || here.Dev != there.Dev || here.Ino != there.Ino {
		return ""
	}
	return name
}

// streamSteps let the streams be opened anew, where through them a file could be changed
// that is not to be written.
func (j *job) streamSteps() (out []box.Step) {
	for i, s := range []any{j.o.Stdin, j.o.Stdout, j.o.Stderr} {
		f, ok := s.(*os.File)
		if !ok || f == nil || !isTerminal(f) && (i > 0 || !isInput(f)) {
			continue
		}
		if name := pathOf(f); name != "" {
			out = append(out, box.Step{box.Stream, strconv.Itoa(i), name})
		}
	}
	return out
}
