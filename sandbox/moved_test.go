//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// replacings are ways in which somebody outside takes away what is protected or hidden, and
// what a command could do then.
var replacings = []struct{ name, path, script string }{
	{"protected", ".env", "echo x >.env"},
	{"below", "sub/deep/.env", "echo x >sub/deep/.env"},
	{"above", "sub", "echo x >sub/deep/.env"},
	{"barred", "sub/deep/.env.there", "echo x >sub/deep/.env.there"},
	{"hidden", "hidden", "cat hidden/f"},
}

// replaceable is a workspace with what is protected, barred and hidden.
func replaceable(t *testing.T, script string) sayso.Contract {
	t.Helper()
	dir := inHome(t)
	for _, name := range []string{".env", "sub/deep/.env", "sub/deep/.env.there", "hidden/f"} {
		write(t, dir+"/"+name, "old\n")
	}
	c := contract(dir, script)
	c.Protected, c.Barred, c.Hidden = []string{dir + "/.env", dir + "/sub/deep/.env", dir + "/.claude"}, []string{dir + "/**/.env*"}, []string{dir + "/hidden"}
	return c
}

// replace puts something new in the place of something.
func replace(way, path string) error {
	old := filepath.Join(filepath.Dir(path), "old-"+filepath.Base(path)[1:])
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case way == "moved" && info.IsDir():
		return errors.Join(os.Rename(path, old), os.CopyFS(path, os.DirFS(old)))
	case way == "moved":
		return errors.Join(os.Rename(path, old), os.WriteFile(path, []byte("new\n"), 0o644))
	case info.IsDir():
		return errors.Join(os.CopyFS(old, os.DirFS(path)), os.RemoveAll(path), os.Rename(old, path))
	default:
		return errors.Join(os.Remove(path), os.WriteFile(path, []byte("new\n"), 0o644))
	}
}

// TestMovedAway: a run ends at once where somebody outside takes away what something was
// mounted on, and the next one has what is there now protected again.
func TestMovedAway(t *testing.T) {
	for _, one := range replacings {
		for _, way := range []string{"moved", "removed"} {
			for _, kept := range []bool{false, true} {
				t.Run(one.name+" "+way+map[bool]string{true: " kept"}[kept], func(t *testing.T) {
					t.Parallel()
					c := replaceable(t, "sleep 0.5; "+one.script)
					c.Grace = 5 * time.Second
					in := func(*sandbox.Options) {}
					if kept {
						in = knows(t, c)
					}
					r := during(t, c, 100*time.Millisecond, func() error { return replace(way, filepath.Join(c.Dir, one.path)) }, in) // by then it is watched
					why := strings.HasSuffix(r.Ended, "was replaced by somebody outside, and so was not protected any more") ||
						one.name == "barred" && strings.HasSuffix(r.Ended, "was made, which the contract lets nobody make") // that may be noticed first
					if !why || r.Signal != 9 || r.out != "" || r.Kept != kept || len(r.Undone) > 0 {
						t.Errorf("%v", r)
					}
					c.Script = one.script
					if r := run(t, c, in); r.Exit == 0 || r.out != "" || r.failure != nil {
						t.Errorf("the next: %v", r)
					}
				})
			}
		}
	}
}

// TestMovedBetween: what was replaced between two commands is protected and hidden, also
// in a place that was made before.
func TestMovedBetween(t *testing.T) {
	for _, one := range replacings {
		for _, way := range []string{"moved", "removed"} {
			t.Run(one.name+" "+way, func(t *testing.T) {
				t.Parallel()
				c := replaceable(t, one.script)
				in := knows(t, c)
				if err := replace(way, filepath.Join(c.Dir, one.path)); err != nil {
					t.Fatal(err)
				}
				if r := run(t, c, in); r.Exit == 0 || r.out != "" || r.failure != nil || r.Ended != "" {
					t.Errorf("%v", r)
				}
			})
		}
	}
}
