package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/sandbox"
)

// keeperVerb starts this program as one that keeps a place. People do not call it.
const keeperVerb = "keep-place"

// How long a place is kept for which nobody asks, and how long one waits for the other
// side: who waits longer has a place of its own sooner.
const (
	keptIdle = 5 * time.Minute
	keptWait = 5 * time.Second
)

// keptForm is another one whenever programs say something else to each other: one that was
// started before an upgrade is then not asked by those that came with it.
const keptForm = "2\x00"

// mostRequest is how long a request may be.
const mostRequest = 4 << 20

// A placeRequest asks for the use of a place, or for what somebody sees who looks out.
type placeRequest struct {
	Key      string         `json:"key,omitempty"`
	Contract sayso.Contract `json:"contract"`
	Sight    string         `json:"sight,omitempty"`  // whose; empty: it asks for a place
	Number   uint64         `json:"number,omitempty"` // of a sight: whether it is still so
}

// keptSocket is where the place of a session, or else of a workspace, is asked for.
func keptSocket(session, root string) (string, error) {
	state, err := local.State()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(state.Dir, "kept")
	if err := private.Make(state.Dir, dir); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(keptForm + session + "\x00" + root))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])), nil
}

// borrow asks for the place of a session. Where nobody keeps one, somebody is started
// who does, for the next command.
func borrow(session, root string) func(string, sayso.Contract) *os.File {
	return func(key string, c sayso.Contract) *os.File {
		name, err := keptSocket(session, root)
		if err != nil {
			return nil
		}
		text, err := json.Marshal(placeRequest{Key: key, Contract: c})
		if err != nil {
			return nil
		}
		if conn, err := callKeeper(name, text); err == nil {
			defer conn.Close() //nolint:errcheck // all was said
			return lentBy(conn)
		}
		_ = startKeeper(name, text) // without one, every command has a place of its own
		return nil
	}
}

// callKeeper asks whoever keeps a place, if there is somebody.
func callKeeper(name string, text []byte) (*net.UnixConn, error) {
	dialed, err := net.DialTimeout("unix", name, keptWait)
	if err != nil {
		return nil, err
	}
	conn := dialed.(*net.UnixConn) //nolint:forcetypeassert // it is one
	if err = conn.SetDeadline(time.Now().Add(keptWait)); err == nil {
		_, err = conn.Write(text)
	}
	if err == nil {
		err = conn.CloseWrite()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// lentBy is what a keeper answers.
func lentBy(conn *net.UnixConn) *os.File {
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), control)
	if err != nil {
		return nil
	}
	parts, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(parts) != 1 {
		return nil // it has none
	}
	fds, err := unix.ParseUnixRights(&parts[0])
	if err != nil || len(fds) != 1 {
		return nil
	}
	unix.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), "channel")
}

// startKeeper starts somebody who keeps a place, and asks for the first one, without
// waiting for it.
func startKeeper(name string, text []byte) error {
	lock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err // another one is being started, or there is one
	}
	_ = os.Remove(name) // of one that was killed: nobody listens there
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the keeper has it
	listener.SetUnlinkOnClose(false)
	socket, err := listener.File()
	if err != nil {
		return err
	}
	defer socket.Close() //nolint:errcheck // as above
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return err
	}
	cmd := exec.Command(self, keeperVerb, name)
	cmd.Dir, cmd.ExtraFiles = "/", []*os.File{socket, lock} // the lock stays as long as it runs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH")} // it stays: what is secret does not stay with it
	if err := cmd.Start(); err != nil {
		return err
	}
	if conn, err := net.DialTimeout("unix", name, keptWait); err == nil {
		_, _ = conn.Write(text) // whoever listens makes the place, and finds nobody to lend it to
		_ = conn.Close()
	}
	return cmd.Process.Release() // it outlives this program
}

// keepPlace keeps a place until nobody has asked for it for a while.
func keepPlace(args []string) error {
	called := &usageError{keeperVerb + " is a part of sayso run --keep, which starts it", "sayso run --keep -- COMMAND"}
	if len(args) != 1 {
		return called
	}
	file := os.NewFile(3, "socket")
	l, err := net.FileListener(file)
	if err != nil {
		return called
	}
	listener, ok := l.(*net.UnixListener)
	if !ok {
		return errors.New("it listens on something else")
	}
	unix.CloseOnExec(3)
	lock := os.NewFile(4, "lock") // which is held until the end
	defer lock.Close()            //nolint:errcheck // it goes with this process
	unix.CloseOnExec(4)
	if _, err := lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil { // for people who look for it
		return err
	}
	defer os.Remove(args[0]) //nolint:errcheck // somebody may have done it
	k := newKeeper()
	defer k.close()
	for {
		if err := listener.SetDeadline(time.Now().Add(keptIdle)); err != nil {
			return err
		}
		conn, err := listener.AcceptUnix()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && k.kept.Busy():
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		default:
			_ = k.serve(conn) // whoever asked runs it elsewhere
			_ = conn.Close()
		}
	}
}

// A keeper keeps a place, and looks out for what happens in the workspace.
type keeper struct {
	kept   sandbox.Kept
	sights map[string]*sandbox.Lookout
}

func newKeeper() *keeper {
	return &keeper{sights: map[string]*sandbox.Lookout{sightOfRun: {}, sightOfGit: {}}}
}

func (k *keeper) close() {
	_ = k.kept.Close() // it does not fail
	for _, l := range k.sights {
		_ = l.Close() // as above
	}
}

// serve answers one request.
func (k *keeper) serve(conn *net.UnixConn) error {
	if err := conn.SetDeadline(time.Now().Add(keptWait)); err != nil {
		return err
	}
	if err := ours(conn); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(conn, mostRequest))
	if err != nil {
		return err
	}
	var r placeRequest
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if r.Sight != "" {
		return k.see(conn, &r)
	}
	return k.lend(conn, &r)
}

// lend lends the place.
func (k *keeper) lend(conn *net.UnixConn, r *placeRequest) error {
	channel := k.kept.Lend(r.Key, r.Contract)
	if channel == nil {
		_, err := conn.Write([]byte{0})
		return err
	}
	defer channel.Close() //nolint:errcheck // who asked has it
	_, _, err := conn.WriteMsgUnix([]byte{1}, unix.UnixRights(int(channel.Fd())), nil)
	return err
}

// ours makes sure that whoever asks is this user and not confined: what runs in a
// sandbox must not get another one that way. The process is held while it is looked at,
// so that no other has its number.
func ours(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	process := -1
	if failed := raw.Control(func(fd uintptr) {
		if peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			process, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		}
	}); failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	defer unix.Close(process) //nolint:errcheck // it was only looked at
	theirs, err := standing(strconv.Itoa(int(peer.Pid)))
	if err != nil {
		return err
	}
	mine, err := standing("self")
	if err != nil {
		return err
	}
	if int(peer.Uid) != os.Getuid() || theirs != mine {
		return errors.New("it is asked for by somebody else, or from inside of a sandbox")
	}
	return unix.PidfdSendSignal(process, 0, nil, 0) // it still runs, and so was the one that was looked at
}

// standing is what tells a confined process from others.
func standing(pid string) (string, error) {
	space, err := os.Readlink("/proc/" + pid + "/ns/user")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("NoNewPrivs:")) || bytes.HasPrefix(line, []byte("Seccomp:")) {
			space += string(line)
		}
	}
	return space, nil
}
