package shell

import (
	"path"
	"strings"
)

// secret reports whether p is known to hold a secret, or may match one.
func (w *walker) secret(p string, glob bool) bool {
	if p == "" {
		return false
	}
	if glob && strings.ContainsAny(p, "*?[") {
		return w.globSecret(p)
	}
	if pathsSecret.match(p, w.at.Home) {
		return !pathsHarmless.match(p, w.at.Home)
	}
	// A file system that does not tell .ENV from .env.
	lower := strings.ToLower(p)
	return lower != p && pathsSecret.match(lower, strings.ToLower(w.at.Home)) && !pathsHarmless.match(lower, strings.ToLower(w.at.Home))
}

// globSecret reports whether a pattern names a secret: enough of it is written
// out to tell which file is meant.
func (w *walker) globSecret(p string) bool {
	if pathsSecret.match(p, w.at.Home) {
		return true
	}
	base := hintOf(path.Base(p))
	for _, name := range pathsSecret.names {
		if base.means(name) {
			return true
		}
	}
	for _, r := range pathsSecret.rooted {
		if startsAlike(p[1:], r[1:]) && meansPath(p, r) {
			return true
		}
	}
	if tail, ok := strings.CutPrefix(p, w.at.Home+"/"); ok && w.at.Home != "" {
		for _, h := range pathsSecret.dotHome {
			if startsAlike(tail, h) && meansPath(tail, h) {
				return true
			}
		}
	}
	return false
}

// startsAlike rules out most patterns by their first letter.
func startsAlike(glob, pattern string) bool {
	return glob != "" && pattern != "" && (glob[0] == pattern[0] || glob[0] == '*' || glob[0] == '?' || glob[0] == '[')
}

// A hint is a pattern, prepared to be compared with many names.
type hint struct {
	glob    string // with ? for [abc]
	plain   bool   // no pattern at all
	written int    // letters in front of the first * or ?
	letters int    // all that are written out
}

func hintOf(glob string) hint {
	h := hint{glob: questionMarks(glob)}
	h.written = strings.IndexAny(h.glob, "*?")
	h.plain = h.written < 0
	h.letters = len(h.glob) - strings.Count(h.glob, "*") - strings.Count(h.glob, "?")
	return h
}

// means reports whether the pattern is meant to find name: it may match it, and
// its beginning or half of it is written out.
func (h *hint) means(name string) bool {
	if h.plain {
		return h.glob == name
	}
	if h.written < 2 && 2*h.letters < len(name) || !strings.HasPrefix(name, h.glob[:h.written]) {
		return false
	}
	return (name[0] != '.' || h.glob[0] == '.') && matchStars(h.glob, name)
}

func means(glob, name string) bool {
	h := hintOf(glob)
	return glob == name || h.means(name)
}

// questionMarks replaces [abc] by ?, which matches at least as much, but for a
// bracket in front of a dot file.
func questionMarks(glob string) string {
	for {
		i := strings.IndexByte(glob, '[')
		if i < 0 {
			return glob
		}
		j := strings.IndexByte(glob[i+1:], ']')
		if j < 0 {
			return glob
		}
		glob = glob[:i] + "?" + glob[i+j+2:]
	}
}

// meansPath is means, component by component; pattern is one of the tables.
func meansPath(glob, pattern string) bool {
	for first := true; ; first = false {
		part, restPattern, morePattern := strings.Cut(pattern, "/")
		have, restGlob, moreGlob := strings.Cut(glob, "/")
		if part == "**" {
			return !first
		}
		if strings.ContainsAny(part, "*?") || !means(have, part) && !(have == ".*" && strings.HasPrefix(part, ".")) {
			return false
		}
		if morePattern != moreGlob {
			return false
		}
		if !morePattern {
			return true
		}
		glob, pattern = restGlob, restPattern
	}
}

// holdsSecrets reports whether somewhere below the folder p there are places
// for secrets: the home folder and what contains it.
func (w *walker) holdsSecrets(p string) bool {
	if p == "" {
		return false
	}
	if w.at.Home != "" && within(w.at.Home, p) {
		for _, root := range w.at.Workspace {
			if within(p, root) {
				return false
			}
		}
		return true
	}
	return p == "/root" || p == "/etc" || p == "/home" || p == "/Users"
}
