package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Read reads what was changed in layers. Nobody may write there any more. What is
// below a protected path is no part of it.
func Read(layers []Layer, protected []string, limits Limits) (*Set, error) {
	r := &reader{set: &Set{layers: layers, protected: protected}, limits: limits.Or(DefaultLimits), links: map[identity]string{}}
	for i, l := range layers {
		r.layer, r.l = i, l
		upper, err := look(l.Upper)
		if err != nil {
			return nil, err
		}
		if err := r.folder("", upper, true); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.set.List, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return r.set, nil
}

// A reader compares a layer with the folder below it.
type reader struct {
	set    *Set
	limits Limits
	layer  int
	l      Layer
	bytes  int64
	links  map[identity]string // new files that have several names, by what they are
}

// mostDeep is how deep folders are looked into: a command can make some that are
// deeper than a path can be long.
const mostDeep = 200

func (r *reader) add(c Change) error {
	c.layer = r.layer
	if b := c.Before; b != nil && b.Type != Folder && !r.l.Began.IsZero() && b.id.changed > r.l.Began.UnixNano() {
		r.set.stale = append(r.set.stale, c.Path)
		r.note(c.Path, "somebody else has changed it meanwhile: the changes cannot be made")
	}
	if c.After != nil && c.Same == "" {
		r.bytes += c.After.Size
	}
	if r.set.List = append(r.set.List, c); len(r.set.List) > r.limits.Files || r.bytes > r.limits.Bytes {
		return fmt.Errorf("%w: %d changes and %d bytes are the most", ErrTooMuch, r.limits.Files, r.limits.Bytes)
	}
	return nil
}

func (r *reader) note(path, text string) {
	if len(r.set.Notes) < 100 {
		r.set.Notes = append(r.set.Notes, path+": "+text)
	}
}

// folder compares a folder that is in the layer. below says that there is one below
// it, too.
func (r *reader) folder(rel string, upper *State, below bool) error {
	if strings.Count(rel, "/") > mostDeep {
		return fmt.Errorf("%w: folders more than %d deep", ErrTooMuch, mostDeep)
	}
	name := filepath.Join(r.l.Upper, rel)
	entries, err := readDir(name, upper)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		if err := r.entry(filepath.Join(rel, e.Name()), below); err != nil {
			return err
		}
	}
	hides, err := opaque(name)
	if err != nil || !below || !hides && !r.l.Copy {
		return err
	}
	lower, err := os.ReadDir(filepath.Join(r.l.Root, rel))
	if err != nil {
		return err
	}
	for _, e := range lower {
		if !there[e.Name()] {
			if err := r.removed(filepath.Join(rel, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry compares what is at one path.
func (r *reader) entry(rel string, below bool) error {
	path := filepath.Join(r.l.Root, rel)
	if inside(path, r.set.protected) {
		return nil // nobody could change it; what holds its place may be there
	}
	upper := filepath.Join(r.l.Upper, rel)
	white, err := whiteout(upper)
	if err != nil {
		return err
	}
	var before *State
	if below {
		if before, err = look(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if white {
		if before == nil {
			return nil
		}
		return r.removed(rel)
	}
	after, err := look(upper)
	if err != nil {
		return err
	}
	if after.Type == "" {
		r.note(path, "sockets and devices are left out")
		return nil
	}
	c := Change{Path: path, Kind: Added, Before: before, After: after}
	if before != nil {
		c.Kind = Changed
	}
	if after.Type == Folder {
		return r.madeFolder(rel, c)
	}
	if before != nil && before.Type == Folder {
		if err := r.emptied(rel); err != nil {
			return err
		}
	}
	return r.file(rel, c)
}

// madeFolder is a folder that is new, or changed, or has something changed in it.
func (r *reader) madeFolder(rel string, c Change) error {
	both := c.Before != nil && c.Before.Type == Folder
	if !both || c.Before.Mode != c.After.Mode {
		if err := r.add(c); err != nil {
			return err
		}
	}
	return r.folder(rel, c.After, both)
}

// file is anything but a folder.
func (r *reader) file(rel string, c Change) error {
	upper := filepath.Join(r.l.Upper, rel)
	if c.After.Type == File {
		c.Same = r.links[c.After.key()]
		if c.After.Size > r.limits.Bytes {
			return fmt.Errorf("%w: %s has %d bytes", ErrTooMuch, c.Path, c.After.Size)
		}
		var err error
		if c.After.Hash, err = hashOf(upper, c.After); err != nil {
			return err
		}
	}
	if b := c.Before; b != nil {
		if b.Type == "" {
			r.note(c.Path, "what was there is a socket or a device, and stays")
			return nil
		}
		if b.Type == File && b.id.names > 1 {
			c.Names = int(b.id.names) //nolint:gosec // the kernel holds it to thousands
		}
		if b.Type == File && c.After.Type == File {
			var err error
			if b.Hash, err = hashOf(c.Path, b); err != nil {
				return err
			}
		}
		if b.Type == c.After.Type && b.Mode == c.After.Mode && b.Hash == c.After.Hash && b.To == c.After.To && (b.Time.Equal(c.After.Time) || b.Type == Link) {
			return nil // it was only opened
		}
	}
	if c.After.Type == File && c.After.id.names > 1 && c.Same == "" {
		r.links[c.After.key()] = c.Path
	}
	return r.add(c)
}

// removed is what was there, with all that is in it.
func (r *reader) removed(rel string) error {
	path := filepath.Join(r.l.Root, rel)
	if inside(path, r.set.protected) {
		return nil
	}
	before, err := look(path)
	if err != nil {
		return err
	}
	if before.Type == "" {
		r.note(path, "sockets and devices stay")
		return nil
	}
	if before.Type == Folder {
		if err := r.emptied(rel); err != nil {
			return err
		}
	}
	return r.add(Change{Path: path, Kind: Removed, Before: before})
}

// emptied is a folder of which nothing is left.
func (r *reader) emptied(rel string) error {
	entries, err := os.ReadDir(filepath.Join(r.l.Root, rel))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := r.removed(filepath.Join(rel, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// key identifies a file among its names.
func (s *State) key() identity { return identity{dev: s.id.dev, ino: s.id.ino} }

// look says what is at a path, without following a link.
func look(path string) (*State, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	s := stateOf(&st)
	if s.Type == Link {
		to, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		s.To = to
	}
	return s, nil
}

func stateOf(st *unix.Stat_t) *State {
	s := &State{Mode: fs.FileMode(st.Mode & 0o777), Time: time.Unix(st.Mtim.Unix()), id: identity{uint64(st.Dev), st.Ino, uint64(st.Nlink), unix.TimespecToNsec(st.Ctim)}} //nolint:unconvert // they differ between processors
	for bit, mode := range map[uint32]fs.FileMode{unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky} {
		if st.Mode&bit != 0 {
			s.Mode |= mode
		}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Type, s.Size = File, st.Size
	case unix.S_IFDIR:
		s.Type = Folder
	case unix.S_IFLNK:
		s.Type = Link
	case unix.S_IFIFO:
		s.Type = Pipe
	}
	return s
}

// hashOf reads a file that is what it was when it was looked at. A file that its own
// user may not read is one that they can let themselves read.
func hashOf(path string, s *State) (string, error) {
	f, err := open(path)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(path, s.Mode.Perm()|0o400) == nil {
		f, err = open(path)
		err = errors.Join(err, os.Chmod(path, s.Mode))
	}
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, s.Size+1)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// open opens a file to read it, and nothing that only looks like one.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// readDir lists a folder of a layer, in which the command may have let nobody look.
func readDir(name string, s *State) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(name, 0o700|s.Mode.Perm()) == nil {
		entries, err = os.ReadDir(name) // it is our own, and what it was is known
	}
	return entries, err
}

// whiteout reports whether what is in a layer says that there is nothing.
func whiteout(name string) (bool, error) {
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		return false, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	if st.Mode&unix.S_IFMT == unix.S_IFCHR {
		return st.Rdev == 0, nil
	}
	for _, strange := range []string{"redirect", "metacopy"} { // nobody asked for these: what is there is not what is meant
		if text, err := attribute(name, strange); err != nil || text != "" {
			return false, fmt.Errorf("%s: a layer with %s cannot be read (%w)", name, strange, cmpErr(err))
		}
	}
	if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == 0 {
		var one [8]byte
		n, err := unix.Lgetxattr(name, "user.overlay.whiteout", one[:])
		return err == nil && n >= 0, nil
	}
	return false, nil
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("it is set")
	}
	return err
}

// opaque reports whether a folder of a layer hides all that is below it.
func opaque(name string) (bool, error) {
	text, err := attribute(name, "opaque")
	return text == "y", err
}

// attribute is one that overlayfs has set; empty: it has not.
func attribute(name, key string) (string, error) {
	var text [256]byte
	n, err := unix.Lgetxattr(name, "user.overlay."+key, text[:])
	switch {
	case err == nil:
		return string(text[:n]), nil
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return "", nil // links and pipes have none
	}
	return "", &fs.PathError{Op: "getxattr", Path: name, Err: err}
}
