package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
)

// maxSize is the largest file that is read: some hundred thousand changes.
const maxSize = 32 << 20

// known is what a file says.
type known struct {
	id    string
	state sayso.SessionState
	size  int64 // of the lines that are whole
	lines int
}

// read reads the lines of a session's file. The last one does not count if it
// has no end: whoever wrote it was killed before anybody was answered.
func read(file *os.File, belongs func(id string) bool) (known, error) {
	var k known
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return k, fail(file.Name(), "it cannot be read", "", err)
	}
	if len(text) > maxSize {
		return k, fail(file.Name(), fmt.Sprintf("it is larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	for {
		one, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return k, nil
		}
		l, err := parse(one)
		if err == nil && k.lines == 0 && !belongs(l.ID) {
			err = fmt.Errorf("it is the file of another session, %q", l.ID)
		}
		k.lines++
		if err != nil {
			return known{}, &Error{File: file.Name(), Line: k.lines, Problem: err.Error(), Hint: startAfresh, Err: err}
		}
		if k.lines == 1 {
			k.id = l.ID
		}
		l.apply(&k.state)
		k.size += int64(len(one)) + 1
		text = rest
	}
}

const startAfresh = "remove the file to let the session start afresh: what was denied, read and written in it is then forgotten"

// appendLine adds a line behind those that are whole.
func appendLine(file *os.File, size int64, l line) error {
	l.Version, l.Time = version, time.Now().UTC().Truncate(time.Second)
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if size+int64(len(text)) >= maxSize {
		return fail(file.Name(), fmt.Sprintf("it would be larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	if end, err := file.Seek(0, io.SeekEnd); err != nil || end != size { // what a killed process began
		if err := errors.Join(err, file.Truncate(size)); err != nil {
			return fail(file.Name(), "it cannot be written", "", err)
		}
	}
	if _, err := file.Write(append(text, '\n')); err != nil {
		err = errors.Join(err, file.Truncate(size)) // half a line does not count anyway
		return fail(file.Name(), "it cannot be written", "is the disk full?", err)
	}
	return nil
}

// lock opens the file of a session, new or not, and waits until nobody else has
// it.
func lock(ctx context.Context, name string) (*os.File, error) {
	for {
		file, err := open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
		if err != nil {
			return nil, err
		}
		if err := waitFor(ctx, file); err != nil {
			_ = file.Close() // nothing was written
			return nil, fail(name, "it cannot be locked", "is another sayso stuck?", err)
		}
		mine, err := file.Stat()
		if err == nil {
			var there fs.FileInfo
			if there, err = os.Lstat(name); err == nil && os.SameFile(mine, there) {
				return file, nil
			}
		}
		_ = file.Close() // it was removed while we waited, or so it seems
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fail(name, "it cannot be looked at", "", err)
		}
	}
}

// open opens a file that belongs to the user alone, and follows no link.
func open(name string, flags int) (*os.File, error) {
	file, err := os.OpenFile(name, flags|openFlags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		if info, lerr := os.Lstat(name); lerr == nil && !info.Mode().IsRegular() {
			return nil, fail(name, "it is not a file", "remove it", err)
		}
		return nil, fail(name, "it cannot be opened", "", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = private(name, info, false)
	}
	if err != nil {
		_ = file.Close() // nothing was read
		return nil, err
	}
	return file, nil
}

// make makes the folders that are missing.
func (f Folder) make() error {
	err := os.Mkdir(f.sessions(), 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(f.sessions(), 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fail(f.Dir, "the state folder cannot be made", "", err)
	}
	return f.check()
}

// check makes sure that the folders are the user's own. Missing ones are fine.
func (f Folder) check() error {
	for _, name := range [...]string{f.Dir, f.sessions()} {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fail(name, "it cannot be looked at", "", err)
		}
		if err := private(name, info, true); err != nil {
			return err
		}
	}
	return nil
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
		return fail(name, "it is a link", "remove it: sayso makes its own", nil)
	case folder && !info.IsDir():
		return fail(name, "it is not a folder", "remove it: sayso makes its own", nil)
	case !folder && !info.Mode().IsRegular():
		return fail(name, "it is not a file", "remove it: sayso makes its own", nil)
	case foreign(info):
		return fail(name, "it belongs to another user", "change its owner with chown, or remove it", nil)
	case shared(info):
		return fail(name, "others can reach it", "chmod "+mode+" "+name, nil)
	}
	return nil
}

// fail is an error about a file.
func fail(name, problem, hint string, err error) error {
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
