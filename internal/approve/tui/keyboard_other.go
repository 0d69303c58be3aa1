//go:build !unix

package tui

import "os"

// ready tells nothing here, where keys are no bytes.
func ready(*os.File, bool) bool { return false }
