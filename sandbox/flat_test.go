//go:build linux

package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/sandbox"
)

// withoutNamespaces runs a test once more where nobody can have namespaces, and reports
// whether this is that turn. In the turn before it, that is brought about, for which it
// takes rights that the test must not have.
func withoutNamespaces(t *testing.T) bool {
	t.Helper()
	turn := os.Getenv("SAYSO_TEST_NONE")
	if turn == "2" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "SAYSO_TEST_NONE="+turn+"1", "SAYSO_TEST_BOX="+program)
	if turn == "1" {
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread() // rights belong to threads
		defer runtime.UnlockOSThread()
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, "SAYSO_TEST_NONE=2")
	} else {
		cmd.Env = append(cmd.Env, "SAYSO_TEST_OUTSIDE="+outsideOf(t))
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER, // in which a limit holds for it alone
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
			AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE},
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return false
}

// outsideOf is a folder for the world of attempts.
func outsideOf(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("SAYSO_TEST_OUTSIDE"); given != "" {
		return given
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(home, "sayso-flat")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestNoNamespaces: where the system lets nobody have namespaces, nothing runs, and the
// error says what to look at; unless the contract lets it run anyway, and then with what
// can be held without them.
func TestNoNamespaces(t *testing.T) {
	if !withoutNamespaces(t) {
		return
	}
	dir, protected := repository(t)
	c := contract(dir, "echo ran; echo x >made; echo y >"+dir+"-outside || echo held; test -w $TMPDIR && echo z >$TMPDIR/own && cat $TMPDIR/own")
	c.Protected = protected
	r := run(t, c)
	if r.failure == nil || r.Ran || r.out != "" || r.report.Enforced() || !strings.Contains(r.failure.Error(), "sysctl user.max_user_namespaces") || !strings.Contains(r.failure.Error(), "protected paths (Landlock cannot deny") {
		t.Errorf("%v", r)
	}
	told := 0
	c.Required = false
	r = run(t, c, func(o *sandbox.Options) {
		o.Before = func(_ sayso.Contract, report sandbox.Report) error {
			if told++; report.Enforced() {
				t.Error("all is enforced")
			}
			return nil
		}
	})
	if r.failure != nil || r.out != "ran\nheld\nz\n" || r.report.Enforced() || told != 1 {
		t.Errorf("%v, told %d times", r, told)
	}
	if r := run(t, c, (&judge{}).options); r.failure == nil || r.Ran || r.report.Of(sandbox.Programs).State != sandbox.NotEnforced { // what is to be decided does not run without
		t.Errorf("%v", r)
	}
	if r := runKept(t, keep(t), c); r.failure != nil || r.Kept || r.out != "ran\nheld\nz\n" {
		t.Errorf("in a place that is kept: %v", r)
	}
	for promise, state := range map[string]sandbox.State{
		sandbox.FilesRead: sandbox.Open, sandbox.FilesWrite: sandbox.NotEnforced, sandbox.Protected: sandbox.NotEnforced, sandbox.Environ: sandbox.Enforced, sandbox.Network: sandbox.Enforced,
		sandbox.Sockets: sandbox.Enforced, sandbox.Escalation: sandbox.Enforced, sandbox.Descriptor: sandbox.Enforced, sandbox.AllEnded: sandbox.NotEnforced, sandbox.Outside: sandbox.NotEnforced,
	} {
		if line := r.report.Of(promise); line.State != state {
			t.Errorf("%v, want %s", line, state)
		}
	}
	c = contract(dir, "trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ >pid; sleep 100') & while :; do sleep 0.05; done")
	c.Timeout, c.Grace, c.Required = 5*time.Second, 100*time.Millisecond, false
	if r := run(t, c); !r.TimedOut || r.failure != nil {
		t.Errorf("%v", r)
	}
	c.Timeout = time.Minute
	for range 10 { // whoever ends all of them must not take the end of the command from whoever tells it
		if err := os.Remove(dir + "/pid"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for ctx.Err() == nil {
				if text, _ := os.ReadFile(dir + "/pid"); len(text) > 0 {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		if result, _, err := sandbox.Run(ctx, permit(t, c), sandbox.Options{Box: program}); !result.Ran || result.Signal != int(syscall.SIGKILL) {
			t.Errorf("%+v, %v", result, err)
		}
		cancel()
	}
	if pid, err := os.ReadFile(dir + "/pid"); err != nil {
		t.Error(err)
	} else if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
		t.Error("something has stayed")
	}
}

// flatEscapes are attempts that a namespace of its own makes pointless.
var flatEscapes = []escape{
	{try: "priorities", promise: sandbox.Outside, flatBy: seccomp, flatSays: "EPERM"},
}

// TestFlatEscape: what the report says is held without namespaces is held.
func TestFlatEscape(t *testing.T) {
	if !withoutNamespaces(t) {
		return
	}
	w := newWorld(t)
	made := 0
	for _, e := range slices.Concat(escapes, flatEscapes) {
		if e.flatBy == "" || e.root && os.Getuid() != 0 {
			continue
		}
		made++
		e.by, e.says = e.flatBy, e.flatSays
		t.Run(strings.NewReplacer("/", "_", "$", "").Replace(e.try), func(t *testing.T) { e.testFlat(t, w) })
	}
	t.Logf("%d attempts without namespaces, as user %d", made, os.Getuid())
}

func (e *escape) testFlat(t *testing.T, w *world) {
	w.files(t)
	if said, status := e.outside(t, w); status != breakout.Out {
		t.Fatalf("it does not even succeed outside: %d %s", status, said)
	}
	w.files(t)
	c := contract(w.values["$W"], "")
	c.Script, c.Shell, c.Argv, c.Required = "", "", append([]string{w.base + "/tool", "try"}, w.words(e.try)...), false
	if e.change != nil {
		e.change(&c)
	}
	r := runUntil(e.until(t, w), t, c, func(o *sandbox.Options) {
		if e.stdin != nil {
			o.Stdin = e.stdin(t, w)
		}
	})
	line := r.report.Of(e.promise)
	if !strings.Contains(strings.Join(line.By, ", "), e.by) || line.State != sandbox.Enforced && !strings.HasPrefix(line.Why, "partly: ") {
		t.Errorf("the report says %v, want %s by %s", line, e.promise, e.by)
	}
	if e.inside != nil {
		if err := e.inside(t, w, r); err != nil || !r.Ran {
			t.Errorf("%v: %v", err, r)
		}
		return
	}
	e.held(t, r)
}
