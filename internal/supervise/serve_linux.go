package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notice is a system call that waits, as the kernel tells it.
type notice struct {
	id    uint64
	pid   uint32 // of the thread
	flags uint32
	call  int32
	arch  uint32
	at    uint64
	args  [6]uint64
}

// An answer is what the kernel does with it.
type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// Take receives the descriptor through which calls are told.
func Take(socket int) (listener int, err error) {
	var text [1]byte
	control := make([]byte, unix.CmsgSpace(4))
	n, more, _, _, err := unix.Recvmsg(socket, text[:], control, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return -1, errors.Join(errors.New("nothing came to supervise"), err)
	}
	parts, err := unix.ParseSocketControlMessage(control[:more])
	if err != nil || len(parts) != 1 {
		return -1, errors.Join(errors.New("no descriptor came to supervise"), err)
	}
	fds, err := unix.ParseUnixRights(&parts[0])
	if err != nil || len(fds) != 1 {
		return -1, errors.Join(errors.New("no descriptor came to supervise"), err)
	}
	return fds[0], nil
}

// Serve answers until no process is left that could ask. The first program is the one
// that was approved, and is started.
func (s *Supervisor) Serve(ctx context.Context, listener int) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	for first := true; ; {
		if _, err := unix.Poll(fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return err
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			return nil // all have ended
		}
		n := new(notice)
		if errno := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)); errno != 0 {
			if errno == unix.ENOENT || errno == unix.EINTR { // who waited has gone
				continue
			}
			return fmt.Errorf("receive a call: %w", errno)
		}
		if first {
			first = false
			send(listener, answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
			continue
		}
		all.Go(func() { send(listener, s.answer(ctx, listener, n)) })
	}
}

func ioctl(fd int, request uintptr, data unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(data))
	return errno
}

// send answers. If it fails, nobody waits any more.
func send(listener int, a answer) {
	_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
}

// answer decides about a call.
func (s *Supervisor) answer(ctx context.Context, listener int, n *notice) answer {
	still := func() bool { return ioctl(listener, idValid, unsafe.Pointer(&n.id)) == 0 }
	refuse := answer{id: n.id, errno: -int32(unix.EPERM)} // with EACCES, many would go on and look elsewhere
	switch n.call {
	case unix.SYS_EXECVE, unix.SYS_EXECVEAT:
		p, err := readProgram(n)
		goOn := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		switch {
		case errors.Is(err, errMissing):
			return goOn // and fail: many look for a program in one folder after the other
		case !still():
			return refuse
		}
		p.Unread = err
		if s.Exec(ctx, p) != nil || err != nil {
			return refuse
		}
		return goOn
	case unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG:
		socket, err := socketOf(n)
		if err != nil || !still() {
			return answer{id: n.id, errno: -int32(unix.EBADF)}
		}
		defer unix.Close(socket) //nolint:errcheck // the process has it, too
		m := messenger{s: s, ctx: ctx, n: n, socket: socket}
		value, err := m.do()
		if err != nil {
			return answer{id: n.id, errno: -int32(errnoOf(err))}
		}
		return answer{id: n.id, value: value}
	}
	return refuse
}

func errnoOf(err error) unix.Errno {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return unix.EACCES
}

// idValid asks whether a call still waits.
const idValid = 0x40082102
