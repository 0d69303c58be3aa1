package preset

import "strings"

// ownNames are those of the programs that decide.
var ownNames = []string{"sayso", "sayso-hook", "sayso-box"}

// mayFind reports whether a pattern of pkill may find one of the programs that decide.
// It knows only what stands in every text that the pattern finds, and so says yes too
// often rather than too seldom: to compile the pattern, each hook would have to set up
// regular expressions, for a command that hardly any agent runs.
func mayFind(pattern string) bool {
	pattern = strings.ToLower(pattern) // pkill may be told not to care
	if strings.Contains(pattern, ownNames[0]) {
		return true // with what it was called with, perhaps
	}
	alternatives := strings.Split(withoutGroups(pattern), "|")
	for _, name := range ownNames {
		for _, one := range alternatives {
			if holdsAll(name, required(one)) {
				return true
			}
		}
	}
	return false
}

// holdsAll reports whether all these texts are in a name.
func holdsAll(name string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(name, text) {
			return false
		}
	}
	return true
}

// withoutGroups is a pattern in which a dot, for anything at all, stands for each group
// and each set of characters.
func withoutGroups(pattern string) string {
	var out strings.Builder
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			if depth == 0 {
				out.WriteString(`\` + pattern[i:i+1])
			}
		case c == '[':
			i = endOfSet(pattern, i)
			if depth == 0 {
				out.WriteString(".*")
			}
		case c == '(':
			if depth == 0 {
				out.WriteString(".*")
			}
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// endOfSet is where a set of characters ends that begins there. A bracket that comes
// first is one of them.
func endOfSet(pattern string, i int) int {
	from := i + 1
	if strings.HasPrefix(pattern[from:], "^") {
		from++
	}
	if strings.HasPrefix(pattern[from:], "]") {
		from++
	}
	for end := from; end < len(pattern); end++ {
		switch {
		case pattern[end] == '[' && end+1 < len(pattern) && strings.IndexByte(":.=", pattern[end+1]) >= 0: // a class, or a way to write one character
			if n := strings.Index(pattern[end+2:], pattern[end+1:end+2]+"]"); n >= 0 {
				end += n + 3
			}
		case pattern[end] == ']':
			return end
		}
	}
	return len(pattern)
}

// required are the texts that everything has in it which a pattern without groups and
// alternatives finds.
func required(pattern string) (out []string) {
	var text []byte
	end := func(keep int) {
		if keep = max(keep, 0); keep > 0 {
			out = append(out, string(text[:keep]))
		}
		text = text[:0]
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*', '?', '{': // what stands before it may be missing
			end(len(text) - 1)
			if n := strings.IndexByte(pattern[i:], '}'); c == '{' && n > 0 {
				i += n
			}
		case '+', '.', '^', '$':
			end(len(text))
		case '\\':
			if i++; i < len(pattern) && isWordSign(pattern[i]) {
				end(len(text)) // it stands for a kind of character, or for a place
			} else if i < len(pattern) {
				text = append(text, pattern[i])
			}
		default:
			text = append(text, c)
		}
	}
	end(len(text))
	return out
}

// isWordSign reports whether a letter or a digit, which behind a backslash means
// something else.
func isWordSign(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
