package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"github.com/sayso-dev/sayso/internal/private"
)

// A Ring keeps secrets for the user, as the system does it.
type Ring interface {
	// Get returns a secret, or an error that is [fs.ErrNotExist].
	Get(name string) (string, error)
	Set(name, secret string) error
	Remove(name string) error
}

// A Key opens a profile: one in a file or in a keyring, or a passphrase. The zero
// value opens none.
type Key struct {
	// File holds the key. It is made with the profile, and never after: a key
	// that is lost is not replaced by one that opens nothing.
	File string

	// Ring has the key, under the name of the file, if there is no such file.
	// Nil: there is no keyring.
	Ring Ring

	// Passphrase asks for it; nil: the key is in the file.
	Passphrase func() (string, error)

	// Work is how much work it is to try a passphrase, as a power of two;
	// 0: about a second.
	Work int
}

// String names the key, without telling it.
func (k Key) String() string {
	if k.Passphrase != nil {
		return "this passphrase"
	}
	return "the key in " + k.File
}

// scrypt returns the passphrase.
func (k Key) scrypt() (string, error) {
	text, err := k.Passphrase()
	if err == nil && text == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fmt.Errorf("the passphrase of the profile: %w", err)
	}
	return text, nil
}

// identity is what decrypts.
func (k Key) identity() (age.Identity, error) {
	if k.Passphrase == nil {
		return k.read()
	}
	text, err := k.scrypt()
	if err != nil {
		return nil, err
	}
	return age.NewScryptIdentity(text)
}

// recipient is what it is encrypted to. Fresh says that there is no profile yet,
// so that the key may be made.
func (k Key) recipient(fresh bool) (age.Recipient, error) {
	if k.Passphrase == nil {
		id, err := k.read()
		if fresh && errors.Is(err, fs.ErrNotExist) {
			id, err = k.make()
		}
		if err != nil {
			return nil, err
		}
		return id.Recipient(), nil
	}
	text, err := k.scrypt()
	if err != nil {
		return nil, err
	}
	r, err := age.NewScryptRecipient(text)
	if err == nil && k.Work > 0 {
		r.SetWorkFactor(k.Work)
	}
	return r, err
}

// read reads the key file, which must be the user's alone.
func (k Key) read() (*age.X25519Identity, error) {
	if k.File == "" {
		return nil, errors.New("the profile has no key: set HOME or XDG_CONFIG_HOME")
	}
	file, err := private.Open(k.File, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) && k.Ring != nil {
		text, failed := k.Ring.Get(k.File)
		if failed == nil {
			return k.parse(text)
		}
		if !errors.Is(failed, fs.ErrNotExist) {
			return nil, private.Fail(k.File, "the key of the profile is missing, and the keyring does not tell it", "unlock the keyring", failed)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, private.Fail(k.File, "the key of the profile is missing", "bring it back, or move the profile away", fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(file, 4<<10))
	if err != nil {
		return nil, private.Fail(k.File, "it cannot be read", "", err)
	}
	return k.parse(string(text))
}

// parse reads a key, which stands in a line of its own.
func (k Key) parse(text string) (*age.X25519Identity, error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if id, err := age.ParseX25519Identity(line); err == nil {
			return id, nil
		}
		break // what is wrong with it would tell of the key
	}
	return nil, private.Fail(k.File, "it holds no key", "bring the key of the profile back", nil)
}

// make makes a key.
func (k Key) make() (*age.X25519Identity, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(k.File), 0o700); err != nil {
		return nil, private.Fail(k.File, "it cannot be made", "", err)
	}
	return id, k.write(id)
}

// write keeps a key in the file.
func (k Key) write(id *age.X25519Identity) error {
	tidy(k.File)
	text := "# The key of your sayso profile. Whoever has it can read what you allow everywhere.\n" + id.String() + "\n"
	return private.ReplaceSafely(k.File, []byte(text))
}
