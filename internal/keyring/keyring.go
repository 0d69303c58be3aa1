// Package keyring keeps secrets in the keyring of the system: the Secret Service on
// Linux, the Keychain on macOS, the Credential Manager on Windows.
package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// service is what the entries are filed under.
const service = "sayso"

// patience is how long the keyring may take: it may ask its user to unlock it, and a
// hook must answer.
const patience = 5 * time.Second

// Ring is the keyring of the user.
type Ring struct{}

// Get returns a secret, or an error that is [fs.ErrNotExist] if there is none, or
// no keyring.
func (Ring) Get(name string) (string, error) {
	if !there() {
		return "", fmt.Errorf("keyring: %w", fs.ErrNotExist)
	}
	return within(func() (string, error) { return keyring.Get(service, name) })
}

// Set keeps a secret.
func (Ring) Set(name, secret string) error {
	if !there() {
		return errors.New("keyring: there is none: no session bus runs")
	}
	_, err := within(func() (string, error) { return "", keyring.Set(service, name, secret) })
	return err
}

// Remove forgets a secret; one that is not there is no error.
func (Ring) Remove(name string) error {
	if !there() {
		return nil
	}
	_, err := within(func() (string, error) { return "", keyring.Delete(service, name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// there reports whether a keyring can be there. Without a session bus the library
// would start one.
func there() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return err == nil && os.Getenv("XDG_RUNTIME_DIR") != ""
}

// within does something that may wait for a person, but not for ever.
func within(do func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := do()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, keyring.ErrNotFound) {
			return "", fmt.Errorf("keyring: %w", fs.ErrNotExist)
		}
		if r.err != nil {
			return "", fmt.Errorf("keyring: %w", r.err)
		}
		return r.text, nil
	case <-time.After(patience):
		return "", fmt.Errorf("keyring: no answer within %s", patience)
	}
}
