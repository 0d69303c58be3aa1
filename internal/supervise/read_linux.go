package supervise

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// How much is read of what a program is started with. What is longer is not started.
const (
	mostWords = 8192
	mostBytes = 1 << 20
	page      = 4096
)

var errLong = errors.New("it is too long to be read")

// readProgram reads what is to be started.
func readProgram(n *notice) (Program, error) {
	p := Program{PID: int(n.pid)}
	proc := "/proc/" + strconv.Itoa(p.PID)
	var err error
	if p.Dir, err = os.Readlink(proc + "/cwd"); err != nil {
		return p, err
	}
	name, words := n.args[0], n.args[1]
	if n.call == unix.SYS_EXECVEAT {
		name, words = n.args[1], n.args[2]
	}
	if p.File, err = readText(p.PID, name, page); err != nil {
		return p, fmt.Errorf("its name: %w", err)
	}
	start := start{path: p.Dir, link: proc + "/cwd"}
	if n.call == unix.SYS_EXECVEAT {
		if start, err = p.from(start, proc, int32(n.args[0]), n.args[4]); err != nil { //nolint:gosec // a descriptor
			return p, err
		}
	}
	if err := p.find(proc, start); err != nil {
		return p, err
	}
	p.Argv, err = readWords(p.PID, words)
	return p, err
}

// A start is where a name is looked for that does not begin at the root, or the program
// itself if there is no name.
type start struct {
	path string // as it is shown
	link string // that leads there, also if the path does not any more
}

// from finds the program where execveat finds it.
func (p *Program) from(s start, proc string, dir int32, flags uint64) (start, error) {
	if filepath.IsAbs(p.File) || dir == unix.AT_FDCWD {
		return s, nil
	}
	if p.File == "" && flags&unix.AT_EMPTY_PATH == 0 {
		return s, unix.ENOENT
	}
	s.link = proc + "/fd/" + strconv.Itoa(int(dir))
	var err error
	if s.path, err = os.Readlink(s.link); err != nil {
		return s, err
	}
	p.File = strings.TrimSuffix(s.path+"/"+p.File, "/")
	return s, nil
}

// errMissing says that there is no such program, and so nothing to decide.
var errMissing = errors.New("there is no such program")

// find follows the name to the file, in the view of the process.
func (p *Program) find(proc string, s start) error {
	root, err := unix.Open(proc+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(root) //nolint:errcheck // it was only looked at
	name := p.File
	if !filepath.IsAbs(name) {
		name = p.Dir + "/" + name // as it is: what .. leads to after a link is known to the kernel alone
	}
	fd, err := ownLink(proc, name)
	if errors.Is(err, errNoOwn) {
		fd, err = lookUp(root, name)
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		if s.lost(root) {
			return nil // what was started there may be there all the same
		}
		return errMissing
	case errors.Is(err, unix.ELOOP):
		return err // through a link of /proc, which means something else to each process
	case err != nil:
		return nil //nolint:nilerr // it is decided by its name
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	if real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); err == nil {
		p.Real = real
	}
	p.By = runBy(root, fd, p.Dir)
	return nil
}

func lookUp(root int, name string) (int, error) {
	return unix.Openat2(root, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
}

// lost reports whether the path does not lead to the start: it was removed, or it never
// had a path.
func (s start) lost(root int) bool {
	var by, is unix.Stat_t
	if unix.Stat(s.link, &is) != nil {
		return true
	}
	fd, err := lookUp(root, s.path)
	if err != nil {
		return true
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	return unix.Fstat(fd, &by) != nil || by.Dev != is.Dev || by.Ino != is.Ino
}

// ownLinks are where a process finds its own descriptors, folders and program, and
// where these are in its folder of /proc.
var ownLinks = []struct{ name, at string }{{"/proc/self/", "/"}, {"/proc/thread-self/", "/"}, {"/dev/fd/", "/fd/"}}

// errNoOwn says that a name is none of these.
var errNoOwn = errors.New("it is no link of the process itself")

// ownLink opens what a link of /proc leads to for the process, and not for this one.
func ownLink(proc, name string) (int, error) {
	name = filepath.Clean(name)
	for _, own := range ownLinks {
		if rest, ok := strings.CutPrefix(name, own.name); ok {
			return unix.Open(proc+own.at+rest, unix.O_PATH|unix.O_CLOEXEC, 0)
		}
	}
	return -1, errNoOwn
}

// readWords reads a list of words.
func readWords(pid int, at uint64) (words []string, err error) {
	total := 0
	for at != 0 && len(words) < mostWords {
		list, err := readSome(pid, at, int(page-at%page)) // up to the end of the page: the next may not be there
		if err != nil {
			return nil, err
		}
		for ; len(list) >= 8; list, at = list[8:], at+8 {
			word := binary.NativeEndian.Uint64(list)
			if word == 0 {
				return words, nil
			}
			text, err := readText(pid, word, mostBytes-total)
			if err != nil {
				return nil, err
			}
			total += len(text)
			words = append(words, text)
		}
	}
	if at == 0 {
		return nil, nil
	}
	return nil, errLong
}

// readText reads up to a zero.
func readText(pid int, at uint64, most int) (string, error) {
	var text []byte
	for len(text) < most {
		part, err := readSome(pid, at, int(page-at%page))
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(text, part[:end]...)), nil
		}
		text, at = append(text, part...), at+uint64(len(part))
	}
	return "", errLong
}

// readSome reads memory of another process.
func readSome(pid int, at uint64, n int) ([]byte, error) {
	text := make([]byte, n)
	local := []unix.Iovec{{Base: &text[0]}}
	local[0].SetLen(n)
	got, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: n}}, 0)
	if err != nil {
		return nil, err
	}
	if got == 0 {
		return nil, unix.EFAULT
	}
	return text[:got], nil
}

// readAll reads memory of another process, all of it or nothing.
func readAll(pid int, at uint64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	text, err := readSome(pid, at, n)
	if err == nil && len(text) < n {
		err = unix.EFAULT
	}
	return text, err
}

// writeAll writes to the memory of another process.
func writeAll(pid int, at uint64, text []byte) error {
	local := []unix.Iovec{{Base: &text[0]}}
	local[0].SetLen(len(text))
	n, err := unix.ProcessVMWritev(pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(text)}}, 0)
	if err == nil && n < len(text) {
		err = unix.EFAULT
	}
	return err
}

// socketOf is the socket of a call, as a descriptor of this process.
func socketOf(n *notice) (int, error) {
	group, err := groupOf(int(n.pid))
	if err != nil {
		return -1, err
	}
	process, err := unix.PidfdOpen(group, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)                                 //nolint:errcheck // it was only looked at
	return unix.PidfdGetfd(process, int(int32(n.args[0])), 0) //nolint:gosec // a descriptor
}

// groupOf is the process that a thread belongs to.
func groupOf(thread int) (int, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Tgid:"); ok {
			return strconv.Atoi(strings.TrimSpace(rest))
		}
	}
	return 0, unix.ESRCH
}
