package sayso

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// A pathPattern matches files by a glob and by what is done to them.
type pathPattern struct {
	glob    glob.Glob
	folded  glob.Glob // without regard to case, for rules that deny or ask
	base    pathBase
	ways    []shell.Access // that a rule which denies or asks is about
	covered []shell.Access // that a rule which allows covers
}

// pathBase is what a pattern is relative to.
type pathBase uint8

const (
	toWorkspace pathBase = iota
	toHome
	toRoot
)

var (
	readWays   = []shell.Access{shell.Read}
	editWays   = []shell.Access{shell.Write, shell.Change, shell.Delete}
	deleteWays = []shell.Access{shell.Delete}
)

func compilePath(pattern string, ways, covered []shell.Access) (*pathPattern, string, string) {
	m := &pathPattern{ways: ways, covered: covered}
	switch {
	case strings.HasPrefix(pattern, "//"):
		m.base, pattern = toRoot, pattern[1:]
	case strings.HasPrefix(pattern, "~/"):
		m.base, pattern = toHome, pattern[2:]
	case strings.HasPrefix(pattern, "/"):
		return nil, "a path pattern is relative to the workspace", "/" + pattern + " for the absolute path, " + pattern[1:] + " for one in the workspace"
	}
	pattern = strings.TrimPrefix(pattern, "./")
	var err error
	if m.glob, err = glob.Compile(pattern); err != nil {
		return nil, err.Error(), ""
	}
	m.folded, _ = glob.Compile(fspath.Fold(pattern), glob.Fold) // where it does not compile, the other one still counts
	return m, "", ""
}

// any reports whether a file that the part touches may be meant, in any of its
// spellings.
func (m *pathPattern) any(c *Case, p *Part) bool {
	for i := range p.Paths {
		touched := &p.Paths[i]
		if !has(m.ways, touched.Access) {
			continue
		}
		for _, abs := range [...]string{touched.Abs, touched.Real} {
			if abs != "" && m.mayMatch(c, touched, abs) {
				return true
			}
		}
	}
	return false
}

func (m *pathPattern) mayMatch(c *Case, touched *shell.Path, abs string) bool {
	var buffer [4]string
	for _, name := range m.names(buffer[:0], c, abs, true) {
		switch {
		case touched.Deep:
			if m.folded.Overlaps(anyDepth(name)) {
				return true
			}
		case touched.Glob:
			if m.folded.Overlaps(name) {
				return true
			}
		case m.glob.Match(name) || m.folded.Match(name) || m.folded.Match(fspath.Fold(name)):
			return true
		}
		if prefix := m.glob.Prefix(); touched.Recursive && prefix != "" && (name == "." || fspath.Within("/"+prefix, path.Join("/", name))) {
			return true // everything below it is touched
		}
	}
	return false
}

// mayBeBelow reports whether the pattern, which does not start with a folder, may
// mean a file below a folder that is read as a whole.
func (m *pathPattern) mayBeBelow(c *Case, p *Part) bool {
	if !has(m.ways, shell.Read) {
		return false
	}
	for i := range p.Paths {
		touched := &p.Paths[i]
		if touched.Access != shell.Read || !touched.Recursive || touched.Glob || touched.Deep || touched.Abs == "" {
			continue
		}
		var buffer [4]string
		for _, name := range m.names(buffer[:0], c, touched.Abs, true) {
			if m.folded.Overlaps(path.Join(glob.Escape(name), "**")) {
				return true
			}
		}
	}
	return false
}

// covers reports whether every file that the part touches is meant, as written
// and with links followed. A command is never covered by its files: it may do
// more than touch them.
func (m *pathPattern) covers(c *Case, p *Part) bool {
	if p.Command != nil || len(p.Paths) == 0 {
		return false
	}
	for i := range p.Paths {
		touched := &p.Paths[i]
		if !has(m.covered, touched.Access) || touched.Abs == "" || !m.surely(c, touched, touched.Abs) {
			return false
		}
		if touched.Real != "" && !m.surely(c, touched, touched.Real) {
			return false
		}
	}
	return true
}

func (m *pathPattern) surely(c *Case, touched *shell.Path, abs string) bool {
	var buffer [4]string
	for _, name := range m.names(buffer[:0], c, abs, false) {
		if touched.Deep {
			name = anyDepth(name)
		}
		if touched.Glob && m.glob.Covers(name) || !touched.Glob && m.glob.Match(name) {
			return !touched.Recursive || m.glob.Match(name+"/x/x")
		}
	}
	return false
}

// anyDepth is the pattern for a name at any depth below its folder.
func anyDepth(name string) string {
	dir, base := path.Split(name)
	return dir + "**/" + base
}

// names appends the absolute path as the pattern would have it: relative to
// each root of the workspace, to the home folder, or whole. Loose adds, for a
// pattern that starts with **/, paths outside of the workspace.
func (m *pathPattern) names(out []string, c *Case, abs string, loose bool) []string {
	switch m.base {
	case toRoot:
		return append(out, abs)
	case toHome:
		if name, ok := below(abs, c.Call.Home); ok {
			out = append(out, name)
		}
		return out
	}
	for _, root := range c.Facts.Place.Workspace {
		if name, ok := below(abs, root); ok {
			out = append(out, name)
		}
	}
	if len(out) == 0 && loose && strings.HasPrefix(m.glob.String(), "**") {
		out = append(out, strings.TrimPrefix(abs, "/"))
	}
	return out
}

// below returns a path relative to a folder that it is in. Both are clean but
// for a slash at the end of the folder.
func below(abs, root string) (string, bool) {
	if root == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(root, "/"))
	switch {
	case !ok || rest != "" && rest[0] != '/':
		return "", false
	case len(rest) <= 1:
		return ".", true
	}
	return rest[1:], true
}

func has(ways []shell.Access, a shell.Access) bool {
	for _, w := range ways {
		if w == a {
			return true
		}
	}
	return false
}
