package sandbox

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/local"
)

// A keeper has the place that is kept.
type keeper struct{ room *room }

// A room is a place in which one command can run after the other. What is not said to
// be otherwise is guarded by the lock of its Kept.
type room struct {
	k        *Kept
	contract sayso.Contract
	steps    []box.Step
	key      string // what it was made of

	started  chan struct{} // closed when what follows is there
	err      error         // why it was not started
	cmd      *exec.Cmd
	control  *os.File
	messages *os.File
	heard    *bufio.Reader // of messages

	told  string // what sayso-box has told last
	lent  bool
	spent bool
	ended bool
	over  chan struct{} // closed when it has ended
}

// soon is how long it may take until a place is made.
const soon = 20 * time.Second

// Lend returns a channel to the place, for one command of a contract that has the key:
// see [Options.Borrow]. Nil: it is not free, or cannot be made.
func (k *Kept) Lend(key string, c sayso.Contract) *os.File {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	r := k.room
	if r != nil && r.hear(0) && r.lent {
		return nil
	}
	if r == nil || r.ended || r.spent || r.key != key {
		r.close()
		k.room = k.newRoom(c)
		r = k.room
	}
	if r == nil || r.key != key || r.told == "" && !r.hear(soon) {
		return nil
	}
	return r.lend()
}

// Busy reports whether a command runs in the place.
func (k *Kept) Busy() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.room != nil && k.room.hear(0) && k.room.lent
}

// Close ends the place, and what runs there.
func (k *Kept) Close() error {
	k.mu.Lock()
	k.closed = true
	r := k.room
	k.room = nil
	r.close()
	k.mu.Unlock()
	_ = k.lookout.Close() // it does not fail
	if r != nil {
		<-r.over
	}
	return nil
}

// newRoom starts to make a place; nil: there can be none for this contract.
func (k *Kept) newRoom(c sayso.Contract) *room {
	p := &plan{c: &c, abi: box.LandlockABI()}
	if p.make() != nil {
		return nil // whoever runs it in a place of its own is told why
	}
	steps := append(p.lasting(), box.Step{box.Keep})
	r := &room{k: k, contract: c, steps: steps, key: p.key(), started: make(chan struct{}), over: make(chan struct{})}
	go r.live()
	return r
}

// live starts a place and waits for its end.
func (r *room) live() {
	runtime.LockOSThread() // sayso-box ends with the thread that has started it
	defer runtime.UnlockOSThread()
	defer close(r.over)
	r.err = r.start()
	close(r.started)
	if r.err != nil {
		return
	}
	_ = r.cmd.Wait() // it has told how it ended
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	r.hear(0)
	r.ended = true
	_, _ = r.control.Close(), r.messages.Close() // nobody is on the other side
	if r.spent && r.k.room == r && !r.k.closed {
		r.k.room = r.k.newRoom(r.contract) // the next command should not have to wait
	}
}

// start starts sayso-box.
func (r *room) start() error {
	program := r.k.Box
	if program == "" {
		var err error
		if program, err = local.Beside("sayso-box"); err != nil {
			return err
		}
	}
	control, theirs, err := pair()
	if err != nil {
		return err
	}
	defer theirs.Close() //nolint:errcheck // the other side has it
	messages, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, control.Close())
	}
	defer out.Close() //nolint:errcheck // the other side has it
	r.control, r.messages, r.heard, r.cmd = control, messages, bufio.NewReader(messages), boxCommand(program, r.contract.Network)
	r.cmd.ExtraFiles = []*os.File{theirs, out}
	r.cmd.Env = append(r.cmd.Env, "GOMAXPROCS=1")
	if err := r.cmd.Start(); err != nil {
		return errors.Join(err, control.Close(), messages.Close())
	}
	if err := box.Send(control, r.steps...); err != nil {
		_ = r.cmd.Process.Kill() // what is told next is its end
	}
	return nil
}

// pair is a pair of sockets.
func pair() (one, other *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// wait waits until something can be read.
func wait(f *os.File, timeout time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	for {
		n, err := unix.Poll(fds, int(timeout.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err == nil && n == 0:
			return os.ErrDeadlineExceeded
		default:
			return err
		}
	}
}

// hear takes in what sayso-box has told, for the first time waits for it, and reports
// whether there still is a place.
func (r *room) hear(timeout time.Duration) bool {
	if timeout > 0 {
		<-r.started
	}
	select {
	case <-r.started:
	default:
		return true
	}
	for r.err == nil && !r.ended {
		switch r.told {
		case "": // it is being made
		case box.Ending:
			timeout = soon
		default:
			timeout = 0
		}
		if r.heard.Buffered() == 0 && wait(r.messages, timeout) != nil {
			break
		}
		steps, err := box.Receive(r.heard)
		if err != nil {
			r.ended = true
		}
		for _, s := range steps {
			r.told = s[0]
			r.lent = r.lent && s[0] != box.Idle
			r.spent = r.spent || s[0] == box.Spent
		}
	}
	return r.err == nil && !r.ended && !r.spent
}

// lend lets one command have the place.
func (r *room) lend() *os.File {
	if r.told != box.Ready && r.told != box.Idle {
		return nil
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	err = sendFiles(r.control, []byte{0}, fds[1])
	_ = unix.Close(fds[1]) // the other side has it
	if err != nil {
		_ = unix.Close(fds[0]) // nothing was written to it
		return nil
	}
	r.lent = true
	return os.NewFile(uintptr(fds[0]), "channel")
}

// sendFiles sends descriptors with a text, of which there is at least one byte.
func sendFiles(socket *os.File, text []byte, files ...int) error {
	n, err := unix.SendmsgN(int(socket.Fd()), text, unix.UnixRights(files...), nil, unix.MSG_NOSIGNAL)
	if err == nil && n < len(text) {
		_, err = socket.Write(text[n:])
	}
	return err
}

// close ends the place.
func (r *room) close() {
	if r == nil {
		return
	}
	<-r.started
	if r.err == nil && !r.ended {
		_ = r.cmd.Process.Kill() // it may have ended; all that is inside ends with it
	}
}
