//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// An estate is a workspace in which names are barred in all folders.
type estate struct {
	c       sayso.Contract
	folders []string // that are there at first
}

func newEstate(t *testing.T, script string) estate {
	t.Helper()
	dir := inHome(t)
	for _, name := range []string{"services/api/.env", "services/api/.claude/settings.json", "deep/a/b/c/d/e/.env.x", "lib/.git/config", "lib/.git/hooks/pre-push", "lib/f"} {
		write(t, dir+"/"+name, "old\n")
	}
	for _, name := range []string{"services/api/main.go", "services/web/main.go", "more/sub/main.go", "node_modules/p/.env", "bare/.git/HEAD"} {
		write(t, dir+"/"+name, "other\n")
	}
	if err := os.Mkdir(dir+"/services/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	one := estate{c: contract(dir, script)}
	one.c.Protected, one.c.Skipped, one.c.Grace = []string{dir + "/.env"}, []string{"node_modules", ".git"}, 100*time.Millisecond
	for _, name := range []string{".env*", ".claude", ".git/hooks", ".git/config"} {
		one.c.Barred = append(one.c.Barred, dir+"/**/"+name)
	}
	one.c.Watched = []string{dir + "/**/.env*example"}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && !strings.Contains(name, "node_modules") {
			one.folders = append(one.folders, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// guarded is what is seen under barred names in the folders that were there at first.
func (w *estate) guarded(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, dir := range w.folders {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		list, _ := os.ReadDir(dir) // it may be gone, or a link
		for _, e := range list {
			name := dir + "/" + e.Name()
			if !w.c.Bars(name) {
				continue
			}
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			var text []byte
			if info.Mode()&(os.ModeNamedPipe|os.ModeDir) == 0 {
				text, _ = os.ReadFile(name) // a link may lead to nothing
			}
			to, _ := os.Readlink(name) // of links
			fmt.Fprintln(&out, strings.TrimPrefix(name, w.c.Dir), info.Mode(), string(text), to)
		}
	}
	return out.String()
}

// outside runs the script where nothing confines it.
func (w *estate) outside(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", strings.ReplaceAll(w.c.Script, "sleep 300", ":"))
	cmd.Dir = w.c.Dir
	_ = cmd.Run() // what counts is what is there then
}

// twice runs a script without a place that is kept, and in one in which another command
// has run before, so that it is known what is there.
func twice(t *testing.T, script string, do func(*testing.T, *estate, ran)) {
	t.Helper()
	for _, kept := range []bool{false, true} {
		w := newEstate(t, script)
		state, in := inHome(t), func(*sandbox.Options) {}
		if kept {
			in = knows(t, w.c)
		}
		r := run(t, w.c, in, func(o *sandbox.Options) { o.State = state })
		if r.failure != nil || !r.Ran || r.Kept != kept || !r.report.Enforced() || r.report.Of(sandbox.Barred).State != sandbox.Enforced {
			t.Errorf("kept %v: %v\n%v", kept, r, r.report)
		}
		do(t, &w, r)
	}
}

// knows lets a command run in a place in which others of the same contract have run.
func knows(t *testing.T, c sayso.Contract) func(*sandbox.Options) {
	t.Helper()
	k, l := keep(t), &sandbox.Lookout{}
	t.Cleanup(func() { _ = l.Close() })
	in := func(o *sandbox.Options) { o.Borrow, o.Lookout = k.Lend, l }
	c.Script = ":"
	for range 3 { // the first of them is looked at, the second is watched, and for the third it is known what to do
		if r := run(t, c, in); r.failure != nil || r.Exit != 0 || !r.Kept || len(r.Undone) > 0 {
			t.Errorf("%v", r)
		}
	}
	return in
}

// changes of what is there under barred names, in ways that mounts hold.
var changesBelow = []string{
	"echo x >services/api/.env",
	"rm -f services/api/.env",
	"mv services/api/.env services/api/gone",
	"mv -f services/api/main.go services/api/.env",
	"ln -f services/api/main.go services/api/.env",
	"ln -sf main.go services/api/.env",
	"chmod 777 services/api/.env",
	"mv services/api moved; mkdir -p services/api; echo x >services/api/.env",
	"mv services moved; mkdir -p services/api; echo x >services/api/.env",
	"rm -rf services; mkdir -p services/api; echo x >services/api/.env",
	"ln services/api/.env hard; echo x >hard",
	"ln -s services/api/.env soft; echo x >soft",
	"mkdir -p own/api; echo x >own/api/.env; cp -r own/. services/",
	"mkdir -p own/services/api; echo x >own/services/api/.env; tar cf own.tar -C own .; tar xf own.tar",
	"echo x >services/api/.claude/settings.json",
	"rm -rf services/api/.claude",
	"mv services/api/.claude services/api/c; mkdir services/api/.claude; echo x >services/api/.claude/settings.json",
	"echo x >services/api/.claude/new; test -e services/api/.claude/new && rm -r services/api/.claude",
	"echo x >>deep/a/b/c/d/e/.env.x",
	"mv deep/a/b deep/a/z; mkdir -p deep/a/b/c/d/e; echo x >deep/a/b/c/d/e/.env.x",
	"echo x >>lib/.git/config",
	"rm -r lib/.git/hooks",
	"echo x >lib/.git/hooks/post-checkout; test -e lib/.git/hooks/post-checkout && chmod 700 lib/.git/hooks",
	"mv lib/.git lib/git; mkdir lib/.git; echo x >lib/.git/config",
	"mv lib other; mkdir -p lib/.git; echo x >lib/.git/config",
}

// TestChangesBelow: what is there in a folder further down stays as it is.
func TestChangesBelow(t *testing.T) {
	for _, script := range changesBelow {
		t.Run(strings.NewReplacer("/", "_").Replace(script), func(t *testing.T) {
			t.Parallel()
			w := newEstate(t, script)
			before := w.guarded(t)
			if w.outside(t); w.guarded(t) == before {
				t.Fatal("it does not even succeed outside")
			}
			twice(t, script, func(t *testing.T, w *estate, r ran) {
				if after := w.guarded(t); after != before {
					t.Errorf("there is\n%s\nand was\n%s\n%v", after, before, r)
				}
			})
		})
	}
}

// makingsBelow are ways to make something under a barred name in a folder that was there,
// and what is put aside then.
var makingsBelow = []struct{ script, path string }{
	{"echo x >services/web/.env", "services/web/.env"},
	{"echo x >services/web/.env.local; sleep 300", "services/web/.env.local"},
	{"mkdir services/web/.claude; sleep 300", "services/web/.claude"},
	{"mkdir services/web/.claude; echo x >services/web/.claude/x; chmod 0 services/web/.claude services/web services", "services/web/.claude"},
	{"ln -s main.go services/web/.env.link; sleep 300", "services/web/.env.link"},
	{"ln services/web/main.go services/web/.env.hard; sleep 300", "services/web/.env.hard"},
	{"mv services/web/main.go services/web/.env.moved; sleep 300", "services/web/.env.moved"},
	{"mv more/sub more/.envs; sleep 300", "more/.envs"},
	{"mkfifo services/web/.env.pipe", "services/web/.env.pipe"},
	{"echo x >services/web/.env; chmod 500 services/web", "services/web/.env"},
	{"echo x >services/web/.env; chmod 0 services/web", "services/web/.env"},
	{"echo x >more/sub/.env; chmod 0 more", "more/sub/.env"},
	{"echo x >more/sub/.env; chmod 600 more", "more/sub/.env"},
	{"echo x >services/api/.env.new; sleep 300", "services/api/.env.new"},
	{"echo x >deep/a/b/c/d/.env; sleep 300", "deep/a/b/c/d/.env"},
	{"mkdir bare/.git/hooks; sleep 300", "bare/.git/hooks"},
	{"ln -s services/web way; echo x >way/.env; sleep 300", "services/web/.env"},
	{"mkdir own; echo x >own/.env; mv own/.env services/web/; sleep 300", "services/web/.env"},
	{"mkdir own; echo x >own/.env; mv -T own services/empty", "services/empty/.env"},
	{"mkdir own; echo x >own/.env; rmdir services/empty; mv own services/empty", "services/empty/.env"},
	{"mkdir -p own/sub; echo x >own/sub/.env; rm -r more; mv own more", "more/sub/.env"},
	{"mv services/web own; echo x >own/.env; mv own services/web", "services/web/.env"},
	{"mv services/web own; echo x >own/.env; ln -s ../own services/web", "services/web"},
	{"mv more own; echo x >own/sub/.env; ln -s own more", "more"},
	{"mkdir -p own/web; echo x >own/web/.env; cp -r own/. services/", "services/web/.env"},
	{"mkdir -p own/services/web; echo x >own/services/web/.env; tar cf own.tar -C own .; tar xf own.tar", "services/web/.env"},
	{"trap '' TERM; while :; do echo x >more/.env.again; mv more/.env.again more/.env.more; done", "more/.env.more"},
}

// TestMakingsBelow: what is made in a folder that was there is not there afterwards, and
// is kept elsewhere.
func TestMakingsBelow(t *testing.T) {
	for _, m := range makingsBelow {
		t.Run(strings.NewReplacer("/", "_").Replace(m.script), func(t *testing.T) {
			t.Parallel()
			w := newEstate(t, m.script)
			before := w.guarded(t)
			if !strings.Contains(m.script, "while") {
				if w.outside(t); w.guarded(t) == before {
					t.Fatal("it does not even succeed outside")
				}
			}
			twice(t, m.script, func(t *testing.T, w *estate, r ran) {
				if after := w.guarded(t); after != before {
					t.Errorf("there is\n%s\nand was\n%s\n%v", after, before, r)
				}
				if r.Ended == "" || r.TimedOut || strings.Contains(m.script, "sleep 300") && r.Signal == 0 {
					t.Errorf("it was not ended: %v", r)
				}
				found := slices.IndexFunc(r.Undone, func(u sandbox.Undone) bool {
					return u.Path == w.c.Dir+"/"+m.path || strings.Contains(m.script, "while")
				})
				if found < 0 {
					t.Fatalf("it is not told: %v", r)
				}
				if _, err := os.Lstat(r.Undone[found].Aside); err != nil {
					t.Errorf("%v, %v", r.Undone, err)
				}
			})
		})
	}
}

// TestOwnBelow: what a command makes in folders that it has made is its own, and so is what
// is in folders that nobody looks into.
func TestOwnBelow(t *testing.T) {
	for script, want := range map[string]string{
		"mkdir new; echo x >new/.env; mkdir new/.claude":                             "new/.env",
		"mkdir new; echo x >new/.env; mv new later":                                  "later/.env",
		"cp -r services/api services/copy":                                           "services/copy/.env",
		"mv services/web services/old; echo x >services/old/.env; sleep 0.1":         "services/old/.env",
		"echo x >node_modules/p/.env; echo x >node_modules/p/.env.new":               "node_modules/p/.env.new",
		"mkdir -p new/.git/hooks; echo x >new/.git/config; echo x >new/.git/hooks/x": "new/.git/hooks/x",
		"mkdir -p more/sub/.git/hooks":                                               "more/sub/.git/hooks",
		"echo x >services/web/env; echo x >services/web/.en":                         "services/web/.en",
	} {
		t.Run(strings.NewReplacer("/", "_").Replace(script), func(t *testing.T) {
			t.Parallel()
			twice(t, script, func(t *testing.T, w *estate, r ran) {
				if _, err := os.Lstat(w.c.Dir + "/" + want); err != nil || r.Exit != 0 || r.Ended != "" || len(r.Undone) > 0 || len(r.Made) > 0 {
					t.Errorf("%v: %v", err, r)
				}
			})
		})
	}
	t.Run("told", func(t *testing.T) {
		t.Parallel()
		twice(t, "echo x >services/web/.env.example; mkdir new; echo x >new/.env.example", func(t *testing.T, w *estate, r ran) {
			if !slices.Equal(r.Made, []string{w.c.Dir + "/services/web/.env.example"}) || r.Exit != 0 {
				t.Errorf("%v", r)
			}
		})
	})
}

// TestLinksBelow: a link under a barred name is put back, and what it leads to cannot be
// changed either.
func TestLinksBelow(t *testing.T) {
	for script, undone := range map[string]bool{
		"rm services/web/.env":                                    true,
		"ln -sf main.go services/web/.env":                        true,
		"rm services/web/.env; echo x >services/web/.env":         true,
		"mv services/web/.env services/web/other":                 true,
		"rm services/web/.env; chmod 0 services/web":              true,
		"mv services/web own; mkdir services/web":                 true,
		"echo x >services/web/.env":                               false,
		"echo x >more/plain":                                      false,
		"rm -f more/plain; mv more other":                         false,
		"rm -f more/plain; ln -s services/web/main.go more/plain": false,
	} {
		t.Run(strings.NewReplacer("/", "_").Replace(script), func(t *testing.T) {
			t.Parallel()
			for _, kept := range []bool{false, true} {
				w := newEstate(t, script)
				write(t, w.c.Dir+"/more/plain", "plain\n")
				if err := os.Symlink("../../more/plain", w.c.Dir+"/services/web/.env"); err != nil {
					t.Fatal(err)
				}
				before := w.guarded(t)
				in := func(*sandbox.Options) {}
				if kept {
					in = knows(t, w.c)
				}
				r := run(t, w.c, in)
				if after := w.guarded(t); after != before || r.failure != nil || !r.report.Enforced() || r.Kept != kept {
					t.Errorf("there is\n%s\nand was\n%s\n%v", after, before, r)
				}
				if (len(r.Undone) > 0) != undone || (r.Ended != "") != undone {
					t.Errorf("%v", r)
				}
			}
		})
	}
	for _, to := range []string{"nowhere", "../../more/other", byAnother} {
		w := newEstate(t, "true")
		if to == byAnother {
			if err := os.Symlink("plain", w.c.Dir+"/more/link"); err != nil {
				t.Fatal(err)
			}
			to = "../../more/link"
		}
		if err := os.Symlink(to, w.c.Dir+"/services/web/.env"); err != nil {
			t.Fatal(err)
		}
		if r := run(t, w.c); r.Ran || r.report.Of(sandbox.Protected).State != sandbox.NotEnforced {
			t.Errorf("%s: %v %v", to, r, r.report)
		}
	}
	for _, to := range []string{"/nowhere/else", "../../.env", ".env.local", "../api/.env"} {
		w := newEstate(t, "echo x >services/web/.env; test ! -e services/web/.env.local")
		if err := os.Symlink(to, w.c.Dir+"/services/web/.env"); err != nil {
			t.Fatal(err)
		}
		before := w.guarded(t)
		r := run(t, w.c)
		if after := w.guarded(t); !r.Ran || !r.report.Enforced() || after != before {
			t.Errorf("%s: there is\n%s\nand was\n%s\n%v %v", to, after, before, r, r.report)
		}
	}
}

// byAnother is a link that leads to another one.
const byAnother = "by another"

// TestSealedBelow: a folder that cannot be looked into is held as a whole: the command
// could let itself in.
func TestSealedBelow(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can look everywhere")
	}
	for _, mode := range []os.FileMode{0, 0o300, 0o600} {
		for script, path := range map[string]string{
			"chmod 755 services/api; echo x >services/api/.env":           "services/api",
			"chmod 755 services services/api; echo x >services/api/.env":  "services",
			"mv more other; mkdir -p more/sub; echo x >more/sub/.env":     "more",
			"chmod 755 lib/.git; echo x >lib/.git/config; echo x >lib/.g": "lib/.git",
		} {
			w := newEstate(t, script)
			before := w.guarded(t)
			if err := os.Chmod(w.c.Dir+"/"+path, mode); err != nil {
				t.Fatal(err)
			}
			r := run(t, w.c)
			if line := r.report.Of(sandbox.Barred).String(); !r.Ran || !strings.Contains(line, "as a whole (1, such as "+w.c.Dir+"/"+path+")") {
				t.Errorf("%s: %v", line, r)
			}
			if after := w.guarded(t); after != before {
				t.Errorf("mode %o: there is\n%s\nand was\n%s\n%v", mode, after, before, r)
			}
		}
	}
}
