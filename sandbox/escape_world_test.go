//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/proxy"
)

// A world is what attempts to get out try to reach: files, daemons and processes
// outside of the sandbox.
type world struct {
	base   string            // the folder of all of it
	values map[string]string // what stands in attempts as $NAME
}

// secretByte is in the memory of this process.
var secretByte byte = 42

// newWorld makes it once for all attempts; the files are made anew for each.
func newWorld(t *testing.T) *world {
	t.Helper()
	base := os.Getenv("SAYSO_TEST_OUTSIDE")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		if base, err = os.MkdirTemp(home, "sayso-escape"); err != nil { // seen inside, unlike /tmp
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(base) })
		if os.Getuid() == 0 {
			if err := errors.Join(os.Chmod(base, 0o755), setuid(base+"/setuid", nobody)); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := &world{base: base, values: map[string]string{"$O": base + "/outside", "$W": base + "/work", "$BASE": base, "$SELF": strconv.Itoa(os.Getpid())}}
	text, err := os.ReadFile(program) // in /tmp, where it is not seen inside
	if err != nil {
		t.Fatal(err)
	}
	// One that an attempt has left behind may still be ending.
	if err := errors.Join(os.WriteFile(base+"/tool.new", text, 0o755), os.Rename(base+"/tool.new", base+"/tool")); err != nil {
		t.Fatal(err)
	}
	w.daemons(t)
	w.processes(t)
	shared, err := os.CreateTemp("/dev/shm", "sayso-escape")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(shared.Name()) })
	temporary, err := os.CreateTemp("/tmp", "sayso-escape")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(temporary.Name()) })
	w.values["$SHM"], w.values["$TMP"] = shared.Name(), temporary.Name()
	return w
}

// daemons listen in every way.
func (w *world) daemons(t *testing.T) {
	t.Helper()
	greet := func(network, address string) net.Addr {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte("hello"))
				_ = c.Close()
			}
		}()
		return l.Addr()
	}
	listen := func(network, address string) net.PacketConn {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	port := func(a net.Addr) string { _, p, _ := net.SplitHostPort(a.String()); return p }
	w.values["$TCP"] = port(greet("tcp4", "0.0.0.0:0"))
	w.values["$TCP6"] = port(greet("tcp6", "[::1]:0"))
	_ = os.Remove(w.base + "/daemon.sock")
	_ = os.Remove(w.base + "/datagrams.sock")
	greet("unix", w.base+"/daemon.sock")
	greet("unix", "@sayso-escape-"+w.values["$SELF"])
	listen("unixgram", w.base+"/datagrams.sock")
	dns := listen("udp4", "0.0.0.0:0")
	w.values["$UDP"] = port(dns.LocalAddr())
	go func() {
		buffer := make([]byte, 64)
		for {
			n, from, err := dns.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = dns.WriteTo(buffer[:n], from)
		}
	}()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			w.values["$ADDRESS"] = ip.IP.String()
		}
	}
}

// openProxy is one that lets everything through, for attempts outside.
func (w *world) openProxy(t *testing.T) string {
	t.Helper()
	p := &proxy.Proxy{Ask: func(context.Context, proxy.Target) error { return nil }, Resolve: w.resolve, Hosts: []string{"127.0.0.1:" + w.values["$TCP"], "localhost:" + w.values["$TCP"], w.values["$ADDRESS"] + ":" + w.values["$TCP"]}}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	go p.Serve(l)
	return l.Addr().String()
}

// resolve lets every name lead to this machine.
func (w *world) resolve(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// processes are those that somebody inside could reach, and what they have.
func (w *world) processes(t *testing.T) {
	t.Helper()
	victim := exec.Command("/bin/sleep", "600")
	victim.Env = []string{"SECRET=in the environment"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	w.values["$VICTIM"] = strconv.Itoa(victim.Process.Pid)
	w.values["$BYTE"] = strconv.FormatUint(uint64(uintptr(unsafe.Pointer(&secretByte))), 10)
	key := os.Getpid() | 0x53000000
	id, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	w.values["$KEY"] = strconv.Itoa(key)
	queue := fmt.Sprintf("sayso-escape-%d", os.Getpid())
	name, _ := unix.BytePtrFromString(queue)
	if _, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0); errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0) })
	w.values["$QUEUE"] = queue
}

// files makes the files anew.
func (w *world) files(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"$O", "$W"} {
		if err := os.RemoveAll(w.values[dir]); err != nil {
			t.Fatal(err)
		}
	}
	write(t, w.values["$O"]+"/file", "outside\n")
	write(t, w.values["$O"]+"/folder/file", "outside\n")
	write(t, w.values["$W"]+"/file", "inside\n")
	write(t, w.values["$W"]+"/folder/file", "inside\n")
	write(t, w.values["$W"]+"/.git/config", "[core]\n")
	write(t, w.values["$W"]+"/.git/HEAD", "ref: refs/heads/main\n")
	write(t, w.values["$W"]+"/.git/hooks/sample", "#!/bin/sh\n")
	write(t, w.values["$W"]+"/.env", "A=1\n")
	if err := os.Mkdir(w.values["$W"]+"/empty", 0o755); err != nil {
		t.Fatal(err)
	}
}

// seen is what nobody inside may change, as text.
func (w *world) seen(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{w.values["$O"], w.values["$W"] + "/.git", w.values["$W"] + "/.env", w.values["$W"] + "/.mcp.json", w.values["$W"] + "/.claude"} {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				fmt.Fprintf(&b, "%s: not there\n", name)
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			text, _ := os.ReadFile(name)
			stat := new(unix.Stat_t)
			if err := unix.Lstat(name, stat); err != nil {
				return err
			}
			if info.IsDir() {
				fmt.Fprintf(&b, "%s %s\n", name, info.Mode()) // places come and go in it
			} else {
				fmt.Fprintf(&b, "%s %s %d %d %s %q\n", name, info.Mode(), stat.Uid, stat.Ino, info.ModTime(), text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// words fills in the values.
func (w *world) words(attempt string) []string {
	words := strings.Fields(attempt)
	for i := range words {
		for _, name := range []string{"$ADDRESS", "$VICTIM", "$QUEUE", "$BASE", "$BYTE", "$SELF", "$TCP6", "$TCP", "$UDP", "$KEY", "$SHM", "$TMP", "$FD", "$O", "$W"} {
			words[i] = strings.ReplaceAll(words[i], name, w.values[name])
		}
	}
	return words
}
