package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// An Undone is something that was made, or removed, under a barred name while a command
// ran.
type Undone struct {
	Path  string `json:"path"`
	Aside string `json:"aside"` // where it is now; empty: it was removed, and is back
}

// An endedError says why a run was ended, or what of it was undone.
type endedError struct{ path, why string }

func (e *endedError) Error() string { return e.path + " was " + e.why }

// Why a run is ended.
const (
	made     = "made, which the contract lets nobody make"
	removed  = "removed, which the contract lets nobody do"
	replaced = "replaced by somebody outside, and so was not protected any more"
)

// ended says why something that was undone has ended the run.
func (u *Undone) ended() error {
	if u.Aside == "" {
		return &endedError{u.Path, removed}
	}
	return &endedError{u.Path, made}
}

// undo puts aside what has appeared under barred names, and returns what has under
// watched ones, too. Nothing of the command runs any more. Nobody can say who has made it: a
// person may have done it meanwhile.
func (j *job) undo(before *survey) (undone []Undone, told []string, err error) {
	if j.layers != nil || before.unchanged() {
		return nil, nil, nil // it is shown instead, or nothing was made
	}
	var back []func()
	defer func() {
		for _, b := range slices.Backward(back) {
			b()
		}
	}()
	let := func(dir string) { back = append(back, letInto(&j.c, dir)...) }
	for _, pattern := range j.c.Barred {
		if strings.Contains(pattern, below) {
			continue // it is done where it is needed
		}
		dirs, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
		for _, dir := range dirs {
			let(dir)
		}
	}
	barred, told := before.since(&j.c, let)
	for _, name := range barred {
		let(filepath.Dir(name))
		to, failed := j.putAside(name)
		switch {
		case errors.Is(failed, fs.ErrNotExist): // somebody else was quicker
		case failed != nil:
			err = errors.Join(err, fmt.Errorf("%s was made while it ran, and cannot be put aside: %w", name, failed))
		default:
			undone = append(undone, Undone{name, to})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.links)) {
		let(filepath.Dir(name))
		one, failed := j.putBack(name, before.links[name])
		undone, err = append(undone, one...), errors.Join(err, failed)
	}
	return undone, told, err
}

// putBack makes a link as it was: unlike other things, nothing can be mounted on it.
func (j *job) putBack(name, to string) (undone []Undone, err error) {
	if now, err := os.Readlink(name); err == nil && now == to {
		return nil, nil
	}
	aside, err := j.putAside(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the link %s was changed while it ran, and cannot be put back: %w", name, err)
	}
	if err := os.Symlink(to, name); err != nil {
		return nil, fmt.Errorf("the link %s was changed while it ran, and cannot be put back: %w", name, err)
	}
	return []Undone{{name, aside}}, nil
}

// letInto lets this user into a folder that can be written, and those above it.
func letInto(c *sayso.Contract, dir string) (back []func()) {
	var all []string
	for ; dir != "/" && within(dir, c.Write); dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	for _, dir := range slices.Backward(all) {
		stat := func() (fs.FileInfo, error) { return os.Lstat(dir) }
		back = append(back, letIn(stat, func(mode fs.FileMode) error { return os.Chmod(dir, mode) }))
	}
	return back
}

// letIn lets this user look into a folder and change it, if the command has seen to it
// that nobody can, until the function that it returns is called.
func letIn(stat func() (fs.FileInfo, error), chmod func(fs.FileMode) error) (back func()) {
	info, err := stat()
	if err != nil || !info.IsDir() || info.Mode()&0o700 == 0o700 || chmod(info.Mode()|0o700) != nil {
		return func() {} // what cannot be done then fails
	}
	return func() { _ = chmod(info.Mode()) } // it was done a moment ago
}

// putAside moves something to the folder for that, or, if that is in another file
// system, gives it a name that no tool reads.
func (j *job) putAside(name string) (to string, err error) {
	if _, err := os.Lstat(name); err != nil {
		return "", err
	}
	if j.o.State != "" && os.MkdirAll(j.o.State+"/aside", 0o700) == nil {
		if dir, err := os.MkdirTemp(j.o.State+"/aside", ""); err == nil {
			if to = filepath.Join(dir, filepath.Base(name)); os.Rename(name, to) == nil {
				return to, nil
			}
			_ = os.Remove(dir) // nothing is in it
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(name), "sayso-aside-")
	if err != nil {
		return "", err
	}
	to = filepath.Join(dir, filepath.Base(name))
	if err = os.Rename(name, to); err == nil {
		return to, nil
	}
	_ = os.Remove(dir)                   // as above
	to = dir + "-" + filepath.Base(name) // a folder that nobody may write in can only get another name
	return to, os.Rename(name, to)
}
