package preset

// A kosmoGlob is a pattern of KosmoKrator: * stands for any text, slashes and
// blanks too, ? for one character, and everything else for itself. It matches a
// whole text.
type kosmoGlob []rune

func compileKosmoGlob(pattern string) kosmoGlob { return kosmoGlob(pattern) }

// match goes back to the last * only, which is enough, so that no pattern takes
// long.
func (g kosmoGlob) match(text string) bool {
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
func (g kosmoGlob) fixed() string {
	for i, r := range g {
		if r == '*' || r == '?' {
			return string(g[:i])
		}
	}
	return string(g)
}
