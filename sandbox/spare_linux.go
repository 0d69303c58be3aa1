package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// For commands that run in a place that is kept, what holds a path is not made and
// removed with each of them, but moved there and away again: that takes a tenth of the
// time, and what is mounted on it inside moves along, so that nothing has to be mounted.

// spareIn is the folder for what holds no path now; empty: there is none.
func spareIn(state string) string {
	if state == "" {
		return ""
	}
	dir := filepath.Join(state, "spare")
	if os.MkdirAll(dir, 0o700) != nil {
		return "" // it is made and removed each time
	}
	return dir
}

// A spare is that folder while it is used.
type spare struct {
	dir  *os.File
	tidy bool // it was looked for what nobody uses any more
}

// openSpare opens it; nil: there is none.
func openSpare(name string) *spare {
	if name == "" {
		return nil
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) // os.Open would wait for events of it
	if err != nil {
		return nil // as above
	}
	return &spare{dir: os.NewFile(uintptr(fd), name)}
}

func (s *spare) close() {
	if s != nil {
		_ = s.dir.Close() // it was only read
	}
}

// spareFor is the name under which it is kept what holds a path: always the same.
func spareFor(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:12])
}

// moves reports whether what holds a path of a folder will most likely be moved.
func (p *plan) moves(folder string) bool {
	var here, there unix.Stat_t
	return p.spare != "" && unix.Stat(p.spare, &here) == nil && unix.Stat(folder, &there) == nil && here.Dev == there.Dev
}

// give holds a path by what has held it before. Done is false if that is not there.
func (s *spare) give(p *place, folder bool) (done bool, err error) {
	if s == nil {
		return false, nil
	}
	from := spareFor(p.name)
	switch err := move(s.dir, from, p.in, p.base()); {
	case errors.Is(err, unix.EEXIST):
		return true, err
	case err != nil: // none is there, or it is in another file system
		if !s.tidy { // once will do
			tidy(s.dir.Name())
		}
		s.tidy = true
		return false, nil
	}
	var was unix.Stat_t
	if unix.Fstatat(int(p.in.Fd()), p.base(), &was, unix.AT_SYMLINK_NOFOLLOW) == nil {
		if is, ok := placeKind(&was); ok && is == folder {
			if isSettled(&was) {
				p.was = was
			}
			return true, nil
		}
	}
	return false, move(p.in, p.base(), s.dir, from) // somebody has put something else there
}

// move never takes the place of something.
func move(from *os.File, name string, to *os.File, other string) error {
	return unix.Renameat2(int(from.Fd()), name, int(to.Fd()), other, unix.RENAME_NOREPLACE)
}

// free lets a path be free again, and keeps what has held it. What cannot be removed is in
// nobody's way.
func (p *place) free(to *spare) {
	dir, name := int(p.in.Fd()), p.base()
	var stat unix.Stat_t
	if unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	folder, ok := placeKind(&stat)
	if !ok {
		return
	}
	if to != nil {
		other := spareFor(p.name)
		switch err := move(p.in, name, to.dir, other); {
		case err == nil && (!folder || p.untouched(to.dir, other) || isEmpty(int(to.dir.Fd()), other)):
			return
		case err == nil:
			_ = move(to.dir, other, p.in, name) // somebody has put something there just now, and has it back
			return
		case errors.Is(err, unix.ENOENT):
			return // somebody else was quicker
		}
	}
	how := 0
	if folder {
		how = unix.AT_REMOVEDIR
	}
	_ = unix.Unlinkat(dir, name, how) // it fails if something is in it
}

// settled is how old the last change of a folder must be for the next one to have
// another time: the kernel looks at its clock at least a hundred times a second.
const settled = 50 * time.Millisecond

// isSettled reports whether whoever puts something into a folder from now on changes its
// time. At the end of a run it is too late to ask: what was put there at its start may have
// the time that the folder had before.
func isSettled(stat *unix.Stat_t) bool {
	return stat.Mtim.Nsec != 0 && // else its file system may know nothing but seconds
		time.Since(time.Unix(stat.Mtim.Unix())) > settled
}

// untouched reports whether a folder is the one that was moved here, and nobody has put
// something into it since: that is quicker than to look into it.
func (p *place) untouched(dir *os.File, name string) bool {
	var now unix.Stat_t
	return p.was.Ino != 0 && unix.Fstatat(int(dir.Fd()), name, &now, unix.AT_SYMLINK_NOFOLLOW) == nil && now.Ino == p.was.Ino && now.Dev == p.was.Dev && now.Mtim == p.was.Mtim
}

// spareTime is how long it is kept what nobody has used.
const spareTime = 7 * 24 * time.Hour

// tidy removes what nobody has used for long: workspaces come and go.
func tidy(spare string) {
	list, err := os.ReadDir(spare)
	if err != nil {
		return // there is none
	}
	for _, e := range list {
		name := filepath.Join(spare, e.Name())
		var stat unix.Stat_t
		if unix.Lstat(name, &stat) == nil && time.Since(time.Unix(stat.Ctim.Unix())) > spareTime {
			_ = os.Remove(name) // it fails if something is in it
		}
	}
}
