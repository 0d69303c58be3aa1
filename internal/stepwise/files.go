package stepwise

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Files say which files the shell itself may open, as the contract of the script says
// it for commands.
type Files struct {
	Read      []string // below which it may read; empty: everywhere
	Hidden    []string // what it does not see
	Write     []string // below which it may write
	Protected []string // but not there
	Temp      string   // what commands see as /tmp; empty: they share none

	Barred func(path string) bool // nor what has such a name; nil: none has
}

// hidden is what the shell opens for nobody: daemons, devices, and what belongs to the
// processes outside.
var hidden = []string{"/run", "/var/run", "/proc", "/sys", "/dev"}

// devices are those that it opens.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// private are the folders for temporary files.
var private = []string{"/tmp", "/var/tmp"}

// see is where what a command sees at a path is.
func (f *Files) see(path string) (string, error) {
	if under(path, hidden) && !slices.Contains(devices, path) {
		return "", fmt.Errorf("%w for the shell itself: let a command look at it", fs.ErrNotExist)
	}
	if under(path, private) && !under(path, f.Write) {
		if f.Temp == "" {
			return "", fmt.Errorf("%w: each command has a folder of its own for temporary files", fs.ErrNotExist)
		}
		return f.Temp + path, nil
	}
	return path, nil
}

// under reports whether a path is one of the folders, or below one.
func under(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == f || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}

// above reports whether one of the folders is below a path.
func above(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(f, path+"/") })
}
