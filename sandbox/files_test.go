//go:build linux

package sandbox_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// repository makes a folder with what is usually protected.
func repository(t *testing.T) (dir string, protected []string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir+"/.git/config", "[core]\n")
	write(t, dir+"/.git/hooks/sample", "#!/bin/sh\n")
	write(t, dir+"/.git/HEAD", "ref: refs/heads/main\n")
	write(t, dir+"/.env", "A=1\n")
	return dir, []string{dir + "/.git/config", dir + "/.git/hooks", dir + "/.env"}
}

// TestProtected: what is protected cannot be changed in any way, and what is beside
// it can.
func TestProtected(t *testing.T) {
	t.Parallel()
	dir, protected := repository(t)
	for _, script := range []string{
		"echo x >.git/config", "echo x >>.env", "rm .env", "mv .env other", "mv .git moved", "rm -rf .git/hooks", "touch .git/hooks/pre-commit",
		"mv .git/hooks .git/old", "ln .git/config hard && echo x >hard", "chmod 777 .env", "touch -d yesterday .env", "rmdir .git/hooks", "echo x >n && mv n .env",
		"mv .git/HEAD .git/config", "ln -sf /tmp .git/hooks", "cp /bin/true .git/hooks/pre-push", "truncate -s 0 .git/config", "mkdir n2 && mv -T n2 .git/hooks",
	} {
		c := contract(dir, script)
		c.Protected = protected
		r := run(t, c)
		config, _ := os.ReadFile(dir + "/.git/config")
		env, _ := os.ReadFile(dir + "/.env")
		hooks, _ := os.ReadDir(dir + "/.git/hooks")
		if r.Exit == 0 || string(config) != "[core]\n" || string(env) != "A=1\n" || len(hooks) != 1 {
			t.Errorf("%s: %v: %q %q %v", script, r, config, env, hooks)
		}
	}
	c := contract(dir, "echo x >.git/index && mkdir -p .git/refs/heads && mv .git/HEAD .git/ORIG && echo y >new && mkdir sub && touch .environment")
	c.Protected = protected
	if r := run(t, c); r.Exit != 0 || r.failure != nil {
		t.Errorf("%v", r)
	}
}

// TestMissing: what is protected and not there cannot be made, and nothing is left
// of what kept it away.
func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, script := range []string{"git init 2>&1 || mkdir .git/hooks", "echo x >.env", "echo '{}' >.mcp.json", "mkdir -p .claude/hooks", "rmdir .claude; rm .env", "mv .env x", "mv .git y", "cat .env", "test -f .env || test -d .mcp.json"} {
		c := contract(dir, script)
		c.Protected = []string{dir + "/.git/config", dir + "/.git/hooks", dir + "/.env", dir + "/.mcp.json", dir + "/.claude/settings.json"}
		r := run(t, c)
		left, _ := os.ReadDir(dir)
		if r.Exit == 0 || r.failure != nil || len(left) > 0 {
			t.Errorf("%s: %v, left: %v", script, r, left)
		}
	}
}

// TestPlaces: a place that another run needs stays, and the last one removes it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := contract(dir, "while [ ! -e go ]; do sleep 0.02; done; echo x >.env")
	c.Protected = []string{dir + "/.env"}
	first := make(chan ran)
	go func() { first <- run(t, c) }()
	for range 500 {
		if _, err := os.Stat(dir + "/.env"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	quick := contract(dir, "true")
	quick.Protected = c.Protected
	if r := run(t, quick); r.Exit != 0 || r.failure != nil {
		t.Errorf("%v", r)
	}
	write(t, dir+"/go", "")
	if r := <-first; r.Exit == 0 || r.Ended != "" || r.failure != nil {
		t.Errorf("%v", r)
	}
	if _, err := os.Stat(dir + "/.env"); err == nil {
		t.Error("the place is still there")
	}
	write(t, dir+"/.env", "") // somebody's own, although it is empty

	if r := run(t, quick); r.Exit != 0 {
		t.Errorf("%v", r)
	}
	if _, err := os.Stat(dir + "/.env"); err != nil {
		t.Error("a file of a person was removed")
	}
}

// TestTogether: runs in the same workspace do not take each other's places away, and
// the last one leaves none, whatever other processes are started meanwhile.
func TestTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results := make(chan ran)
	const runs, turns = 8, 12
	for range runs {
		go func() {
			for range turns {
				c := contract(dir, "test -e .git && ! mkdir .claude/x 2>/dev/null && ! echo x 2>/dev/null >.env")
				c.Protected = protectedNames(dir)
				results <- run(t, c)
			}
		}()
	}
	for range runs * turns {
		if r := <-results; r.Exit != 0 || r.failure != nil || r.Ended != "" {
			t.Errorf("%v", r)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestWatched: what is made under a name that is watched is told; what was there, or is
// gone again, is not.
func TestWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/.env.old", "")
	c := contract(dir, "touch .env.new .env.short .envy sub; mkdir .husky; rm .env.short")
	c.Watched = []string{dir + "/.env.*", dir + "/.husky"}
	r := run(t, c)
	if want := []string{dir + "/.env.new", dir + "/.husky"}; !slices.Equal(r.Made, want) || r.report.Of(sandbox.Watched).State != sandbox.Open || !r.report.Enforced() {
		t.Errorf("%v, want %v\n%v", r.Made, want, r.report)
	}
	c.Watched = []string{dir + "/["}
	if r := run(t, c); r.failure == nil || r.Ran {
		t.Errorf("%v", r)
	}
}

// TestReplaced: who replaces a protected file outside takes away what protects it
// inside; then everything is ended.
func TestReplaced(t *testing.T) {
	t.Parallel()
	dir, protected := repository(t)
	c := contract(dir, "touch ready; while :; do echo evil 2>/dev/null >>.git/config; sleep 0.01; done")
	c.Protected = protected
	go func() {
		for range 500 {
			if _, err := os.Stat(dir + "/ready"); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = os.WriteFile(dir+"/.git/config.lock", []byte("[user]\n"), 0o644) // as git does it; the test looks at the result
		_ = os.Rename(dir+"/.git/config.lock", dir+"/.git/config")
	}()
	if r := run(t, c); !strings.Contains(r.Ended, dir+"/.git/config was replaced") || r.Signal != 9 {
		t.Errorf("%v", r)
	}
}

// TestScratch: what is written to a scratch folder is seen inside, and gone after.
func TestScratch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, err := os.MkdirTemp("/var/tmp", "sayso-scratch") // not below the folder that is private
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	write(t, home+"/old", "before\n")
	c := contract(dir, "cat "+home+"/old; echo after >"+home+"/old; echo new >"+home+"/new; cat "+home+"/old "+home+"/new")
	c.Scratch = []string{home}
	c.Read = []string{"/usr", "/lib", "/etc", home}
	r := run(t, c)
	text, _ := os.ReadFile(home + "/old")
	if _, err := os.Stat(home + "/new"); r.out != "before\nafter\nnew\n" || string(text) != "before\n" || err == nil {
		t.Errorf("%v: %q", r, text)
	}
}

// TestRead: where the contract says what can be read, nothing else can.
func TestRead(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	write(t, other+"/secret", "secret\n")
	c := contract(dir, "cat "+other+"/secret /etc/passwd; ls / "+other+"; echo x >/x; echo y >f; cat f")
	c.Read = []string{"/usr", "/lib"}
	r := run(t, c)
	if strings.Contains(r.out, "secret") || strings.Contains(r.out, "root:") || strings.Contains(r.out, "etc\n") || !strings.HasSuffix(r.out, "y\n") || r.report.Of(sandbox.FilesRead).State != sandbox.Enforced {
		t.Errorf("%v", r)
	}
	c = contract(dir, "cat "+other+"/secret")
	c.Read = []string{"/usr", "/lib", other}
	if r := run(t, c); r.out != "secret\n" {
		t.Errorf("%v", r)
	}
}

// TestReadOnly: without a folder to write in, nothing can be written, and the
// temporary files of the run are its own.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/f", "text\n")
	c := contract(dir, "cat f; echo x >f; echo tmp >/tmp/own && cat /tmp/own; ls /run; ls /dev/shm")
	c.Write = nil
	r := run(t, c)
	text, _ := os.ReadFile(dir + "/f")
	if _, err := os.Stat("/tmp/own"); r.out != "text\ntmp\n" || string(text) != "text\n" || err == nil || !strings.Contains(r.err, "Read-only file system") {
		t.Errorf("%v: %q", r, text)
	}
}

// TestOpen: what can be written everywhere leaves what is protected.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir, protected := repository(t)
	other := t.TempDir()
	c := contract(dir, "echo x >"+other+"/f && cat "+other+"/f && echo x >.env")
	c.Write, c.Protected = []string{"/"}, protected
	r := run(t, c)
	if env, _ := os.ReadFile(dir + "/.env"); r.out != "x\n" || r.Exit == 0 || string(env) != "A=1\n" || r.report.Of(sandbox.FilesWrite).State != sandbox.Open {
		t.Errorf("%v: %q", r, env)
	}
}

// TestLimits: processes, memory and time together are held to the limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		script string
		set    func(*sayso.Contract)
		says   string // why it was ended; empty: it fails by itself
	}{
		"processes": {"i=0; while [ $i -lt 400 ]; do sleep 100 & i=$((i+1)); done; echo all; sleep 5", func(c *sayso.Contract) { c.Procs = 50 }, ""},
		"cpu":       {"for i in 1 2 3 4; do (while :; do :; done) & done; wait; echo all", func(c *sayso.Contract) { c.CPU = time.Second }, "the limit: cpu"},
		"memory":    {"head -c 400000000 /dev/zero | tail -c 300000000 | wc -c", func(c *sayso.Contract) { c.Memory = 100 << 20 }, ""},
		"tmp":       {"head -c 400000000 /dev/zero >/tmp/f && echo all", func(c *sayso.Contract) { c.Memory = 50 << 20 }, ""},
	} {
		c := contract(t.TempDir(), one.script)
		one.set(&c)
		c.Timeout = 20 * time.Second
		r := run(t, c)
		if strings.Contains(r.out, "all") || strings.Contains(r.out, "300000000") || r.TimedOut || !strings.Contains(r.Ended, one.says) || r.failure != nil && name != "memory" {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// TestReadOn: a file that is given as input is read from where it is, and whoever has
// given it reads on where the command has ended.
func TestReadOn(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(name, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	dir, _ := repository(t)
	for _, want := range []string{"one\n", "two\n"} {
		if r := run(t, contract(dir, "head -n 1"), func(o *sandbox.Options) { o.Stdin = f }); r.out != want || r.failure != nil {
			t.Errorf("want %q: %v", want, r)
		}
	}
	if rest, err := io.ReadAll(f); err != nil || string(rest) != "three\n" {
		t.Errorf("%q is left: %v", rest, err)
	}
}
