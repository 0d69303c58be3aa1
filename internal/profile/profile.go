// Package profile keeps what a person allows and denies in every workspace,
// encrypted: on the disk it is never in the clear.
//
// The file is encrypted with age, to a key in a file that only the user can read,
// or under a passphrase. Without the right key, or with a file that was tampered
// with, nothing in it counts: reading it is an error, and the caller denies.
package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"filippo.io/age"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Store is the profile of a user, for any number of processes at once.
type Store struct {
	Dir string // the state folder of sayso
	Key Key

	mu   sync.Mutex
	seen fs.FileInfo // of the file that was read
	last content     // what it says: decrypting may take a second
}

// content is what the file says.
type content struct {
	Version int                `json:"v"`
	Grants  []sayso.GivenGrant `json:"grants,omitempty"`
	Rules   []sayso.Rule       `json:"rules,omitempty"`
}

const (
	version = 1
	maxSize = 4 << 20
)

// File is where the profile is.
func (s *Store) File() string { return local.Profile(s.Dir) }

// read returns what the profile says; nothing if there is none.
func (s *Store) read() (content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := private.Check(s.Dir); err != nil {
		return content{}, err
	}
	file, err := private.Open(s.File(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return content{Version: version}, nil
	}
	if err != nil {
		return content{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return content{}, private.Fail(s.File(), "it cannot be looked at", "", err)
	}
	if s.seen == nil || !os.SameFile(s.seen, info) || s.seen.Size() != info.Size() || !s.seen.ModTime().Equal(info.ModTime()) {
		if s.last, err = s.decrypt(file); err != nil {
			s.seen = nil
			return content{}, err
		}
		s.seen = info
	}
	return s.last.copy()
}

// copy is one that shares nothing.
func (c content) copy() (content, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return content{}, err
	}
	return parse(text)
}

func parse(text []byte) (content, error) {
	var c content
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return content{}, err
	}
	return c, nil
}

func (s *Store) decrypt(file *os.File) (content, error) {
	identity, err := s.Key.identity()
	if err != nil {
		return content{}, err
	}
	clear, err := age.Decrypt(io.LimitReader(file, maxSize), identity)
	var wrong *age.NoIdentityMatchError
	if errors.As(err, &wrong) {
		return content{}, private.Fail(s.File(), "it is not encrypted to "+s.Key.String(), "use the key that it was made with", nil)
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(clear)
	}
	if err != nil {
		return content{}, private.Fail(s.File(), "it is damaged, or was tampered with", forget, err)
	}
	// What is wrong with the text is not told: it would be told in the clear.
	var v struct {
		Version int `json:"v"`
	}
	if json.Unmarshal(text, &v) == nil && v.Version > version {
		return content{}, private.Fail(s.File(), fmt.Sprintf("it has version %d: a newer sayso wrote it", v.Version), "install the newer sayso again", nil)
	}
	c, err := parse(text)
	if err != nil || c.Version != version {
		return content{}, private.Fail(s.File(), "it is damaged", forget, nil)
	}
	return c, nil
}

const forget = "move it away: what was allowed and denied everywhere is then asked again"

// change changes the profile, alone. It is safe on the disk when change returns.
func (s *Store) change(ctx context.Context, do func(*content) error) error {
	if err := private.Make(s.Dir); err != nil {
		return err
	}
	lock, err := private.Lock(ctx, filepath.Join(s.Dir, "profile.lock"))
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with it
	tidy(s.File())
	c, err := s.read()
	if err != nil {
		return err
	}
	if err := do(&c); err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = os.Lstat(s.File())
	recipient, err := s.Key.recipient(errors.Is(err, fs.ErrNotExist))
	if err != nil {
		return err
	}
	var hidden bytes.Buffer
	w, err := age.Encrypt(&hidden, recipient)
	if err == nil {
		_, err = w.Write(text)
		err = errors.Join(err, w.Close())
	}
	if err == nil && hidden.Len() >= maxSize {
		err = fmt.Errorf("it would be larger than %d MiB", maxSize>>20)
	}
	if err != nil {
		return private.Fail(s.File(), "it cannot be encrypted", "", err)
	}
	return private.ReplaceSafely(s.File(), hidden.Bytes())
}

// tidy removes what processes that were killed have left beside a file. The
// caller has the lock, so nobody is writing one.
func tidy(name string) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".*")) // the pattern is a good one
	for _, one := range left {
		_ = os.Remove(one) // another time, then
	}
}
