// Package private opens files and folders that belong to the user alone: nobody
// else can read them, nobody else can have written them, and no link leads to
// them. What is not so is an error that names the file and the remedy.
package private

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An Error says what is wrong with a file or a folder of the user's.
type Error struct {
	File    string
	Line    int // from 1; 0 if it is the file as a whole
	Problem string
	Hint    string // what to do about it
	Err     error  // what the system said; may be nil
}

func (e *Error) Error() string {
	text := e.Problem
	if e.Line > 0 {
		text = fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	} else if e.File != "" {
		text = e.File + ": " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Open opens a file that belongs to the user alone, and follows no link.
func Open(name string, flags int) (*os.File, error) {
	file, _, err := OpenAndLook(name, flags)
	return file, err
}

// OpenAndLook is Open, and tells what the file is like.
func OpenAndLook(name string, flags int) (*os.File, fs.FileInfo, error) {
	file, err := open(name, flags)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if err != nil {
		if info, lerr := os.Lstat(name); lerr == nil && !info.Mode().IsRegular() {
			return nil, nil, Fail(name, "it is not a file", "remove it", err)
		}
		return nil, nil, Fail(name, "it cannot be opened", "", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = private(name, info, false)
	}
	if err != nil {
		_ = file.Close() // nothing was read
		return nil, nil, err
	}
	return file, info, nil
}

// ErrTooLarge is the error for a file that is larger than it can be.
var ErrTooLarge = errors.New("it is too large")

// Read returns what is in a file of at most that size, from its beginning.
func Read(file *os.File, most int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, ErrTooLarge
	}
	text := make([]byte, info.Size())
	n, err := io.ReadFull(io.NewSectionReader(file, 0, info.Size()), text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it was cut meanwhile
		err = nil
	}
	return text[:n], err
}

// Lock opens a file, new or not, and waits until nobody else has
// it.
func Lock(ctx context.Context, name string) (*os.File, error) {
	for {
		file, mine, err := OpenAndLook(name, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := waitFor(ctx, file); err != nil {
			_ = file.Close() // nothing was written
			return nil, Fail(name, "it cannot be locked", "is another sayso stuck?", err)
		}
		there, err := os.Lstat(name)
		if err == nil && os.SameFile(mine, there) {
			return file, nil
		}
		_ = file.Close() // it was removed while we waited, or so it seems
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, Fail(name, "it cannot be looked at", "", err)
		}
	}
}

// Append adds text behind the first size bytes of a file that the caller has
// locked. What stands behind them was begun by a process that was killed.
func Append(file *os.File, size int64, text []byte) error {
	if end, err := file.Seek(0, io.SeekEnd); err != nil || end != size {
		if err := errors.Join(err, file.Truncate(size)); err != nil {
			return Fail(file.Name(), "it cannot be written", "", err)
		}
	}
	return AppendAt(file, size, text)
}

// AppendAt is Append for a file of just that size.
func AppendAt(file *os.File, size int64, text []byte) error {
	if _, err := file.WriteAt(text, size); err != nil {
		err = errors.Join(err, file.Truncate(size)) // a part of it does not count anyway
		return Fail(file.Name(), "it cannot be written", "is the disk full?", err)
	}
	return nil
}

// Make makes folders that are missing, each inside the one before it, and checks
// all of them.
func Make(folders ...string) error {
	last := folders[len(folders)-1]
	if there, err := check(folders); there || err != nil {
		return err
	}
	if err := os.MkdirAll(last, 0o700); err != nil {
		return Fail(last, "the folder cannot be made", "", err)
	}
	_, err := check(folders)
	return err
}

// Check makes sure that folders, each inside the one before it, are the user's
// own. Missing ones are fine.
func Check(folders ...string) error {
	_, err := check(folders)
	return err
}

// check is Check, and tells whether all of them are there.
func check(folders []string) (there bool, err error) {
	for _, name := range folders {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, Fail(name, "it cannot be looked at", "", err)
		}
		if err := private(name, info, true); err != nil {
			return false, err
		}
	}
	return true, nil
}

// private returns an error if somebody else could have written a file or a
// folder, or could read it.
func private(name string, info fs.FileInfo, folder bool) error {
	mode := "600"
	if folder {
		mode = "700"
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return Fail(name, "it is a link", "remove it: sayso makes its own", nil)
	case folder && !info.IsDir():
		return Fail(name, "it is not a folder", "remove it: sayso makes its own", nil)
	case !folder && !info.Mode().IsRegular():
		return Fail(name, "it is not a file", "remove it: sayso makes its own", nil)
	case foreign(info):
		return Fail(name, "it belongs to another user", "change its owner with chown, or remove it", nil)
	case shared(info):
		return Fail(name, "others can reach it", "chmod "+mode+" "+name, nil)
	}
	return nil
}

// Fail is an error about a file.
func Fail(name, problem, hint string, err error) error {
	if err != nil {
		problem += ": " + plainly(err)
	}
	return &Error{File: name, Problem: problem, Hint: hint, Err: err}
}

// plainly is the error without the path, which is said already.
func plainly(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Replace writes a file as a whole: whoever reads it sees the old text or the
// new one.
func Replace(name string, text []byte) error { return replace(name, text, false) }

// ReplaceSafely is Replace for what must survive that the power fails.
func ReplaceSafely(name string, text []byte) error { return replace(name, text, true) }

func replace(name string, text []byte, safely bool) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return Fail(name, "it cannot be written", "", err)
	}
	_, err = file.Write(text)
	if safely && err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // it is of no use
		return Fail(name, "it cannot be written", "is the disk full?", err)
	}
	if safely {
		return syncFolder(filepath.Dir(name))
	}
	return nil
}

// syncFolder makes sure that the names in a folder are on the disk, where the
// system can do that.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return Fail(name, "it cannot be opened", "", err)
	}
	defer folder.Close() //nolint:errcheck // it was only read
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return Fail(name, "it cannot be written", "", err)
	}
	return nil
}

// CheckFile makes sure that a file is the user's own without opening it; one that
// is missing is [fs.ErrNotExist].
func CheckFile(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		return Fail(name, "it cannot be looked at", "", err)
	}
	return private(name, info, false)
}
