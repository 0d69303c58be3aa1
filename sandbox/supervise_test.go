//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// A judge decides about programs and addresses, and remembers what it was asked.
type judge struct {
	mu       sync.Mutex
	programs []sandbox.Program
	ports    []int
	refuse   string // the name of a program that is not started
	open     int    // the only port that can be reached
}

func (g *judge) exec(_ context.Context, p sandbox.Program) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.programs = append(g.programs, p)
	if filepath.Base(p.File) == g.refuse {
		return errors.New("not this one")
	}
	return nil
}

func (g *judge) connect(_ context.Context, _ string, port int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ports = append(g.ports, port); port != g.open {
		return errors.New("not this one")
	}
	return nil
}

// options lets the judge decide.
func (g *judge) options(o *sandbox.Options) { o.Exec, o.Connect = g.exec, g.connect }

// TestSuperviseExec: every program that is started inside is decided, with its real
// words and the folder it is started in, and the one that is refused is not started.
func TestSuperviseExec(t *testing.T) {
	dir := inHome(t)
	write(t, dir+"/sub/hook", "#!/bin/sh\nexec /bin/echo from a hook\n")
	g := &judge{refuse: "cat"}
	c := contract(dir, `X=y; ls "$X$X" 2>/dev/null; cat /etc/passwd || echo "refused $?"; cd sub && sh ./hook; env -i PATH="/nowhere:$PATH" true
		python3 -c 'import os; os.execve(os.open("/bin/echo", os.O_PATH), ["echo", "by a descriptor"], {})'`)
	r := run(t, c, g.options)
	if r.out != "refused 126\nfrom a hook\nby a descriptor\n" || r.Exit != 0 || !r.report.Enforced() {
		t.Errorf("%v", r)
	}
	if line := r.report.Of(sandbox.Programs); line.State != sandbox.Open {
		t.Errorf("the report calls it %v", line)
	}
	var said []string
	for _, p := range g.programs {
		said = append(said, filepath.Base(p.File)+" "+strings.Join(p.Argv[min(1, len(p.Argv)):], " ")+" in "+strings.TrimPrefix(p.Dir, dir))
		if filepath.Base(filepath.Dir(p.File)) == "nowhere" {
			t.Errorf("it was asked about a program that is not there: %v", p)
		}
	}
	for _, want := range []string{"ls yy in ", "cat /etc/passwd in ", "sh ./hook in /sub", "echo from a hook in /sub", "true  in /sub", "echo by a descriptor in /sub"} {
		if !slices.Contains(said, want) {
			t.Errorf("it was not asked about %q, but %q", want, said)
		}
	}
}

// TestSuperviseHeld: a process waits as long as nobody has decided, and a run can be
// ended meanwhile.
func TestSuperviseHeld(t *testing.T) {
	dir := inHome(t)
	asked, answer := make(chan struct{}), make(chan error)
	hold := func(o *sandbox.Options) {
		o.Exec = func(ctx context.Context, _ sandbox.Program) error {
			asked <- struct{}{}
			select {
			case err := <-answer:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	go func() {
		<-asked
		write(t, dir+"/said", "yes")
		answer <- nil
	}()
	if r := run(t, contract(dir, "cat said"), hold); r.out != "yes" {
		t.Errorf("%v", r)
	}
	go func() { <-asked }()
	c := contract(dir, "cat said; echo and more")
	c.Timeout, c.Grace = 500*time.Millisecond, 0
	if r := run(t, c, hold); !r.TimedOut || r.out != "" {
		t.Errorf("%v", r)
	}
}

// listen accepts connections and datagrams, counts them and says hello.
func listen(t *testing.T) (port int, came func() int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	port = l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it is TCP
	u, err := net.ListenPacket("udp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.Close() })
	var mu sync.Mutex
	n := 0
	count := func() { mu.Lock(); n++; mu.Unlock() }
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			count()
			_, _ = io.WriteString(c, "hello")
			_ = c.Close()
		}
	}()
	go func() {
		for text := make([]byte, 64); ; {
			size, from, err := u.ReadFrom(text)
			if err != nil {
				return
			}
			count()
			_, _ = u.WriteTo(text[:size], from)
		}
	}()
	return port, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// ways are those to reach a port, as a program that prints what came back.
var ways = map[string]string{
	"connect":     `s = socket.create_connection(A, 20); print(s.recv(9))`,
	"not waiting": `s = socket.socket(); s.setblocking(False); e = s.connect_ex(A); assert e in (0, errno.EINPROGRESS), os.strerror(e); select.select([], [s], [], 20); s.setblocking(True); print(s.recv(9))`,
	"in a thread": `t = threading.Thread(target=lambda: print(socket.create_connection(A, 20).recv(9))); t.start(); t.join()`,
	"sendto":      `s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(20); s.sendto(b"hello", A); print(s.recv(9))`,
	"sendmsg":     `s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(20); s.sendmsg([b"hel", b"lo"], [], 0, A); print(s.recv(9))`,
	"datagrams":   `s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(20); s.connect(A); s.send(b"hello"); print(s.recv(9)); s.sendmsg([b"hello"]); print(s.recv(9))`,
	"fast open":   `s = socket.socket(); s.sendto(b"x", 0x20000000, A); print(s.recv(9))`,
}

// TestSuperviseConnect: with an open network, an address is reached only if it was
// decided so, whichever way is tried.
func TestSuperviseConnect(t *testing.T) {
	dir := inHome(t)
	good, _ := listen(t)
	bad, came := listen(t)
	for name, code := range ways {
		for _, port := range []int{good, bad} {
			g := &judge{open: good}
			c := contract(dir, "python3 -c 'import errno, os, select, socket, threading\nA = (\"127.0.0.1\", "+itoa(port)+")\n"+code+"'")
			c.Network = sayso.NetworkAll
			r := run(t, c, g.options)
			if line := r.report.Of(sandbox.Network); line.State != sandbox.Enforced {
				t.Errorf("the report says %v", line)
			}
			if reached := strings.Contains(r.out, "hello"); reached != (port == good) || port == bad && !strings.Contains(r.err, "Permission denied") || !slices.Contains(g.ports, port) {
				t.Errorf("%s, port %d of %d: %v, asked about %v", name, port, good, r, g.ports)
			}
		}
	}
	if n := came(); n != 0 {
		t.Errorf("%d connections were made that were not allowed", n)
	}
	c := contract(dir, `python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>&1 | tail -n 1; python3 -c 'import array, socket
a, b = socket.socketpair()
a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])' 2>&1 | tail -n 1`)
	c.Network = sayso.NetworkAll
	if r := run(t, c, (&judge{}).options); !strings.Contains(r.out, "Permission denied") || !strings.Contains(r.out, "not permitted") {
		t.Errorf("%v", r)
	}
}

// flips connects again and again, while a thread changes the port of the address that
// the kernel is given.
const flips = `python3 -c '
import ctypes, socket, struct, threading
libc = ctypes.CDLL(None)
buffer = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack("!H", %GOOD) + bytes([127, 0, 0, 1]) + bytes(8))
over = False
def flip():
    while not over:
        buffer[2:4] = struct.pack("!H", %BAD)
        buffer[2:4] = struct.pack("!H", %GOOD)
threads = [threading.Thread(target=flip) for _ in range(2)]
for t in threads: t.start()
made = 0
for i in range(150):
    s = socket.socket()
    made += libc.connect(s.fileno(), buffer, 16) == 0
    s.close()
over = True
print("made", made > 0)
'`

// TestSuperviseFlips: an address that is changed while it is decided leads nowhere
// else.
func TestSuperviseFlips(t *testing.T) {
	dir := inHome(t)
	good, _ := listen(t)
	bad, came := listen(t)
	g := &judge{open: good}
	c := contract(dir, strings.NewReplacer("%GOOD", itoa(good), "%BAD", itoa(bad)).Replace(flips))
	c.Network = sayso.NetworkAll
	if r := run(t, c, g.options); r.out != "made True\n" {
		t.Errorf("%v", r)
	}
	if n := came(); n != 0 {
		t.Errorf("%d connections were made that were not allowed", n)
	}
}
