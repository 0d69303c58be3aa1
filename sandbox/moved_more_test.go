//go:build linux

package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// during runs a script that waits for somebody outside, who does something meanwhile.
func during(t *testing.T, c sayso.Contract, after time.Duration, do func() error, options ...func(*sandbox.Options)) ran {
	t.Helper()
	c.Script = "touch ready; while test -e ready; do sleep 0.01; done; " + c.Script
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range 2000 {
			if _, err := os.Stat(c.Dir + "/ready"); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(after)
		if err := do(); err != nil {
			t.Error(err)
		}
		_ = os.Remove(c.Dir + "/ready")
	}()
	r := run(t, c, options...)
	<-over
	return r
}

// swap moves a folder away and puts another one in its place.
func swap(dir string) func() error {
	return func() error {
		return errors.Join(os.Rename(dir, dir+"-old"), os.CopyFS(dir, os.DirFS(dir+"-old")))
	}
}

// TestMovedElsewhere: it ends, too, where what is moved is further up, or is one of many.
func TestMovedElsewhere(t *testing.T) {
	for name, one := range map[string]struct {
		prepare func(c *sayso.Contract)
		script  string
		do      func(dir string) error
	}{
		"at once": {func(*sayso.Contract) {}, "sleep 0.5; echo x >.env", func(dir string) error {
			return errors.Join(os.Rename(dir+"/.env", dir+"/old"), os.WriteFile(dir+"/.env", nil, 0o644))
		}},
		"above a place": {func(c *sayso.Contract) { c.Protected = append(c.Protected, c.Dir+"/sub/missing") }, "sleep 0.5; echo x >sub/missing", func(dir string) error {
			return errors.Join(os.Rename(dir+"/sub", dir+"/old"), os.Mkdir(dir+"/sub", 0o755))
		}},
		"a root in another": {func(c *sayso.Contract) { c.Write = append(c.Write, c.Dir+"/sub") }, "sleep 1.5; echo x >sub/deep/.env", func(dir string) error { return swap(dir + "/sub")() }},
		"above what is hidden": {func(c *sayso.Contract) {
			write(t, c.Dir+"-config/app/hidden/f", "secret\n")
			c.Hidden = []string{c.Dir + "-config/app/hidden"}
		}, "sleep 1.5; cat $PWD-config/app/hidden/f", func(dir string) error {
			return swap(dir + "-config")()
		}},
		"hidden that was not there": {func(c *sayso.Contract) { c.Hidden = append(c.Hidden, c.Dir+"/later") }, "sleep 1.5; cat later", func(dir string) error {
			return os.WriteFile(dir+"/later", []byte("secret\n"), 0o644)
		}},
		"one of many": {func(c *sayso.Contract) {
			for i := range 600 {
				write(t, fmt.Sprintf("%s/many/%d/.env", c.Dir, i), "")
			}
		}, "sleep 1.5; echo x >sub/deep/.env", func(dir string) error { return swap(dir + "/sub")() }},
		"in the time to end": {func(*sayso.Contract) {}, "trap '' TERM; touch sub/.env.new; sleep 1; echo x >.env", func(dir string) error {
			time.AfterFunc(500*time.Millisecond, func() { _ = os.Rename(dir+"/.env", dir+"/old"); _ = os.WriteFile(dir+"/.env", nil, 0o644) })
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := replaceable(t, one.script)
			t.Cleanup(func() { _, _ = os.RemoveAll(c.Dir+"-config"), os.RemoveAll(c.Dir+"-config-old") })
			c.Grace = 3 * time.Second
			one.prepare(&c)
			r := during(t, c, 0, func() error { return one.do(c.Dir) })
			for _, name := range []string{".env", "sub/missing", "sub/deep/.env"} {
				if text, _ := os.ReadFile(c.Dir + "/" + name); strings.Contains(string(text), "x") {
					t.Errorf("%s was written: %v", name, r)
				}
			}
			if r.Ended == "" || r.out != "" {
				t.Errorf("%v", r)
			}
		})
	}
}

// TestNotMoved: nobody is ended for what somebody does to files on which nothing is
// mounted.
func TestNotMoved(t *testing.T) {
	home := inHome(t)
	save := func(path string) error { // as some editors do
		return errors.Join(os.Rename(path, path+"-before"), os.WriteFile(path, []byte("new\n"), 0o644))
	}
	for name, one := range map[string]struct {
		prepare func(c *sayso.Contract)
		do      func(dir string) error
	}{
		"protected elsewhere":   {func(c *sayso.Contract) { c.Protected = append(c.Protected, home+"/rc") }, func(string) error { return save(home + "/rc") }},
		"in a protected folder": {func(c *sayso.Contract) { c.Protected = append(c.Protected, c.Dir+"/sub", c.Dir+"/sub/f") }, func(dir string) error { return save(dir + "/sub/f") }},
		"something else":        {func(*sayso.Contract) {}, func(dir string) error { return save(dir + "/sub/f") }},
		"in a place":            {func(c *sayso.Contract) { c.Protected = append(c.Protected, c.Dir+"/.codex") }, func(dir string) error { return os.WriteFile(dir+"/.codex/mine", nil, 0o644) }},
		"a place above the path": {func(c *sayso.Contract) {
			c.Protected, c.Barred = append(c.Protected, c.Dir+"/.gemini/x"), append(c.Barred, c.Dir+"/**/.gemini")
		}, func(string) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, home+"/rc", "old\n")
			c := replaceable(t, "sleep 0.2; echo done")
			write(t, c.Dir+"/sub/f", "old\n")
			one.prepare(&c)
			for _, in := range []func(*sandbox.Options){func(*sandbox.Options) {}, knows(t, c)} {
				if r := during(t, c, 50*time.Millisecond, func() error { return one.do(c.Dir) }, in); r.Ended != "" || r.Exit != 0 || r.out != "done\n" || r.failure != nil {
					t.Errorf("%v", r)
				}
				_ = os.Rename(home+"/rc-before", home+"/rc")
				_ = os.RemoveAll(c.Dir + "/.codex")
			}
		})
	}
	c := replaceable(t, "mv sub/.env.link x; sleep 0.2")
	if err := os.Symlink("deep/.env", c.Dir+"/sub/.env.link"); err != nil {
		t.Fatal(err)
	}
	if r := run(t, c); !strings.HasSuffix(r.Ended, "was removed, which the contract lets nobody do") || r.Signal != 0 {
		t.Errorf("%v", r)
	}
	c = replaceable(t, "chmod 0 sub; sleep 0.2; chmod 755 sub; echo done") // an ordinary user cannot look there meanwhile
	if r := run(t, c); r.Ended != "" || r.out != "done\n" {
		t.Errorf("%v", r)
	}
	c = replaceable(t, "mv .env x; sleep 0.2")
	c.Required, c.Hidden = false, []string{c.Dir}
	if r := run(t, c); r.Ended != "" || r.Exit != 0 || r.report.Enforced() {
		t.Errorf("%v", r)
	}
}

// TestTakenRights: who takes the right to write in a folder from itself in one command, and
// gives it back in the next, makes nothing there that is protected.
func TestTakenRights(t *testing.T) {
	for _, kept := range []bool{false, true} {
		c := replaceable(t, ":")
		if err := os.Remove(c.Dir + "/.env"); err != nil {
			t.Fatal(err)
		}
		c.Protected = append(c.Protected, c.Dir+"/sub/.claude")
		in := func(*sandbox.Options) {}
		if kept {
			in = knows(t, c)
		}
		for _, script := range []string{"chmod 555 . sub", "chmod 755 . sub; echo x >.env; mkdir .claude && echo x >.claude/settings.json; mkdir sub/.claude && echo x >sub/.claude/x"} {
			c.Script = script
			if r := run(t, c, in); r.failure != nil || !r.report.Enforced() {
				t.Errorf("%v", r)
			}
		}
		for _, name := range []string{"/.env", "/.claude", "/sub/.claude"} {
			if _, err := os.Lstat(c.Dir + name); err == nil {
				t.Errorf("kept %v: %s was made", kept, name)
			}
		}
	}
}

// TestHiddenAbove: a command cannot move a folder that something hidden is in, and so see it.
func TestHiddenAbove(t *testing.T) {
	c := replaceable(t, "mv sub other")
	c.Hidden = []string{c.Dir + "/sub/deep/hidden"}
	c.Protected, c.Barred = nil, nil
	write(t, c.Hidden[0]+"/f", "secret\n")
	in := knows(t, c)
	if r := run(t, c, in); r.Exit == 0 || r.Ended != "" {
		t.Errorf("%v", r)
	}
	c.Script = "cat sub/deep/hidden/f other/deep/hidden/f"
	if r := run(t, c, in); r.Exit == 0 || r.out != "" {
		t.Errorf("%v", r)
	}
}
