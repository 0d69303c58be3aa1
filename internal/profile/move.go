package profile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso/internal/private"
)

// ErrNoRing says that there is no keyring.
var ErrNoRing = errors.New("there is no keyring on this system")

// A Place is where the key of a profile is.
type Place string

// The places.
const (
	InFile    Place = "file"
	InKeyring Place = "keyring"
	Nowhere   Place = "" // there is none, or it is a passphrase
)

// Place says where the key is.
func (k Key) Place() Place {
	if _, err := os.Lstat(k.File); err == nil {
		return InFile
	}
	if k.Ring != nil {
		if _, err := k.Ring.Get(k.File); err == nil {
			return InKeyring
		}
	}
	return Nowhere
}

// Counts says how many rules and grants are in the profile.
func (s *Store) Counts() (rules, grants int, err error) {
	c, err := s.read()
	return len(c.Rules), len(c.Grants), err
}

// MoveKey moves the key of the profile. The profile is read before and after, so
// that the key is never removed from where it was before it opens from where it is
// to be.
func (s *Store) MoveKey(ctx context.Context, to Place) error {
	if s.Key.Ring == nil {
		return ErrNoRing
	}
	if err := private.Make(s.Dir); err != nil {
		return err
	}
	lock, err := private.Lock(ctx, filepath.Join(s.Dir, "profile.lock"))
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with it
	if _, err := s.read(); err != nil {
		return err
	}
	id, err := s.Key.read()
	if err != nil {
		return err
	}
	if to == InFile {
		if s.Key.Place() == InFile {
			return nil
		}
		if err := s.Key.write(id); err != nil {
			return err
		}
		return s.Key.Ring.Remove(s.Key.File)
	}
	if s.Key.Place() == InKeyring {
		return nil
	}
	if err := s.Key.Ring.Set(s.Key.File, id.String()); err != nil {
		return err
	}
	kept, err := s.Key.Ring.Get(s.Key.File)
	if err != nil || kept != id.String() {
		return private.Fail(s.Key.File, "the keyring does not give the key back, so it stays where it is", "", err)
	}
	if err := os.Remove(s.Key.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
