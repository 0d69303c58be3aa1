//go:build !linux

package sandbox

import (
	"os"

	"github.com/sayso-dev/sayso"
)

// A keeper keeps nothing where there are no places.
type keeper struct{}

// Lend returns nil: there is nothing to be kept.
func (k *Kept) Lend(string, sayso.Contract) *os.File { return nil }

// Close does nothing.
func (k *Kept) Close() error { return nil }

// Busy reports that nothing runs.
func (k *Kept) Busy() bool { return false }
