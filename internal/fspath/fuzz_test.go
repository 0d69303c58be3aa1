package fspath_test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// FuzzResolve: no path panics, what comes out is clean, and a path that is
// resolved once stays where it is.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{
		"a/../b", "~/x", "~bob", "keys/../x", "l1", "/proc/self/cwd/..", "/proc/77/fd/3/..", `..\out\x`, `\\?\C:\x`, "a\x00", "\xff\n", "/dev/fd/3",
		"C:/x", "top/top/top/../w", "gone/../gone2",
	} {
		f.Add(s, "/w")
		f.Add(s, `C:\w`)
	}
	f.Fuzz(func(t *testing.T, raw, dir string) {
		at := fspath.At{Dir: dir, Home: "/home/u", Look: seen.look}
		p := fspath.Resolve(raw, at)
		if p.Err != nil {
			if p.Real != "" {
				t.Errorf("Real = %q with %v", p.Real, p.Err)
			}
			return
		}
		if strings.IndexByte(raw, 0) >= 0 {
			t.Error("a NUL is valid")
		}
		for _, s := range p.All() {
			if fspath.Clean(s) != s && path.Clean(s) != s[min(1, len(s)):] {
				t.Errorf("Resolve(%q) has %q, which is not clean", raw, s)
			}
		}
		if again := fspath.Resolve(p.Real, at); again.Err == nil && again.Real != p.Real && !strings.Contains(p.Real, `\`) {
			t.Errorf("Resolve(%q) = %q, which resolves to %q", raw, p.Real, again.Real)
		}
		if blind := fspath.Resolve(raw, fspath.At{Dir: dir, Home: "/home/u"}); blind.Err == nil && blind.Abs != p.Abs {
			t.Errorf("Resolve(%q): Abs is %q or %q", raw, p.Abs, blind.Abs)
		}
	})
}

// FuzzWithin: it agrees with filepath.Rel, and what is in a folder is in every
// folder that this one is in.
func FuzzWithin(f *testing.F) {
	f.Add("/a/b", "/a", "/")
	f.Add("/a/bc", "/a/b", "/a")
	f.Add("../x", ".", "..")
	f.Add("C:/a/../b", "C:/a", "C:/")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if fspath.Within(a, b) && fspath.Within(b, c) && !fspath.Within(a, c) {
			t.Errorf("%q is in %q, that in %q, but not the first in the last", a, b, c)
		}
		if a != "" && !fspath.Within(a, a) {
			t.Errorf("%q is not in itself", a)
		}
		if rel, err := filepath.Rel(b, a); a != "" && b != "" && err == nil && !strings.Contains(a+b, ":") {
			if in := rel != ".." && !strings.HasPrefix(rel, "../"); in != fspath.Within(a, b) {
				t.Errorf("Within(%q, %q) = %v, but from there it is %q", a, b, !in, rel)
			}
		}
		if fspath.Within(a+"/../..", a) && path.IsAbs(a) && path.Clean(a) != "/" {
			t.Errorf("above %q is in it", a)
		}
	})
}

// FuzzFold: folding twice is folding once; no component comes or goes; equal
// keys look alike.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"/A/.Env. ", "cafe\u0301", "\ufb01\u00df", "\u2025/..", "a::$DATA", "\uff0f", "\u200b/x", "\xff\u0130", "\u0130", "\u1e9e", "ǅ", "ΐ", "a:$i30:$index_allocation. ", ". ./ "} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		key := fspath.Fold(a)
		if again := fspath.Fold(key); again != key {
			t.Errorf("Fold(%q) = %q, again %q", a, key, again)
		}
		if strings.Count(key, "/") != strings.Count(a, "/") {
			t.Errorf("Fold(%q) = %q has other components", a, key)
		}
		for part := range strings.SplitSeq(key, "/") {
			if (part == "." || part == "..") && strings.Count(key, "/"+part+"/") > strings.Count(a, "/"+part+"/") {
				t.Errorf("Fold(%q) = %q goes elsewhere", a, key)
			}
		}
		if fspath.Fold(strings.ToUpper(key)) != fspath.Fold(strings.ToLower(strings.ToUpper(key))) {
			t.Errorf("Fold(%q) depends on case", a)
		}
		plain := fspath.Plain(b)
		if again := fspath.Plain(plain); again != plain {
			t.Errorf("Plain(%q) = %q, again %q", b, plain, again)
		}
		if strings.Count(plain, "/") != strings.Count(b, "/") {
			t.Errorf("Plain(%q) = %q has other components", b, plain)
		}
	})
}
