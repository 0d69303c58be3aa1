//go:build !linux

package box

import (
	"fmt"
	"os"
)

// Flat is what the program sayso-box does without namespaces.
func Flat() int { return Main() }

// Main is what the program sayso-box does.
func Main() int {
	fmt.Fprintln(os.Stderr, "sayso-box: error: only Linux can confine a command this way")
	return 125
}
