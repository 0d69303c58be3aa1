//go:build !linux

package cli

import (
	"os"

	"github.com/sayso-dev/sayso"
)

const keeperVerb = "keep-place"

// borrow finds nobody where there are no places to be kept.
func borrow(string, string) func(string, sayso.Contract) *os.File { return nil }

func keepPlace([]string) error {
	return &usageError{"no place can be kept here", "sayso run runs without"}
}
