package breakout

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limits are attempts to use more than is allowed, and to stay.
var limits = []attempt{
	{"forks", forks},
	{"memory", func(a args) error {
		text, err := unix.Mmap(-1, 0, a.number(0), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return err
		}
		for i := 0; i < len(text); i += 4096 {
			text[i] = 1
		}
		return nil
	}},
	{"shared-pages", func(a args) error {
		text, err := unix.Mmap(-1, 0, a.number(0), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_SHARED)
		if err != nil {
			return err
		}
		for i := 0; i < len(text); i += 4096 {
			text[i] = 1
		}
		time.Sleep(100 * time.Millisecond)
		return nil
	}},
	{"memory-file", func(a args) error {
		fd, err := unix.MemfdCreate("attempt", 0)
		if err != nil {
			return err
		}
		return fill(fd, a.number(0))
	}},
	{"temporary-file", func(a args) error {
		fd, err := unix.Open("/dev/shm", unix.O_TMPFILE|unix.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		return fill(fd, a.number(0))
	}},
	{"cpu", func(a args) error {
		limit := time.Duration(a.number(0)) * time.Second
		for {
			var used unix.Rusage
			if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
				return err
			}
			if time.Duration(used.Utime.Nano()+used.Stime.Nano()) > limit {
				return nil
			}
		}
	}},
	{"flood", func(a args) error {
		line := make([]byte, 4096)
		for n := 0; n < a.number(0); n += len(line) {
			if _, err := os.Stdout.Write(line); err != nil {
				return err
			}
		}
		return nil
	}},
	{"stay", stay},
	{"stay-behind", func(a args) error {
		if err := a.background(a.at(0)); err != nil {
			return err
		}
		time.Sleep(time.Minute)
		return nil
	}},
	{"later", later},
	{"sleep", func(a args) error { time.Sleep(time.Duration(a.number(0)) * time.Millisecond); return nil }},
}

// fill writes so many bytes.
func fill(fd, size int) error {
	block := make([]byte, 1<<20)
	for n := 0; n < size; n += len(block) {
		if _, err := unix.Write(fd, block); err != nil {
			return err
		}
	}
	return nil
}

// forks starts so many processes that live at the same time.
func forks(a args) error {
	var first error
	var pids []int
	for range a.number(0) {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "30"}, &syscall.ProcAttr{})
		if err != nil {
			first = err
			break
		}
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)    // it may have ended
		_, _ = unix.Wait4(pid, nil, 0, nil) // as above
	}
	return first
}

// stay leaves a process behind, and ends.
func stay(a args) error { return a.background(a.at(0)) }

// background starts a process in a session of its own that holds the lock of a file:
// who can take it knows that the process has ended; see [Stayed].
func (a args) background(name string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fd := null.Fd()
	_, err = syscall.ForkExec("/proc/self/exe", []string{"sayso-box", "try", "later", name, a.at(1)}, &syscall.ProcAttr{Files: []uintptr{fd, fd, fd, lock.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return err
	}
	return unix.Flock(int(lock.Fd()), unix.LOCK_EX) // both hold it: the file is opened once
}

// later waits so many milliseconds, or until the file is gone.
func later(a args) error {
	for range a.number(1) / 20 {
		time.Sleep(20 * time.Millisecond)
		if _, err := os.Lstat(a.at(0)); err != nil {
			return err
		}
	}
	return nil
}

// Stayed reports whether a process still lives that an attempt to stay has left
// behind. It ends when the file is removed.
func Stayed(name string) (bool, error) {
	lock, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer lock.Close() //nolint:errcheck // it was only looked at
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
