package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// A place holds the place of a protected path that is not there: what is to stay
// away can only be kept away by something that is there. It is removed when no run
// needs it any more.
//
// A folder is held by an empty one, which git does not see, marked as ours. A file is
// held by a socket that nobody listens on: it can be neither read nor written, and git
// does not see it either.
type place struct {
	name string
	lock *os.File // of the folder, or the one that it is in: other runs see that it is needed
	made bool     // by this run
}

// placeMark is the attribute that tells a folder of ours from those of people.
const placeMark = "user.sayso.place"

// folders are the names of protected paths that are folders.
var folders = []string{"hooks", ".sayso", ".claude", ".codex", ".agents", ".gemini", ".cursor", ".vscode", ".idea", ".husky", ".githooks", ".devcontainer"}

// hold makes the places of what is missing. What cannot be made by this user cannot
// be made by the command either, and needs no place.
func (p *plan) hold() (places []place, err error) {
	for _, name := range p.missing {
		one, err := newPlace(name, p.isFolderName(name))
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			p.steps = slices.DeleteFunc(p.steps, func(s box.Step) bool { return s[0] == box.Protect && s[1] == name })
			continue
		}
		if err != nil {
			return places, fmt.Errorf("hold the place of %s: %w", name, err)
		}
		one.made = true
		places = append(places, one)
	}
	for _, s := range p.steps { // those that another run has made and left
		if s[0] != box.Protect || slices.Contains(p.missing, s[1]) || !isPlace(s[1]) {
			continue
		}
		if one, err := lockPlace(s[1]); err == nil {
			places = append(places, one)
		}
	}
	return places, nil
}

// isFolderName reports whether what is missing is held by a folder: others are below
// it, or it has the name of one. A folder .git would be taken for a repository.
func (p *plan) isFolderName(name string) bool {
	if filepath.Base(name) == ".git" {
		return false
	}
	return slices.Contains(folders, filepath.Base(name)) || slices.ContainsFunc(p.c.Protected, func(other string) bool { return strings.HasPrefix(other, name+"/") })
}

func newPlace(name string, folder bool) (place, error) {
	if !folder {
		if err := unix.Mknod(name, unix.S_IFSOCK|0o600, 0); err != nil {
			return place{}, err
		}
		return lockPlace(name)
	}
	if err := unix.Mkdir(name, 0o755); err != nil {
		return place{}, err
	}
	_ = unix.Lsetxattr(name, placeMark, []byte("1"), 0) // without it, only this run knows
	return lockPlace(name)
}

// isPlace reports whether what is there is nothing but a place: nobody keeps a socket
// under the name of a file that is protected.
func isPlace(name string) bool {
	var stat unix.Stat_t
	if err := unix.Lstat(name, &stat); err != nil {
		return false
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFSOCK {
		return true
	}
	var mark [4]byte
	n, err := unix.Lgetxattr(name, placeMark, mark[:])
	return err == nil && n == 1
}

func lockPlace(name string) (place, error) {
	folder := name
	if !isFolder(name) {
		folder = filepath.Dir(name)
	}
	fd, err := unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, err
	}
	one := place{name: name, lock: os.NewFile(uintptr(fd), folder)}
	if err := unix.Flock(fd, unix.LOCK_SH); err != nil {
		return place{}, errors.Join(err, one.lock.Close())
	}
	return one, nil
}

// free removes places, unless another run needs them or somebody has put something
// there.
func free(places []place) {
	for _, one := range places { // all of them first: some have the same lock
		if one.name != one.lock.Name() {
			_ = unix.Flock(int(one.lock.Fd()), unix.LOCK_UN) // it is locked again
		}
	}
	for _, one := range places {
		if unix.Flock(int(one.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && (isPlace(one.name) || one.made && isFolder(one.name)) {
			if isFolder(one.name) {
				_ = unix.Rmdir(one.name) // it fails if something is in it
			} else {
				_ = unix.Unlink(one.name) // it is in nobody's way
			}
		}
		_ = one.lock.Close() // nothing was written to it
	}
}
