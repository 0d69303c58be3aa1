package fspath_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// lookAt is a Look on the real file system.
func lookAt(abs string) (link string, dir, ok bool) {
	info, err := os.Lstat(abs)
	if err != nil {
		return "", false, false
	}
	if info.Mode()&os.ModeSymlink != 0 {
		link, err = os.Readlink(abs)
		return link, false, err == nil
	}
	return "", info.IsDir(), true
}

// TestAgainstEvalSymlinks makes folders full of random links and compares each
// path with what the standard library, and so the kernel, says.
func TestAgainstEvalSymlinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	dirs := []string{"", "a", "a/b", "a/b/c", "d", "d/e"}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, d, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"a", "d", "file", "..", "..", "."}
	for i := range 8 {
		names = append(names, "l"+strconv.Itoa(i))
	}
	for _, d := range dirs {
		for i := range 8 {
			to := dirs[r.IntN(len(dirs))]
			rel, err := filepath.Rel("/"+d, "/"+to)
			if err != nil {
				t.Fatal(err)
			}
			targets := []string{root + "/" + to, rel, rel + "/file", "./" + rel + "//", "gone", "l" + strconv.Itoa(max(i-1, 0)), "l" + strconv.Itoa(i/2) + "/.."}
			if err := os.Symlink(targets[r.IntN(len(targets))], filepath.Join(root, d, "l"+strconv.Itoa(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	followed := 0
	for range 5000 {
		raw := randomPath(r, names, 6)
		p := fspath.Resolve(raw, fspath.At{Dir: root, Look: lookAt})
		want, err := filepath.EvalSymlinks(root + "/" + raw)
		if err != nil { // missing, or no folder: nothing to compare with
			if info, err := os.Stat(root + "/" + raw); err == nil {
				t.Fatalf("%q: EvalSymlinks failed on %v", raw, info.Name())
			}
			continue
		}
		if cleaned := fspath.Resolve(p.Abs, fspath.At{Look: lookAt}); cleaned.Err != nil && errors.Is(p.Err, cleaned.Err) {
			continue // a loop for who cleans first: careful
		}
		if p.Real != want || !p.Exists {
			t.Fatalf("Resolve(%q) = %q, exists %v, err %v; want %q", raw, p.Real, p.Exists, p.Err, want)
		}
		if p.Real != p.Abs {
			followed++
		}
	}
	if followed < 500 {
		t.Errorf("only %d paths led through links", followed)
	}
}

func randomPath(r *rand.Rand, names []string, most int) string {
	parts := make([]string, 1+r.IntN(most))
	for i := range parts {
		parts[i] = names[r.IntN(len(names))]
	}
	return strings.TrimLeft(strings.Join(parts, "/"), "/")
}

// TestDangling: a file that is written through a link to nothing is where
// Resolve said that it would be.
func TestDangling(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"in", "out"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out/new", filepath.Join(root, "in/link")); err != nil {
		t.Fatal(err)
	}
	p := fspath.Resolve("link", fspath.At{Dir: filepath.Join(root, "in"), Look: lookAt})
	if p.Exists || fspath.Within(p.Real, filepath.Join(root, "in")) {
		t.Errorf("the link leads to %q", p.Real)
	}
	if err := os.WriteFile(filepath.Join(root, "in/link"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.Real); err != nil {
		t.Error(err)
	}
}

func BenchmarkResolve(b *testing.B) {
	dir := b.TempDir()
	at := fspath.At{Dir: dir, Home: "/home/u"}
	b.Run("blind", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Resolve("internal/server/handler.go", at)
		}
	})
	at.Look = seen.look
	at.Dir = "/w"
	b.Run("memory", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Resolve("keys/id", at)
		}
	})
	at.Look, at.Dir = lookAt, dir
	b.Run("disk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Resolve("internal/server/handler.go", at)
		}
	})
}

func BenchmarkNames(b *testing.B) {
	const plain, accented = "/home/user/project/internal/handler.go", "/home/user/Résumé/Übersicht.md"
	b.Run("within", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Within(plain, "/home/user/project")
		}
	})
	b.Run("fold ascii", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Fold(plain)
		}
	})
	b.Run("fold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Fold(accented)
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fspath.Plain(accented)
		}
	})
}
