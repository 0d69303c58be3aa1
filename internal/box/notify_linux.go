package box

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// supervised are the system calls that somebody outside decides about, by the word that
// the step Supervise has for them.
var supervised = map[string][]uint32{
	"exec":    {unix.SYS_EXECVE, unix.SYS_EXECVEAT},
	"connect": {unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG},
}

// supervise lets the system calls of the command wait for somebody outside, who is
// passed what they are told through. It concerns this thread and the processes that
// it starts; this process keeps nothing of it, so that calls fail when the other side
// has gone.
func (s *stage) supervise() error {
	if len(s.watched) == 0 {
		return nil
	}
	p := &program{}
	p.load(atCall)
	for _, kind := range s.watched {
		calls, ok := supervised[kind]
		if !ok {
			return fmt.Errorf("nobody can decide about %q", kind)
		}
		for _, call := range calls {
			if call == unix.SYS_SENDTO {
				p.when(call, withAddress)
				continue
			}
			p.when(call, func(p *program) { p.answer(unix.SECCOMP_RET_USER_NOTIF) })
		}
	}
	p.answer(unix.SECCOMP_RET_ALLOW)
	filter := unix.SockFprog{Len: uint16(len(*p)), Filter: &(*p)[0]} //nolint:gosec // a few
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&filter)))
	if errno == unix.EINVAL { // the kernel is older: a signal may let a call be told twice
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
		fd, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&filter)))
	}
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	sent := make(chan error)
	go func() { // in a thread for which it does not count
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		sent <- unix.Sendmsg(Watcher, []byte{0}, unix.UnixRights(int(fd)), nil, unix.MSG_NOSIGNAL)
	}()
	return errors.Join(<-sent, unix.Close(int(fd)), unix.Close(Watcher))
}

// withAddress tells of a call only if it names an address.
func withAddress(p *program) {
	const address = atArgs + 4*8
	for _, half := range []uint32{address, address + 4} {
		p.load(half)
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
		p.answer(unix.SECCOMP_RET_USER_NOTIF)
	}
	p.answer(unix.SECCOMP_RET_ALLOW)
}
