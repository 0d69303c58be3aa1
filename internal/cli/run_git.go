package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
)

// git starts programs that its settings name, whenever somebody uses it: hooks, filters,
// whatever watches files. So nobody inside may change where it finds its settings, which
// is not only .git/config. A file .git of a submodule says where its repository is, and
// git goes there also from above; a file commondir in a repository says that settings and
// hooks are elsewhere; and settings can include files of the workspace, or name a folder
// of it for hooks.

// A gitGuard is what is kept of the settings of repositories.
type gitGuard struct {
	c     *sayso.Contract // with the patterns for every workspace
	roots []string
	home  string

	held    []string // paths that nobody may change
	barred  []string // paths that are not there, and that nobody may make
	watched []string // those that tools make, which are told
	open    []string // what is not guarded, and why

	seen      map[gitPlace]bool
	known     map[string]bool // the repositories of those
	found     map[string]bool // those for which patterns of the contract name settings and hooks
	nested    bool            // it is at one of those
	worktrees []string        // folders that have a repository
}

// A gitPlace is a repository and the folder of its files, which is empty if it is not
// known.
type gitPlace struct{ dir, worktree string }

// How much is looked at: a repository with more is cut there.
const (
	mostRepositories = 500
	mostSettings     = 1 << 20
	mostIndex        = 64 << 20
)

// gitGuards looks at the repositories of folders that can be written, and at those that
// lie somewhere in them.
func gitGuards(c *sayso.Contract, home string, sight *sandbox.Lookout) *gitGuard {
	g := &gitGuard{c: c, roots: c.Write, home: home, seen: map[gitPlace]bool{}, known: map[string]bool{}, found: map[string]bool{}}
	for _, root := range g.roots {
		if isCommon(root) {
			g.repository(root, "")
			continue
		}
		g.worktree(root)
	}
	g.below(sight)
	g.held = slices.DeleteFunc(g.held, func(name string) bool { return !g.within(name) })
	quoted := func(list []string) (out []string) {
		for _, name := range list {
			if g.within(name) {
				out = append(out, quoteGlob(name))
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	g.barred, g.watched = quoted(g.barred), quoted(g.watched)
	return g
}

// below guards the repositories that lie in folders which are looked into for what the
// contract bars: where those end, a report tells it.
func (g *gitGuard) below(sight *sandbox.Lookout) {
	all := *g.c
	all.Protected = slices.DeleteFunc(slices.Clone(all.Protected), func(name string) bool { return filepath.Base(name) == ".git" }) // else it would not be told
	all.Barred = slices.Concat(all.Barred, patternsIn(g.roots, below([]string{".git"})))
	there := slices.DeleteFunc(sight.There(all), func(name string) bool { return filepath.Base(name) != ".git" })
	for _, name := range there {
		g.found[name] = !g.known[name]
	}
	g.nested = true
	for _, name := range there {
		info, err := os.Lstat(name)
		_, headless := os.Lstat(filepath.Join(name, "HEAD"))
		switch {
		case err != nil || info.IsDir() && headless != nil: // it is none
		case isLink(name):
			g.open = append(g.open, name+" is a link")
		default:
			g.worktree(filepath.Dir(name))
		}
	}
}

// hold notes what nobody may change. A link at the top ends it: the command is not run.
func (g *gitGuard) hold(name string) {
	if g.nested {
		g.holdLinked(name)
		return
	}
	g.held = append(g.held, name)
}

// holdLinked does the same for what may be a link, which is put back if the command
// changes it. One further up cannot be held: much more than this is behind it.
func (g *gitGuard) holdLinked(name string) {
	real := local.Real(name)
	inPlace := local.Real(filepath.Dir(name)) == filepath.Dir(name)
	told := slices.ContainsFunc(g.c.Watched, func(pattern string) bool { // so it would not be put back
		named, err := g.c.Matches(pattern, name)
		return named || err != nil
	})
	switch {
	case real == name, !g.within(name):
		g.held = append(g.held, real)
	case isLink(name) && inPlace && !told && !g.holdsRoot(real):
		g.barred = append(g.barred, name)
	default:
		g.held = append(g.held, real)
		g.open = append(g.open, name+" is reached through a link")
	}
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// holdsRoot reports whether a path is one of the folders, or above one.
func (g *gitGuard) holdsRoot(name string) bool {
	return slices.ContainsFunc(g.roots, func(root string) bool { return isOrAbove(name, root) })
}

// isOrAbove reports whether a path is another one, or a folder above it.
func isOrAbove(name, other string) bool {
	return name == other || strings.HasPrefix(other, strings.TrimSuffix(name, "/")+"/")
}

// within reports whether a path is in one of the folders, and not one of them or above.
func (g *gitGuard) within(name string) bool {
	return !g.holdsRoot(name) && g.writable(name)
}

// writable reports whether a path is in one of the folders, or one of them.
func (g *gitGuard) writable(name string) bool {
	return slices.ContainsFunc(g.roots, func(root string) bool { return isOrAbove(root, name) })
}

// worktree guards the repository of a folder.
func (g *gitGuard) worktree(dir string) {
	name := filepath.Join(dir, ".git")
	info, err := os.Lstat(name)
	switch {
	case err != nil:
	case info.IsDir():
		g.worktrees = append(g.worktrees, dir)
		g.repository(name, dir)
	case info.Mode().IsRegular():
		g.worktrees = append(g.worktrees, dir)
		g.hold(name)
		if to, ok := strings.CutPrefix(gitLine(name), "gitdir: "); ok {
			g.repository(from(dir, to), dir)
		}
	}
}

// repository guards what is in a repository; the folder of its files is empty if it is
// not known.
func (g *gitGuard) repository(dir, worktree string) {
	dir = local.Real(dir)
	at := gitPlace{dir, worktree}
	switch {
	case g.seen[at] || worktree == "" && g.known[dir] || !isDir(dir):
		return
	case len(g.seen) >= mostRepositories:
		g.open = append(g.open, fmt.Sprintf("%s comes after the first %d", dir, mostRepositories))
		return
	}
	g.seen[at], g.known[dir] = true, true
	common := filepath.Join(dir, "commondir")
	if to := gitLine(common); to != "" {
		g.hold(common)
		g.repository(from(dir, to), worktree)
	} else if !g.found[dir] {
		g.barred = append(g.barred, common)
		g.hold(filepath.Join(dir, "config"))
		g.hold(filepath.Join(dir, "hooks"))
	}
	if name := filepath.Join(dir, "info/attributes"); isThere(name) {
		g.hold(name)
	}
	for _, name := range []string{"config", "config.worktree"} {
		g.settings(filepath.Join(dir, name), worktree, 0)
	}
	if worktree != "" {
		for _, file := range []string{filepath.Join(g.home, ".gitconfig"), filepath.Join(g.home, ".config/git/config")} {
			g.settings(file, worktree, 0)
		}
	}
	g.submodules(dir, worktree) // these first: of the others the folder is not known
	for _, below := range []string{"worktrees", "modules"} {
		g.repositories(filepath.Join(dir, below), moduleDepth)
	}
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// moduleDepth is how many parts the name of a submodule may have.
const moduleDepth = 4

// repositories guards those that a repository has in itself: one for each worktree, and
// one for each submodule, whose name may have several parts.
func (g *gitGuard) repositories(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil || len(entries) == 0:
		return // there are none
	case depth == 0:
		g.open = append(g.open, dir+" is too deep")
		return
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if isThere(filepath.Join(name, "HEAD")) {
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
	if !isThere(filepath.Join(worktree, ".gitmodules")) {
		return // most have none, and the index may be large
	}
	if info, err := os.Stat(filepath.Join(dir, "index")); err == nil && info.Size() > mostIndex {
		g.open = append(g.open, filepath.Join(dir, "index")+" is too long")
	}
	for _, name := range gitLinks(dir) {
		sub := filepath.Join(worktree, name)
		if !isThere(filepath.Join(sub, ".git")) {
			g.watched = append(g.watched, filepath.Join(sub, ".git")) // git submodule update makes it
		}
		g.worktree(sub)
	}
}

// includeDepth is how deep settings may include others; git itself ends at ten.
const includeDepth = 10

// settings guards what a file of settings leads to.
func (g *gitGuard) settings(file, worktree string, depth int) {
	text, err := local.Machine{}.ReadFile(local.Real(file), mostSettings)
	if depth > includeDepth || errors.Is(err, fs.ErrNotExist) {
		return // there is none
	}
	if depth > 0 || strings.HasSuffix(file, ".worktree") {
		g.holdLinked(file)
	}
	if err != nil {
		if g.within(file) {
			g.open = append(g.open, file+" cannot be read, or is too long")
		}
		return
	}
	for _, s := range readGitSettings(string(text)) {
		switch {
		case s.value == "":
		case (s.section == "include" || s.section == "includeif") && s.key == "path":
			name := g.path(filepath.Dir(file), s.value)
			if !isThere(name) {
				g.barred = append(g.barred, name)
			}
			g.settings(name, worktree, depth+1)
		case s.section == "core" && s.key == "hookspath" && (worktree != "" || filepath.IsAbs(s.value)):
			g.hooks(g.path(worktree, s.value), worktree)
		}
	}
}

// hooks guards a folder that settings name for hooks. One that has the files of the
// repository in it, or all of the workspace, cannot be held: nothing could be written.
func (g *gitGuard) hooks(name, worktree string) {
	all := g.holdsRoot(name) || g.nested && worktree != "" && isOrAbove(name, worktree)
	switch {
	case all && g.writable(name):
		g.open = append(g.open, name+" is a folder for hooks")
	case isThere(name):
		g.hold(name)
	default:
		g.watched = append(g.watched, name) // what is to make them makes it
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

// newParts are the repositories that a command has made part of one in the workspace:
// git goes there from above, and does what their settings say. Those that were there
// before are guarded.
func newParts(c *sayso.Contract, g *gitGuard, began time.Time) (out []string) {
	if c == nil || g == nil {
		return nil // nothing was run
	}
	tops := slices.Concat(c.Write, g.worktrees)
	slices.Sort(tops)
	for _, top := range slices.Compact(tops) {
		dir := filepath.Join(top, ".git")
		if to, ok := strings.CutPrefix(gitLine(dir), "gitdir: "); ok {
			dir = from(top, to)
		}
		if !touchedSince(filepath.Join(dir, "index"), began) {
			continue
		}
		for _, name := range gitLinks(dir) {
			part := filepath.Join(top, name, ".git")
			guarded := slices.Contains(g.worktrees, filepath.Dir(part)) || slices.Contains(c.Watched, quoteGlob(part))
			if isThere(part) && !guarded {
				out = append(out, part)
			}
		}
	}
	return out
}
