//go:build amd64 || arm64

package early

import (
	"syscall"
	"unsafe"

	"github.com/sayso-dev/sayso/internal/early/form"
)

const (
	eventTime  = 5 // seconds until the event must have been read; then the program itself goes on with it
	answerTime = 3 // seconds until the resident process must have answered
)

// What is read goes here, and not on the stack or the heap. A stack that must grow, and
// pages that were not touched before, cost more than all the rest: so nothing here
// allocates, and the system is called without the wrappers that do.
var (
	line   [256]byte                   // the arguments
	room   [8 + form.MaxEvent + 1]byte // the lengths of event and arguments, the event, and a byte that shows that it is too long
	reply  [5 + form.MaxAnswer]byte    // and before that, the variables
	ours   file
	theirs file
	at     address
	path   [64]byte
	peer   syscall.Ucred
	limit  = syscall.Timeval{Sec: answerTime}
	poll   pollFd
	until  syscall.Timespec
	first  message
)

func init() {
	attempt()
	enlarge(false) // it is this process that decides
}

// attempt asks the resident process, if there may be one.
func attempt() {
	if !at.find(reply[:read("/proc/self/environ", reply[:])]) {
		return
	}
	key := at.open()
	if key < 0 {
		Missing = true
		return
	}
	if n := arguments(); n > 0 {
		ask(key, line[:n])
	}
	_ = syscall.Close(key) // nothing was written
}

// ask asks the resident process, and if it answers, tells that and ends the program. The
// process is reached before all of the event is read, so that it wakes up meanwhile; but
// not before there is some of it, for others may wait.
func ask(key int, args []byte) {
	if until.Sec = eventTime; !ready(0, pollIn) {
		return
	}
	fd := connect()
	if fd < 0 {
		Missing = true
		return
	}
	size, whole := event()
	Taken = room[8 : 8+size]
	Missing = !trusted(fd)
	if whole && !Missing && send(fd, key, args, size) {
		if text := answer(fd); text != nil {
			tell(text)
		}
	}
	_ = syscall.Close(fd) // there is nothing left to say
}

// call calls the system, and returns less than 0 if that fails.
func call(number uintptr, a, b, c, d, e uintptr) int {
	n, _, errno := syscall.Syscall6(number, a, b, c, d, e, 0)
	if errno != 0 {
		return -1
	}
	return int(n)
}

// of is the address of something, for the system.
func of[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// arguments reads how the program was called, and returns how long that is; nothing
// if not for an event.
func arguments() int {
	n := read("/proc/self/cmdline", line[:])
	if first := word(word(line[:n], true), false); len(first) == 0 || first[0] == '-' || string(first) == "version" || string(first) == "resident" {
		return 0
	}
	return n
}

// read reads what the kernel tells in a file, and returns how long that is; nothing if
// there is no room for all of it.
func read(name string, to []byte) int {
	fd := call(syscall.SYS_OPENAT, noFolder, of(text(name)), syscall.O_RDONLY|syscall.O_CLOEXEC, 0, 0)
	if fd < 0 {
		return 0
	}
	n, err := syscall.Read(fd, to)
	if _ = syscall.Close(fd); err != nil || n == len(to) { // nothing was written
		return 0
	}
	return n
}

// noFolder stands for the folder of a path that begins at the root.
const noFolder = ^uintptr(99)

// text is a path as the system wants it. The next one takes its place.
func text(name string) *byte {
	path[copy(path[:len(path)-1], name)] = 0
	return &path[0]
}

// word is the text up to the next zero, or what comes behind that.
func word(text []byte, behind bool) []byte {
	for i, b := range text {
		switch {
		case b != 0:
		case behind:
			return text[i+1:]
		default:
			return text[:i]
		}
	}
	return nil
}

// value is that of a variable: of two with one name the first counts.
func value(variables []byte, name string) []byte {
	for ; len(variables) > 0; variables = word(variables, true) {
		if one := word(variables, false); len(one) > len(name) && string(one[:len(name)]) == name && one[len(name)] == '=' {
			return one[len(name)+1:]
		}
	}
	return nil
}

// A file is what the system call statx tells, as far as it is of use here.
type file struct {
	mask         uint32
	_            [28]byte
	inode        uint64
	_            [96]byte
	major, minor uint32
	mount        uint64
	_            [104]byte
}

const wanted = 0x100 | 0x1000 // the inode, and the mount

func (f *file) look(path *byte) bool {
	return call(sysStatx, noFolder, of(path), 0, wanted, of(f)) == 0 && f.mask&wanted == wanted
}

// same reports whether a file is the same for this process and for another one.
func same(name string, pid int32, what string) bool {
	return ours.look(text(name)) && theirs.look(proc(pid, what)) &&
		ours.inode == theirs.inode && ours.major == theirs.major && ours.minor == theirs.minor && ours.mount == theirs.mount
}

// An address is a file in the state folder. The socket is there because who can make
// files in that folder can change in any case what is decided; a name that stands in no
// folder anybody could take, who is confined, too.
type address struct {
	family uint16
	path   [108]byte // ends in a zero
	folder int       // how much of it is the folder
	n      int
}

// find finds the state folder, as package session does. It reports whether there is
// one, and its name is short enough.
func (a *address) find(variables []byte) bool {
	a.family, a.folder = syscall.AF_UNIX, 0
	below := "/sayso/"
	home := value(variables, "XDG_STATE_HOME")
	if len(home) == 0 || home[0] != '/' {
		home, below = value(variables, "HOME"), "/.local/state/sayso/"
	}
	if len(home) == 0 || home[0] != '/' || len(home)+len(below)+max(len(form.SocketFile), len(form.KeyFile)) >= len(a.path) {
		return false
	}
	a.folder = copy(a.path[:], home)
	a.folder += copy(a.path[a.folder:], below)
	return true
}

// file makes it the address of that file.
func (a *address) file(name string) *byte {
	a.n = a.folder + copy(a.path[a.folder:], name)
	a.path[a.n] = 0
	return &a.path[0]
}

// open opens the key.
func (a *address) open() int {
	return call(syscall.SYS_OPENAT, noFolder, of(a.file(form.KeyFile)), syscall.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0, 0)
}

// connect reaches the resident process, or who is there in its place.
func connect() int {
	fd := call(syscall.SYS_SOCKET, syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0, 0, 0)
	if fd < 0 {
		return -1
	}
	at.file(form.SocketFile)
	if call(syscall.SYS_SETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, of(&limit), unsafe.Sizeof(limit)) < 0 ||
		call(syscall.SYS_SETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, of(&limit), unsafe.Sizeof(limit)) < 0 ||
		call(syscall.SYS_CONNECT, uintptr(fd), of(&at), uintptr(2+at.n+1), 0, 0) < 0 {
		_ = syscall.Close(fd) // nothing was said
		return -1
	}
	return fd
}

// trusted reports whether the process at the other end is of the same user, runs the
// same program and sees the same files: another build may decide otherwise, and in a
// container the same names are those of other files.
func trusted(fd int) bool {
	size := uint32(unsafe.Sizeof(peer))
	return call(syscall.SYS_GETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED, of(&peer), of(&size)) >= 0 &&
		int(peer.Uid) == syscall.Geteuid() && peer.Pid > 0 && same("/", peer.Pid, "root") && same("/proc/self/exe", peer.Pid, "exe")
}

// proc is where the kernel tells something about a process.
func proc(pid int32, what string) *byte {
	var digits [10]byte
	i := len(digits)
	for {
		i--
		digits[i] = byte('0' + pid%10)
		if pid /= 10; pid == 0 {
			break
		}
	}
	n := copy(path[:], "/proc/")
	n += copy(path[n:], digits[i:])
	n += copy(path[n:], "/")
	n += copy(path[n:], what)
	path[n] = 0
	return &path[0]
}
