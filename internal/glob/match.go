package glob

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// A shape is how an alternative is matched. Most rules have one of the quick
// ones.
type shape uint8

const (
	general shape = iota
	exact         // lit
	below         // lit/**
	named         // **/lit
	every         // **
	between       // lit**/rest
)

// An alternative is a pattern without braces.
type alternative struct {
	kind   shape
	loose  bool
	lit    string  // general: what the path begins with, up to a slash
	rest   string  // general: the pattern behind lit, for doublestar
	tokens []token // all of it
}

// classify finds the shape.
func (a *alternative) classify() {
	t := a.tokens
	switch {
	case len(t) == 1 && t[0].kind == literal:
		a.kind, a.lit = exact, t[0].text
	case len(t) == 1 && (t[0].kind == deep || t[0].kind == star && a.loose):
		a.kind = every
	case len(t) == 2 && t[0].kind == literal && t[1].kind == deep:
		a.kind, a.lit = below, t[0].text[:len(t[0].text)-1]
	case len(t) == 2 && t[0].kind == dirs && t[1].kind == literal:
		a.kind, a.lit = named, t[1].text
	case len(t) == 3 && t[0].kind == literal && t[1].kind == dirs && t[2].kind == literal && strings.HasSuffix(t[0].text, "/"):
		a.kind, a.lit, a.rest = between, t[0].text, t[2].text
	case t[0].kind == literal:
		a.lit = t[0].text[:strings.LastIndexByte(t[0].text, '/')+1]
	}
}

func (a *alternative) match(path string) bool {
	switch a.kind {
	case every:
		return true
	case exact:
		return path == a.lit
	case below:
		return strings.HasPrefix(path, a.lit) && (len(path) == len(a.lit) || path[len(a.lit)] == '/')
	case named:
		before := len(path) - len(a.lit)
		return strings.HasSuffix(path, a.lit) && (before == 0 || path[before-1] == '/')
	}
	if !strings.HasPrefix(path, a.lit) {
		return false
	}
	if a.kind == between {
		before := len(path) - len(a.rest)
		return before >= len(a.lit) && path[before-1] == '/' && path[before:] == a.rest
	}
	if a.loose {
		return matchLoose(a.tokens, path)
	}
	return doublestar.MatchUnvalidated(a.rest, path[len(a.lit):])
}

// folder is the folder, without a slash at its end, that all matches are in or
// are; empty if there is none.
func (a *alternative) folder() string {
	switch a.kind {
	case exact, below, general, between:
		if a.lit != "/" {
			if a.lit == "" && a.kind == below {
				return "/"
			}
			return strings.TrimSuffix(a.lit, "/")
		}
		return "/"
	}
	return ""
}

// matchLoose matches tokens of which all cross slashes. On a mismatch it goes
// back to the last * or **/ only. That is enough: the part between two of them
// has a fixed number of characters, so its first match leaves the most for the
// rest; and what a **/ stands behind is a slash, so that it can reach every
// place that it could have begun at. So the time is at most the product of the
// two lengths.
func matchLoose(tokens []token, s string) bool {
	t, i := 0, 0
	back, from := -1, 0
	for {
		if t == len(tokens) {
			if i == len(s) {
				return true
			}
		} else if k := tokens[t].kind; k == star || k == deep || k == dirs {
			back, from = t, i
			t++
			if t == len(tokens) {
				return true
			}
			continue
		} else if n := tokens[t].prefix(s[i:]); n >= 0 {
			i += n
			t++
			continue
		}
		if back < 0 || from >= len(s) {
			return false
		}
		step := 0
		if tokens[back].kind == dirs {
			step = strings.IndexByte(s[from:], '/') + 1
		} else {
			_, step = utf8.DecodeRuneInString(s[from:])
		}
		if step == 0 {
			return false
		}
		from += step
		t, i = back+1, from
	}
}

// prefix returns how many bytes of s the token matches, -1 for none.
func (t *token) prefix(s string) int {
	if t.kind == literal {
		if strings.HasPrefix(s, t.text) {
			return len(t.text)
		}
		return -1
	}
	if s == "" {
		return -1
	}
	r, n := utf8.DecodeRuneInString(s)
	if t.kind == class && !t.set.has(r) {
		return -1
	}
	return n
}
