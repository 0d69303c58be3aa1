package keyring_test

import (
	"errors"
	"io/fs"
	"testing"

	mock "github.com/zalando/go-keyring"

	"github.com/sayso-dev/sayso/internal/keyring"
	"github.com/sayso-dev/sayso/internal/profile"
)

var _ profile.Ring = keyring.Ring{}

// TestRing: what is kept is given back, until it is removed; without a keyring
// there is nothing, and nothing is kept.
func TestRing(t *testing.T) {
	mock.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // the mock does not look
	var r keyring.Ring
	if _, err := r.Get("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("at first: %v", err)
	}
	if err := r.Set("a", "secret"); err != nil {
		t.Fatal(err)
	}
	if text, err := r.Get("a"); err != nil || text != "secret" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := r.Get("b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another: %v", err)
	}
	for range 2 {
		if err := r.Remove("a"); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Get("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	locked := errors.New("it is locked")
	mock.MockInitWithError(locked)
	if _, err := r.Get("a"); !errors.Is(err, locked) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("locked: %v", err)
	}
	if r.Set("a", "x") == nil || r.Remove("a") == nil {
		t.Error("locked, and changed")
	}
}
