package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// The place of a protected path that is not there is held by something: what is to
// stay away can only be kept away by something that is there. It is removed when no
// run needs it any more.
//
// A folder is held by an empty one, which git does not see, marked as ours by its mode.
// A file is held by a socket that nobody listens on: it can be neither read nor
// written, and git does not see it either.
//
// Every run that counts on places has a shared lock of the folders that they are in,
// which it takes before it looks what is missing, and whoever removes one has the lock
// alone: so nothing that a run has seen is taken away while it needs it.

// A holding is the locks of a run, and the places in those folders.
type holding struct {
	locks  []*os.File // of folders, by name
	places []place
	spare  *spare // nil: there is none
}

// A place holds a path.
type place struct {
	in   *os.File    // the folder
	name string      // the whole path
	was  unix.Stat_t // what holds it, if that was moved there and not changed just before; else nothing is known of it
}

// base is its name in its folder.
func (p *place) base() string { return filepath.Base(p.name) }

// placeMode is the mode of a folder of ours, which none of people's empty folders has:
// it is made with it, so nobody ever sees one without.
const placeMode = unix.S_ISVTX | 0o755

// folders are the names of protected paths that are folders.
var folders = []string{"hooks", ".sayso", ".claude", ".codex", ".agents", ".gemini", ".cursor", ".vscode", ".idea", ".husky", ".githooks", ".devcontainer"}

// looks is how often it is looked again what is missing, if others change it meanwhile.
const looks = 20

// hold makes the places of what is missing, while nobody removes one, and plans again if
// the files are not as they were any more. What cannot be made by this user, in a folder of
// somebody else, cannot be made by the command either, and needs no place.
func (p *plan) hold() (*holding, error) {
	links := slices.Clone(p.links) // as they were reported
	for range looks {
		h, err := p.lock()
		if err == nil && p.stale {
			err = p.guard()
		}
		p.stale = true // when it is needed again, time has passed
		switch {
		case err != nil:
			return h, err
		case !slices.Equal(links, p.links):
			return h, fmt.Errorf("somebody makes links of protected paths: %s", strings.Join(p.links, ", "))
		}
		if h.covers(p.places) {
			again, err := p.fill(h)
			if !again {
				return h, err
			}
		}
		h.free()
	}
	return nil, errors.New("somebody makes and removes protected paths all the time")
}

// lock takes the shared locks of the folders that places are in, as far as it is
// known.
func (p *plan) lock() (*holding, error) {
	h := &holding{spare: openSpare(p.spare)}
	for _, name := range p.places {
		if h.lockOf(name) != nil {
			continue
		}
		f, err := lockFolder(filepath.Dir(name))
		if err != nil {
			return h, err
		}
		h.locks = append(h.locks, f)
	}
	return h, nil
}

// lockOf is the lock of the folder that a path is in, or nil.
func (h *holding) lockOf(name string) *os.File {
	dir := filepath.Dir(name)
	for _, f := range h.locks {
		if f.Name() == dir {
			return f
		}
	}
	return nil
}

// covers reports whether the folders of all these are locked.
func (h *holding) covers(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return h.lockOf(name) == nil })
}

// How long a lock is waited for, and how often it is tried. Whoever removes places has
// it for a moment; a program that keeps it for itself must not keep runs waiting for ever.
const (
	lockTime  = 30 * time.Second
	lockPause = 2 * time.Millisecond
)

// lockFolder takes the shared lock of a folder.
func lockFolder(name string) (*os.File, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	for until := time.Now().Add(lockTime); ; time.Sleep(lockPause) {
		err := unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) || time.Now().After(until) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
		}
	}
}

// fill makes the places. Another run may be quicker: that one stays, too, as long as
// this one has its lock. Again is true if it was somebody else.
func (p *plan) fill(h *holding) (again bool, err error) {
	for _, name := range slices.Clone(p.places) {
		one := place{in: h.lockOf(name), name: name}
		err := p.newPlace(&one, h.spare)
		if errors.Is(err, fs.ErrPermission) { // the command could change that, too
			back := letIn(one.in.Stat, one.in.Chmod)
			err = p.newPlace(&one, h.spare)
			back()
		}
		switch {
		case errors.Is(err, fs.ErrPermission) && !isOurs(one.in), errors.Is(err, unix.EROFS):
			p.forget(name)
			continue
		case errors.Is(err, fs.ErrExist) && !isPlace(name), errors.Is(err, fs.ErrNotExist):
			return true, nil
		case err != nil && !errors.Is(err, fs.ErrExist):
			return false, fmt.Errorf("hold the place of %s: %w", name, err)
		}
		h.places = append(h.places, one)
	}
	return false, nil
}

// isOurs reports whether a folder belongs to this user, who can change who may write there.
func isOurs(dir *os.File) bool {
	var stat unix.Stat_t
	return unix.Fstat(int(dir.Fd()), &stat) != nil || int(stat.Uid) == os.Geteuid()
}

// forget takes a protected path out of the plan.
func (p *plan) forget(name string) {
	before := len(p.steps)
	p.steps = slices.DeleteFunc(p.steps, func(s box.Step) bool { return s[0] == box.Protect && s[1] == name })
	p.guards[1] -= before - len(p.steps)
	p.places = slices.DeleteFunc(p.places, func(other string) bool { return other == name })
}

// newPlace holds a path, by what has held it before or by something new.
func (p *plan) newPlace(one *place, from *spare) error {
	folder := p.isFolderName(one.name)
	if done, err := from.give(one, folder); done {
		return err
	}
	if folder {
		return unix.Mkdirat(int(one.in.Fd()), one.base(), placeMode)
	}
	return unix.Mknodat(int(one.in.Fd()), one.base(), unix.S_IFSOCK|0o600, 0)
}

// isFolderName reports whether what is missing is held by a folder: others are below
// it, or it has the name of one. A folder .git would be taken for a repository.
func (p *plan) isFolderName(name string) bool {
	if filepath.Base(name) == ".git" {
		return false
	}
	return slices.Contains(folders, filepath.Base(name)) || slices.ContainsFunc(p.c.Protected, func(other string) bool { return strings.HasPrefix(other, name+"/") })
}

// isPlace reports whether what is there is nothing but a place: nobody keeps a socket
// under the name of a file that is protected, or an empty folder of that mode.
func isPlace(name string) bool {
	var stat unix.Stat_t
	if unix.Lstat(name, &stat) != nil {
		return false
	}
	folder, ok := placeKind(&stat)
	return ok && (!folder || isEmpty(unix.AT_FDCWD, name))
}

// placeKind is what kind of place something is, unless it is another thing; something
// may be in it.
func placeKind(stat *unix.Stat_t) (folder, ok bool) {
	folder = stat.Mode&(unix.S_IFMT|unix.S_ISVTX) == unix.S_IFDIR|unix.S_ISVTX
	return folder, folder || stat.Mode&unix.S_IFMT == unix.S_IFSOCK
}

// isEmpty reports whether nothing is in a folder.
func isEmpty(dir int, name string) bool {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) //nolint:errcheck // it was only read
	entries := make([]byte, 1<<10)
	n, err := unix.ReadDirent(fd, entries) // it has room for more than the two that are always there
	if err != nil {
		return false
	}
	_, found, _ := unix.ParseDirent(entries[:n], 1, nil)
	return found == 0
}

// free removes the places, unless another run needs them or somebody has put something
// there, and gives the locks back. A process that is just being started may have the
// same descriptor for a moment, and so it is not enough to close it.
func (h *holding) free() {
	if h == nil {
		return
	}
	for _, f := range h.locks {
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			back := letIn(f.Stat, f.Chmod)
			for i := range h.places {
				if h.places[i].in == f {
					h.places[i].free(h.spare)
				}
			}
			back()
		}
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // it is closed anyway
		_ = f.Close()                             // nothing was written to it
	}
	h.spare.close()
	h.locks, h.places, h.spare = nil, nil, nil
}
