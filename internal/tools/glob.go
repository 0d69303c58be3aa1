package tools

import "strings"

// A glob is a pattern for the names of files.
type glob struct {
	pattern string
	read    bool // what matches is read
}

// reach adds the folders that patterns for names lead to. A pattern below the
// folder it is used in adds nothing to that folder.
func (r *reader) reach() {
	var base []Path
	for _, p := range r.in.Paths {
		if p.Access == Lists {
			base = append(base, p)
		}
	}
	for _, g := range r.globs {
		access := Lists
		if g.read {
			access = Searches
		}
		dir := leads(g.pattern)
		switch {
		case dir == "" && access == Searches:
			r.in.Paths = append(r.in.Paths, Path{".", access, g.pattern})
		case dir == "":
		case len(base) == 0 || dir[0] == '/' || dir[0] == '~' || isDrive(dir):
			r.path("", dir, access)
		default:
			for _, b := range base {
				r.path("", strings.TrimSuffix(b.Path, "/")+"/"+dir, access)
			}
		}
	}
}

// filter narrows what is searched to the files that the patterns for names mean.
// One that says what to leave out narrows nothing.
func (r *reader) filter() {
	if len(r.filters) == 0 {
		return
	}
	var out []Path
	for _, p := range r.in.Paths {
		if p.Access != Searches {
			out = append(out, p)
			continue
		}
		for _, names := range r.filters {
			if strings.HasPrefix(names, "!") {
				names = ""
			}
			p.Names = names
			out = append(out, p)
		}
	}
	r.in.Paths = out
}

// leads returns the folder that a pattern leads to, if that may be outside of the
// one it is used in. It is "/" where that cannot be said.
func leads(pattern string) string {
	i := strings.IndexAny(pattern, `*?[{(!@+\`)
	fixed, rest := pattern, ""
	if i >= 0 {
		fixed, rest = pattern[:i], pattern[i:]
	}
	last := fixed[strings.LastIndexByte(fixed, '/')+1:]
	if escapes(rest) || rest != "" && (last == ".." || last == "." && (rest[0] == '?' || rest[0] == '[')) {
		return "/"
	}
	if rest != "" {
		fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
	}
	switch {
	case fixed == "":
		return ""
	case fixed[0] == '/', fixed[0] == '~', isDrive(fixed), hasDots(fixed):
		return fixed
	}
	return ""
}

// escapes reports whether the part of a pattern that is no plain text could stand
// for .. or for something absolute: {/etc,x}, [.][.]/x, \.\./x, @(..)/x.
func escapes(rest string) bool {
	if strings.Contains(rest, "..") || strings.Contains(rest, `\`) {
		return true
	}
	for i := range len(rest) {
		switch rest[i] {
		case '{', ',', '(', '|':
			if i+1 < len(rest) && (rest[i+1] == '/' || rest[i+1] == '~' || rest[i+1] == '.' && !plainDot(rest[i+2:])) {
				return true
			}
		case '[':
			if end := strings.IndexByte(rest[i:], ']'); end < 0 || strings.ContainsAny(rest[i:i+end], "./") {
				return true
			}
		}
	}
	return false
}

// plainDot reports whether the dot before s starts the name of something: .ts, and
// not . with another one behind it.
func plainDot(s string) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

func hasDots(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// isDrive reports whether path starts with the letter of a drive.
func isDrive(path string) bool {
	return len(path) > 1 && path[1] == ':'
}
