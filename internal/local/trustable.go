package local

import (
	"os"
	"path/filepath"
)

// PolicyFiles are the files in a workspace that may loosen once it is trusted.
var PolicyFiles = []string{".sayso.yaml", ".sayso/policy.star", ".kosmokrator.yaml", "config/kosmokrator.yaml", ".cowork/policy/permissions.json"}

// Trustable reports whether there is something in a workspace that a person may
// trust.
func Trustable(root string) bool {
	for _, name := range append([]string{".mcp.json"}, PolicyFiles...) {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}
