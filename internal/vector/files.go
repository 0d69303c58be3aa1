package vector

import (
	"errors"
	"path"

	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/unpack"
)

// Files is the file system of a line. Names that are not absolute are below its
// workspace.
type Files struct {
	Dirs     []string          `json:"dirs"`
	Files    []string          `json:"files"`
	Symlinks map[string]string `json:"symlinks"`
	Contents map[string]string `json:"contents"` // of files, where it matters
}

func absolute(cwd, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(cwd, name)
}

// A tree is a file system that can be looked at.
type tree struct {
	unpack.Unpacker
	entries  map[string]shell.Entry
	contents map[string]string
}

var errMissing = errors.New("no such file")

// at returns the files as seen from a workspace. Folders above a file exist.
func (f *Files) at(cwd string) shell.Machine {
	t := tree{entries: map[string]shell.Entry{}, contents: map[string]string{}}
	t.add(cwd, shell.Entry{Dir: true})
	if f == nil {
		return t
	}
	for _, name := range f.Dirs {
		t.add(absolute(cwd, name), shell.Entry{Dir: true})
	}
	for _, name := range f.Files {
		t.add(absolute(cwd, name), shell.Entry{})
	}
	for name, text := range f.Contents {
		t.add(absolute(cwd, name), shell.Entry{})
		t.contents[absolute(cwd, name)] = text
	}
	for name, target := range f.Symlinks {
		t.add(absolute(cwd, name), shell.Entry{Link: target})
	}
	return t
}

func (t tree) add(name string, e shell.Entry) {
	t.entries[name] = e
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if _, ok := t.entries[dir]; !ok {
			t.entries[dir] = shell.Entry{Dir: true}
		}
		if dir == "/" || dir == "." {
			return
		}
	}
}

// Lstat describes a file.
func (t tree) Lstat(name string) (shell.Entry, error) {
	e, ok := t.entries[name]
	if !ok {
		return e, errMissing
	}
	return e, nil
}

// ReadFile returns what a file holds.
func (t tree) ReadFile(name string, max int) ([]byte, error) {
	text, ok := t.contents[name]
	if !ok || len(text) > max {
		return nil, errMissing
	}
	return []byte(text), nil
}

// Start returns how a file begins.
func (t tree) Start(name string, n int) ([]byte, error) {
	text, ok := t.contents[name]
	if !ok {
		return nil, errMissing
	}
	return []byte(text)[:min(n, len(text))], nil
}

// ReadDir names what is in a folder, in no order.
func (t tree) ReadDir(name string, _ int) ([]shell.Child, error) {
	var out []shell.Child
	for at, e := range t.entries {
		if at != name && path.Dir(at) == name {
			out = append(out, shell.Child{Name: path.Base(at), Entry: e})
		}
	}
	return out, nil
}
