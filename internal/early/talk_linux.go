//go:build amd64 || arm64

package early

import (
	"syscall"
	"unsafe"

	"github.com/sayso-dev/sayso/internal/early/form"
)

// event reads the event, until the time is over, and reports whether that is all of it.
func event() (n int, whole bool) {
	for n <= form.MaxEvent {
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

// ready waits until there is something to read, or room to write. The system takes the
// time for that off until.
func ready(fd int32, what int16) bool {
	for {
		poll = pollFd{fd: fd, events: what}
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&until)), 0, 0, 0)
		if errno != syscall.EINTR {
			return errno == 0 && n == 1
		}
	}
}

// A message is sent with an open file.
type message struct {
	head syscall.Msghdr
	text syscall.Iovec
	file struct {
		syscall.Cmsghdr
		fd int32
		_  int32
	}
}

// send sends the event with the key, and behind it the arguments.
func send(fd, key int, args []byte, size int) bool {
	n := len(args)
	room[0], room[1], room[2], room[3] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
	room[4], room[5], room[6], room[7] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	first.text.Base, first.text.Len = &room[0], uint64(8+size)
	first.file.Level, first.file.Type, first.file.fd = syscall.SOL_SOCKET, syscall.SCM_RIGHTS, int32(key)
	first.file.Len = uint64(unsafe.Offsetof(first.file.fd) + unsafe.Sizeof(first.file.fd))
	first.head.Iov, first.head.Iovlen = &first.text, 1
	first.head.Control, first.head.Controllen = (*byte)(unsafe.Pointer(&first.file)), uint64(unsafe.Sizeof(first.file))
	sent := call(syscall.SYS_SENDMSG, uintptr(fd), of(&first.head), syscall.MSG_NOSIGNAL, 0, 0)
	return sent > 0 && write(fd, room[sent:8+size]) == nil && write(fd, args) == nil
}

func write(fd int, text []byte) error {
	for len(text) > 0 {
		k, err := syscall.Write(fd, text)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && fd == 1: // the agent may not wait in its own calls
			if until.Sec, until.Nsec = eventTime, 0; !ready(1, pollOut) {
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
		case err != nil || k == 0 || reply[0] != form.Answered:
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
