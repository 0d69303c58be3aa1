package box

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keep runs commands one after the other, for as long as there is somebody who may
// send some.
//
// This thread keeps the right to mount: paths that are not there are protected only
// while a command runs, as what holds their place is gone at other times. Commands are
// started by another thread, which gives up every right before the first one.
func (s *stage) keep() int {
	debug.SetGCPercent(100) // it lives as long as a session
	ended, asked := make(chan int), make(chan func())
	s.privileged = func(do func() error) (err error) {
		done := make(chan struct{})
		asked <- func() { err = do(); close(done) }
		<-done
		return err
	}
	go func() {
		runtime.LockOSThread() // for good: no other work may have the rights of this thread
		ended <- s.serve()
	}()
	for {
		select {
		case do := <-asked:
			do()
		case code := <-ended:
			return code
		}
	}
}

// serve waits for commands and runs them. After each one, nothing of it is left, or
// this is the end.
func (s *stage) serve() int {
	step, err := inTurn([]part{{"traces", s.findTraces}, {"landlock", s.restrict}, {"capabilities", dropRightsHere}, {"seccomp", s.filter.installHere}})
	if err != nil {
		s.tell(Failed, step, err.Error())
		return failed
	}
	s.look()
	s.held = map[uint64]bool{}
	unix.Umask(s.umask)
	s.tell(Ready, strconv.Itoa(s.abi))
	for {
		channel, err := s.next()
		if err != nil {
			return failed // nobody is there any more
		}
		ok := s.one(channel)
		_ = channel.Close() // all was told
		if !ok {
			return failed // with this process, all that is left of the command ends
		}
		if why := s.left(); why != "" {
			s.tell(Spent, why)
			return 0
		}
		s.tell(Idle)
	}
}

// next waits for the channel of the next command.
func (s *stage) next() (*os.File, error) {
	fds := []unix.PollFd{{Fd: int32(s.mounts), Events: unix.POLLPRI}, {Fd: Orders, Events: unix.POLLIN}} //nolint:gosec // a descriptor
	for {
		if err := poll(fds, -1); err != nil {
			return nil, err
		}
		if fds[0].Revents != 0 {
			s.checkMounts()
		}
		if fds[1].Revents != 0 {
			got, _, err := receiveFiles(Orders, make([]byte, 1), 1)
			if err != nil {
				return nil, err
			}
			return os.NewFile(uintptr(got[0]), "channel"), nil
		}
	}
}

// poll is that of the kernel, but for interruptions.
func poll(fds []unix.PollFd, timeout int) error {
	for {
		_, err := unix.Poll(fds, timeout)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// shortTime is how long a command is waited for without the runtime knowing: many take no
// longer, and it would hand this thread's work to another one, and take it back.
const shortTime = 3 * time.Millisecond

// pollSoon waits for a short time.
func pollSoon(fds []unix.PollFd) {
	until := unix.NsecToTimespec(int64(shortTime))
	_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(&until)), 0, 0, 0) // poll looks again
}

// checkMounts ends everything if something is not protected any more.
func (s *stage) checkMounts() {
	if gone, err := s.gone(); err != nil || gone != "" {
		s.tell(Lost, gone)
		os.Exit(failed)
	}
}

var errFiles = errors.New("it came without descriptors")

// receiveFiles receives descriptors, with the first of a text.
func receiveFiles(socket int, text []byte, n int) (files []int, size int, err error) {
	control := make([]byte, unix.CmsgSpace(4*n))
	size, more, _, _, err := unix.Recvmsg(socket, text, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, 0, err
	}
	if size == 0 {
		return nil, 0, unix.EPIPE
	}
	parts, err := unix.ParseSocketControlMessage(control[:more])
	if err != nil || len(parts) != 1 {
		return nil, 0, errors.Join(errFiles, err)
	}
	files, err = unix.ParseUnixRights(&parts[0])
	if err != nil || len(files) != n {
		return nil, 0, errors.Join(errFiles, err)
	}
	return files, size, nil
}

// firstRead is how much is read of a command at once: most are shorter.
const firstRead = 32 << 10

// one runs one command, and reports whether all of it has ended. Where whoever sent it
// has gone before it was started, there is nothing to run.
func (s *stage) one(channel *os.File) bool {
	if s.text == nil {
		s.text = make([]byte, firstRead)
	}
	pollSoon([]unix.PollFd{{Fd: int32(channel.Fd()), Events: unix.POLLIN}}) //nolint:gosec // a descriptor
	files, n, err := receiveFiles(int(channel.Fd()), s.text, Files)
	if err != nil {
		return errors.Is(err, unix.EPIPE)
	}
	steps, err := Receive(io.MultiReader(bytes.NewReader(s.text[:n]), channel))
	if err != nil {
		closeAll(files)
		return true
	}
	place, fixed := s.messages, len(s.guards)
	s.messages = channel
	told := s.command(channel, steps, files)
	s.messages = place
	if !s.endAll() {
		return false
	}
	s.guards = s.guards[:fixed]
	if roots := s.roots; len(roots) > 0 {
		s.roots = nil
		_ = s.privileged(func() error { return unmount(roots) }) // if one stays, the place is not as it was
	}
	s.tell(Ending)
	_ = Send(channel, told) // whoever has sent it may have gone
	return true
}

func closeAll(files []int) {
	for _, fd := range files {
		_ = unix.Close(fd) // what was written through it was written by others
	}
}

// command runs one command, and returns what is to be told of its end.
func (s *stage) command(channel *os.File, steps []Step, files []int) Step {
	child, process, why := s.launch(steps, files)
	closeAll(files) // whoever reads what it writes waits for that
	if why != nil {
		return why
	}
	defer unix.Close(process) //nolint:errcheck // it was only looked at
	return s.attend(channel, child, process)
}

// launch starts a command, or returns why it cannot be started.
func (s *stage) launch(steps []Step, files []int) (child, process int, why Step) {
	s.dir, s.env, s.argv = "/", nil, nil
	var mounted []Step
	for _, st := range steps {
		err := errMessage
		switch st[0] {
		case Protect:
			if err = nil; s.protected(st[1]) {
				s.guards = append(s.guards, st[1])
			} else {
				mounted = append(mounted, st)
			}
		case Pin:
			mounted, err = append(mounted, st), nil
		case Dir, Env, Argv:
			err = s.take(st)
		}
		if err != nil {
			return 0, 0, Step{Failed, st[0], err.Error()}
		}
	}
	if len(mounted) > 0 { // all at once: each time, two threads wait for each other
		if err := s.privileged(func() error { return s.cover(mounted) }); err != nil {
			return 0, 0, Step{Failed, Protect, err.Error()}
		}
	}
	file, err := s.program()
	if err != nil {
		return 0, 0, Step{NotFound, err.Error()}
	}
	if s.before, err = cpuTime(unix.RUSAGE_CHILDREN); err != nil {
		return 0, 0, Step{Failed, "cpu", err.Error()}
	}
	if _, err := unix.Write(files[3], binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		return 0, 0, Step{Failed, "begin", err.Error()}
	}
	attr := &syscall.ProcAttr{
		Dir: s.dir, Env: s.env, Files: []uintptr{uintptr(files[0]), uintptr(files[1]), uintptr(files[2])},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &process},
	}
	if child, err = syscall.ForkExec(file, s.argv, attr); err != nil {
		return 0, 0, s.cannot(file, err)
	}
	return child, process, nil
}

// cover mounts things on themselves for one command: folders, so that all that is
// mounted in them now can be taken away at once, and what is protected and is there only
// now.
func (s *stage) cover(steps []Step) error {
	for _, st := range steps {
		tree, err := source(st)
		if err != nil {
			return err
		}
		if err := errors.Join(s.attach(tree, st[1]), unix.Close(tree)); err != nil {
			return err
		}
		if st[0] == Pin {
			s.roots = append(s.roots, st[1])
			continue
		}
		s.guards = append(s.guards, st[1])
		goes := slices.ContainsFunc(s.roots, func(root string) bool { return strings.HasPrefix(st[1], strings.TrimSuffix(root, "/")+"/") })
		if id, ok := mountOf(st[1]); ok && !goes { // else it goes with the folder
			s.held[id] = true
		}
	}
	return nil
}

// protected reports whether something is still mounted that has protected a path for an
// earlier command: what holds the path has been moved away and back since. The kernel may
// use a number again, but nothing else is ever mounted on such a path.
func (s *stage) protected(name string) bool {
	id, ok := mountOf(name)
	return ok && s.held[id]
}

// mountOf is the number of what is mounted on a path.
func mountOf(name string) (id uint64, ok bool) {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &stat)
	return stat.Mnt_id, err == nil && stat.Mask&unix.STATX_MNT_ID != 0 && stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// unmount takes away what cover has mounted, with all that is mounted in it. The kernel
// waits for all processors each time, and so it is done once for a folder.
func unmount(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, unix.Unmount(name, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW))
	}
	return err
}

// idlePause is how often it is looked for processes that nobody waits for.
const idlePause = time.Second

// lateTime is after which time it is told that a command still runs: whoever waits for it
// would need a timer, and to set one takes a twentieth of the time that most commands do.
const lateTime = 20*time.Millisecond - shortTime

// attend waits until a command has ended, or is to end.
func (s *stage) attend(channel *os.File, child, process int) Step {
	fds := []unix.PollFd{
		{Fd: int32(s.mounts), Events: unix.POLLPRI}, {Fd: int32(channel.Fd()), Events: unix.POLLIN}, //nolint:gosec // descriptors
		{Fd: int32(process), Events: unix.POLLIN}, {Fd: Orders}, //nolint:gosec // a descriptor
	}
	every := idlePause
	if len(s.limits) > 0 {
		every = pause
	}
	pollSoon(fds)
	began, late := time.Now(), false
	for counted := began; ; {
		timeout := every
		if !late {
			timeout = min(every, lateTime)
		}
		if err := poll(fds, int(timeout.Milliseconds())); err != nil {
			return Step{Failed, "poll", err.Error()}
		}
		if !late && time.Since(began) >= lateTime {
			late = true
			_ = Send(channel, Step{Late}) // whoever has sent it may have gone
		}
		if fds[0].Revents != 0 {
			s.checkMounts()
		}
		if fds[3].Revents != 0 {
			os.Exit(failed) // whoever keeps this place has gone
		}
		if fds[1].Revents != 0 {
			orders, err := Receive(channel)
			if err != nil || len(orders) == 1 && len(orders[0]) == 1 && orders[0][0] == Kill {
				return Step{Killed, strconv.Itoa(int(unix.SIGKILL))}
			}
			obey(orders, child)
		}
		if end := reapSome(child); end != nil {
			return end
		}
		if len(s.limits) > 0 && time.Since(counted) >= pause {
			s.countOnce()
			counted = time.Now()
		}
	}
}

// reapSome waits for those who have ended, and returns how the command did, if it is
// among them.
func reapSome(child int) (end Step) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || pid == 0:
			return end
		case pid == child:
			end = endOf(status)
		}
	}
}

// patience is how long it may take until processes have ended that were killed.
const patience = 2 * time.Second

// endAll ends every process inside but this one. They all are children of this one or
// become that, so that none is left when it has no more children.
func (s *stage) endAll() bool {
	for until := time.Now().Add(patience); time.Now().Before(until); {
		var status unix.WaitStatus
		switch pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil); {
		case errors.Is(err, unix.ECHILD):
			return true
		case pid == 0:
			_ = unix.Kill(-1, unix.SIGKILL) // they may just have ended
			time.Sleep(100 * time.Microsecond)
		}
	}
	return false
}
