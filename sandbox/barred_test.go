//go:build linux

package sandbox_test

import (
	"context"
	"errors"
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

// makings are ways to make something under a barred name, and what it is called.
var makings = []struct{ script, name string }{
	{"echo x >.env.local", ".env.local"},
	{"echo x >.env.local; sleep 300", ".env.local"},
	{"mkdir .env.d && echo x >.env.d/x", ".env.d"},
	{"mkdir .env.d && echo x >.env.d/x && chmod 0 .env.d", ".env.d"},
	{"ln -s /etc/passwd .env.link; sleep 300", ".env.link"},
	{"ln file .env.hard; sleep 300", ".env.hard"},
	{"mv file .envrc; sleep 300", ".envrc"},
	{"mv sub .envs; sleep 300", ".envs"},
	{"mkfifo .env.pipe", ".env.pipe"},
	{"cd sub; echo x >../.env.up; sleep 300", ".env.up"},
	{"echo x >.env.late; chmod 500 .", ".env.late"},
	{"echo x >.env.hidden; chmod 0 .", ".env.hidden"},
	{"ln -s . here; echo x >here/here/.env.through; sleep 300", ".env.through"},
	{"trap '' TERM; while :; do echo x >.env.again; mv .env.again .env.more; done", ".env.more"},
	{"(setsid sh -c 'trap \"\" TERM; while :; do echo x >.env.behind; done' &); sleep 300", ".env.behind"},
	{"echo x >.sayso.yaml; sleep 300", ".sayso.yaml"},
	{"mkdir .sayso; sleep 300", ".sayso"},
}

// bars is a workspace with names that are barred.
func bars(t *testing.T, script string) sayso.Contract {
	t.Helper()
	dir := inHome(t)
	write(t, dir+"/file", "file\n")
	write(t, dir+"/sub/file", "file\n")
	write(t, dir+"/.env.old", "old\n")
	c := contract(dir, script)
	c.Barred, c.Watched = []string{dir + "/.env*", dir + "/.sayso.yaml", dir + "/.sayso"}, []string{dir + "/.env*example"}
	c.Protected = []string{dir + "/.env"}
	c.Grace = 100 * time.Millisecond
	return c
}

// underBar is what is in a workspace under a barred name.
func underBar(t *testing.T, c sayso.Contract) (out []string) {
	t.Helper()
	if err := os.Chmod(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if c.Bars(c.Dir + "/" + e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

// TestBarred: what is made under a barred name stays where nothing looks; otherwise it
// ends the run, is not there afterwards, and is kept elsewhere.
func TestBarred(t *testing.T) {
	for _, m := range makings {
		t.Run(strings.NewReplacer("/", "_").Replace(m.script), func(t *testing.T) {
			t.Parallel()
			c := bars(t, m.script)
			outside(t, c, m.name)
			for _, kept := range []bool{false, true} {
				c := bars(t, m.script)
				aside := inHome(t)
				in := func(*sandbox.Options) {}
				if kept {
					in = knows(t, c)
				}
				r := run(t, c, in, func(o *sandbox.Options) { o.State = aside })
				if got := underBar(t, c); !slices.Equal(got, []string{".env.old"}) {
					t.Errorf("kept %v: there is %v: %v", kept, got, r)
				}
				if r.failure != nil || !r.Ran || r.Kept != kept || !r.report.Enforced() || r.report.Of(sandbox.Barred).State != sandbox.Enforced {
					t.Errorf("kept %v: %v\n%v", kept, r, r.report)
				}
				if r.Ended == "" || strings.Contains(m.script, "sleep 300") && r.Signal == 0 {
					t.Errorf("kept %v: it was not ended: %v", kept, r)
				}
				found := slices.IndexFunc(r.Undone, func(u sandbox.Undone) bool {
					return filepath.Base(u.Path) == m.name || strings.HasPrefix(m.name, ".env.more")
				})
				if found < 0 {
					t.Fatalf("kept %v: it is not told: %v", kept, r)
				}
				if _, err := os.Lstat(r.Undone[found].Aside); err != nil || c.Bars(r.Undone[found].Aside) {
					t.Errorf("kept %v: %v, %v", kept, r.Undone, err)
				}
			}
		})
	}
}

// outside makes it where nobody looks, until it is there.
func outside(t *testing.T, c sayso.Contract, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "setsid", "-w", "/bin/sh", "-c", c.Script)
	cmd.Dir = c.Dir
	script := strings.ReplaceAll(strings.ReplaceAll(c.Script, "while :; do", "for i in 1; do"), "sleep 300", ":")
	cmd.Args[len(cmd.Args)-1] = script
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for !slices.Contains(underBar(t, c), name) {
		if ctx.Err() != nil {
			t.Fatalf("it cannot be made: %v", underBar(t, c))
		}
		time.Sleep(time.Millisecond)
	}
}

// TestBarredThere: what was there under such a name cannot be changed, even if the
// contract was made before it was; what is only watched can be made.
func TestBarredThere(t *testing.T) {
	t.Parallel()
	c := bars(t, "echo x >.env.old; rm -f .env.old; mv .env.old other; echo x >.env.example; cat .env.old")
	r := run(t, c)
	if r.failure != nil || r.out != "old\n" || r.Exit != 0 || len(r.Undone) > 0 || !slices.Equal(r.Made, []string{c.Dir + "/.env.example"}) {
		t.Errorf("%v", r)
	}
}

// TestBarredElsewhere: what a link leads to was not made by the command, and stays.
func TestBarredElsewhere(t *testing.T) {
	t.Parallel()
	other := inHome(t)
	write(t, other+"/.env.theirs", "x")
	c := bars(t, "ln -s "+other+" link; mkdir new; echo x >new/.env.x")
	c.Barred = []string{c.Dir + "/*/.env*"}
	r := run(t, c)
	if _, err := os.Lstat(other + "/.env.theirs"); err != nil || len(r.Undone) != 1 || r.Undone[0].Path != c.Dir+"/new/.env.x" {
		t.Errorf("%v: %v", err, r)
	}
	if !strings.HasPrefix(r.Undone[0].Aside, c.Dir+"/new/sayso-aside-") { // no folder was named for it
		t.Errorf("%v", r)
	}
}

// TestBeforeOnce: who is to know before the command runs is told once, when all is ready,
// and can keep it from running; its time counts from then on.
func TestBeforeOnce(t *testing.T) {
	for _, kept := range []bool{false, true} {
		for _, no := range []error{nil, errors.New("no")} {
			t.Run(fmt.Sprint(kept, no), func(t *testing.T) { t.Parallel(); testBefore(t, kept, no) })
		}
	}
	c := contract(inHome(t), "")
	c.Script, c.Argv = "", []string{"nowhere"}
	r := run(t, c, func(o *sandbox.Options) {
		o.Before = func(sayso.Contract, sandbox.Report) error { t.Error("it was told of what does not run"); return nil }
	})
	if !errors.Is(r.failure, sandbox.ErrNotFound) {
		t.Errorf("%v", r)
	}
}

func testBefore(t *testing.T, kept bool, no error) {
	dir := inHome(t)
	c := contract(dir, "rm here")
	c.Timeout = 3 * time.Second
	told := 0
	r := run(t, c, func(o *sandbox.Options) {
		if kept {
			o.Borrow = keep(t).Lend
		}
		o.Before = func(sayso.Contract, sandbox.Report) error {
			told++
			time.Sleep(c.Timeout + time.Millisecond)
			return errors.Join(os.WriteFile(dir+"/here", nil, 0o600), no)
		}
	})
	if told != 1 || r.Ran != (no == nil) || !errors.Is(r.failure, no) || r.TimedOut || r.Exit != 0 {
		t.Errorf("%v, told %d times", r, told)
	}
	if _, err := os.Stat(dir + "/here"); (err == nil) != (no != nil) {
		t.Error(err)
	}
}
