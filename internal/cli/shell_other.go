//go:build !linux

package cli

// shellSession identifies the login or the window that this was started in.
// Empty: it cannot be told.
func shellSession() string { return "" }
