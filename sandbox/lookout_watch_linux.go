package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// told is what the kernel is to tell of a folder.
const told = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

// mostOfWatches is which part of the folders that a user may watch are watched at most:
// there may be other lookouts, and editors want to do so, too.
const mostOfWatches = 8

// watches is how many folders are watched at most.
var watches = sync.OnceValue(func() int {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text))) // the kernel writes numbers
	return min(n/mostOfWatches, mostFolders)
})

// tellers are the file systems that tell of every change: those of other machines, of
// programs, and made of others do not.
var tellers = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC}

// watch lets a folder be watched.
func (l *Lookout) watch(dir string) error {
	if len(l.watched) >= watches() {
		return errors.New("there are too many folders to watch them")
	}
	number, err := l.kernel.add(dir, told)
	if err != nil {
		return err
	}
	var system unix.Statfs_t
	var stat unix.Statx_t
	if err := errors.Join(unix.Statfs(dir, &system), unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &stat)); err != nil {
		return err
	}
	switch {
	case !slices.Contains(tellers, int64(system.Type)): //nolint:unconvert // it is shorter elsewhere
		return errors.New("its file system does not tell of every change")
	case stat.Attributes&unix.STATX_ATTR_ENCRYPTED != 0:
		return errors.New("its names are others when somebody brings the key")
	}
	if other, known := l.watched[number]; known && other != dir {
		return errors.New("it is the same folder as " + other)
	}
	l.watched[number] = dir
	return nil
}

// shallow lets the folders be watched that patterns without ** go through, from those
// down that can be written: somebody may make the next one.
func (l *Lookout) shallow() {
	dirs := map[string][]string{} // that a pattern of folders names
	for _, pattern := range slices.Concat(l.c.Barred, l.c.Watched) {
		top, _, deep := strings.Cut(pattern, below)
		switch {
		case strings.Contains(pattern, "["), deep && strings.ContainsAny(top, `*?`):
			l.blind = errors.New("a pattern is too strange")
		case !deep:
			for end := range pattern {
				if pattern[end] == '/' && end > 0 {
					l.through(pattern[:end], dirs)
				}
			}
			l.through(pattern, dirs)
		}
	}
}

// through lets the folders be watched in which there may be something of that pattern.
func (l *Lookout) through(pattern string, dirs map[string][]string) {
	parent, last := filepath.Split(pattern)
	found, done := dirs[parent]
	if !done {
		for _, dir := range named(strings.TrimSuffix(parent, "/")) {
			if within(dir, l.c.Write) && l.isWatched(dir) {
				found = append(found, dir)
			}
		}
		dirs[parent] = found
	}
	for _, dir := range found {
		if l.wanted[dir] == nil {
			l.wanted[dir] = &wants{}
		}
		l.wanted[dir].want(last)
	}
}

// isWatched lets a folder be watched, if there is one.
func (l *Lookout) isWatched(dir string) bool {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return false
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		err = errors.New("a pattern goes through a link")
	case err == nil && !info.IsDir():
		return false
	case err == nil:
		err = l.watch(dir)
	}
	if err != nil {
		l.blind = err
	}
	return err == nil
}

// identify notes which folders it begins with: somebody may move those above them, of which
// nothing is told. Where a link leads there, that may be another one later.
func (l *Lookout) identify() {
	for _, root := range slices.Concat(newWalk(&l.c, nil).roots, l.c.Write) {
		l.roots[root] = identify(root)
		if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
			l.blind = errors.New("a link leads to " + root)
		}
	}
}

// isSame reports whether it still begins with the same folders.
func (l *Lookout) isSame() bool {
	for root, was := range l.roots {
		if identify(root) != was {
			return false
		}
	}
	return true
}

// identify is the identity of a folder; none, if there is none.
func identify(dir string) identity {
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil {
		return identity{}
	}
	return identityOf(&stat)
}

func identityOf(stat *unix.Stat_t) identity {
	return identity{uint64(stat.Dev), stat.Ino} //nolint:unconvert // it is shorter elsewhere
}

// A spot is a path that is protected, or above one that is.
type spot struct {
	path   string
	closed bool // it is not looked into a folder of that name
	there  bool // something was there
}

// isAway reports whether nothing is there that a survey sees, and whether that is because
// its place is held.
func (s *spot) isAway() (away, held bool) {
	var stat unix.Stat_t
	switch err := unix.Lstat(s.path, &stat); {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return true, false
	case err != nil:
		return false, false
	}
	folder, held := placeKind(&stat)
	return held && (!folder || s.closed && isEmpty(unix.AT_FDCWD, s.path)), held
}

// protected lets the folders be watched of what is protected: it may be held while a
// command runs.
func (l *Lookout) protected() {
	for _, name := range slices.Concat(l.c.Protected, l.c.Hidden) {
		for ; inside(name, l.c.Write) && !slices.Contains(l.c.Write, name) && l.places[name] == nil; name = filepath.Dir(name) {
			l.places[name] = &spot{path: name}
			l.isWatched(filepath.Dir(name))
		}
	}
}

// holds notes what is there of it, and reports whether nobody holds the place of something
// just now.
func (l *Lookout) holds(s *survey) (free bool) {
	free = true
	for path, h := range l.places {
		h.closed, _ = s.walk.bars(path)
		away, held := h.isAway()
		h.there = !away || contains(s.barred, path) || contains(s.watched, path)
		free = free && !held
	}
	return free
}
