package box

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// A trace is something that a command may leave behind in a kept place: it must look
// as it did before the first command, or the place is not used again.
type trace struct {
	name string
	now  func() string
	was  string
}

// look remembers how everything looks before the first command.
func (s *stage) look() {
	for i := range s.traces {
		s.traces[i].was = s.traces[i].now()
	}
}

// left names something that the last command has left behind; empty: nothing.
func (s *stage) left() string {
	for _, t := range s.traces {
		if t.now() != t.was {
			return t.name
		}
	}
	return ""
}

// findTraces opens what is looked at later, when nothing can be opened any more.
func (s *stage) findTraces() error {
	for _, name := range s.writes {
		if !s.empty[name] { // what people have written is there, too
			continue
		}
		fd, err := s.at(name, unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := s.traceFolder("something in "+name, fd); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, fd := range s.uppers {
		if err := s.traceFolder("something in a folder of scratch", fd); err != nil {
			return err
		}
	}
	for _, name := range []string{"/dev/pts", "/dev/pts/ptmx"} {
		if fd, err := s.at(name, unix.O_PATH); err == nil {
			s.trace("another mode of "+name, func() string { return modeNow(fd) })
		}
	}
	for _, kind := range []string{"shm", "sem", "msg"} {
		if fd, err := unix.Open("/proc/sysvipc/"+kind, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil { // else the kernel has none
			s.trace("something that processes share ("+kind+")", func() string { return textNow(fd) })
		}
	}
	if err := s.findQueues(); err != nil {
		return err
	}
	for _, name := range []string{"/proc/net/sockstat", "/proc/net/sockstat6"} {
		if fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil && s.ownNetwork {
			s.trace("a connection", func() string { return socketsNow(textNow(fd)) })
		}
	}
	s.trace("limits of the first process", limitsNow)
	s.trace("the first process has used up its time", s.timeNow)
	return nil
}

func (s *stage) trace(name string, now func() string) {
	s.traces = append(s.traces, trace{name: name, now: now})
}

// traceFolder looks at a folder, and at those in it that are there before the first
// command, as what others are mounted on below it. What is mounted is not looked at.
func (s *stage) traceFolder(name string, fd int) error {
	s.trace(name, func() string { return folderNow(fd) })
	names, err := namesIn(fd)
	if err != nil {
		return err
	}
	for _, base := range names {
		inner, err := unix.Openat2(fd, base, &unix.OpenHow{
			Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
		})
		switch {
		case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		case err != nil:
			return err
		default:
			if err := s.traceFolder(name, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// findQueues opens the list of message queues, which has no other path.
func (s *stage) findQueues() error {
	var fd int
	err := s.privileged(func() error {
		tree, err := newFS("mqueue", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, nil)
		if err != nil {
			return err
		}
		fd, err = unix.Openat(tree, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return errors.Join(err, unix.Close(tree))
	})
	switch {
	case errors.Is(err, unix.ENODEV):
		return nil // the kernel has none
	case err != nil:
		return fmt.Errorf("mqueue: %w", err)
	}
	s.trace("a message queue", func() string { return folderNow(fd) })
	return nil
}

// unknown is how something looks that cannot be looked at: never as before.
func unknown(err error) string { return fmt.Sprintf("%v at %d", err, nextLook()) }

var looks int

func nextLook() int { looks++; return looks }

// folderNow is what is in a folder, with its mode, owner and attributes.
func folderNow(fd int) string {
	names, err := namesIn(fd)
	if err != nil {
		return unknown(err)
	}
	attributes := make([]byte, 4<<10)
	n, err := unix.Flistxattr(fd, attributes)
	if err != nil && !errors.Is(err, unix.ENOTSUP) {
		return unknown(err)
	}
	return modeNow(fd) + strings.Join(names, "/") + "\n" + string(attributes[:max(n, 0)])
}

// namesIn is the first of what is in a folder, which is more than is there before a
// command.
func namesIn(fd int) ([]string, error) {
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return nil, err
	}
	entries := make([]byte, 4<<10)
	n, err := unix.ReadDirent(fd, entries)
	if err != nil {
		return nil, err
	}
	_, _, names := unix.ParseDirent(entries[:n], -1, nil)
	return names, nil
}

func modeNow(fd int) string {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return unknown(err)
	}
	return fmt.Sprintf("%o %d %d\n", stat.Mode, stat.Uid, stat.Gid)
}

func textNow(fd int) string {
	text := make([]byte, 4<<10)
	n, err := unix.Pread(fd, text, 0)
	if err != nil {
		return unknown(err)
	}
	return string(text[:n])
}

// socketsNow is which sockets there are in the network of this place: other numbers
// in the same text are those of the whole machine.
func socketsNow(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for i := 1; i+1 < len(fields); i += 2 {
			if fields[i] == "inuse" || fields[i] == "tw" {
				fmt.Fprintln(&b, fields[0], fields[i], fields[i+1])
			}
		}
	}
	return b.String()
}

// limitsNow is what commands inherit of the thread that starts them, and what others of
// the same user can change.
func limitsNow() string {
	var b bytes.Buffer
	for which := range 16 { // all that there are
		var l unix.Rlimit
		if err := unix.Getrlimit(which, &l); err != nil {
			return unknown(err)
		}
		fmt.Fprintln(&b, l.Cur, l.Max)
	}
	var cores unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err != nil {
		return unknown(err)
	}
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return unknown(err)
	}
	io, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, 1, 0, 0) // of this thread
	if errno != 0 {
		return unknown(errno)
	}
	fmt.Fprintln(&b, cores, *attr, io)
	return b.String()
}

// timeNow is whether this process may soon be ended by the limit that it passes on.
func (s *stage) timeNow() string {
	used, err := cpuTime(unix.RUSAGE_SELF)
	if err != nil {
		return unknown(err)
	}
	if limit, ok := s.limits[LimitCPU]; ok && used.Seconds() > float64(limit)/4 {
		return "used up"
	}
	return ""
}
