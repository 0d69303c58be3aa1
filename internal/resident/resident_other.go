//go:build !linux || !(amd64 || arm64)

package resident

import "errors"

// Supported says whether hooks can ask a resident process here.
const Supported = false

var errNone = errors.New("there is no resident process on this system: each hook decides by itself")

// Main is the process, which there is not on this system.
func Main() int { return 1 }

// Start starts the process, which there is not on this system.
func Start() {}

// Switch says whether there is to be a process.
func Switch(string, bool) error { return errNone }

// Off reports whether no process is wanted.
func Off(string) bool { return true }

// Find returns the process that answers for a program.
func Find(string, string) (int, error) { return 0, errNone }

// Stop ends the process that answers for a program.
func Stop(string, string) (int, error) { return 0, errNone }
