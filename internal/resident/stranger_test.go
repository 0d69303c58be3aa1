//go:build linux && (amd64 || arm64)

package resident_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/early/form"
)

// say says something to the process, with open files, and returns what it answers.
func (w world) say(t *testing.T, text []byte, files ...int) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd) //nolint:errcheck // all was said
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: filepath.Join(w.state, form.SocketFile)}); err != nil {
		t.Fatal(err)
	}
	var rights []byte
	if len(files) > 0 {
		rights = syscall.UnixRights(files...)
	}
	if err := syscall.Sendmsg(fd, text, rights, nil, 0); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for {
		var room [4 << 10]byte
		n, err := syscall.Read(fd, room[:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			return string(all)
		}
		all = append(all, room[:n]...)
	}
}

// message is an event as a hook sends it.
func message(event string, args ...string) []byte {
	line := strings.Join(args, "\x00") + "\x00"
	text := binary.BigEndian.AppendUint32(nil, uint32(len(event)))
	return append(binary.BigEndian.AppendUint32(text, uint32(len(line))), event+line...)
}

// asStranger is the variable that makes this test the process that asks: the variables
// of the one that asks count.
const asStranger = "SAYSO_TEST_STRANGER"

// TestStrangers: only who can write in the state folder has events decided, and only
// those for this folder. Others change nothing.
func TestStrangers(t *testing.T) {
	if os.Getenv(asStranger) != "" {
		stranger(t)
		return
	}
	w := newWorld(t)
	w.ask(t, w.event("t0", "git status"), []string{alone}, "claude")
	w.serve(t)
	before := len(w.records(t))
	for i, how := range []string{"none", "read", "path", "other", "short", "long", "much", "state", "write"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStrangers$")
		cmd.Env = append(slices.Clone(w.env), asStranger+"="+how, "STATE="+w.state, "EVENT="+w.event(fmt.Sprint("x", i), "git status"))
		if how == "state" {
			cmd.Env = append([]string{"XDG_STATE_HOME=" + filepath.Join(w.dir, "elsewhere")}, cmd.Env...)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", how, err, out)
		}
		want := before
		if how == "write" {
			want += 2
		}
		if got := len(w.records(t)); got != want {
			t.Errorf("%s: %d records, want %d", how, got, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(w.dir, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it makes folders for others: %v", err)
	}
	if got := w.handicapped(t, w.event("t9", "git status")); !strings.Contains(got, `"allow"`) {
		t.Errorf("it does not answer any more: %s", got)
	}
}

// stranger asks in one of several ways.
func stranger(t *testing.T) {
	w := world{state: os.Getenv("STATE")}
	text, key, flags, want := message(os.Getenv("EVENT"), "sayso-hook", "claude"), filepath.Join(w.state, form.KeyFile), syscall.O_WRONLY, string(form.Declined)
	switch os.Getenv(asStranger) {
	case "none":
		key = ""
	case "read":
		flags = syscall.O_RDONLY
	case "path":
		flags = 0o10000000 | syscall.O_WRONLY // O_PATH: it can be had without any right
	case "other":
		key = filepath.Join(t.TempDir(), "resident.lock")
		if err := os.WriteFile(key, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	case "short":
		text = text[:len(text)-3]
	case "long":
		text = append(text, 'x')
	case "much":
		text[0] = 0xff
	case "write":
		want = `"allow"`
	}
	var files []int
	if key != "" {
		fd, err := syscall.Open(key, flags|syscall.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fd)
	}
	if got := w.say(t, text, files...); !strings.Contains(got, want) || want == string(form.Declined) && got != want {
		t.Errorf("it is told %q", got)
	}
}

// TestLeavesNothing: many that ask, or say nothing, or go away, leave no file open and no
// process behind; and where its folder is gone, it ends.
func TestLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.ask(t, w.event("t0", "git status"), []string{alone}, "claude")
	p := w.serve(t)
	open := func() int {
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	w.handicapped(t, w.event("t1", "tar xf all.tar"))
	before := open()
	key, err := os.OpenFile(filepath.Join(w.state, form.KeyFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close() //nolint:errcheck // nothing was written
	for i := range 30 {
		files := make([]int, i%4) // more than it wants
		for n := range files {
			files[n] = int(key.Fd())
		}
		if got := w.say(t, message("{}"), files...); got != string(form.Declined) {
			t.Errorf("%q", got)
		}
		if i%10 == 0 {
			if got := w.handicapped(t, w.event(fmt.Sprint("u", i), "tar xf all.tar")); !strings.Contains(got, "permissionDecision") {
				t.Errorf("%s", got)
			}
		}
	}
	for until := time.Now().Add(time.Minute); open() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d files are open, %d were", open(), before)
		}
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range threads {
		if children, err := os.ReadFile(name); err == nil && len(children) > 0 {
			t.Errorf("it has left processes behind: %s", children)
		}
	}
	if err := os.RemoveAll(w.state); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil { // the limit of the test is that of it
		t.Errorf("it ends with %v", err)
	}
}
