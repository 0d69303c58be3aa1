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

// meets reports whether there is a text that both patterns match.
func (g wildcard) meets(other wildcard) bool {
	// row[j]: whether the rest of g and other[j:] can match the same text
	row := make([]bool, len(other)+1)
	for i := len(g); i >= 0; i-- {
		diagonal := false // row[j+1] of the rest behind g[i]
		for j := len(other); j >= 0; j-- {
			below := row[j]
			switch {
			case i == len(g) && j == len(other):
				row[j] = true
			case i < len(g) && g[i] == '*':
				row[j] = below || j < len(other) && row[j+1]
			case j < len(other) && other[j] == '*':
				row[j] = row[j+1] || i < len(g) && below
			default:
				row[j] = i < len(g) && j < len(other) && (g[i] == '?' || other[j] == '?' || g[i] == other[j]) && diagonal
			}
			diagonal = below
		}
	}
	return row[0]
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
