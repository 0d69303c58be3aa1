//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// child names what this process does when a test has started it as another one.
const child = "SAYSO_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(child); what != "" {
		os.Exit(map[string]func(dir string) int{"hold": hold, "fill": fill, "add": add}[what](os.Args[1]))
	}
	os.Exit(m.Run())
}

// start starts this program as another process.
func start(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(within, self, dir)
	cmd.Env = append(os.Environ(), child+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

// decides is what an engine with the database says to a call that is harmless.
func decides(ctx context.Context, db *sqlite.DB, session string) string {
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: db, Grants: db}
	p, d, err := e.Authorize(ctx, sayso.Call{Tool: "bash", Input: []byte(`{"command":"ls"}`), Root: "/r", Session: session})
	if _, used := p.Use(); used == nil {
		return "it may run"
	}
	return fmt.Sprint(d.Effect, " ", err)
}

// hold locks the database until standard input ends.
func hold(dir string) int {
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		return 1
	}
	_ = db.Update(ctx, "held", func(*sayso.SessionState) error {
		fmt.Println("locked")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it ends
		return errors.New("nothing is kept")
	})
	return 0
}

// TestLocked: a database that another process has locked is waited for, no longer
// than there is time, and is an error then.
func TestLocked(t *testing.T) {
	dir := filled(t)
	cmd := start(t, "hold", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("%q %v", line, err)
	}
	db := open(t, dir)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := db.AddGrant(short, "s", "/r", sayso.Grant{ID: "new"}); err == nil {
		t.Error("a grant was kept in a locked database")
	}
	if grants, err := db.AllGrants(ctx); err != nil || len(grants) != 20 {
		t.Errorf("reading waits, too: %d %v", len(grants), err)
	}
	err = db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "new"})
	clearError(t, err, dir, "another process keeps it locked")
	clearError(t, err, dir, "is another sayso stuck?")
	short, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if said := decides(short, db, "new"); !strings.HasPrefix(said, "deny ") {
		t.Errorf("an engine says: %s", said)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
	if err := db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "new"}); err != nil {
		t.Errorf("when it is free again: %v", err)
	}
	if said := decides(ctx, db, "new"); said != "it may run" {
		t.Errorf("when it is free again, an engine says: %s", said)
	}
}

// fill gives grants until the disk is full, and says which were kept.
func fill(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	const most = 120 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return 1
	}
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		return 1
	}
	for i := range 1000 {
		id := fmt.Sprint("fill", i)
		if err := db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: id, Rule: strings.Repeat("x", 500), Scope: sayso.ForSession}); err != nil {
			fmt.Println("error", err)
			fmt.Println(decides(ctx, db, strings.Repeat("x", 64<<10))) // more than fits into what is left
			return 0
		}
		fmt.Println(id)
	}
	return 1
}

// TestFull: when the disk is full the grant is refused with the remedy, and all
// that were kept before are there.
func TestFull(t *testing.T) {
	dir := filled(t)
	out, err := start(t, "fill", dir).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	said, decided := lines[len(lines)-2], lines[len(lines)-1]
	if !strings.HasPrefix(decided, "deny session: "+sqlite.File(dir)) {
		t.Errorf("an engine says: %s", decided)
	}
	lines = lines[:len(lines)-1]
	if !strings.Contains(said, sqlite.File(dir)) || !strings.Contains(said, "disk") {
		t.Errorf("the error: %s", said)
	}
	grants, err := open(t, dir).AllGrants(ctx)
	if err != nil || len(grants) != 20+len(lines)-1 || len(lines) < 20 {
		t.Errorf("%d of %d grants are there, %v", len(grants)-20, len(lines)-1, err)
	}
}

// add gives a grant.
func add(dir string) int {
	db, err := sqlite.Open(ctx, dir)
	if err == nil {
		err = db.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "new", Scope: sayso.ForProfile})
		fmt.Println(decides(ctx, db, "new"))
	}
	fmt.Println(err)
	return 0
}

// TestReadOnly: in a folder that cannot be written nothing is kept, and the error
// says so; what is there stays. It is tried as an ordinary user, whom the
// permissions of files hold.
func TestReadOnly(t *testing.T) {
	base, err := os.MkdirTemp("", "sayso")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base) //nolint:errcheck // a test
	dir := filepath.Join(base, "state")
	if err := os.CopyFS(dir, os.DirFS(filled(t))); err != nil {
		t.Fatal(err)
	}
	cmd := start(t, "add", dir)
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65534
		self := filepath.Join(base, "self")
		text, err := os.ReadFile(cmd.Path)
		if err == nil {
			err = errors.Join(os.WriteFile(self, text, 0o755), os.Chmod(base, 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = self
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(owner), Gid: uint32(owner)}}
	}
	for _, name := range []string{sqlite.File(dir), sqlite.File(dir) + "-journal", dir} {
		mode := os.FileMode(0o600)
		if name == dir {
			mode = 0o500
			_ = os.Remove(sqlite.File(dir) + "-journal")
		}
		if err := errors.Join(os.Chown(name, owner, -1), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "deny ") || !strings.Contains(string(out), sqlite.File(dir)) || !strings.Contains(string(out), "writable for you?") {
		t.Errorf("%s %v", out, err)
	}
	if err := errors.Join(os.Chown(dir, os.Geteuid(), -1), os.Chown(sqlite.File(dir), os.Geteuid(), -1), os.Chmod(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if grants, err := open(t, dir).AllGrants(ctx); err != nil || len(grants) != 20 {
		t.Errorf("%d grants, %v", len(grants), err)
	}
}
