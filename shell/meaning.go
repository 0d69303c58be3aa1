package shell

import "strings"

// A meaning says how a pattern on the command line and a path of the tables
// belong together.
type meaning uint8

const (
	notMeant meaning = iota // nothing in common, or no more than any pattern has
	possible                // it may find the path among others, if that exists
	included                // the path is one of the few that it finds
	meant                   // enough is written out to tell that the path is wanted
)

// meaning says whether a pattern finds one of the paths of the class. In p, ?
// stands for every bracket. If deep, the last component is found at any depth
// below the others, * crosses components, and both match a leading dot, as in
// find.
func (c *pathClass) meaning(p, home string, deep bool) meaning {
	if c.match(p, home) {
		return meant
	}
	at := strings.LastIndexByte(p, '/')
	base := hintOf(p[at+1:])
	out := c.nameMeaning(&base, deep)
	if out == meant {
		return meant
	}
	folders := strings.ContainsAny(p[:max(at, 0)], "*?") // the folders are a pattern, too
	if deep {
		p = p[:at] + "/**/" + p[at+1:]
	}
	dots := folders || strings.Contains(p, "/.")
	for i := range c.deep {
		if d := &c.deep[i]; folders || (dots || d.needle[0] != '.') && strings.Contains(p, d.needle) {
			out = max(out, compare(p, d.pattern, deep))
		}
	}
	if home != "" && len(p) > len(home)+1 && p[len(home)] == '/' && p[:len(home)] == home { // most are there
		return max(out, c.tailMeaning(p[len(home)+1:], deep))
	}
	for _, r := range c.rooted {
		if startsAlike(p[1:], r[1:]) {
			out = max(out, compare(p, r, deep))
		}
	}
	return max(out, c.homeMeaning(p, home, deep))
}

// nameMeaning compares the last component only.
func (c *pathClass) nameMeaning(base *hint, deep bool) meaning {
	if base.plain {
		return notMeant // match has seen it
	}
	out := notMeant
	for _, name := range c.names {
		if (name[0] == base.glob[0] || base.written == 0) && (base.last == 0 || base.last == name[len(name)-1]) {
			out = max(out, base.means(name, deep))
		}
	}
	if base.dot < 0 || base.openExt {
		for _, e := range c.endings {
			if base.meansEnding(e) {
				return meant
			}
		}
	}
	for _, g := range c.globs {
		if base.endsLike(g.pattern) && base.meansGlob(g.pattern, deep) {
			return meant
		}
	}
	return out
}

// homeMeaning compares p with the paths in every home folder it may lead to.
func (c *pathClass) homeMeaning(p, home string, deep bool) meaning {
	out, seen := notMeant, ""
	if len(c.dotHome)+len(c.home) == 0 {
		return out
	}
	for _, folder := range homeFolders(home) {
		if tail, ok := tailBelow(p, folder, deep); ok && tail != seen && out != meant {
			out, seen = max(out, c.tailMeaning(tail, deep)), tail
		}
	}
	return out
}

// tailMeaning compares what stands below a home folder.
func (c *pathClass) tailMeaning(tail string, deep bool) meaning {
	out := notMeant
	for _, list := range c.homeLists(tail) {
		for _, h := range list {
			if startsAlike(tail, h) {
				out = max(out, compare(tail, h, deep))
			}
		}
	}
	return out
}

// homeLists are the patterns for what stands below a home folder, without those
// that start with a dot if tail cannot.
func (c *pathClass) homeLists(tail string) [2][]string {
	if tail != "" && tail[0] != '.' && tail[0] != '*' && tail[0] != '?' {
		return [2][]string{c.home}
	}
	return [2][]string{c.dotHome, c.home}
}

// homeFolders are the patterns for home folders: the user's own and all others.
func homeFolders(home string) [4]string {
	return [...]string{home, "/root", "/home/*", "/users/*"}
}

// tailBelow is what p has below folder, if p may lead there. A component that
// crosses others may end anywhere, so the tail starts with it.
func tailBelow(p, folder string, deep bool) (string, bool) {
	if folder == "" {
		return "", false
	}
	p, folder = p[1:], folder[1:]
	for inside := true; inside; {
		part, rest, more := strings.Cut(p, "/")
		if crosses(part, deep) {
			return p, true
		}
		var want string
		want, folder, inside = strings.Cut(folder, "/")
		if !more || want != "*" && !isOrMatches(part, want) {
			return "", false
		}
		p = rest
	}
	return p, true
}

// below reports whether the class has a path somewhere below the folder p.
func (c *pathClass) below(p, home string) bool {
	p = strings.TrimRight(p, "/") + "/**"
	for _, r := range c.rooted {
		if startsAlike(p[1:], r[1:]) && reaches(p, r, false) != 0 {
			return true
		}
	}
	for _, folder := range homeFolders(home) {
		tail, ok := tailBelow(p, folder, false)
		if !ok {
			continue
		}
		for _, list := range c.homeLists(tail) {
			for _, h := range list {
				if startsAlike(tail, h) && reaches(tail, h, false) != 0 {
					return true
				}
			}
		}
	}
	return false
}

// startsAlike rules out most patterns by their first letter.
func startsAlike(glob, pattern string) bool {
	return glob != "" && pattern != "" && (glob[0] == pattern[0] || glob[0] == '*' || glob[0] == '?' || pattern[0] == '*')
}

// crosses reports whether a component of a pattern stands for any number of
// them.
func crosses(part string, deep bool) bool { return part == "**" || deep && part == "*" }

// compare says what a pattern has to do with one of the tables.
func compare(glob, pattern string, deep bool) meaning {
	have, want := glob[strings.LastIndexByte(glob, '/')+1:], pattern[strings.LastIndexByte(pattern, '/')+1:]
	if have != want && !strings.ContainsAny(have, "*?") && !strings.Contains(want, "*") {
		return notMeant // most end in another name
	}
	ends := reaches(glob, pattern, deep)
	folder := strings.HasSuffix(pattern, "/**")
	anywhere := strings.HasPrefix(pattern, "**/")
	switch {
	case ends&(lastMeant|lastMeant<<someMeant) != 0:
		return meant
	case ends&(lastWild<<someMeant) != 0 && !folder, ends&lastWild != 0 && !folder && !anywhere:
		return included
	case ends&(lastWild|lastWild<<someMeant) != 0 && !anywhere:
		return possible
	}
	return notMeant
}

// How the last component that a table writes out was found so far. Shifted by
// someMeant if one in front of it was meant.
const (
	lastCrossed = 1 << iota // by one that crosses several
	lastWild                // by a pattern that has little in common with it
	lastMeant               // by the same, or by a pattern for it
	someMeant   = 3
)

// maxParts is how many components a pattern of the tables has at most.
const maxParts = 10

// reaches compares two paths of patterns component by component and returns the
// ways in which they can match, as a set of the bits above; 0 is none. It keeps
// the set for each place in the pattern of the table, so that the work stays in
// proportion to the length of both.
func reaches(glob, pattern string, deep bool) uint8 {
	var parts [maxParts]string
	n := 0
	for rest, more := pattern, true; more && n < maxParts; n++ {
		parts[n], rest, more = strings.Cut(rest, "/")
	}
	var now, next [maxParts + 1]uint8
	now[0] = lastCrossed
	for part, rest, more := "", glob, true; more; now = next {
		part, rest, more = strings.Cut(rest, "/")
		next = [maxParts + 1]uint8{}
		alive := false
		for j := range n {
			if parts[j] == "**" { // it may match nothing
				now[j+1] |= now[j]
			}
			if crosses(part, deep) {
				next[j] |= now[j]
				next[j+1] |= crossed(next[j], parts[j], parts[0] == "**")
			} else {
				stays, goes := step(now[j], part, parts[j], j+2 == n && parts[n-1] == "**", deep)
				next[j] |= stays
				next[j+1] |= goes
			}
			alive = alive || next[j]|next[j+1] != 0
		}
		if !alive {
			return 0
		}
	}
	for j := range n {
		if parts[j] == "**" {
			now[j+1] |= now[j]
		}
	}
	return now[n]
}

// crossed is the way over one part of the table's pattern by a component that
// crosses several. What can stand anywhere has to be named.
func crossed(ways uint8, part string, anywhere bool) uint8 {
	switch {
	case part == "**" || part == "*":
		return ways
	case anywhere:
		return 0
	}
	return found(ways, lastCrossed)
}

// step compares one component with one part of the table's pattern, and returns
// the ways that stay at the part, because it crosses, and those that go on.
func step(ways uint8, have, part string, folder, deep bool) (stays, goes uint8) {
	switch {
	case ways == 0:
		return 0, 0
	case part == "**":
		return ways, 0
	case have == part:
		return 0, named(ways)
	case part == "*":
		return 0, ways
	case !strings.ContainsAny(have, "*?"):
		if matchWord(part, have) {
			return 0, named(ways)
		}
		return 0, 0
	case hidden(have, part, deep) || !meet(have, part):
		return 0, 0
	}
	h := hintOf(have)
	name := part
	if strings.Contains(part, "*") {
		name = strings.ReplaceAll(part, "*", "")
		if !matchStars(have, name) { // they meet, but for what both leave open
			if part[0] != '*' && 2*h.written > len(name) {
				return 0, named(ways)
			}
			return 0, 0
		}
	}
	switch {
	case h.enough(name, folder):
		return 0, named(ways)
	case deep && h.dot > 0 && h.stem == 0: // find /etc -name '*.conf'
		return 0, found(ways, lastCrossed)
	}
	return 0, found(ways, lastWild)
}

// found sets how the last part was found and keeps what was before it.
func found(ways, last uint8) uint8 {
	var out uint8
	if ways&(1<<someMeant-1) != 0 {
		out = last
	}
	if ways>>someMeant != 0 {
		out |= last << someMeant
	}
	return out
}

// named is found for a part that is meant.
func named(ways uint8) uint8 {
	if ways == 0 {
		return 0
	}
	return lastMeant << someMeant
}

// hidden reports whether name starts with a dot that a pattern of the shell
// does not match.
func hidden(glob, name string, deep bool) bool {
	return !deep && name != "" && name[0] == '.' && glob[0] != '.'
}

// meet reports whether two patterns of * and ? can match the same word.
func meet(a, b string) bool {
	if !strings.ContainsAny(b, "*?") {
		return matchStars(a, b)
	}
	// can[j]: what was read of a and b[:j] can be the same.
	can := make([]bool, len(b)+1)
	can[0] = true
	closeStars(can, b)
	for i := range len(a) {
		if a[i] == '*' {
			for j := range len(b) {
				can[j+1] = can[j+1] || can[j]
			}
			continue
		}
		before := can[0] // of the place in front, before this letter
		can[0] = false
		for j := range len(b) {
			here := can[j+1]
			switch {
			case b[j] == '*':
				can[j+1] = here || can[j]
			default:
				can[j+1] = before && (a[i] == b[j] || a[i] == '?' || b[j] == '?')
			}
			before = here
		}
	}
	return can[len(b)]
}

// closeStars lets each star of b match nothing.
func closeStars(can []bool, b string) {
	for j := range len(b) {
		if b[j] == '*' && can[j] {
			can[j+1] = true
		}
	}
}
