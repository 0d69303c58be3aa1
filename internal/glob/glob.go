// Package glob decides whether a path matches a pattern of a rule.
//
// There are two dialects. In the path dialect (Compile) * and ? and [...] stay
// within a component, ** crosses components and may match nothing, {a,b} is
// either, and a backslash takes the meaning from the next character. The loose
// dialect (CompileLoose) has the same signs, but all of them cross components;
// it matches everything that the path dialect matches, and more.
//
// Patterns are for clean paths with forward slashes. A pattern that no clean
// path can match is an error, because a deny rule that never matches looks
// like protection.
//
// Overlaps and Covers compare a rule with a pattern of the shell, of which
// nobody knows yet what it will match.
package glob

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxLength is the longest pattern, in bytes, that is compiled. The longest
// path that a system has, with every byte escaped, is half of it.
const MaxLength = 16 << 10

// An Option changes how a pattern is compiled.
type Option uint8

// Fold makes upper and lower case the same. A class that is negated then leaves
// out both: [!b] matches neither b nor B.
const Fold Option = 1

// A Glob is a compiled pattern. The zero Glob matches nothing.
type Glob struct {
	text  string
	alts  []alternative
	loose bool
	fold  bool
}

// Compile compiles a pattern of the path dialect.
func Compile(pattern string, opts ...Option) (Glob, error) {
	return compile(pattern, false, opts)
}

// CompileLoose compiles a pattern of the loose dialect, in which * crosses
// components too. It is meant for rules that deny: in a rule that allows it
// would allow more than people expect.
func CompileLoose(pattern string, opts ...Option) (Glob, error) {
	return compile(pattern, true, opts)
}

func compile(pattern string, loose bool, opts []Option) (Glob, error) {
	g := Glob{text: pattern, loose: loose}
	for _, o := range opts {
		g.fold = g.fold || o == Fold
	}
	c := compiler{src: pattern, loose: loose, fold: g.fold}
	alts, err := c.compile()
	if err != nil {
		return Glob{}, err
	}
	g.alts = alts
	return g, nil
}

// Match reports whether the glob matches all of path.
func (g Glob) Match(path string) bool {
	if path == "" { // no path, even for **
		return false
	}
	if g.fold {
		path = foldString(path)
	}
	for i := range g.alts {
		if g.alts[i].match(path) {
			return true
		}
	}
	return false
}

// String is the pattern as it was written.
func (g Glob) String() string { return g.text }

// Literal returns the one path that the glob matches, if it is only one. A
// folded glob has none: it matches every spelling.
func (g Glob) Literal() (string, bool) {
	if g.fold || len(g.alts) != 1 || g.alts[0].kind != exact {
		return "", false
	}
	return g.alts[0].lit, true
}

// Prefix returns the folder, without a slash at its end, that every matching
// path is in or is itself; empty if there is none, or if case is folded. It is
// meant for an index: a glob without one must always be tried.
func (g Glob) Prefix() string {
	if g.fold || len(g.alts) == 0 {
		return ""
	}
	prefix := g.alts[0].folder()
	for i := range g.alts[1:] {
		prefix = commonFolder(prefix, g.alts[i+1].folder())
	}
	return prefix
}

// commonFolder returns the longest folder that both paths are in.
func commonFolder(a, b string) string {
	for a != b {
		if len(a) < len(b) {
			a, b = b, a
		}
		slash := strings.LastIndexByte(a, '/')
		switch {
		case slash > 0:
			a = a[:slash]
		case slash == 0 && len(a) > 1:
			a = "/"
		default:
			return ""
		}
	}
	return a
}

// Escape returns the pattern that matches exactly the clean path s, in both
// dialects.
func Escape(s string) string {
	if !strings.ContainsAny(s, special) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// special are the bytes that mean something in a pattern.
const special = `\*?[]{},`

// A SyntaxError says what is wrong with a pattern, and where.
type SyntaxError struct {
	Pattern string
	Column  int // in characters, from 1
	Problem string
}

func (e *SyntaxError) Error() string {
	return "pattern column " + strconv.Itoa(e.Column) + ": " + e.Problem
}

func (c *compiler) fail(at int, problem string) error {
	return &SyntaxError{Pattern: c.src, Column: utf8.RuneCountInString(c.src[:at]) + 1, Problem: problem}
}
