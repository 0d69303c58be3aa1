package box

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Needed are the capabilities in its own user namespace that sayso-box is started
// with, to build the view.
var Needed = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_NET_BIND_SERVICE, unix.CAP_DAC_OVERRIDE, unix.CAP_SYS_RESOURCE, unix.CAP_FOWNER, unix.CAP_CHOWN}

// What capset is given; it stays where it is while every thread reads it.
var (
	capHead   = unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	noCaps    [2]unix.CapUserData
	mountCaps = [2]unix.CapUserData{{Effective: mounting, Permitted: mounting}}
)

// mounting is what mounts need, and what it takes to give that up.
const mounting = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SETPCAP

// keepMounting gives up every capability but those for mounts, in every thread. The
// thread that starts commands gives them up, too.
func keepMounting() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient set: %w", err)
	}
	return everywhere(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&capHead)), uintptr(unsafe.Pointer(&mountCaps)), 0)
}

// dropRights gives up every capability, for good. What a program gets when it is
// started concerns this thread alone, which starts the command; what there is now,
// all of them.
func dropRights() error { return drop(everywhere) }

// dropRightsHere does the same in this thread alone.
func dropRightsHere() error { return drop(here) }

func drop(call func(call, a, b, c uintptr) error) error {
	for c := uintptr(0); c <= 63; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // the kernel knows no more of them
		} else if err != nil {
			return fmt.Errorf("bounding set: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient set: %w", err)
	}
	if err := call(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&capHead)), uintptr(unsafe.Pointer(&noCaps)), 0); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// everywhere makes a system call in every thread. Where the program is linked with C
// code, which the one that is installed is not, only in this one, which starts the
// command.
func everywhere(call, a, b, c uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall6(call, a, b, c, 0, 0, 0)
	if errno == syscall.ENOTSUP {
		return here(call, a, b, c)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// here makes a system call in this thread.
func here(call, a, b, c uintptr) error {
	if _, _, errno := syscall.RawSyscall6(call, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// loopbackUp lets the processes inside reach each other through 127.0.0.1.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was sent
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// secondAddress gives the loopback an address beside 127.0.0.1: where a machine has only
// that one, many programs do not look names up at all.
func secondAddress() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was sent
	request, err := unix.NewIfreq("lo:1")
	if err != nil {
		return err
	}
	if err := request.SetInet4Addr([]byte{127, 64, 0, 0}); err != nil {
		return err
	}
	return unix.IoctlIfreq(fd, unix.SIOCSIFADDR, request)
}
