package preset

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// A kosmoPath is one of blocked_paths.
type kosmoPath struct {
	text string
	glob wildcard
	home wildcard // what stands behind ~/, or nil
}

func compileKosmoPath(text string) kosmoPath {
	b := kosmoPath{text: text, glob: compileWildcard(fspath.Fold(text))}
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		b.home = compileWildcard(fspath.Fold(rest))
	}
	return b
}

// blockedPath denies calls of tools that take a path which is blocked: as it was
// written or with links followed, the whole of it or its last part.
func (k *kosmo) blockedPath() sayso.Stage {
	return sayso.Func("blocked_path", func(c *sayso.Case) sayso.Verdict {
		if kosmoShell(c) {
			return sayso.Pass() // a command has no path argument
		}
		for i := range c.Facts.Parts {
			for _, touched := range c.Facts.Parts[i].Paths {
				for j := range k.paths {
					if b := &k.paths[j]; b.blocks(c, &touched) {
						return sayso.Decide(sayso.Deny, "kosmokrator.blocked_path",
							fmt.Sprintf("the path %s matches blocked pattern '%s'", shell.Shown(touched.Raw), b.text))
					}
				}
			}
		}
		return sayso.Pass()
	})
}

// kosmoShell reports whether the call is a command line.
func kosmoShell(c *sayso.Case) bool {
	return len(c.Facts.Lines) > 0 || slices.Contains(kosmoShellTools, c.Tool())
}

// blocks reports whether a path matches in any of its spellings. Upper and lower
// case are the same, because they are on some file systems.
func (b *kosmoPath) blocks(c *sayso.Case, touched *shell.Path) bool {
	for _, name := range kosmoSpellings(c, touched) {
		if folded := fspath.Fold(name); b.glob.match(folded) || b.glob.match(path.Base(folded)) {
			return true
		}
	}
	if b.home == nil || c.Call.Home == "" {
		return false
	}
	for _, abs := range [...]string{touched.Abs, touched.Real} {
		if rest, ok := kosmoBelow(abs, c.Call.Home); ok && b.home.match(fspath.Fold(rest)) {
			return true
		}
	}
	return false
}

// kosmoSpellings are the texts for which a pattern may be written: the path as
// the call has it, absolute, with links followed, and those below the project
// and below the folder of the call as seen from there. A folder whose content is
// looked at also has a slash at its end.
func kosmoSpellings(c *sayso.Case, touched *shell.Path) []string {
	names := []string{touched.Raw, path.Clean(touched.Raw)}
	for _, abs := range [...]string{touched.Abs, touched.Real} {
		if abs == "" {
			continue
		}
		names = append(names, abs)
		for _, root := range append([]string{c.Facts.Place.Dir}, c.Facts.Place.Workspace...) {
			if rest, ok := kosmoBelow(abs, root); ok {
				names = append(names, rest)
			}
		}
	}
	if touched.Recursive || touched.Access == shell.List {
		for _, name := range names[:len(names):len(names)] {
			names = append(names, strings.TrimSuffix(name, "/")+"/")
		}
	}
	return names
}

// kosmoBelow returns a path as seen from a folder above it.
func kosmoBelow(abs, folder string) (string, bool) {
	rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(path.Clean(folder), "/")+"/")
	return rest, ok && rest != ""
}

// projectBoundary asks about files outside of the project, to read them too.
func (k *kosmo) projectBoundary(mode string) sayso.Stage {
	return sayso.Func("project_boundary", func(c *sayso.Case) sayso.Verdict {
		if mode == Prometheus || !slices.Contains(kosmoFileTools, c.Tool()) {
			return sayso.Pass()
		}
		if name, out := k.outside(c); out {
			return sayso.Decide(sayso.Ask, "kosmokrator.boundary", "the path "+shell.Shown(name)+" is outside the project root")
		}
		return sayso.Pass()
	})
}

// outside returns the first path of the call that is, with links followed,
// neither in the project nor below an allowed path. One that is a guess counts
// as outside.
func (k *kosmo) outside(c *sayso.Case) (name string, out bool) {
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		for _, touched := range p.Paths {
			real := touched.Real
			if real == "" {
				real = touched.Abs
			}
			if real == "" || len(p.Opaque) > 0 || !c.Facts.Place.Inside(real) && !k.isAllowed(real) {
				return touched.Raw, true
			}
		}
	}
	return "", false
}

func (k *kosmo) isAllowed(abs string) bool {
	for _, folder := range k.allowed {
		if fspath.Within(abs, folder) {
			return true
		}
	}
	return false
}
