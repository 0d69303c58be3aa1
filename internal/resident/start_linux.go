//go:build amd64 || arm64

package resident

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/early/form"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/internal/quick"
)

// pause is how long nobody tries to start the process again after it was tried.
const pause = time.Minute

const (
	offFile   = "resident.off"   // there is to be no process
	triedFile = "resident.tried" // when one was started
)

// Start starts the process for the hooks to come, unless the user does not want it, or
// it was tried a short while ago. Where that fails, they decide by themselves.
func Start() {
	state, err := local.State()
	if err != nil || os.Getenv(quick.Switch) == quick.Off || Off(state.Dir) || !try(state.Dir, time.Now()) {
		return
	}
	file, err := os.Executable()
	if err != nil {
		return
	}
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer nothing.Close() //nolint:errcheck // nobody reads from it, or writes to it
	// What the agent has left open is not for the process: it would never be closed.
	if _, _, errno := syscall.Syscall(sysCloseRange, 3, 1<<31-1, onlyMarks); errno != 0 {
		return
	}
	p, err := os.StartProcess(file, []string{"sayso-hook", "resident"}, &os.ProcAttr{
		Dir: "/", Env: []string{"XDG_STATE_HOME=" + filepath.Dir(state.Dir)}, Files: []*os.File{nothing, nothing, nothing}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		_ = p.Release() // it goes on without this one
	}
}

// The system call close_range has this number everywhere; with this flag it marks the
// descriptors to be closed in programs that are started.
const (
	sysCloseRange = 436
	onlyMarks     = 1 << 2
)

// Off reports whether the user whose state is in this folder wants no process.
func Off(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, offFile))
	return err == nil
}

// try reports whether nobody has tried for some time, and notes that now somebody does.
func try(dir string, now time.Time) bool {
	name := filepath.Join(dir, triedFile)
	if info, err := os.Lstat(name); err == nil && now.Sub(info.ModTime()).Abs() < pause {
		return false
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return false
	}
	return f.Close() == nil && os.Chtimes(name, now, now) == nil
}

// Switch says whether there is to be a process for the user whose state is in this
// folder.
func Switch(dir string, on bool) error {
	name := filepath.Join(dir, offFile)
	if on {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	if err := private.Make(dir); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Supported says whether hooks can ask a resident process here.
const Supported = true

// Find returns the process that answers for the user whose state is in this folder, and
// for a program, the file of a sayso-hook; 0: there is none.
func Find(dir, hook string) (pid int, err error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd) //nolint:errcheck // nothing is said
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: filepath.Join(dir, form.SocketFile)}); err != nil {
		return 0, nil
	}
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Uid) != os.Geteuid() {
		return 0, err
	}
	ours, err := os.Stat(hook)
	if err != nil {
		return 0, err
	}
	theirs, err := os.Stat("/proc/" + strconv.Itoa(int(peer.Pid)) + "/exe")
	if err != nil || !os.SameFile(ours, theirs) { // it is that of another build
		return 0, err
	}
	return int(peer.Pid), nil
}

// Stop ends the process that answers for a program, if there is one.
func Stop(dir, hook string) (pid int, err error) {
	if pid, err = Find(dir, hook); pid == 0 || err != nil {
		return 0, err
	}
	return pid, syscall.Kill(pid, syscall.SIGTERM)
}
