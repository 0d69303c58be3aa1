package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
)

// watchable is a folder whose file system tells of every change.
func watchable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(tellers, int64(stat.Type)) { //nolint:unconvert // it is shorter elsewhere
		return dir
	}
	dir, err := os.MkdirTemp("/dev/shm", "sayso-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// barring is a contract like those of sayso run, for a folder.
func barring(dir string) *sayso.Contract {
	c := &sayso.Contract{Dir: dir, Write: []string{dir}, Skipped: []string{"node_modules", ".git"}}
	for _, name := range []string{"**/.env*", "**/.git/hooks", "**/.git/config", "**/.claude", ".git/common", "top*"} {
		c.Barred = append(c.Barred, dir+"/"+name)
	}
	for _, name := range []string{"**/.env*example", ".github/hooks", ".git/modules/*/hooks", "**/.git/info/attributes", "**/.git/worktrees/*/config"} {
		c.Watched = append(c.Watched, dir+"/"+name)
	}
	for _, name := range []string{".env", ".claude", ".git/hooks", ".git/config", "a/held/deep"} {
		c.Protected = append(c.Protected, dir+"/"+name)
	}
	return c
}

// guardsOf is what is planned for the protected paths of a contract.
func guardsOf(c *sayso.Contract, s *survey) (string, error) {
	p := &plan{c: c, seen: s}
	err := p.guard()
	return fmt.Sprint(p.steps, p.links, p.places), err
}

// watching looks twice: the first time, nobody knows whether there will be another.
func watching(l *Lookout, c *sayso.Contract) *survey {
	l.look(c)
	return l.look(c)
}

// alone is a survey of which nobody tells whether it still holds.
func alone(s *survey) *survey {
	out := *s
	out.out, out.guards = nil, nil
	return &out
}

// lookPaths are those that are changed in the tests: few, so that they come back.
var lookPaths = []string{
	"a", "a/b", "a/b/c", "a/.env", "a/b/.env", "a/.env.example", "a/config", "x", "top1", "node_modules", "node_modules/.env", "node_modules/a",
	".env", ".claude", ".git", ".git/hooks", ".git/config", ".git/common", ".git/modules", ".git/modules/a", ".git/modules/a/hooks", ".github", ".github/hooks",
	"a/.git", "a/.git/hooks", "a/.git/info", "a/.git/info/attributes", "a/.git/worktrees/w/config", "a/held", "a/held/deep", "a/held/.env",
}

// disturb changes something, if that is possible.
func disturb(t *rapid.T, dir string) {
	path := rapid.Map(rapid.SampledFrom(lookPaths), func(name string) string { return dir + "/" + name })
	one, other := path.Draw(t, "one"), path.Draw(t, "other")
	switch rapid.IntRange(0, 11).Draw(t, "what") {
	case 0, 1:
		_ = os.MkdirAll(one, 0o755)
	case 2, 3:
		_ = os.WriteFile(one, nil, 0o644)
	case 4:
		_ = os.RemoveAll(one)
	case 5, 6:
		_ = os.Rename(one, other)
	case 7:
		_ = unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
	case 8:
		_ = os.Symlink(rapid.SampledFrom([]string{"a", "../b", "nowhere", dir + "/a"}).Draw(t, "to"), one)
	case 9:
		_ = os.Link(one, other)
	case 10: // a place comes, and goes at once or later
		if unix.Mkdir(one, placeMode) == nil && rapid.Bool().Draw(t, "goes") {
			_ = os.Remove(one)
		}
	default:
		_ = os.Chmod(one, rapid.SampledFrom([]os.FileMode{0, 0o500, 0o755}).Draw(t, "mode"))
	}
}

// TestLookout: whatever happens, with a lookout there is the same to be seen, and to be
// told in the end, as if it were looked each time.
func TestLookout(t *testing.T) {
	top, watched, runs := watchable(t), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(top, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error { _ = os.Chmod(name, 0o755); return nil })
			_ = os.RemoveAll(dir)
		}()
		c := barring(dir)
		for range rapid.IntRange(0, 8).Draw(t, "before") {
			disturb(t, dir)
		}
		l := &Lookout{}
		defer l.Close() //nolint:errcheck // it does not fail
		for range rapid.IntRange(1, 8).Draw(t, "runs") {
			seen, want := watching(l, c), look(c)
			l.rest = time.Time{} // it is tried each time
			if runs++; seen.out != nil {
				watched++
			}
			slices.Sort(seen.folders)
			slices.Sort(want.folders)
			if !slices.Equal(seen.barred, want.barred) || !slices.Equal(seen.watched, want.watched) || !slices.Equal(seen.folders, want.folders) || !reflect.DeepEqual(seen.links, want.links) || !slices.Equal(seen.sealed, want.sealed) {
				t.Fatalf("%+v\nwant %+v", seen, want)
			}
			for range 2 { // the second time it is known
				got, err := guardsOf(c, seen)
				if plain, failed := guardsOf(c, alone(seen)); got != plain || fmt.Sprint(err) != fmt.Sprint(failed) {
					t.Fatalf("%s %v\nwant %s %v", got, err, plain, failed)
				}
			}
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				disturb(t, dir)
			}
			barred, made := seen.since(c, func(string) {})
			wantBarred, wantMade := alone(seen).since(c, func(string) {})
			if !slices.Equal(barred, wantBarred) || !slices.Equal(made, wantMade) {
				t.Fatalf("since then %v %v\nwant %v %v", barred, made, wantBarred, wantMade)
			}
		}
	})
	if watched*2 < runs {
		t.Errorf("of %d only %d could be watched", runs, watched)
	}
}

// TestLookoutFar: one that asks another process sees the same, and looks itself where the
// other cannot tell, or has gone.
func TestLookoutFar(t *testing.T) {
	dir := watchable(t)
	grow(t, dir, "a/b/f", "a/.env", "a/.env.example")
	c := barring(dir)
	near := &Lookout{}
	defer near.Close() //nolint:errcheck // it does not fail
	asked := 0
	far := (&Far{
		See:       func(c sayso.Contract) (Sight, error) { asked++; return near.Sight(c) },
		Unchanged: near.Unchanged,
	}).Lookout()
	near.look(c)
	s := far.look(c)
	if !slices.Equal(s.barred, []string{dir + "/a/.env"}) || !slices.Equal(s.watched, []string{dir + "/a/.env.example"}) || !slices.Equal(s.folders, look(c).folders) || asked != 1 || !s.unchanged() {
		t.Errorf("%+v", s)
	}
	if there := far.There(*c); !slices.Equal(there, s.barred) || !slices.Equal(There(*c), there) || !slices.Equal((*Lookout)(nil).There(*c), there) {
		t.Errorf("%v", there)
	}
	news := func(s *survey) string {
		barred, watched := s.since(c, func(string) {})
		return strings.ReplaceAll(fmt.Sprint(barred, watched), dir, "")
	}
	if got := news(s); got != "[] []" {
		t.Error(got)
	}
	grow(t, dir, "a/b/.env", "a/b/.env.example")
	if got := news(s); got != "[/a/b/.env] [/a/b/.env.example]" || s.unchanged() {
		t.Error(got)
	}
	s = far.look(c)
	if err := near.Close(); err != nil || s.unchanged() || news(s) != "[] []" {
		t.Errorf("%v %s", err, news(s))
	}
	other := &Lookout{} // as in a process that was started anew
	defer other.Close() //nolint:errcheck // it does not fail
	if watching(other, c); other.Unchanged(s.changes) || other.Unchanged(0) {
		t.Error("numbers of one are known to another")
	}
	if err := os.Symlink("nowhere", dir+"/a/b/.env.link"); err != nil {
		t.Fatal(err)
	}
	if s := far.look(c); s.out != nil || len(s.links) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestLookoutRests: as long as nothing happens that makes a difference, it is not looked.
func TestLookoutRests(t *testing.T) {
	dir := watchable(t)
	grow(t, dir, "a/b/f", ".git/f", "a/.env", "node_modules/p/q/f")
	c := barring(dir)
	l := &Lookout{}
	defer l.Close() //nolint:errcheck // it does not fail
	first := watching(l, c)
	for what, do := range map[string]func() error{
		"nothing":                      func() error { return nil },
		"a file":                       func() error { return os.WriteFile(dir+"/a/g", nil, 0o644) },
		"no file any more":             func() error { return os.Remove(dir + "/a/b/f") },
		"a name that counts elsewhere": func() error { return os.WriteFile(dir+"/a/config", nil, 0o644) },
		"another mode":                 func() error { return os.Chmod(dir+"/a/.env", 0o600) },
		"other text":                   func() error { return os.WriteFile(dir+"/a/.env", []byte("x"), 0o600) },
		"a folder that is skipped":     func() error { return os.MkdirAll(dir+"/node_modules/p/.git/hooks", 0o755) },
		"a place that comes":           func() error { return unix.Mkdir(dir+"/.claude", placeMode) },
		"a place that comes and goes": func() error {
			return errors.Join(unix.Mknod(dir+"/.env", unix.S_IFSOCK|0o600, 0), os.Remove(dir+"/.env"))
		},
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if s := l.look(c); s.changes != first.changes || s.out == nil || !first.unchanged() {
			t.Errorf("%s: it has looked again", what)
		}
	}
	for what, do := range map[string]func() error{
		"a name that counts":     func() error { return os.WriteFile(dir+"/a/b/.env", nil, 0o644) },
		"a folder":               func() error { return os.Mkdir(dir+"/a/c", 0o755) },
		"a folder's other owner": func() error { return os.Chown(dir+"/a", os.Getuid(), os.Getgid()) },
		"what is protected":      func() error { return os.WriteFile(dir+"/.git/config", nil, 0o644) },
	} {
		s := l.look(c)
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if s.out == nil || s.unchanged() {
			t.Errorf("%s: nothing was noticed", what)
		}
	}
	for _, list := range []func(*sayso.Contract) *[]string{
		func(c *sayso.Contract) *[]string { return &c.Barred }, func(c *sayso.Contract) *[]string { return &c.Watched },
		func(c *sayso.Contract) *[]string { return &c.Protected }, func(c *sayso.Contract) *[]string { return &c.Write },
		func(c *sayso.Contract) *[]string { return &c.Skipped }, func(c *sayso.Contract) *[]string { return &c.Hidden },
	} {
		other := *c
		*list(&other) = append(slices.Clone(*list(&other)), dir+"/other")
		if s := watching(l, c); !s.unchanged() || watching(l, &other).changes == s.changes || s.unchanged() {
			t.Errorf("it is the same for another contract, %+v", other)
		}
	}
	if err := os.Rename(dir+"/a/b", dir+"/node_modules/b"); err != nil {
		t.Fatal(err)
	}
	watching(l, c)
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", l.kernel.fd))
	if n := strings.Count(string(text), "inotify wd:"); err != nil || n != len(l.watched) {
		t.Errorf("%d folders are watched, %d are known: %v", n, len(l.watched), err)
	}
	if s := l.look(c); l.Close() != nil || s.unchanged() || !slices.Equal(l.look(c).barred, s.barred) {
		t.Error("it tells something when it has ended")
	}
}

// TestUnwatched: what is held is looked after also where nothing can be watched.
func TestUnwatched(t *testing.T) {
	dir := t.TempDir()
	grow(t, dir, "held", "other")
	ended := make(chan error, 1)
	j := &job{cut: make(chan struct{}), stop: func(err error) { ended <- err }}
	j.holds.Store(&holds{held: map[string]identity{dir + "/held": identify(dir + "/held")}})
	quit := make(chan struct{})
	time.AfterFunc(5*blindEvery, func() { close(quit) })
	n := notice{j: j}
	n.poll(quit)
	if len(ended) > 0 || j.isCut() {
		t.Fatal("nothing was moved")
	}
	go func() {
		time.Sleep(2 * blindEvery)
		_ = os.Rename(dir+"/other", dir+"/held") // else it would never end
	}()
	n.poll(make(chan struct{}))
	if err := <-ended; !j.isCut() || err.Error() != dir+"/held was replaced by somebody outside, and so was not protected any more" {
		t.Error(err)
	}
}
