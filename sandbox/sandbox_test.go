//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// nobody is an ordinary user.
const nobody = 65534

// TestOrdinaryUser runs all tests once more as an ordinary user, where this is root.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is one")
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(filepath.Dir(program), "tests")
	if err := os.WriteFile(tests, self, 0o755); err != nil {
		t.Fatal(err)
	}
	outside, err := os.MkdirTemp("/var/lib", "sayso-escape") // a folder of theirs that is seen inside
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(outside) })
	if err := errors.Join(os.Chmod(outside, 0o755), setuid(outside+"/setuid", 0), os.Chown(outside, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.timeout=9m"}
	if testing.Verbose() {
		args = append(args, "-test.v")
	}
	cmd := exec.Command(tests, args...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "SAYSO_TEST_BOX="+program, "SAYSO_TEST_OUTSIDE="+outside, "HOME=/nonexistent")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// setuid makes a program that runs as its owner.
func setuid(name string, owner int) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(name, text, 0o755), os.Chown(name, owner, owner), os.Chmod(name, os.ModeSetuid|0o755))
}

// TestResult: the command's own end is told.
func TestResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for script, want := range map[string]int{"true": 0, "exit 7": 7, "kill -9 $$": 137, "kill $$": 143, "no-such-command": 127} {
		r := run(t, contract(dir, script))
		if r.failure != nil || !r.Ran || r.Exit != want || (want > 128) != (r.Signal == want-128) || !r.report.Enforced() {
			t.Errorf("%s: %v, want %d\n%v", script, r, want, r.report)
		}
	}
	c := contract(dir, "")
	c.Argv = []string{"no-such-program"}
	if r := run(t, c); !errors.Is(r.failure, sandbox.ErrNotFound) || r.Ran {
		t.Errorf("%v", r)
	}
	write(t, dir+"/plain", "text")
	c.Argv = []string{dir + "/plain"}
	if r := run(t, c); !errors.Is(r.failure, sandbox.ErrCannotRun) || r.Ran {
		t.Errorf("%v", r)
	}
}

// TestArguments: words are passed on as they are, whatever is in them.
func TestArguments(t *testing.T) {
	t.Parallel()
	c := contract(t.TempDir(), "")
	c.Argv = []string{"printf", "%s|", "a b", "$HOME", "`id`", "\"'\\", "", "*", "\n", strings.Repeat("x", 100_000)}
	r := run(t, c)
	if want := strings.Join(c.Argv[2:], "|") + "|"; r.out != want || r.failure != nil {
		t.Errorf("%q, want %q: %v", r.out, want, r.failure)
	}
}

// TestPermit: only a permit runs, and only once.
func TestPermit(t *testing.T) {
	t.Parallel()
	var none sayso.Permit
	if _, _, err := sandbox.Run(context.Background(), none, sandbox.Options{Box: program}); !errors.Is(err, sayso.ErrNoPermit) {
		t.Errorf("no permit: %v", err)
	}
	dir := t.TempDir()
	p := permit(t, contract(dir, "echo x >>f"))
	for i, want := range []error{nil, sayso.ErrNoPermit} {
		if _, _, err := sandbox.Run(context.Background(), p, sandbox.Options{Box: program}); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", i, err, want)
		}
	}
	if text, _ := os.ReadFile(dir + "/f"); string(text) != "x\n" {
		t.Errorf("it ran: %q", text)
	}
}

// TestRequired: what cannot be enforced is not run, and the error says what it is.
func TestRequired(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, one := range map[string]struct {
		change func(*sayso.Contract)
		says   string
	}{
		"a link":        {func(c *sayso.Contract) { c.Protected = []string{dir + "/link"} }, "protected paths (a link cannot be held: " + dir + "/link"},
		"the kernel":    {func(c *sayso.Contract) { c.Write = []string{"/sys"} }, "/sys cannot be a folder to write in"},
		"no folder":     {func(c *sayso.Contract) { c.Write = []string{dir + "/none"} }, "none"},
		"through links": {func(c *sayso.Contract) { c.Write = []string{dir + "/link"} }, "leads to /etc"},
		"relative":      {func(c *sayso.Contract) { c.Write = []string{"x"} }, "not absolute and clean"},
		"a network":     {func(c *sayso.Contract) { c.Network = "some" }, `the network "some"`},
	} {
		_ = os.Symlink("/etc", dir+"/link") // once is enough
		c := contract(dir, "touch ran")
		one.change(&c)
		r := run(t, c)
		if r.failure == nil || !strings.Contains(r.failure.Error(), one.says) || r.Ran || r.report.Enforced() {
			t.Errorf("%s: %v", name, r.failure)
		}
		if _, err := os.Stat(dir + "/ran"); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
	c := contract(dir, "echo ran; echo x >kept 2>/dev/null || echo held")
	c.Protected, c.Required = []string{dir + "/link", dir + "/kept"}, false
	if r := run(t, c); r.out != "ran\nheld\n" || r.report.Of(sandbox.Protected).State != sandbox.NotEnforced || r.report.Of(sandbox.FilesWrite).State != sandbox.Enforced {
		t.Errorf("a link, not required: %v", r)
	}
}

// TestNoBox: without its helper nothing runs, unless the contract lets it run
// anyway; then the report says that nothing is enforced.
func TestNoBox(t *testing.T) {
	t.Parallel()
	away := func(o *sandbox.Options) { o.Box = "/nonexistent/sayso-box" }
	c := contract(t.TempDir(), "echo ran")
	if r := run(t, c, away); r.failure == nil || r.out != "" || r.Ran || r.report.Enforced() {
		t.Errorf("%v", r)
	}
	c.Required = false
	if r := run(t, c, away); r.out != "ran\n" || r.report.Enforced() || r.report.Of(sandbox.FilesWrite).State != sandbox.NotEnforced || !r.Ran {
		t.Errorf("%v", r)
	}
}

// TestBefore: what is to happen before a run can keep it from running.
func TestBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wrong := errors.New("the journal is full")
	r := run(t, contract(dir, "touch ran"), func(o *sandbox.Options) {
		o.Before = func(c sayso.Contract, r sandbox.Report) error {
			if c.Dir != dir || !r.Enforced() {
				t.Errorf("%v %v", c, r)
			}
			return wrong
		}
	})
	if _, err := os.Stat(dir + "/ran"); !errors.Is(r.failure, wrong) || err == nil {
		t.Errorf("%v %v", r.failure, err)
	}
}

// TestEnvironment: only what the contract names, and no secret.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{"VAR_A": "1", "VAR_TOKEN": "2", "VAR_B": "3", "LD_PRELOAD_NOT": "4", "VAR_C": "AKIA" + "QWERTYUIOPASDFGH"} {
		t.Setenv(name, value)
	}
	c := contract(t.TempDir(), "")
	c.Argv = []string{"env"}
	c.Inherit = []string{"PATH", "VAR_*", "MISSING"}
	c.Env = map[string]string{"VAR_B": "set", "MORE": "a b"}
	r := run(t, c)
	if want := "MORE=a b\nPATH=" + os.Getenv("PATH") + "\nVAR_A=1\nVAR_B=set\n"; r.out != want {
		t.Errorf("%q, want %q", r.out, want)
	}
}

// TestTimeout: it is asked to end, and ended, with all that it has started.
func TestTimeout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := contract(dir, `trap 'echo asked; exit 3' TERM; (trap '' TERM; setsid sh -c 'trap "" TERM; sleep 1000') & while :; do sleep 0.05; done`)
	c.Timeout = 200 * time.Millisecond
	if r := run(t, c); r.out != "asked\n" || !r.TimedOut || r.Exit != 3 || r.failure != nil {
		t.Errorf("%v", r)
	}
	c.Script = `trap '' TERM; echo $$; while :; do sleep 0.05; done`
	c.Grace = 50 * time.Millisecond
	if r := run(t, c); !r.TimedOut || r.Signal != 9 || r.Exit != 137 || r.failure != nil {
		t.Errorf("%v", r)
	}
}

// TestSignals: what this program is sent is passed on.
func TestSignals(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	dir := t.TempDir()
	c := contract(dir, `trap 'echo usr1; exit 5' USR1; touch ready; while :; do sleep 0.02; done`)
	go func() {
		for range 500 {
			if _, err := os.Stat(dir + "/ready"); err == nil {
				signals <- syscall.SIGUSR1
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if r := run(t, c, func(o *sandbox.Options) { o.Signals = signals }); r.out != "usr1\n" || r.Exit != 5 {
		t.Errorf("%v", r)
	}
}

// TestOutput: of much output the start and the end are kept.
func TestOutput(t *testing.T) {
	t.Parallel()
	c := contract(t.TempDir(), `echo start; i=0; while [ $i -lt 3000 ]; do echo "line $i ................................................."; i=$((i+1)); done; echo end; echo wrong >&2`)
	c.Output = 4096
	r := run(t, c)
	if !strings.HasPrefix(r.out, "start\nline 0 ") || !strings.HasSuffix(r.out, "end\n") || !strings.Contains(r.out, " bytes are not shown]") || len(r.out) > 4200 || r.err != "wrong\n" || r.Cut == 0 || r.Output < 100_000 {
		t.Errorf("%d bytes of %d, %d cut: %.100q … %q, %q", len(r.out), r.Output, r.Cut, r.out, r.out[max(0, len(r.out)-50):], r.err)
	}
	c.Script = "echo short; echo bad >&2"
	if r := run(t, c); r.out != "short\n" || r.err != "bad\n" || r.Cut != 0 || r.Output != 10 {
		t.Errorf("%v", r)
	}
}
