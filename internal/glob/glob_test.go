package glob_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/glob"
)

func must(t testing.TB, pattern string, opts ...glob.Option) glob.Glob {
	t.Helper()
	g, err := glob.Compile(pattern, opts...)
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return g
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no string // paths, separated by blanks
	}{
		{"src/a.go", "src/a.go", "src/a_go src/a.go/x x/src/a.go"},
		{"src/*.go", "src/a.go src/.go src/.a.go", "src/x/a.go src/a.got a.go src"},
		{"src/?", "src/a src/é src/\xff", "src/ab src// src"},
		{"src/**", "src src/a src/a/b src/.a", "srcx src.d xsrc a/src"},
		{"src/**/*.py", "src/a.py src/x/a.py src/x/y/a.py src/.py", "src/a.pyc srca.py src"},
		{"**", "a a/b /a/b / .a", ""},
		{"**/.env", ".env a/.env /.env /a/b/.env", "x.env a/x.env .env/a"},
		{"**/.ssh/**", ".ssh /home/u/.ssh /home/u/.ssh/id a/.ssh/b/c", "/home/u/x.ssh a.ssh/b"},
		{"**/*.pem", "a.pem x/a.pem /x/y/.pem", "a.pem/b"},
		{"a/**/b/**/c", "a/b/c a/x/b/c a/b/y/c a/x/y/b/z/c", "a/c a/b a/xb/c"},
		{"/**", "/ /a /a/b", "a a/b"},
		{"{src,test}/*.{go,md}", "src/a.go test/b.md", "src/a.txt srctest/a.go"},
		{"a{,/**}", "a a/b a/b/c", "ab b"},
		{"a{b{c,d},e}f", "abcf abdf aef", "abf af abcdf"},
		{"x{/**/y,z}", "x/y x/a/y xz", "x/z xy"},
		{"[a-c]x[!0-9]", "axy cx-", "dxy ax1 ax/ ax"},
		{"a[!b]c", "axc", "a/c abc"},
		{"a[+-9]c", "a.c a0c", "a/c"},
		{`a\*b`, "a*b", "ab axb"},
		{`[\]x]`, "] x", `\`},
		{"[a-]", "a -", "b"},
		{"[^a]", "b ^", "a"},
		// Where doublestar alone is wrong or surprising:
		{"a*/**", "a ab a/x ab/x/y", "b/a"},
		{"a/**/**", "a a/b a/b/c", "ab"},
		{"a***", "a ab a/b ab/c", "ba"},
		{"a/***/b", "a/b a/x/b a/x/y/b", "ab"},
		{"**.pem", "a.pem x/a.pem x/y/.pem .pem", "a.pem/x"},
		{"src**", "src srcs src/a/b", "a/src"},
		{"\uFFFD/*", "\uFFFD/a", "\xff/a"},
		{"\xff/*", "\xff/a", "\xfe/a \uFFFD/a"},
	} {
		g, loose := must(t, tt.pattern), mustLoose(t, tt.pattern)
		for p := range strings.SplitSeq(tt.yes, " ") {
			if !g.Match(p) {
				t.Errorf("%q does not match %q", tt.pattern, p)
			}
			if !loose.Match(p) {
				t.Errorf("loose %q does not match %q", tt.pattern, p)
			}
		}
		for p := range strings.SplitSeq(tt.no, " ") {
			if g.Match(p) {
				t.Errorf("%q matches %q", tt.pattern, p)
			}
		}
		if g.Match("") || loose.Match("") {
			t.Errorf("%q matches nothing at all", tt.pattern)
		}
		if g.String() != tt.pattern {
			t.Errorf("String() = %q, want %q", g.String(), tt.pattern)
		}
	}
}

func mustLoose(t testing.TB, pattern string, opts ...glob.Option) glob.Glob {
	t.Helper()
	g, err := glob.CompileLoose(pattern, opts...)
	if err != nil {
		t.Fatalf("CompileLoose(%q): %v", pattern, err)
	}
	return g
}

func TestMatchLoose(t *testing.T) {
	for _, tt := range []struct{ pattern, yes, no string }{
		{"*.env", ".env a.env x/.env /x/y/z.env", ".envrc x.env/y"},
		{".git/*", ".git/a .git/a/b", ".git x/.git/a"},
		{"src/**/*.py", "src/a.py src/x/a.py", "src.py a/src/a.py"},
		{"**/env", "env a/env", "myenv a/myenv"},
		{"a?b", "axb a/b aéb", "ab axxb"},
		{"a[!x]b", "a/b ayb", "axb"},
		{"a*b*c", "abc a/b/c abxcxc", "acb ab"},
		{"*/**/b", "x/b /b x/y/b", "b xb"},
		{"*??", "aé ab/c", "é a €"},
		{"x/*/**", "x/a x/a/b", "x"},
		{"{*.pem,*.key}", "a/b.pem c.key", "a.pen"},
	} {
		g := mustLoose(t, tt.pattern)
		for p := range strings.SplitSeq(tt.yes, " ") {
			if !g.Match(p) {
				t.Errorf("loose %q does not match %q", tt.pattern, p)
			}
		}
		for p := range strings.SplitSeq(tt.no, " ") {
			if g.Match(p) {
				t.Errorf("loose %q matches %q", tt.pattern, p)
			}
		}
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct{ pattern, yes, no string }{
		{"Src/README*", "src/readme.md SRC/ReadMe", "srcs/readme"},
		{"**/.ENV", ".env a/.Env", "env"},
		{"[A-C]x", "ax BX", "dx"},
		{"[!A-C]x", "dx Dx", "ax Ax"},
		{"straſse/k*", "STRASSE/Kx strasse/kelvin", "strase/k"}, // long s, Kelvin sign
		{"ΟΔΟΣ", "οδος οδοσ", "οδο"},
		{"*\u00e9/x", "É/X", "e/x"},
	} {
		g := must(t, tt.pattern, glob.Fold)
		for p := range strings.SplitSeq(tt.yes, " ") {
			if !g.Match(p) {
				t.Errorf("folded %q does not match %q", tt.pattern, p)
			}
		}
		for p := range strings.SplitSeq(tt.no, " ") {
			if g.Match(p) {
				t.Errorf("folded %q matches %q", tt.pattern, p)
			}
		}
		if g.Prefix() != "" {
			t.Errorf("%q: a folded glob has no prefix to look for, but %q", tt.pattern, g.Prefix())
		}
	}
	if g := must(t, "K/b", glob.Fold); !g.Overlaps("k/?") || !g.Overlaps("[k]/B") || !g.Overlaps("???/b") || g.Overlaps("x/?") {
		t.Error("K/b folded against k/?, or against the three bytes of the Kelvin sign")
	}
	if g := must(t, "Src/**", glob.Fold); !g.Covers("SRC/*.go") || !g.Overlaps("SRC/x*") || g.Covers("SR?/x") {
		t.Error("Src/** folded against SRC/*.go")
	}
}

func TestErrors(t *testing.T) {
	for pattern, column := range map[string]int{
		"": 1, "a{b": 2, "a}": 2, "é{b,c": 2, `ab\`: 3, "a[b": 2, "x[]": 2, "x[!]": 2, "x[z-a]": 3, "[[:alpha:]]": 2,
		"a/": 2, "./a": 1, "a//b": 3, "a/./b": 3, "a/../b": 3, "/../a": 2, "*/": 2, "a/**/": 5, "a{b,c/}": 1,
		"[/]": 1, "*\xff": 2, "[\xff]": 2, "a*\uFFFD": 3,
		strings.Repeat("{a,b}", 9):   1,
		strings.Repeat("{", 17):      17,
		strings.Repeat("a", 1<<14+1): 1<<14 + 1,
	} {
		_, err := glob.Compile(pattern)
		var bad *glob.SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("Compile(%q): %v, want a SyntaxError", pattern, err)
			continue
		}
		if bad.Column != column {
			t.Errorf("Compile(%q): column %d, want %d (%v)", pattern, bad.Column, column, err)
		}
	}
}

func TestLiteralAndPrefix(t *testing.T) {
	for _, tt := range []struct{ pattern, literal, prefix string }{
		{"src/a.go", "src/a.go", "src/a.go"},
		{`src/\*`, "src/*", "src/*"},
		{"src/**", "", "src"},
		{"src/x/*.go", "", "src/x"},
		{"src/x*/a", "", "src"},
		{"a*", "", ""},
		{"**/a", "", ""},
		{"/**", "", "/"},
		{"/*", "", "/"},
		{"/", "/", "/"},
		{"{/a/b,/a/c}/*", "", "/a"},
		{"{/a,/b}/*", "", "/"},
		{"{/a,b}/*", "", ""},
		{"{src,src/x}/**", "", "src"},
		{"src{,/**}", "", "src"},
	} {
		g := must(t, tt.pattern)
		lit, ok := g.Literal()
		if lit != tt.literal || ok != (tt.literal != "") {
			t.Errorf("%q: Literal() = %q, %v", tt.pattern, lit, ok)
		}
		if g.Prefix() != tt.prefix {
			t.Errorf("%q: Prefix() = %q, want %q", tt.pattern, g.Prefix(), tt.prefix)
		}
	}
}

func TestZero(t *testing.T) {
	var g glob.Glob
	if lit, ok := g.Literal(); g.Match("a") || g.Overlaps("*") || g.Covers("*") || g.Prefix() != "" || lit != "" || ok {
		t.Error("the zero Glob matches something")
	}
}

func TestOverlapsAndCovers(t *testing.T) {
	const no, overlaps, covers = 0, 1, 2
	for _, tt := range []struct {
		pattern, shell string
		want           int
	}{
		{"src/secret.txt", "src/*", overlaps},
		{"src/secret.txt", "src/*.txt", overlaps},
		{"src/secret.txt", "src/*.go", no},
		{"src/secret.txt", "*/secret.txt", overlaps},
		{"src/secret.txt", "src/secret.txt", covers},
		{"src/secret.txt", "src/secre[st].txt", overlaps},
		{"src/secret.txt", "src/secre[xy].txt", no},
		{"src/secret.txt", "src/secre[!t].txt", overlaps}, // err on yes
		{"src/secret.txt", "./src//secret.t?t", overlaps},
		{"src/secret.txt", "src/secret.txt/", covers},
		{"src/secret.txt", "src/x/../*", overlaps}, // x may be a link
		{"src/secret.txt", "src/@(secret|x).txt", overlaps},
		{"src/secret.txt", "src/{secret,x}.txt", overlaps},
		{"src/secret.txt", "src/{id}/*", no},
		{"src/secret.txt", `src/\*`, no},
		{"src/**", "src/*.go", covers},
		{"src/**", "src/*/x", covers},
		{"src/**", "src/**", covers}, // also where a shell lets ** cross
		{"src/**", "s*/x", overlaps},
		{"src/**", "src*", overlaps},
		{"src/**", "src/../*", overlaps},
		{"src/**", "src/.*", overlaps}, // .. in many shells
		{"src/**", "src/.?*", overlaps},
		{"src/**", "src/.??*", covers},
		{"src/**", "src/.git*", covers},
		{"src/**", "lib/*", no},
		{"src/*", "src/**", overlaps}, // not with globstar
		{"src/*", "src/*", covers},
		{"src/*.go", "src/*_test.go", covers},
		{"src/*.go", "src/a*", overlaps},
		{"src/*.go", "src/x/*.go", no},
		{"src/**/*.go", "src/*.go", covers},
		{"src/**/*.go", "src/*/y/*.go", covers},
		{"src/**/*.go", "src/*.g?", overlaps},
		{"{src,lib}/**", "lib/*", covers},
		{"{a,b}*", "[ab]*", overlaps}, // if nothing matches, [ab]* itself is meant
		{"{a,b,[[]}*", "[ab]*", covers},
		{"**/.env", "*", overlaps},
		{"**/.env", "x/.e*", overlaps},
		{"**/.env", "*/.env", covers},
		{"**", "*", covers},
		{"*é*", "caf??", overlaps}, // the two bytes of é in the C locale
		{"café", "caf??", overlaps},
		{"café", "caf?", overlaps},
		{"café", "caf???", no},
		{"a?", "a?", overlaps}, // a letter and its bytes are not the same everywhere
		{"/etc/passwd", "/*/passw?", overlaps},
		{"/etc/passwd", "/", no},
		{"/", "/", covers},
		{"log[0-9]", "log[0-5]", overlaps},
		{"logs", "log[0-5]", no},
		{"logs", "log[a-c]", overlaps}, // some locales order letters as they like
		{"log_", "log[A-z]", overlaps},
		{"log_", "log[A-Z]", no},
		{"src/b", "src/{a},b}", overlaps},
		{"a[bc]", "a[[:alpha:]]", overlaps},
		{"a[[]b", "a[b", covers},
		{"x/y", "[x/]y", overlaps},
		{".", ".", covers},
	} {
		g := must(t, tt.pattern)
		if got := g.Overlaps(tt.shell); got != (tt.want >= overlaps) {
			t.Errorf("%q overlaps %q: %v", tt.pattern, tt.shell, got)
		}
		if got := g.Covers(tt.shell); got != (tt.want == covers) {
			t.Errorf("%q covers %q: %v", tt.pattern, tt.shell, got)
		}
	}
	if g := mustLoose(t, "src/*"); !g.Covers("src/*/x") || !g.Overlaps("*/x/y") || g.Covers("*/x") {
		t.Error("loose src/* against src/*/x")
	}
}

func TestEscape(t *testing.T) {
	for _, s := range []string{"a", "a*b", `a\b`, "{a,b}", "[a]", "a?", "é*", "\xff*", "!a", "/", "."} {
		for _, g := range []glob.Glob{must(t, glob.Escape(s)), mustLoose(t, glob.Escape(s))} {
			if lit, ok := g.Literal(); !ok || lit != s || !g.Match(s) {
				t.Errorf("Escape(%q) = %q is the literal %q, %v", s, glob.Escape(s), lit, ok)
			}
		}
	}
}

// What takes long elsewhere must not here.
func TestHostile(t *testing.T) {
	a := strings.Repeat("a", 4000)
	for _, p := range []string{
		"**/*a*b", strings.Repeat("*a", 500) + "b", strings.Repeat("a*", 2000), strings.Repeat("?*", 1000) + "b",
		"{" + strings.Repeat("a,", 200) + "a}*b", strings.Repeat("**/", 1000) + "b", strings.Repeat("a**", 7) + "b",
		strings.Repeat("[a-z]*", 500) + "b", strings.Repeat("{a*,*a}", 8) + "b", strings.Repeat("**/a/", 7) + "b",
		"*" + strings.Repeat("{a,b}", 8) + strings.Repeat("x", 8000),
		strings.Repeat("[", 4000), strings.Repeat("{", 4000), strings.Repeat("[!a]", 2000), strings.Repeat("?", 4000),
	} {
		within(t, p, func() {
			for _, g := range compiled(p) {
				g.Match(a)
				g.Match(strings.Repeat("a/", 2000) + "c")
				for _, shell := range []string{p, strings.Repeat("*a", 1000), strings.Repeat("*x", 8000)} {
					g.Overlaps(shell)
					g.Covers(shell)
				}
			}
		})
	}
}

// compiled returns the globs, of both dialects, that the pattern has.
func compiled(pattern string, opts ...glob.Option) []glob.Glob {
	var out []glob.Glob
	if g, err := glob.Compile(pattern, opts...); err == nil {
		out = append(out, g)
	}
	if g, err := glob.CompileLoose(pattern, opts...); err == nil {
		out = append(out, g)
	}
	return out
}
