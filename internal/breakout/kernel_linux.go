package breakout

import (
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernel are attempts to get rights, or to reach parts of the kernel that could give
// some.
var kernel = []attempt{
	{"user-namespace", func(args) error { return inSpaces(unix.CLONE_NEWUSER) }},
	{"user-and-mounts", func(args) error { return inSpaces(unix.CLONE_NEWUSER | unix.CLONE_NEWNS) }},
	{"unshare", func(args) error { return unix.Unshare(unix.CLONE_FS | unix.CLONE_SYSVSEM) }},
	{"setns", func(args) error {
		fd, err := unix.Open("/proc/self/ns/uts", unix.O_RDONLY, 0)
		return then(err, unix.Setns(fd, unix.CLONE_NEWUTS))
	}},
	{"mount", func(a args) error {
		if err := unix.Mount("none", a.at(0), "tmpfs", 0, "size=4k"); err != nil {
			return err
		}
		return unix.Unmount(a.at(0), unix.MNT_DETACH)
	}},
	{"remount", func(args) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RELATIME, "") }},
	{"fsopen", func(args) error { _, err := unix.Fsopen("tmpfs", 0); return err }},
	{"open-tree", func(a args) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, a.at(0), unix.OPEN_TREE_CLOEXEC)
		return err
	}},
	{"chroot", func(a args) error { return unix.Chroot(a.at(0)) }},
	{"keyring", func(args) error {
		_, err := unix.AddKey("user", "sayso-attempt", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}},
	{"io-uring", func(args) error {
		var params [120]byte
		return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	}},
	{"bpf", func(args) error {
		attr := [32]uint32{2, 4, 4, 1} // a small array
		return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	}},
	{"perf", func(args) error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}, 0, -1, -1, 0)
		return err
	}},
	{"userfaultfd", func(args) error { return call(unix.SYS_USERFAULTFD, 1, 0, 0) }},
	{"handle", func(a args) error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a.at(0), 0); return err }},
	{"by-handle", func(a args) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a.at(0), 0)
		if err != nil {
			return err
		}
		dir, err := unix.Open(a.at(1), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_WRONLY)
		return err
	}},
	{"hostname", func(args) error {
		name, err := os.Hostname()
		return then(err, unix.Sethostname([]byte(name)))
	}},
	{"kcmp", func(args) error { return call(unix.SYS_KCMP, uintptr(unix.Getpid()), uintptr(unix.Getpid()), 1) }},
	{"fanotify", func(args) error { _, err := unix.FanotifyInit(unix.FAN_REPORT_FID, 0); return err }},
	{"setuid", func(a args) error { return syscall.Setuid(a.number(0)) }},
	{"setgroups", func(args) error { return syscall.Setgroups(nil) }},
	{"capabilities", capabilities},
	{"rights-by-exec", func(a args) error {
		return spawn(a.at(0), []string{"sayso-box", "try", "is-other-user", itoa(unix.Getuid())}, 0)
	}},
	{"is-other-user", func(a args) error {
		if unix.Geteuid() == a.number(0) {
			return errHeld
		}
		return nil
	}},
	{"type-for-you", func(args) error {
		var c byte = '\n'
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	}},
}

func call(number, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(number, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// inSpaces starts a process in namespaces of its own.
func inSpaces(flags uintptr) error {
	return spawn("/proc/self/exe", []string{"sayso-box", "try", "nothing"}, flags)
}

// spawn runs a program, and returns an error if it fails.
func spawn(file string, argv []string, flags uintptr) error {
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Cloneflags: flags}}
	pid, err := syscall.ForkExec(file, argv, attr)
	if err != nil {
		return err
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	if status.ExitStatus() != Out {
		return errHeld
	}
	return nil
}

// capabilities looks for rights that are left.
func capabilities(args) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); strings.HasPrefix(name, "Cap") && strings.Trim(value, "0\t\n ") != "" {
			return nil
		}
	}
	return errHeld
}
