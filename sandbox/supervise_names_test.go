//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// names are ways to start a program other than by its path, as programs that print
// something, and the file that they lead to; empty: it has no path.
var names = map[string]struct{ code, real string }{
	"descriptor":          {`os.execv("/proc/self/fd/%d" % os.open(E, os.O_PATH), W)`, "echo"},
	"device":              {`os.execv("/dev/fd/%d" % os.open(E, os.O_PATH), W)`, "echo"},
	"thread":              {`os.execv("/proc/thread-self/root" + E, W)`, "echo"},
	"back from a link":    {`os.symlink("/usr/bin", "l"); os.execv("l/../bin/echo", W)`, "echo"},
	"folder that is gone": {`os.mkdir("d"); os.chdir("d"); os.rmdir("../d"); os.execv("../" * 20 + E, W)`, ""},
	"no file at all":      {`m = os.memfd_create("m", 0); os.write(m, open(E, "rb").read()); os.execve(m, W, {})`, ""},
	"file that is gone":   {`shutil.copy(E, "c"); f = os.open("c", os.O_PATH); os.remove("c"); os.execve(f, W, {})`, ""},
}

// TestSuperviseNames: a program is decided by whatever name it is started, and the one
// who decides is told which file that is.
func TestSuperviseNames(t *testing.T) {
	for name, one := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &judge{}
			r := run(t, contract(inHome(t), "python3 -c 'import os, shutil\nE, W = \"/usr/bin/echo\", [\"echo\", \"was started\"]\n"+one.code+"'"), g.options)
			if r.out != "was started\n" {
				t.Fatalf("%v", r)
			}
			var found *sandbox.Program
			for i, p := range g.programs {
				if len(p.Argv) == 2 && p.Argv[1] == "was started" {
					found = &g.programs[i]
				}
			}
			if found == nil {
				t.Fatalf("nobody was asked: %v", g.programs)
			}
			if one.real != "" && filepath.Base(found.Real) != one.real {
				t.Errorf("it leads to %q", found.Real)
			}
		})
	}
}

// detour gives a socket a header by which its packets go to another address first.
const detour = `import socket, struct
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(41, 57, struct.pack("BBBBBBH", 0, 4, 4, 1, 1, 0, 0) + bytes(16) + socket.inet_pton(socket.AF_INET6, "::1"))
print("set")`

// TestSuperviseDetour: what is sent to an address that was decided goes there, and not
// by way of another; and no kind of socket is made that is connected by other calls.
func TestSuperviseDetour(t *testing.T) {
	stream := "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)"
	attempts := map[string]string{detour: "Operation not permitted", stream: "Permission denied"}
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", detour).CombinedOutput(); strings.Contains(string(out), "Protocol not available") {
		delete(attempts, detour) // the kernel has no such header
	} else if string(out) != "set\n" {
		t.Fatalf("it does not even succeed outside: %s %v", out, err)
	}
	for code, says := range attempts {
		c := contract(inHome(t), "python3 -c '"+code+"'")
		c.Network = sayso.NetworkAll
		if r := run(t, c, (&judge{}).options); r.out != "" || !strings.Contains(r.err, says) {
			t.Errorf("%v", r)
		}
	}
}

// TestSuperviseNoHost: an address without a host is this machine, and decided as that,
// whatever the socket would make of it.
func TestSuperviseNoHost(t *testing.T) {
	port, came := listen(t)
	for name, code := range map[string]string{
		"connect": `socket.create_connection(("0.0.0.0", P), 20)`,
		"sendto":  `socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("0.0.0.0", P))`,
		"mapped":  `socket.socket(socket.AF_INET6).connect(("::ffff:0.0.0.0", P))`,
		"bound":   `s = socket.socket(socket.AF_INET6); s.bind(("::ffff:127.0.0.1", 0)); s.connect(("::", P))`,
	} {
		var asked []string
		c := contract(inHome(t), "python3 -c 'import socket\nP = "+itoa(port)+"\n"+code+"'")
		c.Network = sayso.NetworkAll
		r := run(t, c, func(o *sandbox.Options) {
			(&judge{}).options(o)
			o.Connect = func(_ context.Context, host string, _ int) error {
				if asked = append(asked, host); host == "127.0.0.1" {
					return errors.New("not this one")
				}
				return nil
			}
		})
		if strings.Contains(r.err, "Address family not supported") {
			continue // the kernel has no IPv6
		}
		want := map[bool]string{true: "::1", false: "127.0.0.1"}[name == "bound"]
		if len(asked) != 1 || asked[0] != want || r.Exit == 0 {
			t.Errorf("%s: asked about %v, want %s: %v", name, asked, want, r)
		}
	}
	if n := came(); n != 0 {
		t.Errorf("%d came through", n)
	}
}
