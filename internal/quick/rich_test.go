package quick

import (
	"slices"
	"testing"
)

// TestEnviron: the rich program may use all processors, unless its user has said how many.
func TestEnviron(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1") // as agents are told to start the hook
	if slices.Contains(environ(), "GOMAXPROCS=1") {
		t.Error("it may use one")
	}
	t.Setenv("GOMAXPROCS", "3")
	if !slices.Contains(environ(), "GOMAXPROCS=3") {
		t.Error("what its user says does not count")
	}
}
