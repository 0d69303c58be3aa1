// Package session keeps what a hook learns in an agent's session: one file a
// session, to which a line is appended for each change, under a lock.
//
// A hook is a process for each event, so reading is quick and nothing heavy is
// linked. A line that was not written to its end, because a process was killed,
// does not count; anything else that is wrong with a file is an error, and the
// caller denies: what cannot be read might have denied the call.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Folder keeps sessions. It is a [sayso.Sessions], for any number of
// processes at once.
type Folder struct {
	// Dir is the state folder of sayso. It and what is in it are made where
	// they are missing, for the user alone.
	Dir string
}

// At returns the state folder of a user, given the home folder and what
// XDG_STATE_HOME says, which counts if it is absolute.
func At(home, stateHome string) (Folder, error) {
	switch {
	case filepath.IsAbs(stateHome):
		return Folder{filepath.Join(stateHome, "sayso")}, nil
	case filepath.IsAbs(home):
		return Folder{filepath.Join(home, ".local", "state", "sayso")}, nil
	}
	return Folder{}, &private.Error{Problem: "there is no place for the state of sessions", Hint: "set HOME or XDG_STATE_HOME"}
}

// sessions is where the files of the sessions are.
func (f Folder) sessions() string { return filepath.Join(f.Dir, "sessions") }

// File returns where a session is kept. Ids come from agents: one that is not
// plainly the name of a file, the same on every system, is replaced by its hash.
func (f Folder) File(id string) string {
	if !plain(id) {
		sum := sha256.Sum256([]byte(id))
		id = hashed + hex.EncodeToString(sum[:])
	}
	return filepath.Join(f.sessions(), id+extension)
}

const (
	hashed    = "sha256-"
	extension = ".jsonl"
)

func plain(id string) bool {
	if id == "" || len(id) > 64 || id[0] == '-' || strings.HasPrefix(id, hashed) {
		return false
	}
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return true
}

// Get returns the state of a session, or [sayso.ErrNotFound].
func (f Folder) Get(_ context.Context, id string) (sayso.SessionState, error) {
	if err := private.Check(f.Dir, f.sessions()); err != nil {
		return sayso.SessionState{}, err
	}
	name := f.File(id)
	file, err := private.Open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return sayso.SessionState{}, fmt.Errorf("session %q: %w", id, sayso.ErrNotFound)
	}
	if err != nil {
		return sayso.SessionState{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	known, err := read(file, func(found string) bool { return found == id })
	if err == nil && known.lines == 0 {
		err = fmt.Errorf("session %q: %w", id, sayso.ErrNotFound)
	}
	if err != nil {
		return sayso.SessionState{}, err
	}
	return known.state, nil
}

// Update changes the state of a session, alone: whoever else wants to waits.
// What change leaves is in the file, as one more line, when Update returns; if
// it fails nothing is.
func (f Folder) Update(ctx context.Context, id string, change func(*sayso.SessionState) error) error {
	if id == "" {
		return &private.Error{Problem: "the session has no id"}
	}
	if err := private.Make(f.Dir, f.sessions()); err != nil {
		return err
	}
	file, err := private.Lock(ctx, f.File(id))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // what was written was written, and the lock ends with it
	known, err := read(file, func(found string) bool { return found == id })
	if err != nil {
		return err
	}
	before := clone(known.state)
	if err := change(&known.state); err != nil {
		return err
	}
	line, changed, err := difference(before, known.state)
	if err != nil || !changed {
		return err
	}
	if line, err = known.next(id, line, known.state); err != nil {
		return err
	}
	if err := appendLine(file, known.size, line); err != nil {
		return err
	}
	if known.lines == 0 { // a session starts
		f.prune(id, time.Now())
	}
	return nil
}

// Remove forgets a session.
func (f Folder) Remove(ctx context.Context, id string) error {
	if err := private.Check(f.Dir, f.sessions()); err != nil {
		return err
	}
	name := f.File(id)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	file, err := private.Lock(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is gone
	return os.Remove(name)
}

var _ sayso.Sessions = Folder{}
