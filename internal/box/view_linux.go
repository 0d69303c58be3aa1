package box

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// build makes the view of the files that the command will have.
func (s *stage) build(steps []Step) (step string, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return "mounts", err // what is mounted outside later does not appear inside
	}
	if s.proc, err = newFS("proc", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, nil); err != nil {
		return "proc", err // it must be made while the old one can be seen
	}
	for _, st := range steps {
		if st[0] != Stream {
			continue
		}
		if err := s.streamAgain(st[1], st[2]); err != nil {
			return strings.Join(st, " "), err
		}
	}
	s.trees = make([]int, len(steps))
	for i, st := range steps { // all of them, before anything covers them
		if s.trees[i], err = source(st); err != nil {
			return strings.Join(st, " "), err
		}
	}
	for i, st := range steps {
		if err := s.put(st, s.trees[i]); err != nil {
			return strings.Join(st, " "), err
		}
	}
	return "", nil
}

// source opens what a step shows, with all that is mounted below it.
func source(st Step) (tree int, err error) {
	from := ""
	switch st[0] {
	case Root:
		if st[1] == "empty" {
			return newFS("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, map[string]string{"mode": "755", "size": "1m"})
		}
		from = "/"
	case Bind, Protect, Pin:
		from = st[1]
	default:
		return -1, nil
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, from, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, fmt.Errorf("open: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	tree, err = unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("open_tree: %w", err)
	}
	return tree, attributes(tree, st)
}

// attributes says what may be done through a tree.
func attributes(tree int, st Step) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	switch {
	case st[0] == Bind && st[3] == "dev":
		attr.Attr_set = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY // it can be written to, but root cannot change its mode for all
	case st[0] == Pin, st[0] == Bind && st[3] == "rw", st[0] == Root && st[1] == "open":
	default:
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	return nil
}

// put carries out a step that changes the view.
func (s *stage) put(st Step, tree int) (err error) {
	switch st[0] {
	case Root:
		s.root = tree
		return unix.MoveMount(tree, "", unix.AT_FDCWD, "/", unix.MOVE_MOUNT_F_EMPTY_PATH)
	case Bind:
		return s.attach(tree, st[2])
	case Pin:
		return s.attach(tree, st[1])
	case Protect:
		s.guards = append(s.guards, st[1])
		return s.attach(tree, st[1])
	case Proc:
		return s.attach(s.proc, st[1])
	case Hide:
		s.guards = append(s.guards, st[1])
		return s.hide(st[1])
	case Tmpfs:
		tree, err = newFS("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, map[string]string{"mode": st[2], "size": st[3]})
	case Pts:
		tree, err = newFS("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, map[string]string{"newinstance": "", "ptmxmode": "0666", "mode": "620"})
	case Scratch:
		tree, err = s.scratch(st[1])
	case Layer:
		tree, err = layered(st[1], st[2], st[3])
	case PinHere:
		tree, err = s.again(st[1])
	case Text:
		tree, err = text(st[2])
	case Seal:
		return s.seal(st[1])
	case Folder:
		return s.folder(st[1])
	case File:
		return s.file(st[1])
	case Link:
		return s.link(st[1], st[2])
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return s.attach(tree, st[1])
}

// at opens a path of the new view. No link is followed: what a step names is what
// it means.
func (s *stage) at(name string, flags uint64) (int, error) {
	name = strings.TrimPrefix(path.Clean(name), "/")
	if name == "" {
		name = "."
	}
	return unix.Openat2(s.root, name, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS})
}

// attach mounts a tree.
func (s *stage) attach(tree int, name string) error {
	fd, err := s.at(name, unix.O_PATH)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	if err := unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount: %w", err)
	}
	return nil
}

// newFS makes a file system that is not mounted yet.
func newFS(kind string, attributes int, options map[string]string) (int, error) {
	fd, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fsopen %s: %w", kind, err)
	}
	defer unix.Close(fd) //nolint:errcheck // the file system stays
	for key, value := range options {
		if value == "" {
			err = unix.FsconfigSetFlag(fd, key)
		} else {
			err = unix.FsconfigSetString(fd, key, value)
		}
		if err != nil {
			return -1, fmt.Errorf("%s option %s: %w", kind, key, err)
		}
	}
	if err := unix.FsconfigCreate(fd); err != nil {
		return -1, fmt.Errorf("make %s: %w", kind, err)
	}
	return unix.Fsmount(fd, unix.FSMOUNT_CLOEXEC, attributes)
}

// hide puts something empty over a folder, or a device that is nothing over a file.
func (s *stage) hide(name string) error {
	fd, err := s.at(name, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	var tree int
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		tree, err = newFS("tmpfs", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, map[string]string{"mode": "555", "size": "4k"})
	} else {
		tree, err = source(Step{Bind, "/dev/null", name, "ro"})
	}
	if err != nil {
		return err
	}
	return s.attach(tree, name)
}

func (s *stage) seal(name string) error {
	fd, err := s.at(name, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	return unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// folder makes a folder, and those above it, where they are missing.
func (s *stage) folder(name string) error {
	if fd, err := s.at(name, unix.O_PATH|unix.O_DIRECTORY); err == nil {
		return unix.Close(fd)
	}
	above, base := path.Split(path.Clean(name))
	if base == "" {
		return fmt.Errorf("%s cannot be made", name)
	}
	if err := s.folder(above); err != nil {
		return err
	}
	return s.in(above, func(fd int) error { return unix.Mkdirat(fd, base, 0o755) })
}

func (s *stage) file(name string) error {
	above, base := path.Split(path.Clean(name))
	if err := s.folder(above); err != nil {
		return err
	}
	err := s.in(above, func(fd int) error { return unix.Mknodat(fd, base, unix.S_IFREG|0o444, 0) })
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

func (s *stage) link(to, name string) error {
	above, base := path.Split(path.Clean(name))
	return s.in(above, func(fd int) error { return unix.Symlinkat(to, fd, base) })
}

// in does something in a folder of the new view.
func (s *stage) in(folder string, do func(fd int) error) error {
	fd, err := s.at(folder, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	return do(fd)
}

// workbench is a folder of the old root that is not needed any more: layers are made
// there, which have to have a path.
const workbench = "/sys"

// text is a file in memory that says something.
func text(says string) (int, error) {
	folder, err := newFS("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, map[string]string{"mode": "755", "size": "64k"})
	if err != nil {
		return -1, err
	}
	if err := unix.MoveMount(folder, "", unix.AT_FDCWD, workbench, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return -1, fmt.Errorf("move_mount %s: %w", workbench, err)
	}
	fd, err := unix.Open(workbench+"/text", unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return -1, err
	}
	_, err = unix.Write(fd, []byte(says))
	if err := errors.Join(err, unix.Close(fd)); err != nil {
		return -1, err
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, workbench+"/text", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("open_tree: %w", err)
	}
	return tree, attributes(tree, Step{Bind, "", "", "ro"})
}

// scratch shows a folder with a layer above it that takes what is written.
func (s *stage) scratch(name string) (int, error) {
	layers, err := newFS("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, map[string]string{"mode": "700"})
	if err != nil {
		return -1, err
	}
	if err := unix.MoveMount(layers, "", unix.AT_FDCWD, workbench, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return -1, fmt.Errorf("move_mount %s: %w", workbench, err)
	}
	for _, layer := range []string{"/upper", "/work"} {
		if err := unix.Mkdir(workbench+layer, 0o700); err != nil {
			return -1, err
		}
	}
	if s.kept {
		fd, err := unix.Open(workbench+"/upper", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		s.uppers = append(s.uppers, fd)
	}
	return layered(name, workbench+"/upper", workbench+"/work")
}

// layered is a folder with a layer above it that takes what is written.
func layered(name, upper, work string) (int, error) {
	escaped := strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(name)
	return newFS("overlay", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, map[string]string{
		"lowerdir": escaped, "upperdir": upper, "workdir": work, "userxattr": "",
	})
}

// again is what is seen at a path of the new view, to be mounted there once more.
func (s *stage) again(name string) (int, error) {
	fd, err := s.at(name, unix.O_PATH)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	return unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// gone is the first of the guarded paths that nothing is mounted on any more: who
// replaces a file outside takes away what is mounted on it here.
func (s *stage) gone() (string, error) {
	if _, err := unix.Seek(s.mounts, 0, unix.SEEK_SET); err != nil {
		return "", err
	}
	var text []byte
	part := make([]byte, 16<<10)
	for {
		n, err := unix.Read(s.mounts, part)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return "", err
		}
		if n == 0 {
			break
		}
		text = append(text, part[:n]...)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			there[unescape(fields[4])] = true
		}
	}
	for _, guard := range s.guards {
		if !there[guard] {
			return guard, nil
		}
	}
	return "", nil
}

// unescape reads a path as the kernel writes it, with blanks as \040.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
