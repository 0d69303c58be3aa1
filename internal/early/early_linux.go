//go:build amd64 || arm64

package early

import (
	"syscall"
	"unsafe"
)

const (
	eventTime  = 10 // seconds until the event must have been read
	answerTime = 3  // seconds until the resident process must have answered
)

// What is read goes here, and not on the stack or the heap. A stack that must grow, and
// pages that were not touched before, cost more than all the rest: so nothing here
// allocates, and the system is called without the wrappers that do.
var (
	line   [256]byte              // the arguments
	room   [8 + MaxEvent + 1]byte // the lengths of event and arguments, the event, and a byte that shows that it is too long
	reply  [16 << 10]byte
	ours   file // the program
	theirs file // that of the other process
	root   file
	at     address
	path   [64]byte
	peer   syscall.Ucred
	limit  = syscall.Timeval{Sec: answerTime}
	poll   pollFd
	until  syscall.Timespec
)

func init() {
	n := arguments()
	if n == 0 {
		return
	}
	fd := connect()
	if fd < 0 {
		Missing = true
		return
	}
	size, whole := event()
	if whole && send(fd, line[:n], size) {
		if text := answer(fd); text != nil {
			tell(text)
		}
	}
	_ = syscall.Close(fd) // there is nothing left to say
	Taken = room[8 : 8+size]
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
	fd := call(syscall.SYS_OPENAT, noFolder, of(text("/proc/self/cmdline")), syscall.O_RDONLY|syscall.O_CLOEXEC, 0, 0)
	if fd < 0 {
		return 0
	}
	n, err := syscall.Read(fd, line[:])
	if _ = syscall.Close(fd); err != nil || n == len(line) { // nothing was written
		return 0
	}
	if first := word(word(line[:n], true), false); len(first) == 0 || first[0] == '-' || string(first) == "version" || string(first) == "resident" {
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

const (
	wantInode = 0x100
	wantMount = 0x1000
)

func (f *file) look(path *byte) bool {
	return call(sysStatx, noFolder, of(path), 0, wantInode|wantMount, of(f)) == 0 && f.mask&wantInode != 0
}

func (f *file) same(other *file) bool {
	return f.inode == other.inode && f.major == other.major && f.minor == other.minor
}

// An address is a name for a socket that stands in no folder.
type address struct {
	family uint16
	path   [100]byte
	n      int
}

func (a *address) add(b byte) {
	if a.n < len(a.path) {
		a.path[a.n] = b
		a.n++
	}
}

func (a *address) number(n uint64) {
	a.add('-')
	for shift := 60; shift >= 0; shift -= 4 {
		if digit := n >> shift; digit != 0 || shift == 0 {
			a.add("0123456789abcdef"[digit&15])
		}
	}
}

// find makes the address of a program: that of a resident process of this user, with
// this file as its program, and with this view of all files. Another build has another
// address; and so has who was put into a container, as each view has mounts of its own.
func (a *address) find(program *byte) bool {
	if !ours.look(program) || !root.look(text("/")) || root.mask&wantMount == 0 {
		return false
	}
	a.family, a.n = syscall.AF_UNIX, 1 // after a zero: it is the name of no file
	for _, b := range []byte("sayso-hook") {
		a.add(b)
	}
	a.number(uint64(syscall.Geteuid()))
	a.number(uint64(ours.major)<<32 | uint64(ours.minor))
	a.number(ours.inode)
	a.number(root.mount)
	a.number(root.inode)
	return true
}

// Address is where the resident process of a program listens. It is for [syscall], in
// which names that stand in no folder begin with @.
func Address(program string) (string, error) {
	var a address
	name, err := syscall.BytePtrFromString(program)
	if err != nil {
		return "", err
	}
	if !a.find(name) {
		return "", syscall.ENOSYS
	}
	return "@" + string(a.path[1:a.n]), nil
}

// connect reaches the resident process.
func connect() int {
	if !at.find(text("/proc/self/exe")) {
		return -1
	}
	fd := call(syscall.SYS_SOCKET, syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0, 0, 0)
	if fd < 0 {
		return -1
	}
	if call(syscall.SYS_SETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, of(&limit), unsafe.Sizeof(limit)) < 0 ||
		call(syscall.SYS_SETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, of(&limit), unsafe.Sizeof(limit)) < 0 ||
		call(syscall.SYS_CONNECT, uintptr(fd), of(&at), uintptr(2+at.n), 0, 0) < 0 || !trusted(fd) {
		_ = syscall.Close(fd) // nothing was said
		return -1
	}
	return fd
}

// trusted reports whether the process at the other end is of the same user, and runs
// the same program. Anybody can take a name that stands in no folder.
func trusted(fd int) bool {
	size := uint32(unsafe.Sizeof(peer))
	return call(syscall.SYS_GETSOCKOPT, uintptr(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED, of(&peer), of(&size)) >= 0 &&
		int(peer.Uid) == syscall.Geteuid() && peer.Pid > 0 && theirs.look(proc(peer.Pid, "exe")) && ours.same(&theirs)
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

// event reads the event, and reports whether that is all of it.
func event() (n int, whole bool) {
	for n <= MaxEvent {
		if !ready(0, pollIn) {
			return n, false
		}
		k, err := syscall.Read(0, room[8+n:])
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
		case err != nil:
			return n, false
		case k == 0:
			return n, true
		default:
			n += k
		}
	}
	return n, false
}

// A pollFd is what ppoll waits for.
type pollFd struct {
	fd            int32
	events, found int16
}

const (
	pollIn  = 1
	pollOut = 4
)

// ready waits until there is something to read, or room to write.
func ready(fd int32, what int16) bool {
	for {
		poll, until = pollFd{fd: fd, events: what}, syscall.Timespec{Sec: eventTime}
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&until)), 0, 0, 0)
		if errno != syscall.EINTR {
			return errno == 0 && n == 1
		}
	}
}

// send sends the event, and behind it the arguments.
func send(fd int, args []byte, size int) bool {
	n := len(args)
	room[0], room[1], room[2], room[3] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
	room[4], room[5], room[6], room[7] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return write(fd, room[:8+size]) == nil && write(fd, args) == nil
}

func write(fd int, text []byte) error {
	for len(text) > 0 {
		k, err := syscall.Write(fd, text)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && fd == 1: // the agent may not wait in its own calls
			if !ready(1, pollOut) {
				return err
			}
		case err != nil:
			return err
		default:
			text = text[k:]
		}
	}
	return nil
}

// answer is what the resident process answers; nil if it does not.
func answer(fd int) []byte {
	got := 0
	for {
		k, err := syscall.Read(fd, reply[got:])
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN: // it hangs, or was stopped: the next hook shall not wait for it, too
			if peer.Pid > 1 {
				_ = syscall.Kill(int(peer.Pid), syscall.SIGKILL) // it may have ended
			}
			return nil
		case err != nil || k == 0 || reply[0] != Answered:
			return nil
		}
		if got += k; got < 5 {
			continue
		}
		switch size := int(reply[1])<<24 | int(reply[2])<<16 | int(reply[3])<<8 | int(reply[4]); {
		case size > len(reply)-5 || got > 5+size:
			return nil
		case got == 5+size:
			return reply[5:got]
		}
	}
}

// tell gives the answer to the agent, and ends the program.
func tell(answer []byte) {
	if write(1, answer) != nil {
		syscall.Exit(2) // as when the program decides by itself: that blocks the call
	}
	syscall.Exit(0)
}
