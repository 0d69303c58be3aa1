package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A pathClass is a set of path patterns, sorted by how they are looked up.
type pathClass struct {
	names   []string        // last components, in order
	endings []string        // of the last component (".pem"), in order
	globs   []needlePattern // for the last component
	deep    []needlePattern // starting with **/, with several components
	dotHome []string        // below a home folder, starting with a dot
	home    []string        // below a home folder
	rooted  []string        // absolute

	// Which bits the names, the endings and the first letters of the rooted
	// patterns have, see [table.Bit]: most paths are none of them.
	nameBits, endingBits, rootBits uint64
}

// A needlePattern is a pattern with a part that is written out: what does not have
// that in it cannot match.
type needlePattern struct{ needle, pattern string }

// match reports whether one of the patterns matches p.
func (c *pathClass) match(p, home string) bool {
	base := p[strings.LastIndexByte(p, '/')+1:]
	if c.nameBits&table.Bit(base) != 0 {
		if _, ok := slices.BinarySearch(c.names, base); ok {
			return true
		}
	}
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 && c.endingBits&table.Bit(base[dot:]) != 0 {
		if _, ok := slices.BinarySearch(c.endings, base[dot:]); ok {
			return true
		}
	}
	for i := range c.globs {
		if g := &c.globs[i]; len(base) >= len(g.needle) && strings.Contains(base, g.needle) && matchWord(g.pattern, base) {
			return true
		}
	}
	dots := len(c.deep) > 0 && strings.Contains(p, "/.")
	for i := range c.deep {
		if d := &c.deep[i]; (dots || d.needle == "" || d.needle[0] != '.') && strings.Contains(p, d.needle) && matchPath(d.pattern, p) {
			return true
		}
	}
	if len(p) > 1 && c.rootBits&(1<<(p[1]&63)) != 0 {
		first := p[1]
		for _, r := range c.rooted {
			if len(r) > 1 && r[1] == first && matchPath(r, p) {
				return true
			}
		}
	}
	return c.matchHome(p, home)
}

// matchHome looks at p as a path below a home folder: the user's own, or that
// of somebody else, which holds the same things.
func (c *pathClass) matchHome(p, home string) bool {
	if len(c.dotHome)+len(c.home) == 0 {
		return false
	}
	tail, ok := "", false
	if home != "" && strings.HasPrefix(p, home) && len(p) > len(home)+1 && p[len(home)] == '/' {
		tail, ok = p[len(home)+1:], true
	} else if tail, ok = strings.CutPrefix(p, "/root/"); !ok {
		rest, found := strings.CutPrefix(p, "/home/")
		if !found && len(p) > 7 && strings.EqualFold(p[:7], "/Users/") {
			rest, found = p[7:], true
		}
		if found {
			_, tail, ok = strings.Cut(rest, "/")
		}
	}
	if !ok || tail == "" {
		return false
	}
	list := c.home
	if tail[0] == '.' {
		list = c.dotHome
	}
	for _, h := range list {
		if len(h) > 1 && len(tail) > 1 && h[1] == tail[1] && matchPath(h, tail) {
			return true
		}
	}
	return false
}

// matchPath matches a path pattern: * stays within a component, ** crosses
// them and may match nothing. A pattern matches what is below it only if it
// ends in /**.
func matchPath(pattern, p string) bool {
	if rest, ok := strings.CutPrefix(pattern, "**/"); ok {
		for {
			if matchPath(rest, p) {
				return true
			}
			_, after, more := strings.Cut(p, "/")
			if !more {
				return false
			}
			p = after
		}
	}
	if pattern == "**" {
		return true
	}
	first, rest, deeper := strings.Cut(pattern, "/")
	head, tail, more := strings.Cut(p, "/")
	if !matchWord(first, head) {
		return false
	}
	if deeper && rest == "**" && !more {
		return true
	}
	if deeper != more {
		return false
	}
	return !deeper || matchPath(rest, tail)
}

// matchWord matches one component or word against a pattern with * and ?.
func matchWord(pattern, s string) bool {
	if pattern == s {
		return true
	}
	star := strings.IndexByte(pattern, '*')
	if star < 0 && strings.IndexByte(pattern, '?') < 0 {
		return false
	}
	if strings.IndexByte(pattern, '?') >= 0 {
		return matchStars(pattern, s)
	}
	end := len(pattern) - 1
	switch second := strings.IndexByte(pattern[star+1:], '*'); {
	case star == end: // prefix*
		return strings.HasPrefix(s, pattern[:star])
	case star == 0 && second < 0: // *suffix
		return strings.HasSuffix(s, pattern[1:])
	case star == 0 && second == end-1: // *middle*
		return strings.Contains(s, pattern[1:end])
	case star == 0 && !strings.Contains(s, pattern[1:1+second]):
		return false
	}
	return matchStars(pattern, s)
}

// matchStars is the general case; a star also matches a slash. It goes back to
// the last star only, which is enough and keeps it linear in both.
func matchStars(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
