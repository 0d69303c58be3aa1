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

// spareFor is where it is kept what holds a path: always the same.
func spareFor(spare, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(spare, hex.EncodeToString(sum[:12]))
}

// moves reports whether what holds a path of a folder will most likely be moved.
func (p *plan) moves(folder string) bool {
	var here, there unix.Stat_t
	return p.spare != "" && unix.Stat(p.spare, &here) == nil && unix.Stat(folder, &there) == nil && here.Dev == there.Dev
}

// fromSpare holds a path by what has held it before. Done is false if that is not there.
func (p *plan) fromSpare(name string, folder bool) (was unix.Stat_t, done bool, err error) {
	if p.spare == "" {
		return was, false, nil
	}
	from := spareFor(p.spare, name)
	switch err := move(from, name); {
	case errors.Is(err, unix.EEXIST):
		return was, true, err
	case err != nil: // none is there, or it is in another file system
		if len(p.missing) > 0 && name == p.missing[0] { // once will do
			tidy(p.spare)
		}
		return was, false, nil
	}
	was, is, ok := placeKind(name)
	if ok && is == folder {
		return was, true, nil
	}
	return unix.Stat_t{}, false, move(name, from) // somebody has put something else there
}

// move never takes the place of something.
func move(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}

// remove lets a path be free again. What cannot be removed is in nobody's way.
func (h *holding) remove(p *place) {
	name := p.name
	_, folder, ok := placeKind(name)
	if !ok {
		return
	}
	if h.spare != "" {
		to := spareFor(h.spare, name)
		switch err := move(name, to); {
		case err == nil && (!folder || p.untouched(to) || isEmpty(to)):
			return
		case err == nil:
			_ = move(to, name) // somebody has put something there just now, and has it back
			return
		case errors.Is(err, unix.ENOENT):
			return // somebody else was quicker
		}
	}
	if folder {
		_ = unix.Rmdir(name) // it fails if something is in it
	} else {
		_ = unix.Unlink(name) // as above
	}
}

// settled is how old the last change of a folder must be for the next one to have
// another time.
const settled = 2 * time.Second

// untouched reports whether a folder is the one that was moved here, and nobody has put
// something into it since: that is quicker than to look into it.
func (p *place) untouched(name string) bool {
	var now unix.Stat_t
	return unix.Lstat(name, &now) == nil && now.Ino == p.was.Ino && now.Dev == p.was.Dev && now.Mtim == p.was.Mtim &&
		time.Since(time.Unix(now.Mtim.Unix())) > settled
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
