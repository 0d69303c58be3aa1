package box

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// run starts the command, and returns when it has ended. Everything that it has
// started ends with this process.
func (s *stage) run() int {
	file, ok := s.wait()
	if !ok {
		return failed
	}
	unix.Umask(s.umask)
	attr := &syscall.ProcAttr{Dir: s.dir, Env: s.env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: s.session}}
	child, err := syscall.ForkExec(file, s.argv, attr)
	if err != nil {
		s.tell(s.cannot(file, err)...)
		return failed
	}
	_ = unix.Setpgid(0, 0) // what is typed is for the command, and not for this process
	s.tell(Ready, strconv.Itoa(s.abi))
	go s.watch(child)
	if s.tries != nil {
		go s.tries.follow()
	}
	if len(s.limits) > 0 {
		go s.count()
	}
	return s.reap(child)
}

// wait finds the program, tells that all is prepared, and waits until it may begin.
func (s *stage) wait() (file string, ok bool) {
	file, err := s.program()
	if err != nil {
		s.tell(NotFound, err.Error())
		return "", false
	}
	s.tell(Prepared)
	orders, err := Receive(s.orders)
	return file, err == nil && len(orders) == 1 && len(orders[0]) == 1 && orders[0][0] == Go
}

// cannot says that a program could not be started.
func (s *stage) cannot(file string, err error) Step {
	kind := CannotDo
	if errors.Is(err, unix.ENOENT) {
		kind = NotFound
	}
	return Step{kind, fmt.Sprintf("run %s in %s: %v", file, s.dir, err)}
}

// program finds the program as the command would: in the search path of its own
// environment, inside the view.
func (s *stage) program() (string, error) {
	name := s.argv[0]
	if strings.Contains(name, "/") {
		return name, nil
	}
	search := ""
	for _, v := range s.env {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			search = rest
		}
	}
	for dir := range strings.SplitSeq(search, ":") {
		if !strings.HasPrefix(dir, "/") {
			continue // the folder it works in is not for programs
		}
		file := dir + "/" + name
		var stat unix.Stat_t
		if unix.Stat(file, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG && unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in the search path %q", name, search)
}

// watch passes on what it is told, and ends everything when there is nobody any more
// who could tell something, or when something is not protected any more.
func (s *stage) watch(child int) {
	fds := []unix.PollFd{{Fd: Orders, Events: unix.POLLIN}, {Fd: int32(s.mounts), Events: unix.POLLPRI}} //nolint:gosec // a descriptor
	for {
		if _, err := unix.Poll(fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			s.tell(Lost, err.Error())
			os.Exit(failed)
		}
		if fds[1].Revents != 0 {
			if gone, err := s.gone(); err != nil || gone != "" {
				s.tell(Lost, gone)
				os.Exit(failed)
			}
		}
		if fds[0].Revents != 0 {
			orders, err := Receive(s.orders)
			if err != nil {
				os.Exit(failed)
			}
			obey(orders, child)
		}
	}
}

// obey passes on what it is told.
func obey(orders []Step, child int) {
	for _, o := range orders {
		switch {
		case len(o) == 2 && o[0] == Signal:
			if n, err := strconv.Atoi(o[1]); err == nil {
				_ = unix.Kill(child, syscall.Signal(n)) // it may have ended
			}
		case len(o) == 1 && o[0] == End:
			_ = unix.Kill(-1, unix.SIGTERM) // all but this one
			_ = unix.Kill(-1, unix.SIGCONT) // who is stopped does not hear it
		}
	}
}

// reap waits for the command, and for whoever was left to the first process.
func (s *stage) reap(child int) int {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			s.tell(Failed, "wait", err.Error())
			return failed
		case pid == child:
			s.tries.drain()
			s.readOn()
			s.tell(endOf(status)...)
			return 0
		}
	}
}

// endOf is how the command has ended.
func endOf(status unix.WaitStatus) Step {
	if status.Signaled() {
		return Step{Killed, strconv.Itoa(int(status.Signal()))}
	}
	return Step{Exited, strconv.Itoa(status.ExitStatus())}
}
