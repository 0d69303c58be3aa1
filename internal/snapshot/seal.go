package snapshot

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// Own is what a user keeps for every workspace. It is never in the clear on the
// disk.
type Own struct {
	Rules  []sayso.Rule       `json:"rules,omitempty"`
	Grants []sayso.GivenGrant `json:"grants,omitempty"`
}

// Seal adds what is in the profile, encrypted under the key of the profile, so
// that a hook need not link what opens the profile itself. It belongs to this
// workspace and this policy: the same text does not count in another snapshot. The
// random bytes are those of crypto/rand, which a hook need not link.
func (s *Snapshot) Seal(own Own, keyFile string, random io.Reader) error {
	if len(own.Rules)+len(own.Grants) == 0 {
		return nil
	}
	box, err := sealer(keyFile)
	if err != nil {
		return err
	}
	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return err
	}
	s.Sealed = base64.StdEncoding.EncodeToString(box.Seal(nonce, nonce, text, s.bound()))
	return nil
}

// Unseal adds what is in the profile to the rules and grants. It is an error if
// the key is not the one it was sealed with, or somebody changed it.
func (s *Snapshot) Unseal(keyFile string) error {
	if s.Sealed == "" {
		return nil
	}
	box, err := sealer(keyFile)
	if err != nil {
		return err
	}
	sealed, err := base64.StdEncoding.DecodeString(s.Sealed)
	if err != nil || len(sealed) < box.NonceSize() {
		return errSealed
	}
	text, err := box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], s.bound())
	if err != nil {
		return errSealed
	}
	var own Own
	if err := json.Unmarshal(text, &own); err != nil {
		return errSealed // what is wrong with it would be told in the clear
	}
	s.Rules, s.Grants, s.Sealed = append(s.Rules, own.Rules...), append(s.Grants, own.Grants...), ""
	return nil
}

var errSealed = errors.New("what is in the profile cannot be read in the snapshot")

// bound is what a sealed text belongs to.
func (s *Snapshot) bound() []byte { return []byte(s.Root + "\x00" + s.Hash) }

// sealer encrypts under a key that is made of the one in a file, for this use
// alone.
func sealer(keyFile string) (cipher.AEAD, error) {
	if keyFile == "" {
		return nil, errSealed
	}
	file, err := private.Open(keyFile, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(file, 4<<10))
	if err != nil || len(text) < sha256.Size { // it holds no key
		return nil, errors.Join(errSealed, err)
	}
	key := sha256.Sum256(append([]byte("sayso snapshot of the profile 1\x00"), text...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
