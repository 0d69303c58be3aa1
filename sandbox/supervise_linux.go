package sandbox

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/supervise"
)

// A watcher is what answers for a supervised command; nil: none does.
type watcher struct {
	j      *job
	socket *os.File // through which sayso-box passes what calls are told through
	theirs *os.File

	mu    sync.Mutex
	known map[netip.AddrPort]func() error // what was decided about addresses
}

// watcher gives sayso-box a way to pass on what calls are told through.
func (j *job) watcher(cmd *exec.Cmd) (*watcher, error) {
	if j.o.Exec == nil {
		return nil, nil
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	if len(cmd.ExtraFiles) < 3 { // it is always the same descriptor
		cmd.ExtraFiles = append(cmd.ExtraFiles, nil)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	return &watcher{j: j, socket: ours, theirs: theirs, known: map[netip.AddrPort]func() error{}}, nil
}

func (w *watcher) close() {
	if w != nil {
		_, _ = w.socket.Close(), w.theirs.Close() // nothing was passed
	}
}

// serve answers, until the function that it returns is called. If it cannot, the
// command is ended.
func (w *watcher) serve(kill func()) (end func()) {
	if w == nil {
		return func() {}
	}
	_ = w.theirs.Close() // the other side has it
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		listener, err := supervise.Take(int(w.socket.Fd()))
		_ = w.socket.Close() // nothing else comes
		if err != nil {
			return // it has not come so far, and tells why
		}
		defer unix.Close(listener) //nolint:errcheck // who waits then is told that there is no such call
		s := supervise.Supervisor{Exec: w.j.o.Exec, Connect: w.connect}
		if err := s.Serve(ctx, listener); err != nil {
			kill()
		}
	})
	return func() { cancel(); served.Wait() }
}

// errNobody says that nobody decides about connections.
var errNobody = errors.New("there is nobody who could allow it")

// connect decides about an address, once.
func (w *watcher) connect(ctx context.Context, to netip.AddrPort) error {
	o := &w.j.o
	if o.Connect == nil {
		return errNobody
	}
	w.mu.Lock()
	decide := w.known[to]
	if decide == nil {
		decide = sync.OnceValue(func() error { return o.Connect(ctx, to.Addr().String(), int(to.Port())) })
		w.known[to] = decide
	}
	w.mu.Unlock()
	err := decide()
	if o.Connected != nil {
		o.Connected(Connection{Host: to.Addr().String(), Port: int(to.Port()), Via: "direct", Err: err})
	}
	return err
}
