package sandbox

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
)

// planned is a plan for a folder, as one has it that has looked what is missing.
func planned(t *testing.T, dir string) *plan {
	t.Helper()
	p := &plan{c: &sayso.Contract{Argv: []string{"true"}, Dir: dir, Write: []string{dir}, Protected: []string{dir + "/.env", dir + "/.claude/settings.json"}}}
	if err := p.make(); err != nil {
		t.Fatal(err)
	}
	return p
}

func held(t *testing.T, p *plan) *holding {
	t.Helper()
	h, err := p.hold()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// names is what is in a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestHold: however runs in one folder meet, each has its places as long as it needs
// them, and the last one removes them.
func TestHold(t *testing.T) {
	all := []string{".claude", ".env"}
	for name, meet := range map[string]func(t *testing.T, dir string){
		"one": func(t *testing.T, dir string) {
			h := held(t, planned(t, dir))
			if got := names(t, dir); !slices.Equal(got, all) {
				t.Errorf("%v", got)
			}
			h.free()
		},
		"the other ends between the look and the lock": func(t *testing.T, dir string) {
			first := held(t, planned(t, dir))
			second := planned(t, dir) // it has seen the places of the first
			first.free()
			h := held(t, second)
			if got := names(t, dir); !slices.Equal(got, all) {
				t.Errorf("%v", got)
			}
			h.free()
		},
		"the other is quicker": func(t *testing.T, dir string) {
			second := planned(t, dir) // it has seen nothing
			first := held(t, planned(t, dir))
			h := held(t, second)
			first.free()
			if got := names(t, dir); !slices.Equal(got, all) {
				t.Errorf("%v", got)
			}
			h.free()
		},
		"a process that is just started has the lock": func(t *testing.T, dir string) {
			h := held(t, planned(t, dir))
			fd, err := unix.Dup(int(h.locks[0].Fd())) // as fork does
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd) //nolint:errcheck // it is of no use
			h.free()
			other, err := os.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close() //nolint:errcheck // it was only locked
			if err := unix.Flock(int(other.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
				t.Errorf("others have to wait: %v", err)
			}
		},
		"a run was killed": func(t *testing.T, dir string) {
			left := held(t, planned(t, dir))
			for _, f := range left.locks {
				_ = f.Close()
			}
			h := held(t, planned(t, dir))
			h.free()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			meet(t, dir)
			if got := names(t, dir); len(got) > 0 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

// TestNotOurs: what people put where a place was, or have of the same name, stays.
func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	h := held(t, planned(t, dir))
	if err := os.WriteFile(dir+"/.claude/settings.json", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.free()
	if got := names(t, dir); !slices.Equal(got, []string{".claude"}) {
		t.Errorf("%v", got)
	}
	if err := os.Mkdir(dir+"/.env", 0o755); err != nil { // an empty folder of a person
		t.Fatal(err)
	}
	held(t, planned(t, dir)).free()
	if got := names(t, dir); !slices.Equal(got, []string{".claude", ".env"}) {
		t.Errorf("%v", got)
	}
}

// TestLinkAppears: a protected path that becomes a link after the report is not run.
func TestLinkAppears(t *testing.T) {
	dir := t.TempDir()
	p := planned(t, dir)
	if err := os.Symlink("/etc", dir+"/.claude"); err != nil {
		t.Fatal(err)
	}
	h, err := p.hold()
	h.free()
	if err == nil {
		t.Error("it is held")
	}
}

// TestSpare: what holds a path comes back from where it is kept, and is kept again, but
// not with what people have put there, however old it looks.
func TestSpare(t *testing.T) {
	dir, spare := t.TempDir(), t.TempDir()
	hold := func() *holding {
		p := planned(t, dir)
		p.spare = spare
		return held(t, p)
	}
	hold().free()
	kept := names(t, spare)
	if len(kept) != 2 {
		t.Fatalf("kept: %v", kept)
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range kept {
		if err := os.Chtimes(spare+"/"+name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	hold().free()
	if got := names(t, spare); !slices.Equal(got, kept) {
		t.Errorf("kept: %v, and before %v", got, kept)
	}
	h := hold()
	if !h.places[0].untouched(h.places[0].in, h.places[0].base()) {
		t.Error("it would have to be looked into")
	}
	older := old.Add(-time.Hour) // as a program sets it that copies times, too
	if err := errors.Join(os.WriteFile(dir+"/.claude/settings.json", []byte("{}"), 0o600), os.Chtimes(dir+"/.claude", older, older)); err != nil {
		t.Fatal(err)
	}
	h.free()
	if got := names(t, dir); !slices.Equal(got, []string{".claude"}) {
		t.Errorf("in the folder: %v", got)
	}
}

// TestSpareJustChanged: what was changed a moment ago may be changed again without another
// time, and so it is looked into.
func TestSpareJustChanged(t *testing.T) {
	dir, spare := t.TempDir(), t.TempDir()
	hold := func() *holding {
		p := planned(t, dir)
		p.spare = spare
		return held(t, p)
	}
	hold().free()
	now := time.Now().Add(time.Hour) // it stays new, however long this takes
	for _, name := range names(t, spare) {
		if err := os.Chtimes(spare+"/"+name, now, now); err != nil {
			t.Fatal(err)
		}
	}
	h := hold()
	if one := h.places[0]; one.base() != ".claude" || one.untouched(one.in, one.base()) {
		t.Errorf("%s would not be looked into", one.name)
	}
	if err := errors.Join(os.WriteFile(dir+"/.claude/settings.json", []byte("{}"), 0o600), os.Chtimes(dir+"/.claude", now, now)); err != nil {
		t.Fatal(err)
	}
	past := h.places[0].was.Ino
	h.free()
	if got := names(t, dir); past != 0 || !slices.Equal(got, []string{".claude"}) {
		t.Errorf("it is taken for what it was (%d); in the folder: %v", past, got)
	}
}
