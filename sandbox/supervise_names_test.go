//go:build linux

package sandbox_test

import (
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
