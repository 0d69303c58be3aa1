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
// away can only be kept away by something that is there. It is empty, marked as ours,
// and removed when no run needs it any more.
type place struct {
	name string
	file *os.File // locked, so that other runs see that it is needed
}

// placeMark is the attribute that tells a place from what people have made.
const placeMark = "user.sayso.place"

// folders are the names of protected paths that are folders.
var folders = []string{".git", "hooks", ".sayso", ".claude", ".codex", ".agents", ".gemini", ".cursor", ".vscode", ".idea", ".husky", ".githooks", ".devcontainer"}

// hold makes the places of what is missing. What cannot be made by this user cannot
// be made by the command either, and needs no place.
func (p *plan) hold() (places []place, err error) {
	for _, name := range p.missing {
		one, err := newPlace(name, p.isFolderName(name))
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			p.steps = slices.DeleteFunc(p.steps, func(s box.Step) bool { return (s[0] == box.Protect || s[0] == box.Absent) && s[1] == name })
			continue
		}
		if err != nil {
			return places, fmt.Errorf("hold the place of %s: %w", name, err)
		}
		places = append(places, one)
	}
	for _, name := range p.c.Protected { // those that another run has made and left
		if slices.Contains(p.missing, name) {
			continue
		}
		if one, ok := oldPlace(name); ok {
			places = append(places, one)
		}
	}
	return places, nil
}

// isFolderName reports whether what is missing would be a folder: others are below
// it, or it has the name of one.
func (p *plan) isFolderName(name string) bool {
	return slices.Contains(folders, filepath.Base(name)) || slices.ContainsFunc(p.c.Protected, func(other string) bool { return strings.HasPrefix(other, name+"/") })
}

func newPlace(name string, folder bool) (place, error) {
	if folder {
		if err := os.Mkdir(name, 0o755); err != nil {
			return place{}, err
		}
	} else {
		text := ""
		if filepath.Ext(name) == ".json" {
			text = "{}\n" // nothing is no JSON, and programs outside may read it meanwhile
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return place{}, err
		}
		if _, err := f.WriteString(text); err != nil {
			return place{}, errors.Join(err, f.Close(), os.Remove(name))
		}
		if err := f.Close(); err != nil {
			return place{}, err
		}
	}
	_ = unix.Lsetxattr(name, placeMark, []byte("1"), 0) // without it, only this run knows
	return lockPlace(name)
}

// oldPlace finds a place that another run has made.
func oldPlace(name string) (place, bool) {
	var mark [4]byte
	if n, err := unix.Lgetxattr(name, placeMark, mark[:]); err != nil || n != 1 {
		return place{}, false
	}
	one, err := lockPlace(name)
	return one, err == nil
}

func lockPlace(name string) (place, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, err
	}
	one := place{name, os.NewFile(uintptr(fd), name)}
	if err := unix.Flock(fd, unix.LOCK_SH); err != nil {
		return place{}, errors.Join(err, one.file.Close())
	}
	return one, nil
}

// free removes a place, unless another run needs it or somebody has put something
// there.
func (one place) free() {
	defer one.file.Close() //nolint:errcheck // nothing was written to it
	fd := int(one.file.Fd())
	var opened, named unix.Stat_t
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil || unix.Fstat(fd, &opened) != nil || unix.Lstat(one.name, &named) != nil || opened.Ino != named.Ino || opened.Dev != named.Dev {
		return
	}
	if opened.Mode&unix.S_IFMT == unix.S_IFDIR {
		_ = unix.Rmdir(one.name) // it fails if something is in it
		return
	}
	text, err := os.ReadFile(one.name)
	if err == nil && (len(text) == 0 || string(text) == "{}\n") {
		_ = os.Remove(one.name) // it is in nobody's way
	}
}
