package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso/internal/profile"
)

// testRing is the keyring of scenarios: the folder that KEYRING names, or one that
// does not work.
func testRing() profile.Ring {
	if name := os.Getenv("KEYRING"); name != "" {
		return ring(name)
	}
	return nil
}

type ring string

func (r ring) file(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(string(r), hex.EncodeToString(sum[:8]))
}

func (r ring) Get(name string) (string, error) {
	switch r {
	case "locked":
		return "", errors.New("it is locked")
	case "forgets":
		return "", fs.ErrNotExist
	}
	text, err := os.ReadFile(r.file(name))
	return string(text), err
}

func (r ring) Set(name, secret string) error {
	if r == "forgets" {
		return nil
	}
	return os.WriteFile(r.file(name), []byte(secret), 0o600)
}

func (r ring) Remove(name string) error { return os.Remove(r.file(name)) }
