//go:build amd64 || arm64

package early

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sayso-dev/sayso/internal/early/form"
	"github.com/sayso-dev/sayso/internal/session"
)

// TestAnswer: an answer counts if it is whole, and nothing else does.
func TestAnswer(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, test := range map[string]struct{ told, want string }{
		"nothing":             {"", ""},
		"it declines":         {"n", ""},
		"something else":      {"?\x00\x00\x00\x01x", ""},
		"half a length":       {"y\x00\x00", ""},
		"half an answer":      {"y\x00\x00\x00\x05abc", ""},
		"more than it says":   {"y\x00\x00\x00\x01abc", ""},
		"longer than is read": {"y\x7f\xff\xff\xffabc", ""},
		"a negative length":   {"y\xff\xff\xff\xffabc", ""},
		"an answer":           {"y\x00\x00\x00\x03abc", "abc"},
		"a long answer":       {"y\x00\x00\x01\x2c" + long, long},
	} {
		t.Run(name, func(t *testing.T) {
			fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := syscall.Write(fds[1], []byte(test.told)); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Close(fds[1]); err != nil {
				t.Fatal(err)
			}
			clear(reply[:])
			if got := answer(fds[0]); string(got) != test.want || (got == nil) != (test.want == "") {
				t.Errorf("%q", got)
			}
			if err := syscall.Close(fds[0]); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAddress: the files are where package session keeps the state.
func TestAddress(t *testing.T) {
	long := "/" + strings.Repeat("x", 80)
	for name, test := range map[string]struct{ variables, want string }{
		"nothing":                        {"", ""},
		"no folder":                      {"HOMER=/x\x00HOME\x00XHOME=/y\x00", ""},
		"home":                           {"A=b\x00HOME=/home/me\x00", "/home/me/.local/state/sayso/resident"},
		"an empty home":                  {"HOME=\x00", ""},
		"a home that is not absolute":    {"HOME=me\x00XDG_STATE_HOME=state\x00", ""},
		"a folder for state":             {"HOME=/home/me\x00XDG_STATE_HOME=/state\x00", "/state/sayso/resident"},
		"one that is not absolute":       {"XDG_STATE_HOME=state\x00HOME=/home/me\x00", "/home/me/.local/state/sayso/resident"},
		"an empty one":                   {"XDG_STATE_HOME=\x00HOME=/home/me\x00", "/home/me/.local/state/sayso/resident"},
		"two: the first counts":          {"HOME=/home/me\x00HOME=/home/you\x00", "/home/me/.local/state/sayso/resident"},
		"a long one":                     {"XDG_STATE_HOME=" + long + "\x00", long + "/sayso/resident"},
		"a longer one":                   {"HOME=" + long + "\x00", ""},
		"one without an end":             {"HOME=/home/me", ""},
		"a name with signs, and a space": {"HOME=/home/ü \n'\x00", "/home/ü \n'/.local/state/sayso/resident"},
	} {
		var a address
		got := ""
		if a.find([]byte(test.variables)) {
			a.file(form.KeyFile)
			a.file(form.SocketFile)
			got = string(a.path[:a.n])
		}
		if got != test.want {
			t.Errorf("%s: %q", name, got)
		}
		if folder, err := session.At(variable(test.variables, "HOME"), variable(test.variables, "XDG_STATE_HOME")); err == nil && got != "" && filepath.Join(folder.Dir, form.SocketFile) != got {
			t.Errorf("%s: %q, and the state is in %s", name, got, folder.Dir)
		}
	}
}

// variable is the value of the first variable of that name.
func variable(variables, name string) string {
	for one := range strings.SplitSeq(variables, "\x00") {
		if text, ok := strings.CutPrefix(one, name+"="); ok {
			return text
		}
	}
	return ""
}

// TestSame: a process runs this program and sees these files, or it does not.
func TestSame(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it has ended then
	own, other := int32(os.Getpid()), int32(cmd.Process.Pid)
	if !same("/proc/self/exe", own, "exe") || !same("/", own, "root") || !same("/", other, "root") {
		t.Error("what is the same is not")
	}
	if same("/proc/self/exe", other, "exe") || same("/proc/self/exe", 1<<30, "exe") || same("/nowhere", own, "root") || same("/proc", own, "root") {
		t.Error("what is something else is the same")
	}
}
