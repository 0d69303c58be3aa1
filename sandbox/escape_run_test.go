//go:build linux

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/sandbox"
	"golang.org/x/sys/unix"
)

// TestEscape: each attempt succeeds outside, and fails inside for the reason that the
// report names; and nothing outside has changed.
func TestEscape(t *testing.T) {
	w := newWorld(t)
	leak, err := os.OpenFile(w.base+"/leak", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(leak.Fd())) // stays open in programs that are started
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	w.values["$FD"] = itoa(fd)
	t.Setenv("SAYSO_ESCAPE", "plain")
	t.Setenv("LD_PRELOAD", "/nonexistent.so")
	t.Setenv("SAYSO_TEST_DAEMON", w.values["$TCP"])
	t.Setenv("HTTP_PROXY", "http://"+w.openProxy(t))
	made := 0
	for _, e := range escapes {
		if e.root && os.Getuid() != 0 || strings.Contains(e.try, "$ADDRESS") && w.values["$ADDRESS"] == "" {
			continue
		}
		t.Run(strings.NewReplacer("/", "_", "$", "").Replace(e.try), func(t *testing.T) {
			e.test(t, w)
			made++ // unless this kernel does not have it
		})
	}
	t.Logf("%d attempts, as user %d", made, os.Getuid())
	if made < 60 {
		t.Errorf("only %d attempts", made)
	}
}

func (e *escape) test(t *testing.T, w *world) {
	w.files(t)
	if said, status := e.outside(t, w); status != breakout.Out {
		if status == breakout.Held && (strings.Contains(said, "EAFNOSUPPORT") || strings.Contains(said, "ENOSYS")) {
			t.Skipf("this kernel does not have it: %s", said)
		}
		t.Fatalf("it does not even succeed outside: %d %s", status, said)
	}
	w.files(t)
	before := w.seen(t)
	c := contract(w.values["$W"], "")
	c.Script, c.Shell, c.Argv = "", "", append([]string{w.base + "/tool", "try"}, w.words(e.try)...)
	c.Protected = protectedNames(w.values["$W"])
	if e.change != nil {
		e.change(&c)
	}
	options := func(o *sandbox.Options) {
		if e.stdin != nil {
			o.Stdin = e.stdin(t, w)
		}
		o.Terminal, o.Resolve = e.promise == sandbox.Terminal, w.resolve
	}
	e.makeIt(t, w, before, func() ran { return runUntil(e.until(t, w), t, c, options) })
	if e.own || e.promise == sandbox.Terminal || c.Network == sayso.NetworkHosts { // they get a place of their own
		return
	}
	w.files(t)
	before = w.seen(t)
	k := keep(t)
	first := c
	first.Argv = []string{"/bin/true"}
	if r := runKept(t, k, first); !r.Kept || r.Exit != 0 {
		t.Fatalf("in a place that is kept: %v", r)
	}
	e.makeIt(t, w, before, func() ran {
		r := runKeptUntil(e.until(t, w), t, k, c, options)
		if !r.Kept {
			t.Errorf("it was not in the place that is kept: %v", r)
		}
		return r
	})
}

// makeIt makes the attempt inside.
func (e *escape) makeIt(t *testing.T, w *world, before string, run func() ran) {
	t.Helper()
	r := run()
	line := r.report.Of(e.promise)
	if line.State != sandbox.Enforced || !strings.Contains(strings.Join(line.By, ", "), e.by) {
		t.Errorf("the report says %v, want %s by %s", line, e.promise, e.by)
	}
	if after := w.seen(t); after != before {
		t.Errorf("outside has changed:\n%s\nwas\n%s", after, before)
	}
	if e.inside != nil {
		if err := e.inside(t, w, r); err != nil || !r.Ran {
			t.Errorf("%v: %v", err, r)
		}
		return
	}
	e.held(t, r)
}

// held checks that the attempt failed inside, for the reason that it should.
func (e *escape) held(t *testing.T, r ran) {
	said := r.err
	switch {
	case r.Ended != "":
		said += " ended: " + r.Ended[strings.LastIndex(r.Ended, " ")+1:]
	case r.TimedOut:
		said += " timed out"
	case r.Signal != 0:
		said += " signal " + itoa(r.Signal)
	case r.Exit != breakout.Held:
		t.Fatalf("it got out: %v", r)
	}
	for why := range strings.SplitSeq(e.says, "|") {
		if strings.Contains(said, why) {
			return
		}
	}
	t.Errorf("it failed because of %q, want %s: %v", said, e.says, r)
}

// until is how long an attempt is waited for: one that waits itself is ended as soon as
// what is to stay behind is there.
func (e *escape) until(t *testing.T, w *world) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	if strings.HasPrefix(e.try, "stay-behind") {
		go func() {
			defer cancel()
			for alive := false; !alive && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
				alive, _ = breakout.Stayed(w.values["$W"] + "/late") // it may not be there yet
			}
		}()
	}
	return ctx
}

// outside makes the attempt where nothing confines it.
func (e *escape) outside(t *testing.T, w *world) (said string, status int) {
	t.Helper()
	ctx := e.until(t, w)
	cmd := exec.CommandContext(ctx, w.base+"/tool", append([]string{"try"}, w.words(e.try)...)...)
	cmd.Dir = w.values["$W"]
	if e.stdin != nil {
		cmd.Stdin = e.stdin(t, w)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	if strings.HasPrefix(e.try, "stay") {
		alive, err := breakout.Stayed(w.values["$W"] + "/late")
		if err == nil && alive {
			return "", breakout.Out
		}
		return fmt.Sprint("it did not stay: ", err), breakout.Unable
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return errs.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return "", breakout.Out
}
