package shell

import "strings"

// secret reports whether p is known to hold a secret, or is a pattern that finds
// one.
func (w *walker) secret(p string, glob bool) bool { return w.secretMeaning(p, glob, false) >= included }

// secretMeaning says how sure it is that reading p reveals a secret. Case does
// not count: some file systems do not tell .ENV from .env, and the tables are
// written in lower case.
func (w *walker) secretMeaning(p string, glob, deep bool) meaning {
	if p == "" {
		return notMeant
	}
	lower, home := strings.ToLower(p), w.at.Home
	if lower != p {
		home = strings.ToLower(home)
	}
	out := notMeant
	if isPattern(lower, glob, deep) {
		out = pathsSecret.meaning(questionMarks(lower), home, deep)
	} else if pathsSecret.match(lower, home) {
		out = meant
	}
	switch {
	case out == notMeant || !pathsHarmless.match(lower, home):
		return out
	case pathsPrivate.match(lower, home):
		return possible
	}
	return notMeant
}

// isPattern reports whether p stands for paths that match it.
func isPattern(p string, glob, deep bool) bool {
	return deep || glob && strings.ContainsAny(p, "*?[")
}

// holdsSecrets reports whether somewhere below the folder p, which may be a
// pattern, there are places for secrets: the home folder and what contains it,
// and every folder around a path that the tables name.
func (w *walker) holdsSecrets(p string) bool {
	if p == "" || w.inWorkspace(p) {
		return false
	}
	p, home := strings.ToLower(p), strings.ToLower(w.at.Home)
	if home != "" && within(home, p) {
		return true
	}
	return pathsSecret.below(questionMarks(p), home)
}

// A hint is a pattern for a name, prepared to be compared with many.
type hint struct {
	glob    string // with ? for [abc]
	plain   bool   // no pattern at all
	written int    // letters in front of the first * or ?
	letters int    // all that are written out
	tail    string // what is written out at its end
	last    byte   // the last letter of that
	dot     int    // where its extension starts, -1 without one
	stem    int    // letters in front of that
	openExt bool   // the extension is not written out
}

func hintOf(glob string) hint {
	h := hint{glob: questionMarks(glob)}
	h.written = strings.IndexAny(h.glob, "*?")
	h.plain = h.written < 0
	h.letters = lettersIn(h.glob)
	last := strings.LastIndexAny(h.glob, "*?")
	if h.tail = h.glob[last+1:]; h.tail != "" {
		h.last = h.tail[len(h.tail)-1]
	}
	h.dot = strings.LastIndexByte(h.glob, '.')
	h.openExt = last > h.dot
	if h.dot > 0 {
		h.stem = lettersIn(h.glob[:h.dot])
	}
	return h
}

func lettersIn(glob string) int {
	return len(glob) - strings.Count(glob, "*") - strings.Count(glob, "?")
}

// means says whether the pattern is meant to find name: it matches it, and the
// beginning or half of the name is written out, not counting an extension that
// both have. *.json is no pattern for auth.json, but a*th.json is. A dot and
// nothing else may find any of the hidden files.
func (h *hint) means(name string, deep bool) meaning {
	switch {
	case h.plain && h.glob == name:
		return meant
	case h.plain || !strings.HasSuffix(name, h.tail) || hidden(h.glob, name, deep) || !matchStars(h.glob, name):
		return notMeant
	case h.enough(name, false):
		return meant
	case h.glob[0] == '.' && (h.letters == 1 || h.dot > 0 && h.stem == 1):
		return possible
	}
	return notMeant
}

// enough reports whether as much is written out as means asks for; of the name
// of a folder, half. *config* has half of kubeconfig, but not its beginning.
func (h *hint) enough(name string, folder bool) bool {
	letters := h.letters
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && h.dot > 0 && matchStars(h.glob[h.dot:], name[dot:]) {
		name, letters = name[:dot], h.stem
	}
	switch {
	case 2*letters >= len(name):
		return h.written > 0 || name[0] == '.' || 3*letters >= 2*len(name) || strings.HasPrefix(name, h.firstRun())
	case folder:
		return false
	}
	return h.written >= 2 && strings.HasPrefix(name, h.glob[:min(h.written, len(name))])
}

// firstRun is what is written out behind the stars in front.
func (h *hint) firstRun() string {
	run := strings.TrimLeft(h.glob, "*?")
	if i := strings.IndexAny(run, "*?"); i >= 0 {
		run = run[:i]
	}
	return run
}

// meansEnding reports whether a pattern such as *.p?m or *pem is meant to find
// the names with an ending.
func (h *hint) meansEnding(ending string) bool {
	if h.dot < 0 {
		return h.tail == ending[1:]
	}
	x := h.glob[h.dot:]
	letters := lettersIn(x) - 1
	return letters >= 2 && 2*letters >= len(ending)-1 && letters+1 < len(x) && matchStars(x, ending)
}

// endsLike rules out patterns of the tables by the end of both.
func (h *hint) endsLike(glob string) bool {
	end := glob[strings.LastIndexByte(glob, '*')+1:]
	return strings.HasSuffix(end, h.tail) || strings.HasSuffix(h.tail, end)
}

// meansGlob reports whether the pattern is meant to find what a pattern of the
// tables stands for.
func (h *hint) meansGlob(glob string, deep bool) bool {
	name := strings.ReplaceAll(glob, "*", "")
	if h.means(name, deep) == meant {
		return true
	}
	stem, _, _ := strings.Cut(name[1:], ".")
	return glob[0] != '*' && 2*h.written > len(stem) && meet(h.glob, glob)
}

func means(glob, name string) bool {
	h := hintOf(glob)
	return h.means(name, false) == meant
}

// questionMarks replaces [abc] by ?, which matches at least as much, but for a
// bracket in front of a dot file.
func questionMarks(glob string) string {
	for from := 0; ; {
		i := strings.IndexByte(glob[from:], '[')
		if i < 0 {
			return glob
		}
		i += from
		if strings.IndexByte(glob[i:], ']') < 0 {
			return glob
		}
		if n := bracket(glob[i:]); n > 0 {
			glob = glob[:i] + "?" + glob[i+n:]
		}
		from = i + 1
	}
}

// bracket is the length of the bracket expression at the start of s, 0 if it is
// none. A ] in front, and [:alpha:] and its like, do not end it.
func bracket(s string) int {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s) && s[i] != '/'; i++ {
		switch {
		case s[i] == ']':
			return i + 1
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			if end := strings.Index(s[i+2:], s[i+1:i+2]+"]"); end >= 0 {
				i += end + 3
			}
		}
	}
	return 0
}
