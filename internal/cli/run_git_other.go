//go:build !linux

package cli

import "time"

// touchedSince reports whether a file may have been changed since then: here nobody can
// tell.
func touchedSince(string, time.Time) bool { return true }
