package local

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso/shell"
)

// Machine shows the files of this machine to the analysis. It opens nothing
// but regular files, so that a pipe or a device cannot make it wait.
type Machine struct{}

func (Machine) ReadFile(name string, max int) ([]byte, error) {
	text, err := start(name, max+1)
	if err == nil && len(text) > max {
		return nil, fmt.Errorf("%s is longer than %d bytes", name, max)
	}
	return text, err
}

// Start returns how a file begins.
func (Machine) Start(name string, n int) ([]byte, error) { return start(name, n) }

// start reads at most n bytes of a regular file.
func start(name string, n int) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

func (Machine) Lstat(name string) (shell.Entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return shell.Entry{}, err
	}
	e := shell.Entry{Dir: info.IsDir()}
	if info.Mode()&os.ModeSymlink != 0 {
		if e.Link, err = os.Readlink(name); err != nil {
			return shell.Entry{}, err
		}
	}
	return e, nil
}

// ReadDir names what is in a folder, and where its links lead.
func (Machine) ReadDir(name string, max int) ([]shell.Child, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	entries, err := f.ReadDir(max + 1)
	if err != nil {
		return nil, err
	}
	out := make([]shell.Child, len(entries))
	for i, e := range entries {
		out[i].Name, out[i].Dir = e.Name(), e.IsDir()
		if e.Type()&os.ModeSymlink != 0 {
			if out[i].Link, err = os.Readlink(filepath.Join(name, e.Name())); err != nil {
				out[i].Link = "" // it has just gone
			}
		}
	}
	return out, nil
}
