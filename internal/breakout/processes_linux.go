package breakout

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// processes are attempts to reach other processes, and what they have.
var processes = []attempt{
	{"parent-root", func(a args) error {
		return put(unix.AT_FDCWD, "/proc/"+itoa(unix.Getppid())+"/root"+a.at(0), unix.O_WRONLY)
	}},
	{"parent-environ", func(args) error { _, err := os.ReadFile("/proc/" + itoa(unix.Getppid()) + "/environ"); return err }},
	{"parent-mem", func(args) error { return opened("/proc/"+itoa(unix.Getppid())+"/mem", unix.O_RDWR) }},
	{"parent-trace", func(args) error { return trace(unix.Getppid()) }},
	{"trace", func(a args) error { return trace(a.number(0)) }},
	{"kill", func(a args) error { return unix.Kill(a.number(0), 0) }},
	{"vm-read", vmRead},
	{"take-descriptor", takeDescriptor},
	{"prlimit", func(a args) error { return unix.Prlimit(a.number(0), unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) }},
	{"priorities", func(args) error { // of all in its group, which is itself if that can be
		_ = unix.Setpgid(0, 0)
		own, err := unix.Getpriority(unix.PRIO_PGRP, 0)
		if err != nil {
			return err
		}
		return unix.Setpriority(unix.PRIO_PGRP, 0, 20-own)
	}},
	{"affinity", func(a args) error { return unix.SchedGetaffinity(a.number(0), &unix.CPUSet{}) }},
	{"session-of", func(a args) error { _, err := unix.Getsid(a.number(0)); return err }},
	{"env", func(a args) error {
		if os.Getenv(a.at(0)) == "" {
			return errHeld
		}
		return nil
	}},
	{"descriptor", func(a args) error { _, err := unix.Write(a.number(0), []byte(text)); return err }},
	{"descriptors", anyDescriptor},
	{"stdin-again", func(args) error { return put(unix.AT_FDCWD, "/proc/self/fd/0", unix.O_WRONLY) }},
	{"stdin-mode", func(args) error { return unix.Fchmod(0, 0o606) }},
	{"stdin-time", func(args) error { return unix.Futimes(0, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }},
	{"stdin-connect", func(a args) error {
		return answered(0, &unix.SockaddrInet4{Port: a.number(0), Addr: [4]byte{127, 0, 0, 1}}, a.at(1) == "ask")
	}},
	{"stdin-unix", func(a args) error { return unix.Sendto(0, []byte("?"), 0, &unix.SockaddrUnix{Name: a.at(0)}) }},
	{"received", received},
	{"shared-memory", sharedMemory},
	{"message-queue", messageQueue},
}

// trace attaches to a process and lets it go.
func trace(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return err
	}
	return nil // it is let go when this process ends
}

// vmRead reads a byte of another process.
func vmRead(a args) error {
	address, err := strconv.ParseUint(a.at(1), 10, 64)
	if err != nil {
		return err
	}
	var b [1]byte
	_, err = unix.ProcessVMReadv(a.number(0), []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: uintptr(address), Len: 1}}, 0)
	return err
}

// takeDescriptor takes a descriptor of another process.
func takeDescriptor(a args) error {
	pid, err := unix.PidfdOpen(a.number(0), 0)
	if err != nil {
		return err
	}
	_, err = unix.PidfdGetfd(pid, a.number(1), 0)
	return err
}

// anyDescriptor looks for a descriptor that was left open.
func anyDescriptor(args) error {
	for fd := 3; fd < 1024; fd++ {
		target, err := os.Readlink("/proc/self/fd/" + itoa(fd))
		if err == nil && strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "/proc/") && !strings.HasPrefix(target, "/sys/fs/cgroup/") { // the runtime has those open itself
			return nil
		}
	}
	return errHeld
}

// received takes a descriptor of a folder that it is sent, and writes to a file there.
func received(a args) error {
	buffer, control := make([]byte, 16), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(0, buffer, control, 0)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) == 0 {
		return errors.Join(err, errHeld)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	return put(fds[0], a.at(0), unix.O_WRONLY)
}

// sharedMemory looks for memory that is shared under a key.
func sharedMemory(a args) error {
	_, err := unix.SysvShmGet(a.number(0), 1, 0)
	return err
}

// messageQueue opens a queue by its name.
func messageQueue(a args) error {
	name, err := unix.BytePtrFromString(a.at(0))
	if err != nil {
		return err
	}
	if _, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_RDONLY, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
