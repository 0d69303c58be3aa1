//go:build unix

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/session"
)

const day = 24 * time.Hour

// aged makes a session that was changed last so long ago.
func aged(t *testing.T, f session.Folder, id string, age time.Duration) {
	t.Helper()
	then := time.Now().Add(-age)
	if _, err := os.Stat(f.File(id)); err != nil {
		if err := os.WriteFile(f.File(id), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(f.File(id), then, then); err != nil {
		t.Fatal(err)
	}
}

func start(st *sayso.SessionState) { st.Root = "/repo" }

func there(f session.Folder, id string) bool {
	_, err := os.Lstat(f.File(id))
	return err == nil
}

// TestPrune: sessions that nobody has used for long go when another one starts,
// and no other does.
func TestPrune(t *testing.T) {
	f := newFolder(t)
	update(t, f, "first", start)
	aged(t, f, "old", 91*day)
	aged(t, f, "young", 89*day)
	aged(t, f, "first", 100*day)
	aged(t, f, "locked", 100*day)
	held, err := os.OpenFile(f.File("locked"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close() //nolint:errcheck // it was only locked
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(f.Dir, "sessions", "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	update(t, f, "first", func(st *sayso.SessionState) { st.Turn++ })
	if !there(f, "old") {
		t.Error("a session that goes on prunes")
	}
	update(t, f, "second", start)
	for id, want := range map[string]bool{"old": false, "young": true, "first": true, "second": true, "locked": true} {
		if there(f, id) != want {
			t.Errorf("%s: there is %v, want %v", id, there(f, id), want)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("a file that is none of ours is gone")
	}
}

// TestPruneLive: the session that starts stays, whatever its file says.
func TestPruneLive(t *testing.T) {
	f := newFolder(t)
	update(t, f, "x", start)
	if err := os.WriteFile(f.File("live"), nil, 0o600); err != nil { // made, and not yet written to
		t.Fatal(err)
	}
	aged(t, f, "live", 200*day)
	update(t, f, "live", start)
	if st, err := f.Get(ctx, "live"); err != nil || st.Root != "/repo" {
		t.Errorf("%+v %v", st, err)
	}
}

// TestPruneMany: of very many sessions the oldest go, a few at a time, but none
// that was used lately: nobody can push another session out.
func TestPruneMany(t *testing.T) {
	f := newFolder(t)
	update(t, f, "s", start)
	for i := range 1150 {
		age := time.Duration(10*day) + time.Duration(i)*time.Minute
		if i < 1000 {
			age = time.Duration(i) * time.Minute
		}
		aged(t, f, fmt.Sprint("n", i), age)
	}
	left := func() int {
		entries, err := os.ReadDir(filepath.Join(f.Dir, "sessions"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for i, want := range []int{1052, 1003, 1004, 1005} {
		update(t, f, fmt.Sprint("start", i), start)
		if got := left(); got != want {
			t.Errorf("start %d: %d are left, want %d", i, got, want)
		}
	}
	if there(f, "n1149") || !there(f, "n999") || !there(f, "n0") {
		t.Error("not the oldest went")
	}
}
