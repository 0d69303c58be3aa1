package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/proxy"
)

// A door is a socket in the network of the run that this program serves.
type door struct {
	name  string // as box.Door has it
	serve func(*proxy.Proxy, *os.File) error
}

// doors are the only ways out of the network of a run, on ports that take a right which
// nobody inside has: a proxy, the server for names, and, for programs that know of no
// proxy, the ports that most use.
var doors = []door{
	{fmt.Sprintf("tcp loopback %d", proxyPort), listening((*proxy.Proxy).Serve)},
	{"tcp loopback 53", listening((*proxy.Proxy).ServeNamesTCP)},
	{"tcp any 22", listening((*proxy.Proxy).ServeDirect)},
	{"tcp any 80", listening((*proxy.Proxy).ServeDirect)},
	{"tcp any 443", listening((*proxy.Proxy).ServeDirect)},
	{"udp loopback 53", func(p *proxy.Proxy, f *os.File) error {
		c, err := net.FilePacketConn(f)
		if err == nil {
			go p.ServeNames(c)
		}
		return err
	}},
}

func listening(serve func(*proxy.Proxy, net.Listener)) func(*proxy.Proxy, *os.File) error {
	return func(p *proxy.Proxy, f *os.File) error {
		l, err := net.FileListener(f)
		if err == nil {
			go serve(p, l)
		}
		return err
	}
}

// hosts are the steps for a network with some hosts.
func (p *plan) hosts() {
	p.add(box.Sockets, "inet")
	p.add(box.Loopback)
	step := box.Step{box.Door}
	for _, d := range doors {
		step = append(step, d.name)
	}
	p.steps = append(p.steps, step)
}

// resolver lets names be looked up here: what the file says outside leads nowhere
// inside. Where there is none, programs ask the loopback anyway.
func (p *plan) resolver() {
	real, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil || len(p.c.Read) > 0 && !inside(real, p.shown()) {
		return
	}
	if inside(real, p.covered) {
		p.add(box.File, real)
	}
	p.add(box.Text, real, "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n")
}

// newProxy is the proxy of a run.
func (j *job) newProxy() *proxy.Proxy {
	p := &proxy.Proxy{Hosts: j.c.Hosts, Resolve: j.o.Resolve, Dial: j.o.Dial}
	if j.o.Connect != nil {
		p.Ask = func(ctx context.Context, t proxy.Target) error { return j.o.Connect(ctx, t.Host, int(t.Port)) }
	}
	if j.o.Connected != nil {
		p.Tell = func(c proxy.Connection) {
			j.o.Connected(Connection{Host: c.Host, Port: int(c.Port), Via: c.Via, Listed: c.Listed, Address: c.Address, Err: c.Err})
		}
	}
	return p
}

// openDoors serves the sockets that sayso-box passes out. They are there before the
// command is.
func openDoors(p *proxy.Proxy, from *os.File) error {
	defer from.Close() //nolint:errcheck // nothing else comes
	buf, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4*len(doors)))
	_, n, _, _, err := unix.Recvmsg(int(from.Fd()), buf, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return errors.Join(err, errors.New("no sockets were passed out"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	var failed error
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "door") //nolint:gosec // a descriptor
		if i < len(doors) {
			failed = errors.Join(failed, doors[i].serve(p, f))
		}
		_ = f.Close() // whoever serves has its own
	}
	if len(fds) != len(doors) {
		return fmt.Errorf("%d sockets were passed out, want %d", len(fds), len(doors))
	}
	return failed
}
