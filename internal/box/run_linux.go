package box

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// run starts the command, and returns when it has ended. Everything that it has
// started ends with this process.
func (s *stage) run() int {
	file, err := s.program()
	if err != nil {
		s.tell(NotFound, err.Error())
		return failed
	}
	signals := make(chan os.Signal, 8) // those of the terminal are for the command, too, which gets them itself
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGPIPE, unix.SIGALRM)
	unix.Umask(s.umask)
	attr := &syscall.ProcAttr{Dir: s.dir, Env: s.env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: s.session}}
	child, err := syscall.ForkExec(file, s.argv, attr)
	if err != nil {
		s.tell(map[bool]string{true: NotFound, false: CannotDo}[errors.Is(err, unix.ENOENT)], fmt.Sprintf("run %s in %s: %v", file, s.dir, err))
		return failed
	}
	s.tell(Ready, strconv.Itoa(s.abi))
	go s.obey(child)
	if len(s.guards) > 0 {
		go s.watch()
	}
	if len(s.limits) > 0 {
		go s.count()
	}
	return s.reap(child)
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

// obey passes on what it is told, and ends everything when there is nobody any more
// who could tell something.
func (s *stage) obey(child int) {
	for {
		orders, err := Receive(s.orders)
		if err != nil {
			os.Exit(failed)
		}
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
}

// watch ends everything when something is not protected any more.
func (s *stage) watch() {
	fds := []unix.PollFd{{Fd: int32(s.mounts.Fd()), Events: unix.POLLPRI}} //nolint:gosec // a descriptor
	for {
		if gone, err := s.gone(); err != nil || gone != "" {
			s.tell(Lost, gone)
			os.Exit(failed)
		}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			s.tell(Lost, err.Error())
			os.Exit(failed)
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
		case pid == child && status.Exited():
			s.tell(Exited, strconv.Itoa(status.ExitStatus()))
			return 0
		case pid == child && status.Signaled():
			s.tell(Killed, strconv.Itoa(int(status.Signal())))
			return 0
		}
	}
}
