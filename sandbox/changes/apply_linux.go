package changes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Apply makes the changes: all of them are looked at first, and new files written beside
// those that they replace, before the first one is changed. Protected are further paths
// that cannot be.
func (s *Set) Apply(ctx context.Context, protected []string) (err error) {
	a := &applier{s: s, protected: slices.Concat(s.protected, protected)}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.check(); err != nil {
		return err
	}
	if err := a.stage(ctx); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	return a.change()
}

// An applier makes the changes of a set.
type applier struct {
	s         *Set
	protected []string
	roots     []int    // descriptors, one for each layer
	staging   []string // for each, the folder in it for what is not in its place yet
	staged    []int
}

func (a *applier) close() error {
	var errs []error
	for i, name := range a.staging {
		if name != "" {
			errs = append(errs, os.RemoveAll(filepath.Join(a.s.layers[i].Root, name)), unix.Close(a.staged[i]))
		}
	}
	for _, fd := range a.roots {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}

// check looks at all that will be changed.
func (a *applier) check() error {
	for _, l := range a.s.layers {
		fd, err := unix.Openat2(unix.AT_FDCWD, l.Root, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
		if err != nil {
			return &fs.PathError{Op: "open", Path: l.Root, Err: err}
		}
		a.roots = append(a.roots, fd)
	}
	made := map[string]*Change{}
	for i := range a.s.List {
		made[a.s.List[i].Path] = &a.s.List[i]
	}
	stale := slices.Clone(a.s.stale)
	for i := range a.s.List {
		c := &a.s.List[i]
		gone := c.Kind == Removed || c.Before != nil && (c.Before.Type != Folder || c.After.Type != Folder)
		if inside(c.Path, a.protected) || gone && holds(c.Path, a.protected) {
			return fmt.Errorf("nothing was changed: %s is protected", c.Path)
		}
		if err := a.asBefore(c, made); err != nil {
			if !slices.Contains(stale, c.Path) {
				stale = append(stale, c.Path)
			}
		}
	}
	if len(stale) > 0 {
		return &StaleError{stale}
	}
	return nil
}

// errOther says that something is not what it was.
var errOther = errors.New("it is not what it was")

// asBefore reports whether what is at a path is what was there.
func (a *applier) asBefore(c *Change, made map[string]*Change) error {
	if above := made[filepath.Dir(c.Path)]; above != nil && (above.Before == nil || above.Before.Type != Folder) {
		if c.Before != nil {
			return errOther
		}
		return nil // the folder is not there yet
	}
	dir, base, err := a.parent(c)
	if err != nil {
		return err
	}
	defer unix.Close(dir) //nolint:errcheck // it was only looked at
	if err := same(dir, base, c.Before); err != nil {
		return err
	}
	if c.Before != nil && c.Before.Type == Folder && (c.After == nil || c.After.Type != Folder) {
		return a.allKnown(dir, base, c, made)
	}
	return nil
}

// allKnown reports whether all that is in a folder that will be removed is removed, too.
func (a *applier) allKnown(dir int, base string, c *Change, made map[string]*Change) error {
	fd, err := unix.Openat(dir, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), c.Path)
	defer f.Close() //nolint:errcheck // it was only read
	names, err := f.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if one := made[filepath.Join(c.Path, name)]; one == nil || one.Kind != Removed {
			return errOther
		}
	}
	return nil
}

// same reports whether what is in a folder is what it was; nil: nothing.
func same(dir int, base string, want *State) error {
	var st unix.Stat_t
	err := unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT) && want == nil:
		return nil
	case err != nil:
		return err
	case want == nil:
		return errOther
	}
	got := stateOf(&st)
	if got.Type != want.Type || got.Mode != want.Mode || got.key() != want.key() {
		return errOther
	}
	if got.Type != Folder && (got.Size != want.Size || !got.Time.Equal(want.Time) || got.id.changed != want.id.changed && want.id.changed != 0) {
		return errOther
	}
	return nil
}

// parent opens the folder that a path is in, without following a link.
func (a *applier) parent(c *Change) (fd int, base string, err error) {
	dir, base := filepath.Split(a.rel(c))
	fd, err = unix.Openat2(a.roots[c.layer], filepath.Clean("./"+dir), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	return fd, base, err
}

func (a *applier) rel(c *Change) string {
	rel, _ := filepath.Rel(a.s.layers[c.layer].Root, c.Path) // it is below it
	return rel
}

// stage writes the new files to a folder of our own, on the same file system.
func (a *applier) stage(ctx context.Context) error {
	a.staging, a.staged = make([]string, len(a.roots)), make([]int, len(a.roots))
	for i := range a.s.List {
		c := &a.s.List[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.After == nil || c.After.Type != File || c.Same != "" {
			continue
		}
		if err := a.folder(c.layer); err != nil {
			return err
		}
		if err := a.copyTo(i, c); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

// folder makes the folder for what is not in its place yet.
func (a *applier) folder(layer int) error {
	if a.staging[layer] != "" {
		return nil
	}
	name := ".sayso-changes-" + rand.Text()
	if err := unix.Mkdirat(a.roots[layer], name, 0o700); err != nil {
		return fmt.Errorf("make a folder in %s: %w", a.s.layers[layer].Root, err)
	}
	fd, err := unix.Openat(a.roots[layer], name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	a.staging[layer], a.staged[layer] = name, fd
	return nil
}

// change puts everything in its place: first goes what is not to stay, the innermost
// first; folders come before what is in them, and further names of files last.
func (a *applier) change() error {
	list := make([]int, len(a.s.List))
	for i := range list {
		list[i] = i
	}
	rank := func(i int) (int, string) {
		switch c := &a.s.List[i]; {
		case c.Kind == Removed:
			return 0, c.Path
		case c.After.Type == Folder:
			return 1, c.Path
		case c.Same == "":
			return 2, c.Path
		default:
			return 3, c.Path
		}
	}
	slices.SortStableFunc(list, func(i, j int) int {
		ri, pi := rank(i)
		rj, pj := rank(j)
		if ri != rj {
			return ri - rj
		}
		if ri == 0 {
			return strings.Compare(pj, pi)
		}
		return strings.Compare(pi, pj)
	})
	for done, i := range list {
		if err := a.one(i, &a.s.List[i]); err != nil {
			return &PartError{done, a.s.List[i].Path, err}
		}
	}
	for i := len(a.s.List) - 1; i >= 0; i-- { // who cannot write in a folder can still have filled it
		if c := &a.s.List[i]; c.After != nil && c.After.Type == Folder {
			if err := a.finish(c); err != nil {
				return &PartError{len(list), c.Path, err}
			}
		}
	}
	return nil
}

// one makes one change, if what is there is still what was.
func (a *applier) one(i int, c *Change) error {
	dir, base, err := a.parent(c)
	if err != nil {
		return err
	}
	defer unix.Close(dir) //nolint:errcheck // it was only looked at
	before := c.Before
	if before != nil && before.id.names > 1 { // another of its names may be among what was changed
		other := *before
		other.id.changed = 0
		before = &other
	}
	if err := same(dir, base, before); err != nil {
		return err
	}
	flags := 0
	if c.Before != nil && c.Before.Type == Folder {
		flags = unix.AT_REMOVEDIR
	}
	switch {
	case c.Kind == Removed:
		return unix.Unlinkat(dir, base, flags)
	case c.After.Type == Folder && c.Before != nil && c.Before.Type == Folder:
		return nil // only its permissions
	case c.Before != nil && (c.Before.Type == Folder || c.After.Type == Folder): // one cannot be put over the other
		if err := unix.Unlinkat(dir, base, flags); err != nil {
			return err
		}
	}
	if c.After.Type == Folder {
		return unix.Mkdirat(dir, base, 0o700)
	}
	return a.put(i, c, dir, base)
}

// put replaces what is at a path by something that is no folder, at once.
func (a *applier) put(i int, c *Change, dir int, base string) error {
	if err := a.folder(c.layer); err != nil {
		return err
	}
	from, name := a.staged[c.layer], stagedName(i)
	var err error
	switch {
	case c.Same != "":
		err = a.again(c, from, name)
	case c.After.Type == Link:
		err = unix.Symlinkat(c.After.To, from, name)
	case c.After.Type == Pipe:
		err = unix.Mknodat(from, name, unix.S_IFIFO|uint32(c.After.Mode.Perm()), 0)
	}
	if err != nil {
		return err
	}
	return unix.Renameat(from, name, dir, base)
}

// again makes a further name of a file that is in its place.
func (a *applier) again(c *Change, to int, name string) error {
	at := slices.IndexFunc(a.s.List, func(o Change) bool { return o.Path == c.Same })
	if at < 0 {
		return errOther
	}
	first, base, err := a.parent(&a.s.List[at])
	if err != nil {
		return err
	}
	defer unix.Close(first) //nolint:errcheck // it was only looked at
	return unix.Linkat(first, base, to, name, 0)
}

// finish gives a folder the permissions it is to have.
func (a *applier) finish(c *Change) error {
	dir, base, err := a.parent(c)
	if err != nil {
		return err
	}
	defer unix.Close(dir) //nolint:errcheck // it was only looked at
	fd, err := unix.Openat(dir, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fchmod(fd, bits(c.After.Mode)), unix.Close(fd))
}

// bits are permissions as the kernel writes them.
func bits(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	for bit, mode := range map[uint32]fs.FileMode{unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky} {
		if m&mode != 0 {
			n |= bit
		}
	}
	return n
}

func stagedName(i int) string { return fmt.Sprintf("%d", i) }

func timespec(t time.Time) unix.Timespec { return unix.NsecToTimespec(t.UnixNano()) }
