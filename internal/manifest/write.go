package manifest

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"github.com/sayso-dev/sayso/internal/private"
)

// LockFile is locked by whoever changes a file in a workspace, or about one.
func LockFile(state string) string { return filepath.Join(state, "manifest.lock") }

// rewrite changes a file in a workspace as a whole, alone among the processes of
// sayso. Edit returns its text before and after; if they are the same nothing is
// written.
func rewrite(ctx context.Context, state, root, name string, changed func(ctx context.Context, root string, before, after []byte) error, edit func(*os.Root) (before, after []byte, err error)) error {
	if err := private.Make(state); err != nil {
		return err
	}
	lock, err := private.Lock(ctx, LockFile(state))
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with it
	at, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer at.Close() //nolint:errcheck // what was written was written
	before, after, err := edit(at)
	if err != nil || string(after) == string(before) {
		return err
	}
	if err := write(at, name, after); err != nil {
		return private.Fail(filepath.Join(root, filepath.FromSlash(name)), "it cannot be written", "is the disk full, or the folder read-only?", err)
	}
	if changed != nil {
		return changed(ctx, root, before, after)
	}
	return nil
}

// write puts the text in the place of a file. The caller has the lock.
func write(at *os.Root, name string, text []byte) error {
	if err := at.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	next := path.Join(path.Dir(name), "."+path.Base(name)+".new")
	_ = at.Remove(next) // a process that was killed has left it, or it is not there
	file, err := at.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = at.Rename(next, name)
	}
	if err != nil {
		_ = at.Remove(next) // it is of no use
	}
	return err
}
