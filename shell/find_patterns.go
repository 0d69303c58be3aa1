package shell

import "strings"

// unquoted is a pattern without the backslashes, which quote in patterns, too.
func unquoted(glob string) string {
	if strings.IndexByte(glob, '\\') < 0 {
		return glob
	}
	out := make([]byte, 0, len(glob))
	for i := 0; i < len(glob); i++ {
		c := glob[i]
		if c == '\\' && i+1 < len(glob) {
			if i++; strings.IndexByte("*?[", glob[i]) < 0 {
				c = glob[i]
			} else {
				c = '?'
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// A findPlace is a folder below the one that find starts from, with a slash at
// its end, and a pattern for names in it.
type findPlace struct{ folder, name string }

// places are where a pattern for the whole path finds something below a folder,
// which the path starts with. The * of the pattern crosses slashes.
func places(whole, start string) []findPlace {
	folder, name := pathPattern(whole)
	var out []findPlace
	add := func(folder string) {
		out = append(out, findPlace{folder, name})
		if name == "" || strings.IndexByte(name[1:], '*') < 0 {
			return
		}
		// With a star inside, the beginning may belong to a folder.
		if name[0] == '*' {
			folder += "*/"
		}
		inner := strings.IndexByte(name[1:], '*') + 2
		out = append(out, findPlace{folder + name[:inner] + "/", lastPart(name)})
	}
	if strings.HasPrefix(whole, "*") {
		add(folder)
	}
	for i := range len(folder) {
		if folder[i] == '/' && folder[:i] != "*" && matchStars(strings.ToLower(folder[:i+1]), start) {
			add(folder[i+1:])
		}
	}
	// The star that is not at the very beginning may go on below the start.
	from, glob := max(len(folder), 1), folder+name
	if i := strings.IndexByte(glob[min(from, len(glob)):], '*'); i >= 0 && matchStars(strings.ToLower(glob[:from+i+1]), start) {
		out = append(out, findPlace{"", lastPart(name)})
	}
	return out
}

// lastPart is the last star of a pattern and what stands behind it; without a
// star, all of it.
func lastPart(name string) string { return name[max(strings.LastIndexByte(name, '*'), 0):] }

// pathPattern takes a pattern for a whole path apart. A folder with a * in it
// may stand for several.
func pathPattern(glob string) (folder, name string) {
	glob = questionMarks(glob)
	i := strings.LastIndexByte(glob, '/')
	if i < 0 {
		return "", glob
	}
	parts := strings.Split(glob[:i], "/")
	for j, part := range parts {
		if strings.Contains(part, "*") {
			parts[j] = "*"
		}
	}
	return strings.Join(parts, "/") + "/", glob[i+1:]
}

// regexpGlob is a pattern that matches at least what a regular expression does:
// everything but letters that are there for sure becomes a star.
func regexpGlob(re string) string {
	if strings.ContainsAny(re, "|()") {
		return "*" // a part of it may be missing
	}
	out := make([]byte, 0, len(re))
	for i := 0; i < len(re); i++ {
		c := re[i]
		quoted := c == '\\' && i+1 < len(re)
		if quoted {
			i++
			c = re[i]
		}
		switch {
		case quoted && c == '.', !quoted && (c == '/' || c == '_' || c == '-' || isAlnum(c)):
			out = append(out, c)
		case c == '?' || c == '*' || c == '{': // what stands in front may be missing
			if len(out) > 0 {
				out[len(out)-1] = '*'
			}
			i += max(strings.IndexByte(re[i:], '}'), 0)
		case c == '[' && !quoted:
			out = append(out, '*')
			i += max(bracket(re[i:])-1, 0)
		case c == '^' && i == 0 || c == '$' && i == len(re)-1:
		default:
			out = append(out, '*')
		}
	}
	return collapsed(string(out))
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// collapsed writes each run of stars as one.
func collapsed(glob string) string {
	for strings.Contains(glob, "**") {
		glob = strings.ReplaceAll(glob, "**", "*")
	}
	return glob
}
