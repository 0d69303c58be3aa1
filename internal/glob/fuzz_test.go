package glob_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/glob"
)

// hangs is how long one input may take before it counts as a hang. It is
// generous: the worst ones take a fraction of it, without the race detector.
const hangs = 20 * time.Second

func within(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > hangs {
		t.Errorf("%.40q took %v", what, took)
	}
}

// FuzzGlob: no pattern panics or hangs, and the answers agree with each other.
func FuzzGlob(f *testing.F) {
	for _, s := range [][3]string{
		{"src/**/*.py", "src/*", "src/a.py"},
		{"{a,b}{c,[!d]}**", "?[ab]*", "bc"},
		{`\*\[`, `\**`, "*["},
		{"a*/**", "a/?", "a"},
		{"\xff/*", "\xff/?", "\xff/\xfe"},
		{"**.Pem", "*.[pP]em", "x/a.PEM"},
		{"[]-a]", "[]-a]", "]"},
		{"**/**/a**b/**", "a/**/b", "a/x/b"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, pattern, shell, p string) {
		if len(pattern)+len(shell)+len(p) > 8192 {
			return
		}
		within(t, pattern, func() { agree(t, pattern, shell, p) })
	})
}

// agree checks one pattern against one shell pattern and one path.
func agree(t *testing.T, pattern, shell, p string) {
	t.Helper()
	in := p != "" && path.Clean(p) == p && matchShell(shell, p)
	for _, opts := range [][]glob.Option{nil, {glob.Fold}} {
		globs := compiled(pattern, opts...)
		for _, g := range globs {
			overlaps, covers, match := g.Overlaps(shell), g.Covers(shell), g.Match(p)
			switch {
			case covers && !overlaps:
				t.Errorf("%q covers %q, but does not overlap it", pattern, shell)
			case in && covers && !match:
				t.Errorf("%q covers %q, but does not match %q", pattern, shell, p)
			case in && match && !overlaps:
				t.Errorf("%q does not overlap %q, but both match %q", pattern, shell, p)
			}
			if prefix := g.Prefix(); match && prefix != "" && p != prefix && !strings.HasPrefix(p, strings.TrimSuffix(prefix, "/")+"/") {
				t.Errorf("%q matches %q, which is not in %q", pattern, p, prefix)
			}
		}
		if len(globs) == 2 && globs[0].Match(p) && !globs[1].Match(p) {
			t.Errorf("%q matches %q only if it is strict", pattern, p)
		}
	}
	if strings.Contains(pattern, "[!") || strings.Contains(pattern, "[^") {
		return // of which folding leaves out more
	}
	if g, err := glob.Compile(pattern); err == nil && g.Match(p) && !must(t, pattern, glob.Fold).Match(p) {
		t.Errorf("%q matches %q only if case is not folded", pattern, p)
	}
}

// matchShell is the standard library's idea of a shell pattern, for those on
// which it agrees with shells.
func matchShell(pattern, p string) bool {
	if strings.Contains(pattern, "[!") || strings.HasPrefix(pattern, "[") && !strings.Contains(pattern, "]") {
		return false
	}
	ok, err := path.Match(pattern, p)
	return ok && err == nil
}

// FuzzEscape: the escaped form of a path matches that path and no other.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a", "a*b?c[d]{e,f}", `\`, "\xff*", "é,", "a/../b", " ", "\n"} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, s, other string) {
		s, other = path.Clean(s), path.Clean(other)
		if len(s) > glob.MaxLength/2 {
			return
		}
		for _, compile := range []func(string, ...glob.Option) (glob.Glob, error){glob.Compile, glob.CompileLoose} {
			g, err := compile(glob.Escape(s))
			if err != nil {
				t.Fatalf("Escape(%q): %v", s, err)
			}
			if !g.Match(s) || s != other && g.Match(other) {
				t.Errorf("Escape(%q): Match(%q) = %v, Match(%q) = %v", s, s, g.Match(s), other, g.Match(other))
			}
			below, err := compile(glob.Escape(s) + "/**")
			if err == nil && !below.Match(s) {
				t.Errorf("%q does not match %q", below, s)
			}
		}
	})
}
