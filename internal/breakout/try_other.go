//go:build !linux

package breakout

import "errors"

// Try makes an attempt, and returns its exit status.
func Try([]string) int { return Unable }

// Stayed reports whether a process still lives that an attempt to stay has left
// behind.
func Stayed(string) (bool, error) { return false, errors.ErrUnsupported }
