package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
)

// TestLookoutParent: another folder that comes in the place of one above the workspace is
// noticed.
func TestLookoutParent(t *testing.T) {
	top := watchable(t)
	dir := top + "/above/work"
	grow(t, top, "above/work/f", "other/work/.env.x")
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	s := watching(l, c)
	if err := errors.Join(os.Rename(top+"/above", top+"/gone"), os.Rename(top+"/other", top+"/above")); err != nil {
		t.Fatal(err)
	}
	if s.out == nil || s.unchanged() || !slices.Equal(l.look(c).barred, []string{dir + "/.env.x"}) {
		t.Errorf("%+v", l.look(c))
	}
}

// TestLookoutSwapped: the same while it looks.
func TestLookoutSwapped(t *testing.T) {
	top := watchable(t)
	for i := range 300 {
		grow(t, top, fmt.Sprintf("one/above/work/%d/f", i), fmt.Sprintf("other/above/work/%d/f", i))
	}
	dir := top + "/one/above/work"
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	for i := range 60 {
		over := make(chan error)
		go func() {
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			over <- unix.Renameat2(unix.AT_FDCWD, top+"/one", unix.AT_FDCWD, top+"/other", unix.RENAME_EXCHANGE)
		}()
		l.rest = time.Time{}
		watching(l, c)
		if err := <-over; err != nil {
			t.Fatal(err)
		}
		grow(t, dir, fmt.Sprintf("%d/.env", i))
		if got := l.look(c); !slices.Equal(got.barred, look(c).barred) {
			t.Fatalf("%v\nwant %v", got.barred, look(c).barred)
		}
	}
}

// TestLookoutExchange: what changes places with another is there, though it was told last
// that it has gone.
func TestLookoutExchange(t *testing.T) {
	dir := watchable(t)
	grow(t, dir, "a/f", "node_modules/x/.env")
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	s := watching(l, c)
	if err := errors.Join(os.Mkdir(dir+"/a/held", 0o755), unix.Renameat2(unix.AT_FDCWD, dir+"/node_modules/x", unix.AT_FDCWD, dir+"/a/held", unix.RENAME_EXCHANGE)); err != nil {
		t.Fatal(err)
	}
	if got := l.look(c); s.unchanged() || !slices.Equal(got.barred, []string{dir + "/a/held/.env"}) {
		t.Errorf("%+v", got)
	}
}

// TestLookoutMoment: what was planned for something that was there for a moment is not kept.
func TestLookoutMoment(t *testing.T) {
	for what, do := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink("f", path) },
		"a file": func(path string) error { return os.WriteFile(path, nil, 0o644) },
	} {
		dir := watchable(t)
		grow(t, dir, "a/f")
		c := barring(dir)
		l := &Lookout{}
		s := watching(l, c)
		if err := do(dir + "/.env"); err != nil {
			t.Fatal(err)
		}
		_, _ = guardsOf(c, s) // it is told when it is used
		if err := os.Remove(dir + "/.env"); err != nil {
			t.Fatal(err)
		}
		s = l.look(c)
		got, err := guardsOf(c, s)
		if want, _ := guardsOf(c, alone(s)); got != want || err != nil || !strings.Contains(got, "protect "+dir+"/.env") {
			t.Errorf("%s: %s %v\nwant %s", what, got, err, want)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLookoutOverflow: if more happens than the kernel tells, it is looked again.
func TestLookoutOverflow(t *testing.T) {
	dir := watchable(t)
	grow(t, dir, "a/f")
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	s := watching(l, c)
	for i := range 20_000 { // files that make no difference
		if err := os.Rename(fmt.Sprintf("%s/a/f%s", dir, suffix(i)), fmt.Sprintf("%s/a/f%s", dir, suffix(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	if s.out == nil || s.unchanged() {
		t.Error("nothing was noticed")
	}
}

func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprint(i % 2)
}

// TestLookoutBlind: where it may not be told of everything, it looks each time.
func TestLookoutBlind(t *testing.T) {
	for what, do := range map[string]func(dir string, c *sayso.Contract) error{
		"a link under a barred name":    func(dir string, _ *sayso.Contract) error { return os.Symlink("nowhere", dir+"/a/.env") },
		"a link above":                  func(string, *sayso.Contract) error { return nil },
		"a link in the way":             func(dir string, _ *sayso.Contract) error { return os.Symlink("a", dir+"/.github") },
		"a pattern of many folders":     func(dir string, c *sayso.Contract) error { c.Barred = append(c.Barred, dir+"/*/**/x"); return nil },
		"a pattern with a class":        func(dir string, c *sayso.Contract) error { c.Barred = append(c.Barred, dir+"/[ab]/x"); return nil },
		"a file system of the kernel's": func(_ string, c *sayso.Contract) error { c.Barred = append(c.Barred, "/proc/sys/fs/**/x"); return nil },
	} {
		dir := watchable(t)
		grow(t, dir, "a/b/f")
		if what == "a link above" {
			if err := errors.Join(os.Mkdir(dir+"/real", 0o755), os.Symlink("real", dir+"/link"), os.Mkdir(dir+"/link/work", 0o755)); err != nil {
				t.Fatal(err)
			}
			dir += "/link/work"
		}
		c := barring(dir)
		if err := do(dir, c); err != nil {
			t.Fatal(err)
		}
		l := &Lookout{}
		for range 3 {
			if s := l.look(c); s.out != nil || s.unchanged() || !slices.Equal(s.barred, look(c).barred) {
				t.Errorf("%s: %+v", what, s)
			}
		}
		if l.kernel != nil || !l.rest.After(time.Now()) {
			t.Errorf("%s: it is tried in vain", what)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if os.Getuid() == 0 {
		return // root can look everywhere
	}
	dir := watchable(t)
	grow(t, dir, "a/b/f")
	if err := os.Chmod(dir+"/a/b", 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir+"/a/b", 0o755) //nolint:errcheck // it is removed
	l := &Lookout{}
	if s := watching(l, barring(dir)); s.out != nil || len(s.sealed) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestLookoutMount: what is mounted in the workspace is seen.
func TestLookoutMount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := watchable(t)
	grow(t, dir, "a/b/f", "c/.env.x")
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	s := watching(l, c)
	if err := unix.Mount(dir+"/c", dir+"/a/b", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(dir+"/a/b", unix.MNT_DETACH)                                                                                                 //nolint:errcheck // it is removed
	if next := l.look(c); s.out == nil || s.unchanged() || !slices.Equal(next.barred, look(c).barred) || len(next.barred) != 2 || next.out != nil { // one folder has two names now
		t.Errorf("%+v", next)
	}
}
