//go:build !linux

package cli

import (
	"os"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

const keeperVerb = "keep-place"

// borrow finds nobody where there are no places to be kept.
func borrow(string, string) func(string, sayso.Contract) *os.File { return nil }

// What is looked for.
const (
	sightOfRun = "run"
	sightOfGit = "git"
)

// lookout is nobody where no places are kept.
func lookout(string, string, string) *sandbox.Lookout { return nil }

func keepPlace([]string) error {
	return &usageError{"no place can be kept here", "sayso run runs without"}
}
