package shell

import (
	"path"
	"strings"
)

// Limits of what is asked about the names that a pattern finds.
const (
	maxListed  = 256   // folders and links that are looked at in one analysis
	maxNames   = 10000 // names in one of them
	maxMatches = 64    // links that one pattern finds
)

// A matcher looks for the links among the names that a pattern finds: a path
// that leads through one of them is somewhere else than the pattern says.
type matcher struct {
	w     *walker
	c     *Command
	p     Path
	slash bool // the pattern ends with a slash: a link at its end is followed
	found int
}

// touchMatches touches what is reached through the links that the pattern p
// finds, those that exist and those that the script has made.
func (w *walker) touchMatches(c *Command, p Path, asWritten string) {
	if p.Access == List || p.Deep || !path.IsAbs(asWritten) || !strings.ContainsAny(asWritten, "*?[(") {
		return
	}
	if _, ok := w.at.Machine.(Lister); !ok && len(w.links) == 0 {
		return
	}
	m := matcher{w: w, c: c, p: p, slash: strings.HasSuffix(asWritten, "/")}
	m.walk("/", components(asWritten))
}

func components(p string) []string {
	parts := strings.Split(p, "/")
	out := parts[:0]
	for _, part := range parts {
		if part != "" && part != "." {
			out = append(out, part)
		}
	}
	return out
}

// walk goes on from a folder to what the rest of the pattern finds.
func (m *matcher) walk(folder string, rest []string) {
	for len(rest) > 0 && !strings.ContainsAny(rest[0], "*?[(") {
		folder = m.w.physical(path.Join(folder, rest[0]))
		rest = rest[1:]
	}
	if len(rest) == 0 || folder == "" {
		return
	}
	children, ok := m.children(folder)
	if !ok {
		m.c.doubt(Moderate, "there are too many files to look at: "+m.p.Raw)
		return
	}
	for _, child := range children {
		if !finds(rest[0], child.Name) {
			continue
		}
		at := path.Join(folder, child.Name)
		switch {
		case child.Link != "" && (len(rest) > 1 || m.slash || m.p.Access != Delete):
			m.through(at, rest[1:])
		case child.Dir && len(rest) > 1:
			m.walk(at, rest[1:])
		}
	}
}

// physical follows the links of a path; it counts as a look at a folder.
func (w *walker) physical(p string) string {
	if w.listed >= maxListed {
		return ""
	}
	w.listed++
	return w.walkLinks(p)
}

// through touches what a link leads to. What the pattern finds behind it is not
// looked for: where it stands is enough to judge it.
func (m *matcher) through(at string, rest []string) {
	if m.found++; m.found > maxMatches {
		if m.found == maxMatches+1 {
			m.c.doubt(Dangerous, "there are too many links to follow: "+m.p.Raw)
		}
		return
	}
	p := m.p
	p.Real = m.w.walkLinks(at + "/" + strings.Join(rest, "/"))
	if p.Real == "" || p.Real == p.Abs {
		return
	}
	m.w.addPath(m.c, p)
	m.c.Risk = min(m.c.Risk, m.w.judge(&p))
}

// children are the names in a folder, with the links that the script has made
// there.
func (m *matcher) children(folder string) ([]Child, bool) {
	var out []Child
	if lister, ok := m.w.at.Machine.(Lister); ok {
		if m.w.listed >= maxListed {
			return nil, false
		}
		m.w.listed++
		var err error
		if out, err = lister.ReadDir(folder, maxNames); err == nil && len(out) > maxNames {
			return nil, false
		}
	}
	for _, l := range m.w.links {
		if path.Dir(l.at) == folder {
			out = append(out, Child{path.Base(l.at), Entry{Link: l.to}})
		}
	}
	return out, true
}

// finds reports whether a component of a pattern finds a name. What stands in
// parentheses is taken for anything.
func finds(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	if strings.Contains(pattern, "(") {
		return true
	}
	return matchStars(questionMarks(pattern), name)
}
