package lint

import (
	"strings"

	"github.com/sayso-dev/sayso/internal/glob"
)

// pathSamples are paths that a glob is about.
func pathSamples(pattern string) (names []string, exact bool) {
	written := glob.Braces(pattern)
	exact = len(written) > 1 || written[0] == pattern // not too many
	for _, one := range written {
		some, whole := product(pathChoices(one, &exact))
		exact = exact && whole
		names = append(names, some...)
		if len(names) > maxSamples {
			return names[:maxSamples], false
		}
	}
	return names, exact
}

// pathChoices are the texts that each piece of a glob without braces may be. It
// clears exact where it does not try all that a piece may be.
func pathChoices(pattern string, exact *bool) [][]string {
	var out [][]string
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		start := i == 0 || pattern[i-1] == '/'
		switch {
		case start && strings.HasPrefix(rest, "**/"):
			out = append(out, []string{"", made + "/", made + "a/" + made + "b/" + made + "c/"})
			i += 3
		case start && rest == "**":
			out = append(out, []string{made, made + "a/" + made + "b/" + made + "c"})
			i += 2
		case rest[0] == '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			out = append(out, starChoices(start, stars == len(rest) || rest[stars] == '/'))
			i += stars
		case rest[0] == '?':
			out = append(out, []string{"q"})
			i++
		case rest[0] == '[':
			members, n := classMembers(rest)
			if members == nil {
				*exact = false
				members = []string{"q"}
			}
			out = append(out, members)
			i += n
		case rest[0] == '\\' && len(rest) > 1:
			out = append(out, []string{rest[1:2]})
			i += 2
		default:
			out = append(out, []string{rest[:1]})
			i++
		}
	}
	return out
}

// starChoices are what a * may be: not nothing, if it is all of a name.
func starChoices(start, end bool) []string {
	if start && end {
		return []string{made}
	}
	return []string{"", made}
}

// classMembers are the characters of a class such as [abc], and its length. They
// are nil where the class is anything but a few of them.
func classMembers(rest string) ([]string, int) {
	end := strings.IndexByte(rest[1:], ']')
	if end < 1 {
		return nil, 1
	}
	inner := rest[1 : end+1]
	if len(inner) > 4 || strings.ContainsAny(inner, `^!-[\`) {
		return nil, end + 2
	}
	return strings.Split(inner, ""), end + 2
}
