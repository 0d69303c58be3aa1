package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
)

// git starts programs that its settings name, whenever somebody uses it: hooks, filters,
// whatever watches files. So nobody inside may change where it finds its settings, which
// is not only .git/config. A file .git of a submodule says where its repository is, and
// git goes there also from above; a file commondir in a repository says that settings and
// hooks are elsewhere; and settings can include files of the workspace, or name a folder
// of it for hooks.

// A gitGuard is what is kept of the settings of repositories.
type gitGuard struct {
	roots []string
	home  string

	held    []string // paths that nobody may change
	barred  []string // paths that are not there, and that nobody may make
	watched []string // those that tools make, which are told
	seen    map[string]bool
}

// How much is looked at: a repository with more is cut there.
const (
	mostRepositories = 500
	mostSettings     = 1 << 20
	mostIndex        = 64 << 20
)

// gitGuards looks at the repositories of folders that can be written.
func gitGuards(roots []string, home string) *gitGuard {
	g := &gitGuard{roots: roots, home: home, seen: map[string]bool{}}
	for _, root := range roots {
		if isCommon(root) {
			g.repository(root, "")
			continue
		}
		g.worktree(root)
	}
	g.held = slices.DeleteFunc(g.held, func(name string) bool { return !g.below(name) })
	quoted := func(list []string) (out []string) {
		for _, name := range list {
			if g.below(name) {
				out = append(out, quoteGlob(name))
			}
		}
		return out
	}
	g.barred, g.watched = quoted(g.barred), quoted(g.watched)
	return g
}

// below reports whether a path is in one of the folders, and not one of them or above.
func (g *gitGuard) below(name string) (in bool) {
	for _, root := range g.roots {
		if name == root || strings.HasPrefix(root, strings.TrimSuffix(name, "/")+"/") {
			return false
		}
		in = in || strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/")
	}
	return in
}

// worktree guards the repository of a folder.
func (g *gitGuard) worktree(dir string) {
	name := filepath.Join(dir, ".git")
	info, err := os.Lstat(name)
	switch {
	case err != nil:
	case info.IsDir():
		g.repository(name, dir)
	case info.Mode().IsRegular():
		g.held = append(g.held, name)
		if to, ok := strings.CutPrefix(gitLine(name), "gitdir: "); ok {
			g.repository(from(dir, to), dir)
		}
	}
}

// repository guards what is in a repository; the folder of its files is empty if it is
// not known.
func (g *gitGuard) repository(dir, worktree string) {
	dir = local.Real(dir)
	if g.seen[dir] || len(g.seen) >= mostRepositories || !isDir(dir) {
		return
	}
	g.seen[dir] = true
	common := filepath.Join(dir, "commondir")
	if to := gitLine(common); to != "" {
		g.held = append(g.held, common)
		g.repository(from(dir, to), worktree)
	} else {
		g.barred = append(g.barred, common)
		g.held = append(g.held, filepath.Join(dir, "config"), filepath.Join(dir, "hooks"))
	}
	for _, name := range []string{"config", "config.worktree"} {
		g.settings(filepath.Join(dir, name), worktree, 0)
	}
	if worktree != "" {
		for _, file := range []string{filepath.Join(g.home, ".gitconfig"), filepath.Join(g.home, ".config/git/config")} {
			g.settings(file, worktree, 0)
		}
	}
	for _, below := range []string{"worktrees", "modules"} {
		g.repositories(filepath.Join(dir, below), moduleDepth)
	}
	g.submodules(dir, worktree)
}

// moduleDepth is how many parts the name of a submodule may have.
const moduleDepth = 4

// repositories guards those that a repository has in itself: one for each worktree, and
// one for each submodule, whose name may have several parts.
func (g *gitGuard) repositories(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil || depth == 0 {
		return // there are none
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(filepath.Join(name, "HEAD")); err == nil {
			g.repository(name, "")
		} else if e.IsDir() {
			g.repositories(name, depth-1)
		}
	}
}

// submodules guards the repositories that one knows as parts of itself: git goes there
// whenever it looks what has changed.
func (g *gitGuard) submodules(dir, worktree string) {
	if worktree == "" {
		return
	}
	if _, err := os.Lstat(filepath.Join(worktree, ".gitmodules")); err != nil {
		return // most have none, and the index may be large
	}
	for _, name := range gitLinks(dir) {
		sub := filepath.Join(worktree, name)
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			g.watched = append(g.watched, filepath.Join(sub, ".git")) // git submodule update makes it
		}
		g.worktree(sub)
	}
}

// includeDepth is how deep settings may include others; git itself ends at ten.
const includeDepth = 10

// settings guards what a file of settings leads to.
func (g *gitGuard) settings(file, worktree string, depth int) {
	text, err := local.Machine{}.ReadFile(file, mostSettings)
	if err != nil || depth > includeDepth {
		return // there is none
	}
	if depth > 0 || strings.HasSuffix(file, ".worktree") {
		g.held = append(g.held, file)
	}
	for _, s := range readGitSettings(string(text)) {
		switch {
		case s.value == "":
		case (s.section == "include" || s.section == "includeif") && s.key == "path":
			name := g.path(filepath.Dir(file), s.value)
			if _, err := os.Lstat(name); err != nil {
				g.barred = append(g.barred, name)
			}
			g.settings(name, worktree, depth+1)
		case s.section == "core" && s.key == "hookspath" && (worktree != "" || filepath.IsAbs(s.value)):
			name := g.path(worktree, s.value)
			if _, err := os.Lstat(name); err != nil {
				g.watched = append(g.watched, name) // what is to make them makes it
			} else {
				g.held = append(g.held, name)
			}
		}
	}
}

// path is where a path of the settings leads.
func (g *gitGuard) path(dir, name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && g.home != "" {
		return filepath.Join(g.home, rest)
	}
	return from(dir, name)
}

// from is a path as it is seen from a folder.
func from(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// gitLine is the one line of a file; empty: there is no such file.
func gitLine(name string) string {
	text, err := local.Machine{}.ReadFile(name, 4<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// newParts are the repositories that a command has made part of the one in the
// workspace: git goes there from above, and does what their settings say. Those that were
// there before are guarded.
func newParts(c *sayso.Contract, began time.Time) (out []string) {
	if c == nil {
		return nil // nothing was run
	}
	for _, root := range c.Write {
		dir := filepath.Join(root, ".git")
		if to, ok := strings.CutPrefix(gitLine(dir), "gitdir: "); ok {
			dir = from(root, to)
		}
		if !touchedSince(filepath.Join(dir, "index"), began) {
			continue
		}
		for _, name := range gitLinks(dir) {
			part := filepath.Join(root, name, ".git")
			guarded := slices.ContainsFunc(c.Protected, func(p string) bool { return p == part || strings.HasPrefix(p, part+"/") })
			if _, err := os.Lstat(part); err == nil && !guarded && !slices.Contains(c.Watched, quoteGlob(part)) {
				out = append(out, part)
			}
		}
	}
	return out
}
