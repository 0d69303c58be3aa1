package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sayso-dev/sayso"
)

// A Disk is where policy files are.
type Disk interface {
	// Read returns at most so many bytes of a file. It does not follow a
	// link, and returns no text for anything but a regular file. A file
	// that is not there is an error that is [fs.ErrNotExist].
	Read(name string, limit int64) ([]byte, Info, error)

	// Real returns the path with all links resolved.
	Real(name string) (string, error)
}

// An Info is what is known of a file besides its text.
type Info struct {
	Mode    fs.FileMode
	Size    int64
	ModTime time.Time
	Inode   uint64 // 0 where there are none

	Owner, Group int // -1 where there are none
	Self         int // who runs sayso
}

// problem says why a file cannot be a policy: because somebody else than the
// user or the administrator might have written it. What comes with a repository
// belongs to nobody in particular, and is not trusted anyway.
func (i Info) problem(layer sayso.Layer) (problem, hint string) {
	foreign := i.Owner > 0 && i.Owner != i.Self && (i.Self != 0 || layer == sayso.Managed)
	switch {
	case i.Mode&fs.ModeSymlink != 0:
		return "it is a link", "put the file itself there"
	case !i.Mode.IsRegular():
		return "it is not a file", "move it away"
	case layer == sayso.Committed || i.Owner < 0:
		return "", ""
	case foreign:
		return "it belongs to another user", "change its owner with chown"
	case i.Mode&0o002 != 0:
		return "everybody can write it", "chmod go-w"
	case i.Mode&0o020 != 0 && i.Group != i.Owner: // a group of the same number has only its owner in it
		return "its group can write it", "chmod go-w"
	}
	return "", ""
}

// OS is the disk of this machine.
func OS() Disk { return osDisk{} }

type osDisk struct{}

func (osDisk) Read(name string, limit int64) ([]byte, Info, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, Info{}, err
	}
	if !before.Mode().IsRegular() {
		return nil, infoOf(before), nil
	}
	f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, Info{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	opened, err := f.Stat()
	if err != nil {
		return nil, Info{}, err
	}
	if !os.SameFile(before, opened) {
		return nil, Info{}, errors.New("it was replaced while it was read")
	}
	text, err := io.ReadAll(io.LimitReader(f, limit))
	return text, infoOf(opened), err
}

func (osDisk) Real(name string) (string, error) { return filepath.EvalSymlinks(name) }
