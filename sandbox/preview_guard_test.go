//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/sandbox/changes"
)

// TestPreviewStale: what somebody changes between the preview and the answer keeps all
// of it from being applied, and is named.
func TestPreviewStale(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"a.txt": func(dir string) error { return os.WriteFile(dir+"/a.txt", []byte("other\n"), 0o644) },
		"whole/x": func(dir string) error { // what tells it is only the time that nobody can set
			info, err := os.Stat(dir + "/whole/x")
			return errors.Join(err, os.WriteFile(dir+"/whole/x", []byte("X"), 0o644), os.Chtimes(dir+"/whole/x", info.ModTime(), info.ModTime()))
		},
		"new":   func(dir string) error { return os.WriteFile(dir+"/new", nil, 0o644) },
		"mode":  func(dir string) error { return os.Chmod(dir+"/mode", 0o600) },
		"dir":   func(dir string) error { return os.WriteFile(dir+"/dir/meanwhile", nil, 0o644) },
		"dir/1": func(dir string) error { return os.Remove(dir + "/dir/1") },
		"was-file": func(dir string) error {
			return errors.Join(os.Remove(dir+"/was-file"), os.Symlink("/etc", dir+"/was-file"))
		},
		"whole/z": func(dir string) error {
			return errors.Join(os.Rename(dir+"/whole", dir+"/x"), os.Symlink("x", dir+"/whole"))
		},
		"blank s/ü": func(dir string) error { return os.Chtimes(dir+"/blank s/ü", time.Unix(1, 0), time.Unix(1, 0)) },
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			dir := workspace(t)
			s, err := preview(t, contract(dir, everything), sandbox.PreviewOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			err = s.apply(t)
			var stale *changes.StaleError
			if !errors.As(err, &stale) || !strings.Contains(err.Error(), dir+"/"+name) {
				t.Errorf("it was applied: %v", err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("something was changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// TestPreviewNoLayers: where there can be no layers, it runs in a copy, and says why.
func TestPreviewNoLayers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a file system without attributes")
	}
	layers := t.TempDir()
	if err := unix.Mount("none", layers, "ramfs", 0, ""); err != nil {
		t.Fatalf("a file system without attributes: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(layers, unix.MNT_DETACH) })
	dir := workspace(t)
	s, err := preview(t, contract(dir, "rm -r whole; mkdir whole; echo x >whole/new"), sandbox.PreviewOptions{Dir: layers})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.list(dir), "added whole/new file 644\nremoved whole/x\nremoved whole/y\n"; got != want || !strings.HasPrefix(s.How, "copy: ") || !strings.Contains(s.How, "has no attributes of users") {
		t.Errorf("%s\n%s", s.How, got)
	}
}

// TestPreviewMeanwhile: what somebody changes while the command runs is not overwritten.
func TestPreviewMeanwhile(t *testing.T) {
	dir := workspace(t)
	done := make(chan error, 1)
	layers := t.TempDir()
	go func() {
		for range 6000 { // until it has begun
			if found, _ := filepath.Glob(layers + "/*/*/a.txt"); len(found) > 0 {
				done <- os.WriteFile(dir+"/b.txt", []byte("of a person\n"), 0o644)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		done <- errors.New("it has not begun")
	}()
	s, err := preview(t, contract(dir, "echo x >>a.txt; until grep -q person b.txt; do sleep 0.05; done; echo y >b.txt"), sandbox.PreviewOptions{Dir: layers})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	var stale *changes.StaleError
	if err := s.apply(t); !errors.As(err, &stale) || len(stale.Paths) != 1 || stale.Paths[0] != dir+"/b.txt" {
		t.Errorf("it was applied: %v", err)
	}
}

// TestPreviewProtected: what is protected is not changed by a preview, nor by what it
// has shown.
func TestPreviewProtected(t *testing.T) {
	dir := workspace(t)
	write(t, dir+"/.git/config", "[core]\n")
	c := contract(dir, `echo evil >>.git/config; mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit; mv .git away; echo A=2 >.env; echo fine >.git/fine; mkdir .claude/x; rm -rf .git/config .env; echo end`)
	c.Protected = protectedNames(dir)
	before := tree(t, dir)
	s, err := preview(t, c, sandbox.PreviewOptions{})
	if err != nil || s.out != "end\n" {
		t.Fatalf("%v %+v", err, s)
	}
	if got, want := s.list(dir), "added .git/fine file 644\n"; got != want {
		t.Errorf("got:\n%s", got)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("it has changed files:\n%s\nbefore:\n%s", after, before)
	}
	c = contract(dir, "rm -r .git; mkdir .git; echo evil >.git/config; echo A=2 >.env")
	s, err = preview(t, c, sandbox.PreviewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.c.Protected = protectedNames(dir)
	if err := s.apply(t); err == nil || !strings.Contains(err.Error(), "is protected") {
		t.Errorf("what is protected was changed: %v", err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("something was changed:\n%s", after)
	}
}

// TestPreviewTried: what it wants to reach is told, and not reached.
func TestPreviewTried(t *testing.T) {
	if os.Getenv("PATH") == "" {
		t.Fatal("no search path")
	}
	dir := workspace(t)
	script := `import socket
def tcp(*a):
    try:
        socket.create_connection(a, timeout=5)
    except OSError as e:
        print(a[1], type(e).__name__)
tcp("registry.example.com", 443)
tcp("registry.example.com", 443)
tcp("192.0.2.7", 22)
tcp("2001:db8::7", 80)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.5", 9999))
try:
    socket.gethostbyname("only-asked.example.org")
except OSError as e:
    print(e)
own = socket.socket(); own.bind(("127.0.0.1", 0)); own.listen()
socket.create_connection(own.getsockname()).close()
print("own loopback works")
`
	write(t, dir+"/net.py", script)
	s, err := preview(t, contract(dir, "python3 net.py"), sandbox.PreviewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(s.Tried, func(a, b sandbox.Attempt) int { return strings.Compare(a.Host, b.Host) }) // names and packets are seen apart
	want := "[{tcp 192.0.2.7 22} {tcp 2001:db8::7 80} {udp 203.0.113.5 9999} {dns only-asked.example.org } {tcp registry.example.com 443}]"
	if got := fmt.Sprint(s.Tried); got != want {
		t.Errorf("tried %s, want %s", got, want)
	}
	if want := "443 ConnectionRefusedError\n443 ConnectionRefusedError\n22 ConnectionRefusedError\n80 ConnectionRefusedError\nown loopback works\n"; s.out != want {
		t.Errorf("it wrote %q %q", s.out, s.err)
	}
}

// TestPreviewShown: what is not what was shown any more is not applied, whoever has
// changed it.
func TestPreviewShown(t *testing.T) {
	dir, layers := workspace(t), t.TempDir()
	s, err := preview(t, contract(dir, "echo shown >new"), sandbox.PreviewOptions{Dir: layers})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(layers + "/*/*/new")
	if len(found) != 1 {
		t.Fatal(found)
	}
	write(t, found[0], "other")
	if err := s.apply(t); err == nil || !strings.Contains(err.Error(), "not what was shown") {
		t.Errorf("it was applied: %v", err)
	}
	if names, _ := filepath.Glob(dir + "/.sayso*"); len(names) > 0 {
		t.Errorf("it has left %v", names)
	}
}

// TestPreviewLimits: a preview is ended that changes too much, and nothing of it stays.
func TestPreviewLimits(t *testing.T) {
	for name, script := range map[string]string{
		"bytes":     "for i in 1 2 3 4 5 6 7 8; do head -c 400000 /dev/zero >f$i; done; sleep 0",
		"one file":  "head -c 4000000 /dev/zero >f; true",
		"files":     "i=0; while [ $i -lt 60 ]; do : >f$i; i=$((i+1)); done",
		"endlessly": "i=0; while :; do head -c 100000 /dev/zero >f$i; i=$((i+1)); done",
		"depth":     "i=0; while [ $i -lt 230 ]; do mkdir d && cd d || exit; i=$((i+1)); done",
	} {
		t.Run(name, func(t *testing.T) {
			dir, layers := workspace(t), t.TempDir()
			s, err := preview(t, contract(dir, script), sandbox.PreviewOptions{Dir: layers, Limits: changes.Limits{Files: 50, Bytes: 1 << 20}})
			if name == "one file" { // the kernel keeps it from getting larger
				if err != nil || len(s.Changes.List) != 1 || s.Changes.List[0].After.Size != 1<<20 {
					t.Fatalf("%v %+v", err, s)
				}
				return
			}
			if !errors.Is(err, changes.ErrTooMuch) {
				t.Errorf("%v", err)
			}
			if left, err := os.ReadDir(layers); err != nil || len(left) > 0 {
				t.Errorf("it has left %v %v", left, err)
			}
		})
	}
}

// TestPreviewPermits: a permit counts for what it was given for, and once.
func TestPreviewPermits(t *testing.T) {
	ctx := context.Background()
	dir := workspace(t)
	c := contract(dir, "echo x >new")
	e := previewer(c, "y")
	get := func(p sayso.Permit, _ sayso.Decision, err error) sayso.Permit {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	o := sandbox.Options{Box: program}
	layers := sandbox.PreviewOptions{Dir: t.TempDir()}
	if _, _, err := sandbox.Run(ctx, get(e.AuthorizePreview(ctx, previewCall)), o); err == nil {
		t.Error("a permit for a preview was run")
	}
	if _, err := sandbox.RunPreview(ctx, permit(t, c), o, layers); err == nil {
		t.Error("a permit for a run was previewed")
	}
	s, err := preview(t, c, layers)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := sandbox.Run(ctx, get(e.AuthorizeChanges(ctx, previewCall, s.Changes.Hash(), nil)), o); err == nil {
		t.Error("a permit for changes was run")
	}
	for name, p := range map[string]sayso.Permit{
		"for a run":         permit(t, c),
		"for a preview":     get(e.AuthorizePreview(ctx, previewCall)),
		"for other changes": get(e.AuthorizeChanges(ctx, previewCall, "other", nil)),
		"of nobody":         {},
		"denied":            get(previewer(c, "n").AuthorizeChanges(ctx, previewCall, s.Changes.Hash(), nil)),
		"to run it":         get(previewer(c, "r").AuthorizeChanges(ctx, previewCall, s.Changes.Hash(), nil)),
	} {
		if err := s.Apply(ctx, p); err == nil {
			t.Errorf("a permit %s was applied", name)
		}
	}
	if _, err := os.Lstat(dir + "/new"); err == nil {
		t.Error("it was applied")
	}
	if r, _, err := sandbox.Run(ctx, get(previewer(c, "r").AuthorizeChanges(ctx, previewCall, s.Changes.Hash(), nil)), o); err != nil || r.Exit != 0 {
		t.Errorf("who wanted it to be run did not get it: %v %+v", err, r)
	}
	if _, err := os.Lstat(dir + "/new"); err != nil {
		t.Error("it was not run")
	}
}

// TestPreviewEscape: nobody gets out of a preview who does not get out of a run, and
// nothing of the workspace is changed either.
func TestPreviewEscape(t *testing.T) {
	w := newWorld(t)
	w.values["$FD"] = "99"
	t.Setenv("SAYSO_ESCAPE", "plain")
	t.Setenv("LD_PRELOAD", "/nonexistent.so")
	t.Setenv("SAYSO_TEST_DAEMON", w.values["$TCP"])
	t.Setenv("HTTP_PROXY", "http://"+w.openProxy(t))
	made := 0
	for _, e := range escapes {
		c := contract(w.values["$W"], "")
		if e.change != nil {
			e.change(&c)
		}
		if e.root && os.Getuid() != 0 || strings.Contains(e.try, "$ADDRESS") && w.values["$ADDRESS"] == "" || strings.Contains(e.try, "$FD") || e.stdin != nil || e.inside != nil || e.promise == sandbox.Terminal || c.Network == sayso.NetworkHosts {
			continue
		}
		made++
		t.Run(strings.NewReplacer("/", "_", "$", "").Replace(e.try), func(t *testing.T) {
			w.files(t)
			before, files := w.seen(t), tree(t, w.values["$W"])
			c.Script, c.Shell, c.Argv = "", "", append([]string{w.base + "/tool", "try"}, w.words(e.try)...)
			c.Protected = protectedNames(w.values["$W"])
			s, err := preview(t, c, sandbox.PreviewOptions{})
			if err != nil && !errors.Is(err, changes.ErrTooMuch) {
				t.Fatal(err)
			}
			if after := w.seen(t); after != before {
				t.Errorf("it has changed what it must not:\n%s\nbefore:\n%s", after, before)
			}
			if after := tree(t, w.values["$W"]); after != files {
				t.Errorf("it has changed the workspace:\n%s\nbefore:\n%s", after, files)
			}
			if err == nil && s.Result.Exit == breakout.Out {
				t.Errorf("it got out: %s %s", s.out, s.err)
			}
		})
	}
	if made < 60 {
		t.Errorf("only %d attempts", made)
	}
}
