package preset

// A wildcard is a pattern for texts: * stands for any text, slashes and
// blanks too, ? for one character, and everything else for itself. It matches a
// whole text.
type wildcard []rune

func compileWildcard(pattern string) wildcard { return wildcard(pattern) }

func (g wildcard) match(text string) bool { return g.walk([]rune(text), false) }

// covers reports whether the pattern matches all that the other one matches. It
// may miss that, but says so only where it is true.
func (g wildcard) covers(other wildcard) bool { return g.walk(other, true) }

// walk reports whether the pattern matches s, which may be a pattern itself: a *
// in it is then matched by a * only. It goes back to the last * only, which is
// enough, so that no pattern takes long.
func (g wildcard) walk(s []rune, pattern bool) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(g) && g[p] == '*':
			star, mark = p, i
			p++
		case p < len(g) && !(pattern && s[i] == '*') && (g[p] == '?' || g[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(g) && g[p] == '*' {
		p++
	}
	return p == len(g)
}

// fixed is what every text begins with that the pattern matches.
func (g wildcard) fixed() string {
	for i, r := range g {
		if r == '*' || r == '?' {
			return string(g[:i])
		}
	}
	return string(g)
}
