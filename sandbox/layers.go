package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/sandbox/changes"
)

// layers are what takes what is written in a preview.
type layers struct {
	dir    string
	copied bool // they are copies
	limits changes.Limits
	list   []changes.Layer
}

// layersDir makes the folder that layers are kept in.
func layersDir(dir string, write []string) (string, error) {
	if dir == "" {
		dir = os.Getenv("TMPDIR")
	}
	if dir == "" {
		if dir = "/var/tmp"; !isPlainDir(dir) { // a disk, and no memory, on most systems
			dir = os.TempDir()
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	switch {
	case slices.ContainsFunc(write, func(root string) bool {
		return root == dir || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
	}):
		return "", fmt.Errorf("%s, in which the preview would be kept, is in a folder that the command may write in: let TMPDIR name another one", dir)
	case strings.ContainsAny(dir, `\:,`):
		return "", fmt.Errorf("the preview cannot be kept in %s because of its name: let TMPDIR name another folder", dir)
	}
	forget(dir)
	return os.MkdirTemp(dir, layersName) // nobody else may look into it
}

// layersName is how the names of such folders begin, and layersTime how long one is kept
// of which nobody has said that it is not needed any more: somebody was killed.
const (
	layersName = "sayso-preview-"
	layersTime = 7 * 24 * time.Hour
)

// forget removes the folders of previews that were left behind.
func forget(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, layersName+"*")) // others fail below
	for _, name := range left {
		if info, err := os.Lstat(name); err == nil && info.IsDir() && time.Since(info.ModTime()) > layersTime {
			_ = os.RemoveAll(name) // those of others cannot be removed
		}
	}
}

func isPlainDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// make makes a layer for each folder; one that is in another has none of its own.
func (l *layers) make(write []string) error {
	roots := slices.Compact(slices.Sorted(slices.Values(write)))
	for i, root := range roots {
		info, err := os.Lstat(root)
		switch {
		case err != nil:
			return err
		case root == "/":
			return errors.New("a command that may write everywhere cannot be previewed")
		case !info.IsDir():
			return fmt.Errorf("%s is no folder: only what is written in folders can be previewed", root)
		case slices.ContainsFunc(roots, func(o string) bool { return strings.HasPrefix(root, o+"/") }):
			continue
		}
		one := changes.Layer{
			Root: root, Copy: l.copied,
			Upper: filepath.Join(l.dir, fmt.Sprintf("upper%d-%t", i, l.copied)), Work: filepath.Join(l.dir, fmt.Sprintf("work%d-%t", i, l.copied)),
		}
		if err := errors.Join(os.Mkdir(one.Upper, 0o700), os.Mkdir(one.Work, 0o700), os.Chmod(one.Upper, info.Mode())); err != nil {
			return err
		}
		if err := marks(one.Upper); err != nil && !l.copied {
			return &setupError{"layer", fmt.Errorf("the file system of %s has no attributes of users: %w", l.dir, err)}
		}
		began, err := os.Lstat(one.Work) // in the time of the kernel, as for the files
		if err != nil {
			return err
		}
		one.Began = began.ModTime()
		l.list = append(l.list, one)
	}
	return nil
}

// fill makes the copies, if there are to be some.
func (l *layers) fill() error {
	if l == nil || !l.copied {
		return nil
	}
	for _, one := range l.list {
		if err := removeAll(one.Upper); err != nil { // of an earlier attempt
			return err
		}
		if err := changes.Copy(one.Root, one.Upper, l.limits); err != nil {
			return fmt.Errorf("copy %s: %w", one.Root, err)
		}
	}
	return nil
}

// of is the layer of a folder; nil: it has none of its own.
func (l *layers) of(root string) *changes.Layer {
	i := slices.IndexFunc(l.list, func(o changes.Layer) bool { return o.Root == root })
	if i < 0 {
		return nil
	}
	return &l.list[i]
}

// often is how often it is looked how much is in the layers, and at least ten times as
// long as that takes.
const often = 100 * time.Millisecond

// watch stops a command that writes more than it may.
func (l *layers) watch(ctx context.Context, stop context.CancelCauseFunc) {
	pause := often
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		began := time.Now()
		files, bytes := l.size()
		if bytes > l.limits.Bytes || files > 4*l.limits.Files { // among them are folders and what is as it was
			stop(changes.ErrTooMuch)
			return
		}
		pause = max(often, 10*time.Since(began))
	}
}

// size is how much is in the layers.
func (l *layers) size() (files int, bytes int64) {
	for _, one := range l.list {
		_ = filepath.WalkDir(one.Upper, func(_ string, e fs.DirEntry, err error) error { // what has gone meanwhile does not count
			if err != nil {
				return nil
			}
			files++
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				bytes += info.Size()
			}
			return nil
		})
	}
	return files, bytes
}

// openAll lets folders be looked into, so that they can be removed.
func openAll(dir string) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error { // what cannot be opened is told when it is removed
		if e != nil && e.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
}
