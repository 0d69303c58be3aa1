//go:build linux

package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/sandbox"
)

// TestKeptPlaces: what is protected and not there is held while a command runs, and
// nothing of that is left between two.
func TestKeptPlaces(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	c := contract(dir, "echo x >.env && echo written; mkdir -p .claude/x && echo made; mv file .env && echo moved; "+here)
	c.Protected = protectedNames(dir)
	write(t, dir+"/file", "")
	var first string
	for range 3 {
		r := runKept(t, k, c)
		if first == "" {
			first = r.out
		}
		if !r.Kept || strings.Contains(r.out, "written") || strings.Contains(r.out, "made") || strings.Contains(r.out, "moved") || r.out != first {
			t.Errorf("%v", r)
		}
		names, err := filepath.Glob(dir + "/.*")
		if err != nil || len(names) != 0 {
			t.Errorf("left in the workspace: %q %v", names, err)
		}
	}
}

// TestKeptSpare: what holds a path moves to the state folder and back, with what is
// mounted on it; where it cannot move, it is made each time; and what people put there
// meanwhile stays.
func TestKeptSpare(t *testing.T) {
	for _, where := range []string{"", "/dev/shm"} {
		dir, state := inHome(t), inHome(t)
		if where != "" { // another file system
			var err error
			if state, err = os.MkdirTemp(where, "sayso"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(state) })
		}
		k := keep(t)
		c := contract(dir, "stat -c %i .claude .env; echo x >.env; echo x >.claude/x; chmod 700 .claude; "+here)
		c.Protected = protectedNames(dir)
		with := func(o *sandbox.Options) { o.State = state }
		first := runKept(t, k, c, with)
		for range 3 {
			if r := runKept(t, k, c, with); !r.Kept || where == "" && r.out != first.out {
				t.Errorf("%q: %v, at first %v", where, r, first)
			}
			if names, _ := filepath.Glob(dir + "/.*"); len(names) != 0 {
				t.Errorf("%q: left in the workspace: %q", where, names)
			}
		}
		kept, err := os.ReadDir(state + "/spare")
		if err != nil || (len(kept) > 0) != (where == "") {
			t.Errorf("%q: %v %v", where, kept, err)
		}
		said := &notify{word: "there", said: make(chan struct{})}
		put := make(chan error, 1)
		go func() { <-said.said; put <- os.WriteFile(dir+"/.claude/theirs", nil, 0o600) }()
		c.Script = "echo there; while ! test -e .claude/theirs; do sleep 0.01; done"
		if r := runKept(t, k, c, with, func(o *sandbox.Options) { o.Stdout = said }); r.Exit != 0 || <-put != nil {
			t.Errorf("%q: %v", where, r)
		}
		if _, err := os.Stat(dir + "/.claude/theirs"); err != nil {
			t.Errorf("%q: %v", where, err)
		}
	}
}

// TestKeptTwoSystems: with folders in two file systems, what holds a path moves in one and
// is made in the other; no mount is left that the next command adds to.
func TestKeptTwoSystems(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount another file system")
	}
	dir, other, state := inHome(t), inHome(t), inHome(t)
	if err := unix.Mount("none", other, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(other, unix.MNT_DETACH) })
	k := keep(t)
	c := contract(dir, "wc -l </proc/self/mountinfo; echo x >.env && echo written; echo x >"+other+"/.env && echo written; "+here)
	c.Write, c.Protected = append(c.Write, other), []string{dir + "/.env", other + "/.env"}
	with := func(o *sandbox.Options) { o.State = state }
	first := runKept(t, k, c, with)
	for range 3 {
		if r := runKept(t, k, c, with); !r.Kept || r.out != first.out || strings.Contains(r.out, "written") {
			t.Errorf("%v, at first %v", r, first)
		}
	}
}
