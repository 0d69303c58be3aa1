package box

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterOptions say what the filter of system calls refuses beside the usual.
type filterOptions struct {
	sockets []string // those that can be made: keys of families; pairs that only reach each other always can
	counted bool     // no memory that belongs to no process: nobody could count it
	flat    bool     // nothing that a namespace would hold
	frozen  bool     // modes, owners, times and attributes of files stay as they are
}

// refused are the system calls that fail with EPERM: those that change what the view
// and the namespaces hold, look into other processes, or reach parts of the kernel
// that nothing else here guards.
var refused = append([]uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}, refusedHere...)

// modes are the system calls that give a file a mode, and the argument that is it.
var modes = append([]modeCall{
	{unix.SYS_FCHMOD, 1, none, asOwner},
	{unix.SYS_FCHMODAT, 2, none, asOwner},
	{unix.SYS_FCHMODAT2, 2, none, asOwner},
	{unix.SYS_MKNODAT, 2, none, asOthers},
	{unix.SYS_OPENAT, 3, 2, asOthers},
}, modesHere...)

// A modeCall is one of them. One that may make a file or not has no mode if it does not,
// but anything there.
type modeCall struct{ call, mode, flags, refused uint32 }

// none says that there are no flags.
const none = 9

// asOwner is the bit of a mode with which everybody runs a program as its owner: whoever
// is not confined would do so after the command has ended.
const (
	asOwner  = unix.S_ISUID
	asOthers = asOwner | unix.S_ISGID // the same for its group: folders have it, too, but get it by other calls
)

// families are the kinds of sockets that can be made at all: others are not bound to
// the network namespace, or are doors into seldom used parts of the kernel.
var families = map[string][]uint32{
	"inet": {unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK},
	"unix": {unix.AF_UNIX},
}

// protocols are those of the internet that sockets can have: others can be connected in
// ways of their own, which nobody decides about.
var protocols = []uint32{unix.IPPROTO_IP, unix.IPPROTO_ICMP, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMPV6, unix.IPPROTO_UDPLITE, unix.IPPROTO_MPTCP}

// ways are the options of sockets that let packets go to another address than the one
// that the socket is connected to, by level. A flow label can carry them, too.
var ways = map[uint32][]uint32{
	unix.SOL_IP:   {unix.IP_OPTIONS},
	unix.SOL_IPV6: {unix.IPV6_RTHDR, unix.IPV6_2292RTHDR, unix.IPV6_2292PKTOPTIONS, flowLabel},
}

// flowLabel is IPV6_FLOWLABEL_MGR.
const flowLabel = 32

// uncounted are the system calls that make memory which stays when no process has it
// mapped.
var uncounted = append([]uint32{unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET}, uncountedHere...)

// shared are the system calls that reach what other processes have left in memory.
var shared = []uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// ofOthers are the system calls that change other processes, or tell how they run, and
// the argument that says which: 0 is the one that calls.
var ofOthers = []struct{ call, argument uint32 }{
	{unix.SYS_PRLIMIT64, 0},
	{unix.SYS_SCHED_SETAFFINITY, 0},
	{unix.SYS_SCHED_GETAFFINITY, 0},
	{unix.SYS_SCHED_SETSCHEDULER, 0},
	{unix.SYS_SCHED_SETPARAM, 0},
	{unix.SYS_SCHED_SETATTR, 0},
	{unix.SYS_MIGRATE_PAGES, 0},
	{unix.SYS_MOVE_PAGES, 0},
}

// ofGroups are those that can also mean all processes of a group, or of a user, and say
// first which it is to be: with this number one process, which then is the one that calls.
var ofGroups = []struct{ call, process uint32 }{
	{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS},
	{unix.SYS_IOPRIO_SET, ioprioProcess},
}

// ioprioProcess is IOPRIO_WHO_PROCESS.
const ioprioProcess = 1

// metadata are the system calls that change a file without writing to it, which
// Landlock does not see.
var metadata = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	sysSetxattrat, sysRemovexattrat, sysFileSetattr,
}, metadataHere...)

// System calls that are newer than the library.
const (
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysFileSetattr   = 469
)

// fileFlags are the requests that change the attributes of a file.
var fileFlags = []uint32{0x40086602, 0x40046602, 0x401c5820, 0x40087602, 0x40047602}

// newSpaces are the flags of clone that make namespaces.
const newSpaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// terminalInput are the requests that put text into the input of a terminal, where
// the shell outside would read it.
var terminalInput = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// socketType is where the type of a socket stands beside its flags.
const socketType = 0xf

// Where things are in what a filter sees.
const (
	atCall = 0
	atArch = 4
	atArgs = 16 // eight bytes each, the lower half first
)

// A program is a filter that is being written.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (p *program) load(at uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }

func (p *program) answer(what uint32) { p.add(unix.BPF_RET|unix.BPF_K, what, 0, 0) }

func (p *program) fail(errno unix.Errno) { p.answer(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// when carries out the inner part if what was loaded equals the value; the inner
// part ends with an answer.
func (p *program) when(value uint32, inner func(*program)) {
	var part program
	inner(&part)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 0, uint8(len(part))) //nolint:gosec // parts are short
	*p = append(*p, part...)
}

// unless fails if what was loaded is none of the values.
func (p *program) unless(values []uint32, errno unix.Errno) {
	for i, v := range values {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, v, uint8(len(values)-i), 0) //nolint:gosec // lists are short
	}
	p.fail(errno)
}

// write is the whole filter.
func (o filterOptions) write() (program, error) {
	if archHere == 0 {
		return nil, errors.New("no filter for this kind of processor")
	}
	p := &program{}
	p.load(atArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, archHere, 1, 0)
	p.answer(unix.SECCOMP_RET_KILL_PROCESS) // the numbers of another processor mean other calls
	p.load(atCall)
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, otherNumbers, 0, 1)
	p.fail(unix.ENOSYS)
	for _, call := range refused {
		p.when(call, func(p *program) { p.fail(unix.EPERM) })
	}
	if o.counted {
		for _, call := range uncounted {
			p.when(call, func(p *program) { p.fail(unix.ENOSYS) })
		}
	}
	if o.flat {
		for _, call := range shared {
			p.when(call, func(p *program) { p.fail(unix.EPERM) })
		}
		for _, one := range ofOthers {
			p.when(one.call, func(p *program) {
				p.load(atArgs + 8*one.argument)
				p.when(0, func(p *program) { p.answer(unix.SECCOMP_RET_ALLOW) })
				p.fail(unix.EPERM)
			})
		}
	}
	if o.flat {
		writeGroups(p)
	}
	if o.frozen {
		for _, call := range metadata {
			p.when(call, func(p *program) { p.fail(unix.EPERM) })
		}
	}
	writeModes(p)
	p.when(unix.SYS_CLONE3, func(p *program) { p.fail(unix.ENOSYS) }) // its flags cannot be seen; clone is used instead
	p.when(unix.SYS_CLONE, func(p *program) {
		p.load(atArgs)
		p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, newSpaces, 0, 1)
		p.fail(unix.EPERM)
		p.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.when(unix.SYS_IOCTL, func(p *program) {
		p.load(atArgs + 8)
		refused := terminalInput
		if o.frozen {
			refused = append(slices.Clone(refused), fileFlags...)
		}
		for _, request := range refused {
			p.when(request, func(p *program) { p.fail(unix.EPERM) })
		}
		p.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.when(unix.SYS_SOCKET, func(p *program) {
		var some []uint32
		for _, name := range o.sockets {
			some = append(some, families[name]...)
		}
		p.load(atArgs)
		p.unless(some, unix.EACCES)
		for _, family := range []uint32{unix.AF_NETLINK, unix.AF_UNIX} { // whose protocols are their own
			p.when(family, func(p *program) { p.answer(unix.SECCOMP_RET_ALLOW) })
		}
		p.load(atArgs + 16)
		p.unless(protocols, unix.EACCES)
		p.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.when(unix.SYS_SETSOCKOPT, func(p *program) {
		p.load(atArgs + 8)
		for level, options := range ways {
			p.when(level, func(p *program) {
				p.load(atArgs + 16)
				for _, option := range options {
					p.when(option, func(p *program) { p.fail(unix.EPERM) })
				}
				p.answer(unix.SECCOMP_RET_ALLOW)
			})
		}
		p.answer(unix.SECCOMP_RET_ALLOW)
	})
	if !slices.Contains(o.sockets, "unix") {
		p.when(unix.SYS_SOCKETPAIR, func(p *program) { // one of such a pair can send to any daemon
			p.load(atArgs + 8)
			p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, socketType, 0, 0)
			p.when(unix.SOCK_DGRAM, func(p *program) { p.fail(unix.EACCES) })
			p.answer(unix.SECCOMP_RET_ALLOW)
		})
	}
	p.answer(unix.SECCOMP_RET_ALLOW)
	return *p, nil
}

// writeGroups lets a process change only its own priority.
func writeGroups(p *program) {
	for _, one := range ofGroups {
		p.when(one.call, func(p *program) {
			p.load(atArgs)
			p.when(one.process, func(p *program) {
				p.load(atArgs + 8)
				p.when(0, func(p *program) { p.answer(unix.SECCOMP_RET_ALLOW) })
				p.fail(unix.EPERM)
			})
			p.fail(unix.EPERM)
		})
	}
}

// writeModes lets no program be made that runs as its owner.
func writeModes(p *program) {
	for _, m := range modes {
		p.when(m.call, func(p *program) {
			if m.flags != none {
				p.load(atArgs + 8*m.flags)
				p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY, 1, 0)
				p.answer(unix.SECCOMP_RET_ALLOW)
			}
			p.load(atArgs + 8*m.mode)
			p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, m.refused, 0, 1)
			p.fail(unix.EPERM)
			p.answer(unix.SECCOMP_RET_ALLOW)
		})
	}
	p.when(unix.SYS_OPENAT2, func(p *program) { p.fail(unix.ENOSYS) }) // its mode cannot be seen; openat is used instead
}

// Filter is the filter of a run with sockets for the internet, as other programs read it.
func Filter() ([]byte, error) {
	p, err := filterOptions{sockets: []string{"inet"}}.write()
	var out []byte
	for _, one := range p {
		out = binary.NativeEndian.AppendUint16(out, one.Code)
		out = binary.NativeEndian.AppendUint32(append(out, one.Jt, one.Jf), one.K)
	}
	return out, err
}

// install puts the filter in force for all threads, and all processes after them.
func (o filterOptions) install() error { return o.put(unix.SECCOMP_FILTER_FLAG_TSYNC) }

// installHere puts it in force for this thread, and the processes that it starts.
func (o filterOptions) installHere() error { return o.put(0) }

func (o filterOptions) put(flags uintptr) error {
	p, err := o.write()
	if err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]} //nolint:gosec // some hundred
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
