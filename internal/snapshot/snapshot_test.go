package snapshot_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/preset"
)

// A place is a workspace with a policy, and a folder for its snapshot.
type place struct {
	snapshot.Folder
	at local.Files
}

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	p := place{snapshot.Folder{Dir: filepath.Join(dir, "state")}, local.Files{Managed: filepath.Join(dir, "etc"), Home: filepath.Join(dir, "home"), Root: filepath.Join(dir, "repo")}}
	write(t, filepath.Join(p.at.Root, ".sayso.yaml"), "deny: [a]\n")
	return p
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// save keeps a snapshot of what is there, made so long after the last change.
func (p place) save(t *testing.T, later time.Duration) {
	t.Helper()
	sources, any := snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
	if !any {
		t.Fatal("there is no policy")
	}
	for i := range sources {
		if text, err := os.ReadFile(sources[i].File); err == nil {
			sum := sha256.Sum256(text)
			sources[i].Sum = hex.EncodeToString(sum[:])
		}
	}
	if err := p.Save(snapshot.Snapshot{Root: p.at.Root, Home: p.at.Home, Made: time.Now().Add(later), Sources: sources, Mode: "careful"}); err != nil {
		t.Fatal(err)
	}
}

func (p place) load() (snapshot.Snapshot, error) {
	sources, _ := snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
	return p.Load(p.at, sources)
}

// TestStale: a snapshot counts while every source is as it was, and no longer.
func TestStale(t *testing.T) {
	committed := func(p place) string { return filepath.Join(p.at.Root, ".sayso.yaml") }
	changes := map[string]func(t *testing.T, p *place){
		"longer":       func(t *testing.T, p *place) { write(t, committed(*p), "deny: [a, b]\n") },
		"another time": func(t *testing.T, p *place) { _ = os.Chtimes(committed(*p), time.Time{}, time.Unix(1, 0)) },
		"replaced": func(t *testing.T, p *place) {
			write(t, committed(*p)+"x", "deny: [b]\n")
			touchLike(t, committed(*p), committed(*p)+"x")
			_ = os.Rename(committed(*p)+"x", committed(*p))
		},
		"removed": func(t *testing.T, p *place) { _ = os.Remove(committed(*p)) },
		"a link": func(t *testing.T, p *place) {
			_ = os.Rename(committed(*p), committed(*p)+"x")
			_ = os.Symlink(committed(*p)+"x", committed(*p))
		},
		"one of the user's": func(t *testing.T, p *place) { write(t, p.at.File(sayso.User), "deny: [a]\n") },
		"a script":          func(t *testing.T, p *place) { write(t, p.at.Script(sayso.Committed), "") },
		"managed":           func(t *testing.T, p *place) { write(t, p.at.Managed, "") },
		"another home":      func(t *testing.T, p *place) { p.at.Home += "2" },
		"another root":      func(t *testing.T, p *place) { p.at.Root += "2" },
		"damaged":           func(t *testing.T, p *place) { write(t, p.File(p.at.Root), "{") },
		"empty":             func(t *testing.T, p *place) { write(t, p.File(p.at.Root), "") },
		"of another form": func(t *testing.T, p *place) {
			text, _ := os.ReadFile(p.File(p.at.Root))
			write(t, p.File(p.at.Root), strings.Replace(string(text), "about\t6\t", "about\t0\t", 1))
		},
		"gone": func(t *testing.T, p *place) { _ = os.Remove(p.File(p.at.Root)) },
	}
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" { // elsewhere nothing tells
		changes["changed back in time"] = func(t *testing.T, p *place) {
			write(t, committed(*p)+"x", "")
			touchLike(t, committed(*p), committed(*p)+"x")
			write(t, committed(*p), "deny: [b]\n")
			touchLike(t, committed(*p)+"x", committed(*p))
		}
	}
	for name, change := range changes {
		p := newPlace(t)
		if _, err := p.load(); !errors.Is(err, snapshot.ErrStale) {
			t.Errorf("there is none: %v", err)
		}
		p.save(t, time.Hour)
		if s, err := p.load(); err != nil || s.Mode != "careful" {
			t.Fatalf("fresh: %+v %v", s, err)
		}
		change(t, &p)
		if s, err := p.load(); !errors.Is(err, snapshot.ErrStale) || s.Mode != "" {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
}

// TestForeign: a snapshot that was made for another user of the same files, or by
// another program, does not count.
func TestForeign(t *testing.T) {
	p := newPlace(t)
	p.at.ConfigHome = filepath.Join(p.at.Home, ".config")
	p.save(t, time.Hour)
	if _, err := p.load(); err != nil {
		t.Fatal(err)
	}
	p.at.Home += "2"
	if _, err := p.load(); !errors.Is(err, snapshot.ErrStale) {
		t.Errorf("another home: %v", err)
	}
	sources, _ := snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
	if err := p.Save(snapshot.Snapshot{Root: p.at.Root, Home: p.at.Home, Program: "/old/sayso 1 2 3 4", Made: time.Now().Add(time.Hour), Sources: sources}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.load(); !errors.Is(err, snapshot.ErrStale) {
		t.Errorf("another program: %v", err)
	}
}

// touchLike gives a file the time of another.
func touchLike(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err == nil {
		err = os.Chtimes(to, time.Time{}, info.ModTime())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailed: that a policy did not load is told once, and then looked at again:
// what was wrong may have been no source, such as a key or a lock.
func TestFailed(t *testing.T) {
	p := newPlace(t)
	sources, _ := snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
	for made, want := range map[time.Time]error{time.Now(): nil, time.Now().Add(-time.Minute): snapshot.ErrStale, time.Now().Add(time.Hour): snapshot.ErrStale} {
		s := snapshot.Snapshot{Root: p.at.Root, Home: p.at.Home, Program: snapshot.Program(), Made: made, Sources: sources, Err: "others can reach it"}
		for i := range s.Sources {
			s.Sources[i].Sum = snapshot.Sum(s.Sources[i].File)
		}
		if err := p.Save(s); err != nil {
			t.Fatal(err)
		}
		if got, err := p.load(); !errors.Is(err, want) || want == nil && got.Err != s.Err {
			t.Errorf("made at %s: %+v %v, want %v", made, got, err, want)
		}
	}
}

// TestSameTime: a change that size, time and inode do not tell shows if the file
// had been changed shortly before the snapshot was made.
func TestSameTime(t *testing.T) {
	p := newPlace(t)
	p.save(t, 0)
	name := filepath.Join(p.at.Root, ".sayso.yaml")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name, "deny: [b]\n")
	if err := os.Chtimes(name, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.load(); !errors.Is(err, snapshot.ErrStale) {
		t.Errorf("%v", err)
	}
}

// TestSettled: a snapshot that was made too soon after a change counts for a moment,
// and is then made once more, so that nobody has to read the text again for each call.
func TestSettled(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		changed, made time.Time
		want          error
	}{
		"just now":             {now.Add(-time.Second), now, nil},
		"too soon, long ago":   {now.Add(-time.Minute), now.Add(-time.Minute + time.Second), snapshot.ErrStale},
		"late enough":          {now.Add(-time.Minute), now.Add(-time.Second), nil},
		"a change of tomorrow": {now.Add(24 * time.Hour), now, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			file := filepath.Join(p.at.Root, ".sayso.yaml")
			if err := os.Chtimes(file, time.Time{}, test.changed); err != nil {
				t.Fatal(err)
			}
			s := snapshot.Snapshot{Root: p.at.Root, Home: p.at.Home, Program: snapshot.Program(), Made: test.made}
			s.Sources, _ = snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
			for i := range s.Sources {
				s.Sources[i].Sum = snapshot.Sum(s.Sources[i].File)
			}
			if err := p.Save(s); err != nil {
				t.Fatal(err)
			}
			if _, err := p.load(); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

// TestUntrusted: a snapshot that somebody else could have written is an error, not
// one to be made anew.
func TestUntrusted(t *testing.T) {
	for name, spoil := range map[string]func(p place) error{
		"a file for others":   func(p place) error { return os.Chmod(p.File(p.at.Root), 0o644) },
		"a folder for others": func(p place) error { return os.Chmod(filepath.Dir(p.File(p.at.Root)), 0o755) },
		"a link": func(p place) error {
			return errors.Join(os.Rename(p.File(p.at.Root), p.File(p.at.Root)+"x"), os.Symlink(p.File(p.at.Root)+"x", p.File(p.at.Root)))
		},
	} {
		p := newPlace(t)
		p.save(t, time.Hour)
		if err := spoil(p); err != nil {
			t.Fatal(err)
		}
		if _, err := p.load(); err == nil || errors.Is(err, snapshot.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPolicy: what did not load denies, and no session is looser than the
// administrator wants.
func TestPolicy(t *testing.T) {
	for _, s := range []snapshot.Snapshot{{Err: "line 3"}, {Rules: []sayso.Rule{{Text: "bash("}}}} {
		if p := s.Policy(nil); p.Err == nil {
			t.Errorf("%+v loads", s)
		}
	}
	s := snapshot.Snapshot{Mode: preset.Careful, ModeFloor: preset.Plan}
	for chosen, want := range map[string]string{"": "careful", "default": "default+plan", "plan": "plan"} {
		if got := s.ModeFor(chosen); got != want {
			t.Errorf("%s: %s", chosen, got)
		}
	}
}

// TestKept: all that a snapshot has is kept.
func TestKept(t *testing.T) {
	when := time.Unix(1700000000, 123456789)
	want := snapshot.Snapshot{
		Made: when, Rich: true, Hash: "h", Mode: "careful", ModeFloor: "plan", Err: "line 3: no", Sealed: "c2VhbGVk", Queued: snapshot.Nobody,
		Rules: []sayso.Rule{
			{Effect: sayso.Ask, Text: "bash(a *)", Because: "b", Except: []string{"bash(c)", "bash(d)"}, Until: when, Source: sayso.Source{Layer: sayso.User, File: "/f", Line: 3, Column: 5}},
			{Effect: sayso.Deny, Text: "read(x)"},
			{Effect: sayso.Allow, Text: "task"},
		},
		Also: []string{"~/a"}, Off: []preset.Capability{preset.CanMCP}, Ask: []preset.Capability{preset.CanNetwork, preset.CanWrite},
		Surface: sayso.Surface{Only: []string{}, Not: []string{"x"}}, Grants: []sayso.GivenGrant{{Grant: sayso.Grant{ID: "1", Rule: "bash(z)", Scope: sayso.ForWorkspace, Turn: 4, Expires: when, By: "b", Call: "c\td", Given: when}, Session: "s", Root: "/r"}},
	}
	p := newPlace(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(self), "sayso"+filepath.Ext(strings.TrimSuffix(self, ".test")))
	write(t, beside, "it reads policies")
	t.Cleanup(func() { _ = os.Remove(beside) })
	want.Root, want.Home, want.Program = p.at.Root, p.at.Home, snapshot.Program()
	sources, _ := snapshot.Sources(p.at, filepath.Join(p.Dir, "sayso.db"))
	for i := range sources {
		sources[i].Sum = snapshot.Sum(sources[i].File)
	}
	want.Sources = sources
	want.Made = time.Now().Round(0) // what did not load counts for a moment
	if err := p.Save(want); err != nil {
		t.Fatal(err)
	}
	got, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := 0, reflect.ValueOf(want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the test does not know %s", v.Type().Field(i).Name)
		}
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) || got.Surface.Only == nil {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}
