package index_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/session"
)

var ctx = context.Background()

func opened(t *testing.T, dir string) *index.Index {
	t.Helper()
	x, err := index.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// TestSessions: the index finds the sessions of a workspace, the latest first, also
// after files were changed, damaged or removed.
func TestSessions(t *testing.T) {
	f := session.Folder{Dir: filepath.Join(t.TempDir(), "state")}
	old := time.Now().Add(-time.Hour)
	keep := func(id, root string, age int) {
		t.Helper()
		if err := f.Update(ctx, id, func(st *sayso.SessionState) error { st.Root = root; st.Turn++; return nil }); err != nil {
			t.Fatal(err)
		}
		at := old.Add(-time.Duration(age) * time.Minute)
		if err := os.Chtimes(f.File(id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	found := func() string {
		t.Helper()
		files, err := f.Files()
		if err != nil {
			t.Fatal(err)
		}
		list, err := opened(t, f.Dir).Sessions(ctx, f, files, func(root string) bool { return root == "/a" })
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, s := range list {
			out += f.Read(s).ID
		}
		return out
	}
	for i, root := range []string{"/a", "/b", "/a", "/b", "/a"} {
		keep(fmt.Sprint(i), root, i)
	}
	if got := found(); got != "024" {
		t.Errorf("at first: %s", got)
	}
	keep("5", "/a", 0)
	keep("4", "/a", -1)
	if got := found(); got != "4052" && got != "4502" {
		t.Errorf("with more: %s", got)
	}
	if err := os.Remove(f.File("0")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.File("5"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := found(); got != "42" {
		t.Errorf("with one removed and one damaged: %s", got)
	}
	if err := os.Remove(index.File(f.Dir)); err != nil {
		t.Fatal(err)
	}
	if got := found(); got != "42" {
		t.Errorf("without the index: %s", got)
	}
}

// TestIncremental: what was read once is not read again, and what is private stays
// so.
func TestIncremental(t *testing.T) {
	j := journal.Folder{Dir: filepath.Join(t.TempDir(), "state"), MaxSize: 4 << 10}
	record := func(n int) {
		t.Helper()
		for i := range n {
			if err := j.Record(ctx, sayso.Record{Kind: sayso.RecordRequest, Call: fmt.Sprint(i), Request: &sayso.Call{Tool: "bash"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() (all int64) {
		t.Helper()
		if err := opened(t, j.Dir).Update(ctx, j, func(_, total int64) { all = max(all, total) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	record(200)
	first := read()
	record(10)
	second := read()
	if first == 0 || second*5 > first {
		t.Errorf("first %d bytes were read, then %d", first, second)
	}
	if info, err := os.Stat(index.File(j.Dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := index.Open(stopped, j.Dir); err == nil {
		t.Error("opened though nobody waits")
	}
	n := 0
	for _, err := range opened(t, j.Dir).Find(ctx, index.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 210 {
		t.Errorf("%d of 210 records", n)
	}
}
