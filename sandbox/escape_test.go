//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/sandbox"
)

// An escape is an attempt to get out, which succeeds where nothing confines it.
type escape struct {
	try     string // the attempt and its arguments; $O is outside, $W the workspace
	promise string // what it would break
	by      string // what holds it, as the report names it
	says    string // why it fails inside, as alternatives

	flatBy, flatSays string // the same where there are no namespaces; empty: it is not held there

	own    bool                                // it gets a place of its own
	root   bool                                // only root can do it outside
	change func(*sayso.Contract)               // of the contract
	stdin  func(*testing.T, *world) *os.File   // of the attempt
	inside func(*testing.T, *world, ran) error // what it comes to inside, where it is not told by its exit status
}

const (
	mounts  = "mount namespace"
	pids    = "pid namespace"
	seccomp = "seccomp"
	netns   = "network namespace"

	landlock = "landlock ABI" // the version stands behind it
)

// readOnly lets nothing be written.
func readOnly(c *sayso.Contract) { c.Write, c.Protected = nil, nil }

func loopback(c *sayso.Contract) { c.Network = sayso.NetworkLoopback }

// escapes are the attempts.
var escapes = []escape{
	// Files outside.
	{try: "write $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "append $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "create $O/new", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "truncate $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "unlink $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "remove-all $O/folder", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "rename $O/file $O/moved", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES|EXDEV"},
	{try: "rename $O/file $W/taken", promise: sandbox.FilesWrite, by: mounts, says: "EXDEV", flatBy: landlock, flatSays: "EXDEV|EACCES"},
	{try: "rename $W/file $O/brought", promise: sandbox.FilesWrite, by: mounts, says: "EXDEV", flatBy: landlock, flatSays: "EXDEV|EACCES"},
	{try: "rename $W/folder $O/folder2", promise: sandbox.FilesWrite, by: mounts, says: "EXDEV", flatBy: landlock, flatSays: "EACCES|EXDEV"},
	{try: "link $W/file $O/linked", promise: sandbox.FilesWrite, by: mounts, says: "EXDEV|EROFS", flatBy: landlock, flatSays: "EACCES|EXDEV"},
	{try: "link-write $O/file $W/hard", promise: sandbox.FilesWrite, by: mounts, says: "EXDEV", flatBy: landlock, flatSays: "EXDEV|EACCES"},
	{try: "symlink-write $O/file $W/soft", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "symlink-create $O $W/way new", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "symlink $O/soft", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "upwards $W ../outside/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "tmpfile $O $O/named", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "chmod $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS"},
	{try: "utimes $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS"},
	{try: "xattr $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS"},
	{try: "mkdir $O/new", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "mkfifo $O/pipe", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "write /proc/self/root/$O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "write /proc/self/cwd/../outside/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "write /proc/thread-self/root/$O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES"},
	{try: "write $TMP", promise: sandbox.FilesWrite, by: mounts, says: "ENOENT", flatBy: landlock, flatSays: "EACCES"},
	{try: "write $SHM", promise: sandbox.FilesWrite, by: mounts, says: "ENOENT", flatBy: landlock, flatSays: "EACCES"},
	{try: "rewrite /proc/self/oom_score_adj", promise: sandbox.FilesWrite, by: mounts, says: "EROFS"},
	{try: "rewrite /proc/sys/kernel/core_pattern", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", root: true},
	{try: "open-write /proc/sys/vm/drop_caches", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", root: true},
	{try: "rewrite /sys/kernel/rcu_expedited", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", root: true},
	{try: "open-write /dev/kmsg", promise: sandbox.FilesWrite, by: mounts, says: "ENOENT", root: true},
	{try: "chmod-as-it-is /dev/null", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", root: true},
	{try: "mknod $O/null", promise: sandbox.FilesWrite, by: mounts, says: "EROFS|EPERM", root: true},
	{try: "read $O/file", promise: sandbox.FilesRead, by: mounts, says: "ENOENT", flatBy: landlock, flatSays: "EACCES", change: func(c *sayso.Contract) { c.Read = []string{"/usr", filepath.Dir(c.Dir) + "/tool"} }},

	// Where nothing may be written.
	{try: "write $W/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES", change: readOnly},
	{try: "chmod $W/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: seccomp, flatSays: "EPERM", change: readOnly},
	{try: "chmod $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: seccomp, flatSays: "EPERM", change: readOnly},
	{try: "utimes $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: seccomp, flatSays: "EPERM", change: readOnly},
	{try: "xattr $O/file", promise: sandbox.FilesWrite, by: mounts, says: "EROFS", flatBy: seccomp, flatSays: "EPERM", change: readOnly},

	// Protected paths.
	{try: "create $W/.git/hooks/pre-commit", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "write $W/.git/config", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "append $W/.env", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "unlink $W/.env", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "rename $W/file $W/.env", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "rename $W/.git/HEAD $W/.git/config", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "rename $W/.git $W/away", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "rename $W/.git/hooks $W/.git/away", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "exchange $W/.git $W/folder", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "exchange $W/.env $W/file", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "remove-all $W/.git/hooks", promise: sandbox.Protected, by: mounts, says: "EROFS|EBUSY"},
	{try: "link-write $W/.env $W/hard", promise: sandbox.Protected, by: mounts, says: "EXDEV"},
	{try: "symlink-write .env $W/soft", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "chmod $W/.git/config", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "xattr $W/.env", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "write /proc/self/cwd/.git/config", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "create $W/.mcp.json", promise: sandbox.Protected, by: mounts, says: "ENXIO"},
	{try: "rename $W/file $W/.mcp.json", promise: sandbox.Protected, by: mounts, says: "EBUSY"},
	{try: "mkdir-all $W/.claude/hooks", promise: sandbox.Protected, by: mounts, says: "EROFS"},
	{try: "rename $W/empty $W/.claude", promise: sandbox.Protected, by: mounts, says: "EBUSY"},

	// Other processes, and what they have.
	{try: "parent-root $O/file", promise: sandbox.Outside, by: pids, says: "EACCES"},
	{try: "parent-environ", promise: sandbox.Outside, by: pids, says: "EACCES"},
	{try: "parent-mem", promise: sandbox.Outside, by: pids, says: "EACCES|EROFS"},
	{try: "read $O/file", promise: sandbox.Hidden, by: mounts, says: "ENOENT", change: func(c *sayso.Contract) { c.Hidden = []string{filepath.Dir(c.Dir) + "/outside"} }},
	{try: "read $W/file", promise: sandbox.Hidden, by: mounts, says: "EACCES", change: func(c *sayso.Contract) { c.Hidden = []string{c.Dir + "/file"} }},
	{try: "read /proc/keys", promise: sandbox.Outside, by: mounts, says: "EACCES"},
	{try: "read /proc/$VICTIM/environ", promise: sandbox.Outside, by: pids, says: "ENOENT", flatBy: landlock, flatSays: "EACCES|EPERM"},
	{try: "open /proc/$VICTIM/mem", promise: sandbox.Outside, by: pids, says: "ENOENT"},
	{try: "write /proc/$VICTIM/root/$O/file", promise: sandbox.Outside, by: pids, says: "ENOENT", flatBy: landlock, flatSays: "EACCES|EPERM"},
	{try: "kill $VICTIM", promise: sandbox.Outside, by: pids, says: "ESRCH", flatBy: landlock, flatSays: "EPERM"},
	{try: "prlimit $VICTIM", promise: sandbox.Outside, by: pids, says: "ESRCH", flatBy: seccomp, flatSays: "EPERM"},
	{try: "affinity $VICTIM", promise: sandbox.Outside, by: pids, says: "ESRCH", flatBy: seccomp, flatSays: "EPERM"},
	{try: "session-of $VICTIM", promise: sandbox.Outside, by: pids, says: "ESRCH"},
	{try: "trace $VICTIM", promise: sandbox.Outside, by: seccomp, says: "EPERM", flatBy: seccomp, flatSays: "EPERM"},
	{try: "vm-read $SELF $BYTE", promise: sandbox.Outside, by: seccomp, says: "EPERM"},
	{try: "take-descriptor $SELF $FD", promise: sandbox.Outside, by: pids, says: "ESRCH|EINVAL"},
	{try: "shared-memory $KEY", promise: sandbox.Outside, by: "ipc namespace", says: "ENOENT", flatBy: seccomp, flatSays: "EPERM"},
	{try: "message-queue $QUEUE", promise: sandbox.Outside, by: "ipc namespace", says: "ENOENT", flatBy: seccomp, flatSays: "EPERM"},
	{try: "env SAYSO_ESCAPE", promise: sandbox.Environ, by: "only the variables", says: "nothing"},
	{try: "env LD_PRELOAD", promise: sandbox.Environ, by: "only the variables", says: "nothing"},

	// Descriptors.
	{try: "descriptor $FD", promise: sandbox.Descriptor, by: "close_range", says: "EBADF"},
	{try: "descriptors", promise: sandbox.Descriptor, by: "close_range", says: "nothing"},
	{try: "stdin-again", promise: sandbox.Descriptor, by: mounts, says: "EROFS", flatBy: landlock, flatSays: "EACCES", stdin: openOutside, own: true},
	{try: "stdin-mode", promise: sandbox.Descriptor, by: mounts, says: "EROFS", stdin: openOutside, own: true},
	{try: "stdin-time", promise: sandbox.Descriptor, by: mounts, says: "EROFS", stdin: openOutside, own: true},
	{try: "stdin-mode", promise: sandbox.Terminal, by: "", says: "EROFS", stdin: aTerminal},
	{try: "stdin-connect $TCP listen", promise: sandbox.Descriptor, by: "pipes", says: "ENOTSOCK", flatBy: "pipes", flatSays: "ENOTSOCK", stdin: aSocket(unix.AF_INET, unix.SOCK_STREAM)},
	{try: "stdin-connect $UDP ask", promise: sandbox.Descriptor, by: "pipes", says: "ENOTSOCK", flatBy: "pipes", flatSays: "ENOTSOCK", stdin: aSocket(unix.AF_INET, unix.SOCK_DGRAM)},
	{try: "stdin-unix $BASE/datagrams.sock", promise: sandbox.Descriptor, by: "pipes", says: "ENOTSOCK", flatBy: "pipes", flatSays: "ENOTSOCK", stdin: aSocket(unix.AF_UNIX, unix.SOCK_DGRAM)},
	{try: "received file", promise: sandbox.Descriptor, by: landlock, says: "EACCES", flatBy: landlock, flatSays: "EACCES", stdin: sendFolder},

	// Rights.
	{try: "user-namespace", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "user-and-mounts", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "unshare", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "open-tree $W", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "keyring", promise: sandbox.Escalation, by: seccomp, says: "EPERM", flatBy: seccomp, flatSays: "EPERM"},
	{try: "io-uring", promise: sandbox.Escalation, by: seccomp, says: "EPERM", flatBy: seccomp, flatSays: "EPERM"},
	{try: "userfaultfd", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "perf", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "kcmp", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "handle $O/file", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "fanotify", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "setns", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "mount $W/empty", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "remount", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "fsopen", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "chroot $W", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "by-handle $O/file $O", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "bpf", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "hostname", promise: sandbox.Escalation, by: seccomp, says: "EPERM", root: true},
	{try: "capabilities", promise: sandbox.Escalation, by: "no capabilities", says: "nothing", root: true},
	{try: "setuid 12345", promise: sandbox.Escalation, by: "user namespace", says: "EINVAL|EPERM", root: true},
	{try: "setgroups", promise: sandbox.Escalation, by: "user namespace", says: "EPERM", root: true},
	{try: "chown $W/file", promise: sandbox.Escalation, by: "user namespace", says: "EINVAL|EPERM", root: true},
	{try: "mknod $W/null", promise: sandbox.Escalation, by: "no capabilities", says: "EPERM", root: true},
	{try: "run-as-owner $W/file", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "make-as-owner $W/new", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "make-as-group $W/new", promise: sandbox.Escalation, by: seccomp, says: "EPERM"},
	{try: "make-as-owner-2 $W/new", promise: sandbox.Escalation, by: seccomp, says: "ENOSYS"},
	{try: "rights-by-exec $BASE/setuid", promise: sandbox.Escalation, by: "no_new_privs", says: "nothing"},

	// The network.
	{try: "tcp $TCP", promise: sandbox.Network, by: seccomp, says: "EACCES", flatBy: seccomp, flatSays: "EACCES"},
	{try: "udp $UDP", promise: sandbox.Network, by: seccomp, says: "EACCES", flatBy: seccomp, flatSays: "EACCES"},
	{try: "tcp6 $TCP6", promise: sandbox.Network, by: seccomp, says: "EACCES"},
	{try: "tcp $TCP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", flatBy: seccomp, flatSays: "EACCES", change: loopback},
	{try: "tcp6 $TCP6", promise: sandbox.Network, by: netns, says: "ECONNREFUSED|EADDRNOTAVAIL", change: loopback},
	{try: "mptcp $TCP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", change: loopback},
	{try: "udp $UDP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", change: loopback},
	{try: "tcp-address $TCP $ADDRESS", promise: sandbox.Network, by: netns, says: "ENETUNREACH", change: loopback},
	{try: "udp-address $UDP $ADDRESS", promise: sandbox.Network, by: netns, says: "ENETUNREACH", change: loopback},
	{try: "interfaces", promise: sandbox.Network, by: netns, says: "nothing", change: loopback},
	{try: "socket 40 1 0", promise: sandbox.Network, by: seccomp, says: "EACCES"}, // to the machine that this one runs on
	{try: "socket 17 3 0", promise: sandbox.Network, by: seccomp, says: "EACCES", root: true},
	{try: "unix $BASE/daemon.sock", promise: sandbox.Sockets, by: seccomp, says: "EACCES", flatBy: seccomp, flatSays: "EACCES"},
	{try: "unix-datagram $BASE/datagrams.sock", promise: sandbox.Sockets, by: seccomp, says: "EACCES"},
	{try: "pair-datagram $BASE/datagrams.sock", promise: sandbox.Sockets, by: seccomp, says: "EACCES"},
	{try: "abstract sayso-escape-$SELF", promise: sandbox.Sockets, by: seccomp, says: "EACCES", flatBy: seccomp, flatSays: "EACCES"},
	{try: "unix $BASE/daemon.sock", promise: sandbox.Sockets, by: seccomp, says: "EACCES", change: loopback},
	{try: "abstract sayso-escape-$SELF", promise: sandbox.Sockets, by: seccomp, says: "EACCES", change: loopback},

	// The network, where one host is listed.
	{try: "tcp $TCP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", change: oneHost},
	{try: "mptcp $TCP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", change: oneHost},
	{try: "udp $UDP", promise: sandbox.Network, by: netns, says: "ECONNREFUSED", change: oneHost},
	{try: "tcp-address $TCP $ADDRESS", promise: sandbox.Network, by: netns, says: "ENETUNREACH", change: oneHost},
	{try: "udp-address $UDP $ADDRESS", promise: sandbox.Network, by: netns, says: "ENETUNREACH", change: oneHost}, // questions for names, too
	{try: "interfaces", promise: sandbox.Network, by: netns, says: "nothing", change: oneHost},
	{try: "connect-through 127.0.0.1:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "connect-through localhost:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "connect-through $ADDRESS:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "connect-through other.example:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "connect-through good.example:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost}, // another port
	{try: "connect-through inside.example:$TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "socks-through 127.0.0.1 $TCP", promise: sandbox.Network, by: "proxy", says: "nothing", change: oneHost},
	{try: "bind 808", promise: sandbox.Escalation, by: "no capabilities", says: "EACCES", change: oneHost, root: true},
	{try: "unix $BASE/daemon.sock", promise: sandbox.Sockets, by: seccomp, says: "EACCES", change: oneHost},
	{try: "socket 17 3 0", promise: sandbox.Network, by: netns, says: "EACCES", root: true, change: oneHost},

	// The terminal.
	{try: "type-for-you", promise: sandbox.Terminal, by: "", says: "EPERM", root: true, stdin: aTerminal},

	// Limits, and the end.
	{try: "forks 400", promise: sandbox.Processes, by: "", says: "EAGAIN|ended: processes", change: func(c *sayso.Contract) { c.Procs = 100 }},
	{try: "memory 300000000", promise: sandbox.Memory, by: "rlimit", says: "ENOMEM", change: func(c *sayso.Contract) { c.Memory = 200 << 20 }},
	{try: "shared-pages 300000000", promise: sandbox.Memory, by: "adds them up", says: "ended: memory", change: func(c *sayso.Contract) { c.Memory = 200 << 20 }},
	{try: "memory-file 300000000", promise: sandbox.Memory, by: seccomp, says: "ENOSYS", change: func(c *sayso.Contract) { c.Memory = 200 << 20 }},
	{try: "temporary-file 300000000", promise: sandbox.Memory, by: "size of /tmp", says: "ENOSPC", change: func(c *sayso.Contract) { c.Memory = 200 << 20 }},
	{try: "cpu 3", promise: sandbox.CPU, by: "rlimit", says: "ended: cpu|signal 9", change: func(c *sayso.Contract) { c.CPU = time.Second }},
	{try: "flood 5000000", promise: sandbox.Output, by: "kept", change: func(c *sayso.Contract) { c.Output = 64 << 10 }, inside: flooded},
	{try: "stay $W/late 60000", promise: sandbox.AllEnded, by: pids, flatBy: "the first process", inside: nothingLater},
	{try: "stay-behind $W/late 60000", promise: sandbox.AllEnded, by: pids, flatBy: "the first process", change: func(c *sayso.Contract) { c.Grace = 0 }, inside: nothingLater},
	{try: "sleep 1500", promise: sandbox.Timeout, by: "ended after", says: "timed out", change: func(c *sayso.Contract) { c.Timeout, c.Grace = 200*time.Millisecond, 0 }},
}

// openOutside opens a file outside to be read.
func openOutside(t *testing.T, w *world) *os.File {
	f, err := os.Open(w.values["$O"] + "/file")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// aSocket is one that is not connected to anybody.
func aSocket(family, kind int) func(*testing.T, *world) *os.File {
	return func(t *testing.T, _ *world) *os.File {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fd), "socket")
	}
}

// sendFolder is a socket through which a folder outside is sent.
func sendFolder(t *testing.T, w *world) *os.File {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unix.Open(w.values["$O"], unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(dir), nil, 0), unix.Close(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(pair[0]) })
	return os.NewFile(uintptr(pair[1]), "socket")
}

// aTerminal is a terminal of its own.
func aTerminal(t *testing.T, _ *world) *os.File {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile("/dev/pts/"+itoa(int(n)), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func flooded(_ *testing.T, _ *world, r ran) error {
	if len(r.out) > 66<<10 {
		return errors.New("all of it came through")
	}
	return nil
}

func nothingLater(_ *testing.T, w *world, _ ran) error {
	alive, err := breakout.Stayed(w.values["$W"] + "/late")
	if alive {
		return errors.New("it still ran after the end")
	}
	return err
}
