package preset

// A wildcard is a pattern for texts: * stands for any text, slashes and
// blanks too, ? for one character, and everything else for itself. It matches a
// whole text.
type wildcard []rune

func compileWildcard(pattern string) wildcard { return wildcard(pattern) }

// match goes back to the last * only, which is enough, so that no pattern takes
// long.
func (g wildcard) match(text string) bool {
	s := []rune(text)
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(g) && g[p] == '*':
			star, mark = p, i
			p++
		case p < len(g) && (g[p] == '?' || g[p] == s[i]):
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

// covers reports whether the pattern matches all that the other one matches. It
// may miss that, but says so only where it is true.
func (g wildcard) covers(other wildcard) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(other) {
		switch {
		case p < len(g) && g[p] == '*':
			star, mark = p, i
			p++
		case p < len(g) && other[i] != '*' && (g[p] == '?' || g[p] == other[i]):
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
