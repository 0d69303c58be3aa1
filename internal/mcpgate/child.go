package mcpgate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a server may take to end: when its input has ended, and
// again when it was told to.
const patience = 2 * time.Second

// Start starts a server as a process of its own, and connects to it. What it writes
// to standard error goes to errs; without env it has that of this process. Closing the connection ends it, and all that it
// has started in its process group.
func Start(argv []string, dir string, env []string, errs io.Writer) (mcp.Connection, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = dir, env, errs, patience
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, written, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = written
	err = cmd.Start()
	_ = written.Close() // the server has its own
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	c := &child{cmd: cmd, in: in, out: out, done: make(chan struct{})}
	go c.wait()
	return Lines(c, in, c.end), nil
}

// A child is a server that runs.
type child struct {
	cmd  *exec.Cmd
	in   io.Closer
	out  *os.File
	done chan struct{} // closed when it has ended
	err  error         // how, from then on
}

func (c *child) wait() {
	c.err = c.cmd.Wait()
	// What it has left behind may hold the pipe open; what is in it is read first.
	_ = c.out.SetReadDeadline(time.Now().Add(patience / 2)) // where there are none, it ends with them
	close(c.done)
}

// ErrEnded says that a process has ended by itself, and well.
var ErrEnded = errors.New("it has ended")

// Read reads what the server writes. Its end is told as how the server has ended.
func (c *child) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if err == nil || n > 0 {
		return n, nil
	}
	select {
	case <-c.done:
	case <-time.After(patience):
		return 0, errors.New("it has closed its output")
	}
	if c.err != nil {
		return 0, fmt.Errorf("it has ended: %w", c.err)
	}
	return 0, ErrEnded
}

// end ends the server: first by the end of its input, as the protocol has it.
func (c *child) end() error {
	_ = c.in.Close() // it may have ended by itself
	for _, tell := range []func(*exec.Cmd) error{func(*exec.Cmd) error { return nil }, terminate, kill} {
		_ = tell(c.cmd) // if it is gone already
		select {
		case <-c.done:
			_ = kill(c.cmd) // what it has left behind in its group
			return c.out.Close()
		case <-time.After(patience):
		}
	}
	return errors.New("the server does not end")
}
