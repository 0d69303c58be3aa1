package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Summary is a session among others.
type Summary struct {
	ID    string
	File  string
	Time  time.Time // of its last change
	State sayso.SessionState
	Err   error // why the state cannot be read, or not all of it
}

// List returns the sessions, the one that was changed last first, until enough
// says that it has seen what it wants. Enough may be nil.
func (f Folder) List(_ context.Context, enough func(Summary) bool) ([]Summary, error) {
	all, err := f.Files()
	for i := range all {
		all[i] = f.Read(all[i])
		if enough != nil && enough(all[i]) {
			return all[:i+1], nil
		}
	}
	return all, err
}

// Files lists the sessions without reading them, the one that was changed last
// first.
func (f Folder) Files() ([]Summary, error) {
	if err := private.Check(f.Dir, f.sessions()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(f.sessions())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, private.Fail(f.sessions(), "it cannot be read", "", err)
	}
	var all []Summary
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), extension) { // others are none of ours, or just gone
			all = append(all, Summary{File: filepath.Join(f.sessions(), e.Name()), Time: info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b Summary) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.File, b.File)) })
	return all, nil
}

// Read reads the state of a session that was listed.
func (f Folder) Read(s Summary) Summary {
	file, err := private.Open(s.File, os.O_RDONLY)
	if err != nil {
		s.Err = err
		return s
	}
	defer file.Close() //nolint:errcheck // it was only read
	k, err := read(file, func(id string) bool { return f.File(id) == s.File })
	s.ID, s.State, s.Err = k.id, k.state, err
	return s
}
