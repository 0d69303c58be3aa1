package preset

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// dangerousFiles are the last components of the files that AgentScope protects.
var dangerousFiles = []string{
	".bashrc", ".zshrc", ".bash_profile", ".profile",
	".gitconfig", ".gitmodules",
	".ssh/config", ".ssh/authorized_keys", "id_rsa", "id_ed25519",
	".env", ".env.local", ".npmrc", ".pypirc", ".aws/credentials",
}

// dangerousFolders are protected with all that is in them.
var dangerousFolders = []string{".git", ".ssh", ".claude", ".vscode", ".aws", ".kube"}

// checkFile is the permission check of Write and Edit.
func (a *agentScope) checkFile(c *sayso.Case, edits bool) sayso.Verdict {
	inside := edits
	dirs := a.directories(c)
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if name := dangerous(p); name != "" {
			return sayso.Decide(sayso.Ask, "safety.path", "Safety check: it changes a dangerous path: "+name).Immune()
		}
		inside = inside && len(p.Paths) > 0 && len(p.Opaque) == 0 && allInside(p, dirs)
	}
	if inside {
		return sayso.Decide(sayso.Allow, "tool.accept_edits", "it is in a working directory")
	}
	return sayso.Pass()
}

// dangerous returns a protected path that the part touches, in whatever way;
// empty: none.
func dangerous(p *sayso.Part) string {
	for _, touched := range p.Paths {
		for _, abs := range meanings(touched) {
			if protected(fspath.Fold(abs), touched.Glob) {
				return shell.Shown(touched.Raw)
			}
		}
	}
	return ""
}

// protected reports whether a folded path is one of the dangerous ones, or a
// pattern that may stand for one.
func protected(abs string, pattern bool) bool {
	parts := strings.Split(strings.Trim(abs, "/"), "/")
	for _, part := range parts {
		for _, folder := range dangerousFolders {
			if named(part, folder, pattern) {
				return true
			}
		}
	}
	for _, file := range dangerousFiles {
		names := strings.Split(file, "/")
		if len(names) > len(parts) {
			continue
		}
		last := parts[len(parts)-len(names):]
		if slices.EqualFunc(last, names, func(part, name string) bool { return named(part, name, pattern) }) {
			return true
		}
	}
	return false
}

// named reports whether a component of a path is a name, or a pattern for it. As
// in the shell a * does not stand for the dot of a hidden file; and one that
// stands for everything is not said to mean this name.
func named(part, name string, pattern bool) bool {
	if !pattern || !strings.ContainsAny(part, "*?[{(") {
		return part == name
	}
	if strings.Trim(part, "*?") == "" || name[0] == '.' && (part[0] == '*' || part[0] == '?') {
		return false
	}
	g, err := glob.Compile(part, glob.Fold)
	return err != nil || g.Overlaps(name) || g.Match(name)
}

// directories are the working directories of a call, with links followed. One
// that cannot be resolved is none.
func (a *agentScope) directories(c *sayso.Case) []string {
	return resolveAll(a.dirs, c.Call.Root, c.Facts.Place.Home, c.Facts.Place.Machine)
}

// allInside reports whether every path of the part leads into one of the
// folders.
func allInside(p *sayso.Part, dirs []string) bool {
	for _, touched := range p.Paths {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return leadsInto(touched, dir) }) {
			return false
		}
	}
	return true
}

// leadsInto reports whether a path, with links followed, is in a folder. The
// folder itself is in it unless it is to be removed. What a pattern stands for
// may be a link: so a * counts only in the last component.
func leadsInto(p shell.Path, dir string) bool {
	real := p.Abs
	if p.Real != "" {
		real = p.Real
	}
	if real == "" || p.Glob && strings.ContainsAny(path.Dir(real), "*?[{(") {
		return false
	}
	return fspath.Within(real, dir) && (real != dir || p.Access != shell.Delete)
}
