package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso"
)

// matching are the paths there are that patterns name.
func matching(patterns []string) (out []string) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // the patterns were checked
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// made are those that were not there before. Nobody can say who has made them: a person
// may have done it meanwhile.
func made(patterns, before []string) []string {
	return slices.DeleteFunc(matching(patterns), func(name string) bool {
		_, was := slices.BinarySearch(before, name)
		return was
	})
}

// barred are the paths there are that the contract bars. What it protects anyway is not
// among them: a place may hold it. Nor is what a link leads to: the command may have made
// the link, but not what is there.
func barred(c *sayso.Contract) []string {
	return slices.DeleteFunc(matching(c.Barred), func(name string) bool {
		real, err := filepath.EvalSymlinks(filepath.Dir(name))
		return !c.Bars(name) || slices.Contains(c.Protected, name) || err == nil && real != filepath.Dir(name)
	})
}

// An Undone is something that was made under a barred name while a command ran.
type Undone struct {
	Path  string `json:"path"`
	Aside string `json:"aside"` // where it is now
}

// A barredError says why a run was ended.
type barredError struct{ path string }

func (e *barredError) Error() string {
	return e.path + " was made, which the contract lets nobody make"
}

// undo puts aside what has appeared under barred names. Nothing of the command runs any
// more.
func (j *job) undo(before []string) (undone []Undone, err error) {
	for _, pattern := range j.c.Barred {
		dirs, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
		for _, dir := range dirs {
			stat := func() (fs.FileInfo, error) { return os.Lstat(dir) }
			defer letIn(stat, func(mode fs.FileMode) error { return os.Chmod(dir, mode) })()
		}
	}
	for _, name := range barred(&j.c) {
		if _, was := slices.BinarySearch(before, name); was {
			continue
		}
		to, failed := j.putAside(name)
		switch {
		case errors.Is(failed, fs.ErrNotExist): // somebody else was quicker
		case failed != nil:
			err = errors.Join(err, fmt.Errorf("%s was made while it ran, and cannot be put aside: %w", name, failed))
		default:
			undone = append(undone, Undone{name, to})
		}
	}
	return undone, err
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
