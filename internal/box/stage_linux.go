package box

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// failed is the exit status of sayso-box where it is not what it should be.
const failed = 125

// Main is what the program sayso-box does, and returns its exit status.
func Main() int {
	runtime.LockOSThread() // rights belong to threads, and the command is started by this one
	debug.SetGCPercent(-1) // it lives for milliseconds or waits
	if os.Getpid() != 1 {  // it was started by hand
		fmt.Fprintln(os.Stderr, "sayso-box: error: this is a part of sayso run, which starts it")
		return failed
	}
	orders, messages := os.NewFile(Orders, "orders"), os.NewFile(Messages, "messages")
	steps, err := Receive(orders)
	if err != nil {
		return failed // nobody is there any more
	}
	s := stage{orders: orders, messages: messages, empty: map[string]bool{}, kept: slices.ContainsFunc(steps, func(st Step) bool { return st[0] == Keep })}
	if step, err := s.prepare(steps); err != nil {
		s.tell(Failed, step, err.Error())
		return failed
	}
	if s.kept {
		return s.keep()
	}
	return s.run()
}

// A stage is what is known of the run inside.
type stage struct {
	orders   *os.File
	messages io.Writer
	kept     bool   // it runs one command after the other
	text     []byte // the last of them, as it came

	root       int      // the new root, while it is built
	input      int      // what the standard input was, if it was opened anew
	trees      []int    // for each step that shows something from outside, a descriptor of it
	proc       int      // the new /proc
	mounts     int      // what is mounted: not an os.File, whose poller would take the news of changes
	guards     []string // the paths whose mounts must stay
	abi        int      // of Landlock; 0: there is none
	reads      []string
	writes     []string
	devices    []string
	noTCP      bool
	filter     filterOptions
	limits     map[string]uint64
	before     time.Duration   // of the processor, used by earlier commands in a kept place
	empty      map[string]bool // the folders that are empty at first
	ownNetwork bool
	roots      []string                 // folders that were mounted on themselves for one command
	held       map[uint64]bool          // the numbers of what was mounted on paths that were not there, and stays
	uppers     []int                    // the layers that take what is written to folders of scratch
	privileged func(func() error) error // does something in the thread that may mount
	traces     []trace                  // what a command in a kept place may leave behind
	session    bool
	watched    []string // the kinds of calls that somebody outside decides about
	umask      int
	tries      *tries // what is wanted of the network; nil: nobody looks

	dir  string
	env  []string
	argv []string
}

func (s *stage) tell(words ...string) {
	_ = Send(s.messages, words) // if nobody reads it, orders have ended, too
}

// prepare does all that comes before the command, and names the step that failed.
func (s *stage) prepare(steps []Step) (step string, err error) {
	if err := s.begin(); err != nil {
		return "descriptors", err
	}
	if step, err := s.build(steps); err != nil {
		return step, err
	}
	for _, st := range steps {
		if err := s.take(st); err != nil {
			return st[0], err
		}
	}
	if s.kept {
		return inTurn([]part{{"processes", s.limitPIDs}, {"pivot", s.pivot}, {"limits", s.setLimits}, {"capabilities", keepMounting}})
	}
	return inTurn([]part{
		{"processes", s.limitPIDs},
		{"pivot", s.pivot},
		{"landlock", s.restrict},
		{"limits", s.setLimits},
		{"capabilities", dropRights},
		{"seccomp", s.filter.install},
		{"supervise", s.supervise},
	})
}

// A part is one of those of the preparation.
type part struct {
	name string
	do   func() error
}

// inTurn does one after the other, up to the first that fails, and names that.
func inTurn(parts []part) (step string, err error) {
	for _, next := range parts {
		if err := next.do(); err != nil {
			return next.name, err
		}
	}
	return "", nil
}

// begin lets the command have no descriptor of this process, nor look into it.
func (s *stage) begin() error {
	if err := unix.CloseRange(Messages+1, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err // what was open where sayso was started
	}
	unix.CloseOnExec(Orders)
	unix.CloseOnExec(Messages)
	s.umask = unix.Umask(0)
	ignoreKeys()
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// ignoreKeys lets this process hear nothing of what is typed: until it has left the
// group of whoever started it, that is for it, too. The command has it as ever, because
// it gets back what the signals were before, which is not known to be changed.
func ignoreKeys() {
	ignored := struct{ handler, flags, restorer, mask uintptr }{handler: 1}
	for _, s := range []unix.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP} {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&ignored)), 0, unsafe.Sizeof(ignored.mask), 0, 0) // it is heard then
	}
}

// take keeps what is needed later.
func (s *stage) take(st Step) error {
	args := st[1:]
	switch st[0] {
	case Tmpfs:
		s.empty[args[0]] = true
	case Reads:
		s.reads = append(s.reads, args...)
	case Writes:
		s.writes = append(s.writes, args...)
	case Devices:
		s.devices = append(s.devices, args...)
	case NoTCP:
		s.noTCP, s.ownNetwork = true, true
	case Sockets:
		s.filter.sockets = args
	case Session:
		s.session = true
	case Frozen:
		s.filter.frozen = true
	case Supervise:
		s.watched = args
	case Loopback:
		s.ownNetwork = true
		return loopbackUp()
	case Watch:
		return s.watchNetwork()
	case Door:
		return passDoors(args)
	case Limit:
		n, err := strconv.ParseUint(args[1], 10, 63)
		if err != nil {
			return err
		}
		if s.limits == nil {
			s.limits = map[string]uint64{}
		}
		s.limits[args[0]] = n
		s.filter.counted = s.filter.counted || args[0] == LimitMemory
	case Dir:
		s.dir = args[0]
	case Env:
		s.env = args
	case Argv:
		s.argv = args
	}
	return nil
}

// pivot makes the new root the root, and lets go of the old one.
func (s *stage) pivot() error {
	if err := unix.Fchdir(s.root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	var err error
	s.mounts, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return err
}
