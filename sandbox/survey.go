package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sayso-dev/sayso"
)

// mostFolders is how many folders are looked into for what ** in a pattern names, those
// nearer to the top first. It is done before and after each run, unless there is a [Lookout],
// and takes about ten microseconds for each.
const mostFolders = 100_000

// A survey is what is there under the names of a contract.
type survey struct {
	barred  []string          // that nobody may change or make, but for what is protected anyway
	watched []string          // that is told if it is made
	links   map[string]string // of those that are barred, the links, and where they lead
	led     []string          // what those lead to in folders that can be written
	loose   []string          // links that cannot be held
	sealed  []string          // folders that nobody can look into, until their owner, the command, changes that

	folders  []string // that were looked into, those nearer to the top first
	unseen   int      // folders that were not, with all that is below them
	unseenAt string   // the first of them

	walk  *walk // that has found it
	blind error // why somebody who wanted to watch a folder cannot do so

	out     *Lookout // that tells of changes since then; nil: nobody does
	changes uint64   // it had seen so far
	guards  *atomic.Pointer[guarded]
	spots   map[string]*spot // what it knows of protected paths
}

// There is what is there now that [Run] holds because of names that a contract bars.
func There(c sayso.Contract) []string { return sorted(look(&c).held()) }

// sorted is a list in order, in which nothing is twice.
func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// held is what nobody may change.
func (s *survey) held() []string { return slices.Concat(s.barred, s.led, s.sealed) }

// look looks what is there now.
func look(c *sayso.Contract) *survey {
	return lookAt(c, mostFolders, func(string) error { return nil })
}

// lookAt looks into so many folders at most, and calls enter before each.
func lookAt(c *sayso.Contract, most int, enter func(dir string) error) *survey {
	s := &survey{links: map[string]string{}}
	s.shallow(c)
	w := newWalk(c, s)
	s.walk, w.most, w.enter = w, most, enter
	for _, root := range w.roots {
		w.from(root)
	}
	for _, list := range []*[]string{&s.barred, &s.watched} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	for _, name := range s.barred {
		to, err := os.Readlink(name)
		switch {
		case err == nil:
			s.links[name] = to
			s.follow(c, name, to)
		case errors.Is(err, fs.ErrPermission):
			w.seal(filepath.Dir(name))
		}
	}
	return s
}

// follow notes what a link leads to. One that leads on by others in folders that can be
// written, or to something there that can be made, cannot be held.
func (s *survey) follow(c *sayso.Contract, name, to string) {
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(name), to)
	}
	to = filepath.Clean(to)
	real, err := filepath.EvalSymlinks(to)
	folder, _ := filepath.EvalSymlinks(filepath.Dir(to)) // empty: there is none
	switch {
	case !within(to, c.Write) && (err != nil || !within(real, c.Write)):
	case folder == filepath.Dir(to) && !isLink(to) && (slices.Contains(c.Protected, to) || err != nil && c.Bars(to)): // it is held by itself
	case err == nil && real == to:
		s.led = append(s.led, to)
	default:
		s.loose = append(s.loose, name)
	}
}

// within reports whether a path is one of the folders, or below one.
func within(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return f == "/" || name == f || strings.HasPrefix(name, f+"/") })
}

// below is what stands in a pattern for folders.
const below = "/**/"

// shallow looks what is there under names that are not for all folders.
func (s *survey) shallow(c *sayso.Contract) {
	s.watched, s.barred = matching(c.Watched), matching(c.Barred)
	s.barred = slices.DeleteFunc(s.barred, func(name string) bool { return !isBarred(c, name) })
}

// isBarred reports whether the contract bars something that is there. What it protects
// anyway is not meant: a place may hold it. Nor is what a link leads to: the command may
// have made the link, but not what is there.
func isBarred(c *sayso.Contract, name string) bool {
	real, err := filepath.EvalSymlinks(filepath.Dir(name))
	return c.Bars(name) && !isProtected(c, name) && (err != nil || real == filepath.Dir(name))
}

// isProtected reports whether a path is protected, or is nothing but the place of something
// above what is.
func isProtected(c *sayso.Contract, name string) bool {
	return slices.Contains(c.Protected, name) ||
		slices.ContainsFunc(c.Protected, func(other string) bool { return strings.HasPrefix(other, name+"/") }) && isPlace(name)
}

// A walk goes through the folders that ** stands for.
type walk struct {
	c     *sayso.Contract
	s     *survey
	roots []string        // where it begins
	ways  []string        // patterns of folders in which there may be something, also where ** does not go
	lasts wants           // that are looked for
	known map[string]bool // the folders so far
	most  int             // of those
	enter func(dir string) error
}

// newWalk prepares a walk.
func newWalk(c *sayso.Contract, s *survey) *walk {
	w := &walk{c: c, s: s, known: map[string]bool{}}
	for _, pattern := range slices.Concat(c.Barred, c.Watched) {
		top, rest, deep := strings.Cut(pattern, below)
		if !deep {
			continue
		}
		w.roots = append(w.roots, named(top)...)
		elements := strings.Split(rest, "/")
		for i := 1; i < len(elements); i++ {
			w.ways = append(w.ways, top+below+strings.Join(elements[:i], "/"))
		}
		w.lasts.want(elements[len(elements)-1])
	}
	for _, list := range []*[]string{&w.roots, &w.lasts.patterns} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w
}

// again is the same walk, for another survey.
func (w *walk) again(s *survey) *walk {
	return &walk{c: w.c, s: s, roots: w.roots, ways: w.ways, lasts: w.lasts, known: map[string]bool{}}
}

// named are the folders that a pattern names. One that only quotes is a path, also if
// nobody can list what is beside it.
func named(pattern string) []string {
	var path strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*', '?', '[':
			found, _ := filepath.Glob(pattern) // as above
			return found
		case '\\':
			i++ // there is a next one: the pattern was checked
		}
		path.WriteByte(pattern[i])
	}
	return []string{cmp.Or(path.String(), "/")}
}

// A stop is a folder of a walk.
type stop struct {
	path string
	deep bool // ** goes on through it
}

// from goes through a folder and those in it, one level after the other.
func (w *walk) from(root string) {
	queue := []stop{{root, true}}
	buffer := make([]byte, 16<<10)
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		if w.known[at.path] {
			continue
		}
		if len(w.s.folders) >= w.most {
			w.unseen(at.path, len(queue)-i)
			return
		}
		entered := w.enter(at.path)
		err := entries(at.path, buffer, func(name []byte, kind fs.FileMode) {
			if next, ok := w.entry(at, name, kind); ok {
				queue = append(queue, next)
			}
		})
		if err != nil {
			w.closed(at.path, err)
			continue
		}
		if entered != nil {
			w.s.blind = entered
		}
		w.known[at.path] = true
		w.s.folders = append(w.s.folders, at.path)
	}
}

// closed notes a folder that cannot be looked into.
func (w *walk) closed(dir string, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission) && couldLook(dir):
		w.seal(dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), isLink(dir): // nobody can, or it has gone
	default:
		w.unseen(dir, 1)
	}
}

// seal notes a folder that can only be held as a whole. One that cannot even be reached
// is in one that can.
func (w *walk) seal(dir string) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrPermission) {
		dir = filepath.Dir(dir)
	}
	if slices.Contains(w.roots, dir) {
		w.unseen(dir, 1)
		return
	}
	if !slices.Contains(w.s.sealed, dir) {
		w.s.sealed = append(w.s.sealed, dir)
	}
}

// isLink reports whether something is a link.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// unseen notes folders that were not looked into.
func (w *walk) unseen(first string, n int) {
	if w.s.unseen += n; w.s.unseenAt == "" {
		w.s.unseenAt = first
	}
}

// entry looks at something in a folder, and returns whether it is a folder to be looked
// into.
func (w *walk) entry(in stop, name []byte, kind fs.FileMode) (next stop, ok bool) {
	folder, wanted := kind.IsDir(), w.lasts.has(name)
	if !folder && !wanted {
		return stop{}, false
	}
	path := strings.TrimSuffix(in.path, "/") + "/" + string(name)
	if wanted {
		barred, watched := w.bars(path)
		if watched {
			w.s.watched = append(w.s.watched, path)
		}
		if barred {
			if !isProtected(w.c, path) {
				w.s.barred = append(w.s.barred, path)
			}
			return stop{}, false
		}
	}
	next = stop{path, in.deep && !slices.Contains(w.c.Skipped, string(name))}
	return next, folder && (next.deep || slices.ContainsFunc(w.ways, w.names(path)))
}

// bars reports whether a path is barred, or told, in a folder that is not.
func (w *walk) bars(path string) (barred, watched bool) {
	watched = slices.ContainsFunc(w.c.Watched, w.names(path))
	return !watched && slices.ContainsFunc(w.c.Barred, w.names(path)), watched
}

// names reports whether a pattern names a path.
func (w *walk) names(path string) func(string) bool {
	return func(pattern string) bool {
		named, err := w.c.Matches(pattern, path)
		return named && err == nil
	}
}

// unchanged reports whether it is certain that a survey would have the same in it now.
func (s *survey) unchanged() bool { return s.out.unchanged(s.changes) }

// A news is what has appeared since a survey under the names of a contract, in the
// folders that were there. What is in other folders belongs to whoever has made those.
type news struct {
	barred  []string
	watched []string
	walk    *walk
	links   []string // in the place of folders
	let     func(dir string)
}

// since looks what has appeared. Where nobody may look, let is to change that.
func (s *survey) since(c *sayso.Contract, let func(dir string)) (barred, watched []string) {
	if len(c.Barred)+len(c.Watched) == 0 || s.unchanged() {
		return nil, nil
	}
	now := &survey{}
	now.shallow(c)
	found := &news{walk: s.walk.again(now), barred: now.barred, watched: now.watched, let: let}
	if len(s.folders) > 0 {
		buffer := make([]byte, 16<<10)
		for _, dir := range s.folders {
			found.in(dir, buffer)
		}
	}
	for list, old := range map[*[]string][]string{&found.barred: s.barred, &found.watched: s.watched} {
		slices.Sort(*list)
		*list = slices.DeleteFunc(slices.Compact(*list), func(name string) bool { return contains(old, name) })
	}
	return found.barred, found.watched
}

// contains reports whether a list that is in order has a name.
func contains(list []string, name string) bool {
	_, ok := slices.BinarySearch(list, name)
	return ok
}

// in looks into a folder that was there.
func (f *news) in(dir string, buffer []byte) {
	if at := slices.IndexFunc(f.links, func(link string) bool { return strings.HasPrefix(dir, link+"/") }); at >= 0 {
		f.through(f.links[at], dir, buffer)
		return
	}
	look := func() error {
		return entries(dir, buffer, func(name []byte, _ fs.FileMode) { f.entry(dir, name, "") })
	}
	err := look()
	if errors.Is(err, fs.ErrPermission) {
		f.let(dir)
		err = look()
	}
	if err == nil {
		return
	}
	if isLink(dir) {
		f.links = append(f.links, dir)
		f.through(dir, dir, buffer)
	}
}

// through looks into a folder by way of a link that has come in the place of one. What
// is there is not the command's, but the link is.
func (f *news) through(link, dir string, buffer []byte) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		_ = entries(real, buffer, func(name []byte, _ fs.FileMode) { f.entry(dir, name, link) }) // what nobody can look into leads to nothing
	}
}

// entry looks at something in a folder; what it was reached through has to go in its
// place.
func (f *news) entry(dir string, name []byte, link string) {
	if !f.walk.lasts.has(name) {
		return
	}
	path := strings.TrimSuffix(dir, "/") + "/" + string(name)
	barred, watched := f.walk.bars(path)
	if link == "" && watched {
		f.watched = append(f.watched, path)
	}
	switch {
	case !barred || isProtected(f.walk.c, path):
	case link != "":
		f.barred = append(f.barred, link)
	default:
		f.barred = append(f.barred, path)
	}
}
