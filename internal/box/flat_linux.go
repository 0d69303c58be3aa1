package box

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Flat is what the program sayso-box does where there can be no namespaces: it gives up
// every right, lets Landlock and a filter of system calls hold what they can, and runs
// the command as its child. What the command leaves behind comes to this process, which
// ends it; nothing else ends it.
func Flat() int {
	runtime.LockOSThread() // as in Main
	debug.SetGCPercent(-1)
	orders, messages := os.NewFile(Orders, "orders"), os.NewFile(Messages, "messages")
	steps, err := Receive(orders)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sayso-box: error: this is a part of sayso run, which starts it")
		return failed
	}
	f := flat{stage{orders: orders, messages: messages, mounts: -1}}
	if step, err := f.prepare(steps); err != nil {
		f.tell(Failed, step, err.Error())
		return failed
	}
	return f.run()
}

// A flat is a stage without namespaces.
type flat struct{ stage }

func (f *flat) prepare(steps []Step) (step string, err error) {
	if err := f.begin(); err != nil {
		return "descriptors", err
	}
	for _, st := range steps {
		if err := f.take(st); err != nil {
			return st[0], err
		}
	}
	f.filter.flat = true
	for _, next := range []struct {
		name string
		do   func() error
	}{
		{"orphans", func() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }},
		{"landlock", f.restrict},
		{"limits", f.setLimits},
		{"capabilities", flatRights},
		{"seccomp", f.filter.install},
	} {
		if err := next.do(); err != nil {
			return next.name, err
		}
	}
	return "", nil
}

// flatRights gives up every capability. Without a user namespace only root has some to
// begin with; nobody can get one by starting a program.
func flatRights() error {
	if os.Getuid() == 0 {
		return dropRights()
	}
	if err := everywhere(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&capHead)), uintptr(unsafe.Pointer(&noCaps)), 0); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// run starts the command, and returns when it and all that it has left have ended.
func (f *flat) run() int {
	file, ok := f.wait()
	if !ok {
		return failed
	}
	unix.Umask(f.umask)
	attr := &syscall.ProcAttr{Dir: f.dir, Env: f.env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: f.session, Pdeathsig: syscall.SIGKILL}}
	child, err := syscall.ForkExec(file, f.argv, attr)
	if err != nil {
		f.tell(map[bool]string{true: NotFound, false: CannotDo}[errors.Is(err, unix.ENOENT)], fmt.Sprintf("run %s in %s: %v", file, f.dir, err))
		return failed
	}
	_ = unix.Setpgid(0, 0) // what is typed is for the command, and not for this process
	f.tell(Ready, strconv.Itoa(f.abi))
	go f.obey(child)
	status := f.reap(child)
	endAll(collect)
	return status
}

// obey passes on what it is told, and ends everything when nobody is there any more who
// could tell something.
func (f *flat) obey(child int) {
	for {
		orders, err := Receive(f.orders)
		if err != nil {
			if !endAll(func() {}) { // run waits for them, and tells how the command has ended
				os.Exit(failed)
			}
			return
		}
		for _, o := range orders {
			switch {
			case len(o) == 2 && o[0] == Signal:
				if n, err := strconv.Atoi(o[1]); err == nil {
					_ = unix.Kill(child, syscall.Signal(n)) // it may have ended
				}
			case len(o) == 1 && o[0] == End:
				for _, pid := range descendants() {
					_ = unix.Kill(pid, unix.SIGTERM) // as above
					_ = unix.Kill(pid, unix.SIGCONT) // who is stopped does not hear it
				}
			}
		}
	}
}

// endTime is how long it may take until all that was left has ended.
const endTime = 5 * time.Second

// endAll ends all processes below this one, and those that they start meanwhile, and
// calls wait for those that have ended. It reports whether none is left.
func endAll(wait func()) bool {
	for until := time.Now().Add(endTime); time.Now().Before(until); {
		list := descendants()
		if len(list) == 0 {
			return true
		}
		for _, pid := range list {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
		}
		wait()
		time.Sleep(time.Millisecond)
	}
	return false
}

// collect waits for those that have ended and were left to this process.
func collect() {
	for {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != nil || pid <= 0 {
			return
		}
	}
}

// descendants are the processes below this one, whoever has started them.
func descendants() (out []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parents := map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has just ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 {
			parents[pid], _ = strconv.Atoi(fields[1]) // the kernel writes numbers
		}
	}
	self := os.Getpid()
	for pid := range parents {
		for up, n := parents[pid], 0; up > 1 && n < len(parents); up, n = parents[up], n+1 {
			if up == self {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}
