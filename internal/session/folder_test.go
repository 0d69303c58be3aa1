package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/session"
)

var ctx = context.Background()

// TestMain lets the test start itself again, as one of several processes that
// change the same session.
func TestMain(m *testing.M) {
	dir := os.Getenv("SESSION_TEST_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	name := os.Getenv("SESSION_TEST_NAME")
	for i := range 50 {
		err := session.Folder{Dir: dir}.Update(ctx, "s", func(st *sayso.SessionState) error {
			st.Turn++
			st.Denied = append(st.Denied, sayso.Denial{Rule: "edit(" + name + strconv.Itoa(i) + ")", Turn: st.Turn})
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func newFolder(t *testing.T) session.Folder {
	t.Helper()
	return session.Folder{Dir: filepath.Join(t.TempDir(), "sayso")}
}

func update(t *testing.T, f session.Folder, id string, change func(*sayso.SessionState)) {
	t.Helper()
	if err := f.Update(ctx, id, func(st *sayso.SessionState) error { change(st); return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestUpdate: what was changed is there for whoever looks next, all of it, and a
// change that fails leaves nothing behind.
func TestUpdate(t *testing.T) {
	f := newFolder(t)
	if _, err := f.Get(ctx, "s"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	want := sayso.SessionState{
		Root: "/repo", Mode: "plan", AgentMode: sayso.PlanMode, Turn: 2, Prompt: "go on", Tainted: "cat .env",
		Denied:  []sayso.Denial{{Rule: "edit(a)", Turn: 1, Text: "a"}, {Rule: "edit(b)", Turn: 2}},
		Soft:    map[string]sayso.Denies{"x": {Consecutive: 1, Total: 2}},
		Written: map[string]int{"/repo/a": 1, "/repo/b": 2},
		Waiting: map[string]sayso.Waiting{"2": {Denials: []sayso.Denial{{Rule: "edit(c)"}}, Left: sayso.Left{Secret: "s", Written: []string{"/c"}}}},
		Spent:   []string{"g1", "g2"},
		Surface: sayso.Surface{Only: []string{"Read"}, Not: []string{"Write"}}, Stopped: 3,
	}
	for i, v := 0, reflect.ValueOf(want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Fatalf("the test does not know %s", v.Type().Field(i).Name)
		}
	}
	update(t, f, "s", func(st *sayso.SessionState) {
		*st = sayso.SessionState{
			Root: "/repo", Mode: "careful", Turn: 1, Prompt: "go", Denied: want.Denied[:1:1], Soft: map[string]sayso.Denies{"x": {Total: 1}},
			Written: map[string]int{"/repo/a": 1}, Spent: []string{"g1"}, Waiting: map[string]sayso.Waiting{"1": {}, "2": {}},
		}
	})
	update(t, f, "s", func(st *sayso.SessionState) { *st = want })
	oops := errors.New("oops")
	if err := f.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn = 99; return oops }); !errors.Is(err, oops) {
		t.Errorf("%v", err)
	}
	got, err := f.Get(ctx, "s")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v\nwant %+v", got, err, want)
	}
	before, _ := os.ReadFile(f.File("s"))
	update(t, f, "s", func(*sayso.SessionState) {})
	update(t, f, "empty", func(st *sayso.SessionState) {
		st.Soft, st.Waiting = map[string]sayso.Denies{}, map[string]sayso.Waiting{}
	})
	if _, err := f.Get(ctx, "empty"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("an empty state is kept: %v", err)
	}
	if after, _ := os.ReadFile(f.File("s")); string(after) != string(before) || strings.Count(string(after), "\n") != 2 {
		t.Errorf("a change of nothing writes:\n%s", after)
	}
	for name, shrink := range map[string]func(*sayso.SessionState){
		"denied":  func(st *sayso.SessionState) { st.Denied = st.Denied[:1] },
		"other":   func(st *sayso.SessionState) { st.Denied[0].Rule = "edit(z)" },
		"spent":   func(st *sayso.SessionState) { st.Spent = nil },
		"written": func(st *sayso.SessionState) { delete(st.Written, "/repo/a") },
		"soft":    func(st *sayso.SessionState) { st.Soft = nil },
	} {
		if err := f.Update(ctx, "s", func(st *sayso.SessionState) error { shrink(st); return nil }); err == nil {
			t.Errorf("%s: the session forgot it", name)
		}
	}
	if err := f.Update(ctx, "", func(*sayso.SessionState) error { return nil }); err == nil {
		t.Error("a session without an id")
	}
	if err := errors.Join(f.Remove(ctx, "s"), f.Remove(ctx, "s")); err != nil {
		t.Error(err)
	}
	if _, err := f.Get(ctx, "s"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestEachAlone: a change of one thing and nothing else is kept.
func TestEachAlone(t *testing.T) {
	all := sayso.SessionState{
		Root: "/repo", Mode: "plan", AgentMode: sayso.PlanMode, Surface: sayso.Surface{Only: []string{"read"}}, Turn: 2, Prompt: "go on", Stopped: 3,
		Denied: []sayso.Denial{{Rule: "r"}}, Soft: map[string]sayso.Denies{"x": {Total: 1}}, Tainted: "cat .env", Written: map[string]int{"/a": 1},
		Waiting: map[string]sayso.Waiting{"c": {}}, Spent: []string{"g"},
	}
	for i := range reflect.TypeFor[sayso.SessionState]().NumField() {
		field := reflect.ValueOf(all).Field(i)
		name := reflect.TypeFor[sayso.SessionState]().Field(i).Name
		if field.IsZero() {
			t.Errorf("%s is not tested", name)
		}
		f := newFolder(t)
		update(t, f, "s", func(st *sayso.SessionState) { reflect.ValueOf(st).Elem().Field(i).Set(field) })
		got, err := f.Get(ctx, "s")
		if err != nil || !reflect.DeepEqual(reflect.ValueOf(got).Field(i).Interface(), field.Interface()) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// TestModes: folders and files are for the user alone.
func TestModes(t *testing.T) {
	f := newFolder(t)
	update(t, f, "s", func(st *sayso.SessionState) { st.Turn++ })
	for name, want := range map[string]os.FileMode{f.Dir: 0o700, filepath.Dir(f.File("s")): 0o700, f.File("s"): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// TestFile: ids that an agent made up name a file of the folder, each its own.
func TestFile(t *testing.T) {
	f := session.Folder{Dir: "/state"}
	ids := []string{
		"1c6074aa-b079-418d-921d-6f4b497c0066", "a", "A", "", "..", "../x", "/etc/passwd", "a/b", "a\x00b", "-rf", "a.b", "é",
		strings.Repeat("a", 64), strings.Repeat("a", 65), "sha256-559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd",
	}
	seen := map[string]string{}
	for _, id := range ids {
		name := f.File(id)
		if filepath.Dir(name) != "/state/sessions" || len(filepath.Base(name)) > 100 || strings.ContainsAny(name, "\x00é") {
			t.Errorf("%q: %s", id, name)
		}
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%q and %q are both in %s", id, other, name)
		}
		seen[strings.ToLower(name)] = id
	}
	if f.File(ids[0]) != "/state/sessions/1c6074aa-b079-418d-921d-6f4b497c0066.jsonl" {
		t.Error(f.File(ids[0]))
	}
}

// TestTorn: a line that was not written to its end does not count, and the next
// one takes its place.
func TestTorn(t *testing.T) {
	f := newFolder(t)
	update(t, f, "s", func(st *sayso.SessionState) { st.Turn = 1 })
	whole, _ := os.ReadFile(f.File("s"))
	for cut := range len(whole) {
		if err := os.WriteFile(f.File("s"), append(whole[:len(whole):len(whole)], whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if st, err := f.Get(ctx, "s"); err != nil || st.Turn != 1 {
			t.Fatalf("cut at %d: %+v %v", cut, st, err)
		}
		update(t, f, "s", func(st *sayso.SessionState) { st.Turn = 2 })
		if st, err := f.Get(ctx, "s"); err != nil || st.Turn != 2 {
			t.Fatalf("cut at %d: %+v %v", cut, st, err)
		}
	}
	if err := os.WriteFile(f.File("s"), whole[:10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(ctx, "s"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("half of the first line is a session: %v", err)
	}
}

// TestRefused: what somebody else could have written, or what cannot be
// understood, is an error that names the file and says what to do.
func TestRefused(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, f session.Folder)
		says  string
	}{
		{"no JSON", write("hello\n"), ".jsonl:1: it is damaged"},
		{"an empty line", write("\n"), ".jsonl:1: it is damaged"},
		{"damage in the middle", write(first + "{\"v\":1,\"at\n" + second), ".jsonl:2: it is damaged"},
		{"two in a line", write(strings.TrimSpace(first) + second), ".jsonl:1: it is damaged"},
		{"a newer version", write(first + `{"v":4,"at":"2026-01-02T03:04:05Z"}` + "\n"), ".jsonl:2: it has version 4"},
		{"an unknown key", write(first + `{"v":1,"at":"2026-01-02T03:04:05Z","tamed":true}` + "\n"), `unknown field "tamed"`},
		{"a relative workspace", write(first + `{"v":1,"at":"2026-01-02T03:04:05Z","root":"repo"}` + "\n"), "is not absolute"},
		{"of another session", write(strings.Replace(first, `"id":"s"`, `"id":"t"`, 1)), `file of another session, "t"`},
		{"of no session", write(second), "file of another session"},
		{"readable by others", func(t *testing.T, f session.Folder) { chmod(t, f.File("s"), 0o644) }, "chmod 600"},
		{"folder readable by others", func(t *testing.T, f session.Folder) { chmod(t, f.Dir, 0o755) }, "chmod 700"},
		{"sessions writable by others", func(t *testing.T, f session.Folder) { chmod(t, filepath.Dir(f.File("s")), 0o770) }, "chmod 700"},
		{"a link", func(t *testing.T, f session.Folder) { link(t, f.File("s")) }, "it is not a file"},
		{"a folder that is a link", func(t *testing.T, f session.Folder) { link(t, filepath.Dir(f.File("s"))) }, "it is a link"},
		{"a folder in its place", func(t *testing.T, f session.Folder) {
			_ = os.Remove(f.File("s"))
			_ = os.Mkdir(f.File("s"), 0o700)
		}, "it is not a file"},
		{"a file for a folder", func(t *testing.T, f session.Folder) {
			_ = os.RemoveAll(f.Dir)
			_ = os.WriteFile(f.Dir, nil, 0o600)
		}, "sayso: "},
	}
	for _, test := range tests {
		f := newFolder(t)
		update(t, f, "s", func(st *sayso.SessionState) { st.Turn = 1 })
		test.spoil(t, f)
		ran := false
		err := f.Update(ctx, "s", func(*sayso.SessionState) error { ran = true; return nil })
		_, got := f.Get(ctx, "s")
		if ran || err == nil || !strings.Contains(err.Error(), test.says) || got == nil || errors.Is(got, sayso.ErrNotFound) || !strings.Contains(err.Error(), f.Dir) {
			t.Errorf("%s: %v, %v", test.name, err, got)
		}
	}
}

const (
	first  = `{"v":1,"at":"2026-01-02T03:04:05Z","id":"s","turn":1}` + "\n"
	second = `{"v":1,"at":"2026-01-02T03:04:05Z","turn":2}` + "\n"
)

func write(text string) func(*testing.T, session.Folder) {
	return func(t *testing.T, f session.Folder) {
		if err := os.WriteFile(f.File("s"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// link moves something elsewhere and leaves a link to it.
func link(t *testing.T, name string) {
	if err := errors.Join(os.Rename(name, name+".there"), os.Symlink(name+".there", name)); err != nil {
		t.Fatal(err)
	}
}

// TestForeign: the file of another user is refused.
func TestForeign(t *testing.T) {
	f := newFolder(t)
	update(t, f, "s", func(st *sayso.SessionState) { st.Turn = 1 })
	if os.Geteuid() != 0 || os.Chown(f.File("s"), 65534, 65534) != nil {
		t.Skip("only root can give a file away")
	}
	if _, err := f.Get(ctx, "s"); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("%v", err)
	}
}

// TestRace: several processes and goroutines change a session, and no change is
// lost or doubled.
func TestRace(t *testing.T) {
	f := newFolder(t)
	var commands []*exec.Cmd
	for i := range 4 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "SESSION_TEST_DIR="+f.Dir, "SESSION_TEST_NAME=p"+strconv.Itoa(i)+"-")
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, c)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 25 {
				update(t, f, "s", func(st *sayso.SessionState) {
					st.Turn++
					st.Denied = append(st.Denied, sayso.Denial{Rule: fmt.Sprintf("edit(g%d-%d)", i, j), Turn: st.Turn})
				})
			}
		})
	}
	wg.Wait()
	for _, c := range commands {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	st, err := f.Get(ctx, "s")
	if err != nil || st.Turn != 300 || len(st.Denied) != 300 {
		t.Fatalf("%d turns, %d denials, %v", st.Turn, len(st.Denied), err)
	}
	seen := map[string]bool{}
	for i, d := range st.Denied {
		if seen[d.Rule] || d.Turn != i+1 {
			t.Errorf("%d: %+v", i, d)
		}
		seen[d.Rule] = true
	}
}

// TestLocked: who waits for a lock waits no longer than it may.
func TestLocked(t *testing.T) {
	f := newFolder(t)
	err := f.Update(ctx, "s", func(st *sayso.SessionState) error {
		st.Turn = 1
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		if err := f.Update(short, "s", func(*sayso.SessionState) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestList: the sessions, the newest first, with those that cannot be read.
func TestList(t *testing.T) {
	f := newFolder(t)
	if list, err := f.List(ctx, nil); err != nil || list != nil {
		t.Errorf("%v %v", list, err)
	}
	for i, id := range []string{"a", "B/c", "d"} {
		update(t, f, id, func(st *sayso.SessionState) { st.Root = "/" + id })
		at := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(f.File(id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	chmod(t, f.File("a"), 0o666)
	list, err := f.List(ctx, nil)
	if err != nil || len(list) != 3 || list[0].ID != "d" || list[1].ID != "B/c" || list[1].State.Root != "/B/c" || list[2].Err == nil {
		t.Errorf("%+v %v", list, err)
	}
	list, err = f.List(ctx, func(s session.Summary) bool { return s.ID == "d" })
	if err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	if err := os.Rename(f.File("B/c"), f.File("e")); err != nil {
		t.Fatal(err)
	}
	if list, _ = f.List(ctx, nil); len(list) != 3 || list[1].Err == nil {
		t.Errorf("a file under another name: %+v", list)
	}
}

// TestAt: where the state folder is.
func TestAt(t *testing.T) {
	for _, test := range []struct{ home, state, want string }{
		{"/home/me", "", "/home/me/.local/state/sayso"},
		{"/home/me", "/var/me", "/var/me/sayso"},
		{"/home/me", "var", "/home/me/.local/state/sayso"},
		{"", "/var/me", "/var/me/sayso"},
		{"", "", ""},
		{"me", "", ""},
	} {
		f, err := session.At(test.home, test.state)
		if f.Dir != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q %q: %q %v", test.home, test.state, f.Dir, err)
		}
	}
}
