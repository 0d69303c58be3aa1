package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso"
)

// matching are the paths there are that the contract watches.
func matching(c *sayso.Contract) (out []string) {
	for _, pattern := range c.Watched {
		found, _ := filepath.Glob(pattern) // the patterns were checked
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// made are the watched paths that were not there before. Nobody can say who has made
// them: a person may have done it meanwhile.
func made(c *sayso.Contract, before []string) []string {
	return slices.DeleteFunc(matching(c), func(name string) bool {
		_, was := slices.BinarySearch(before, name)
		return was
	})
}
