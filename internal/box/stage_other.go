//go:build !linux

package box

import (
	"fmt"
	"os"
)

// Main is what the program sayso-box does.
func Main() int {
	fmt.Fprintln(os.Stderr, "sayso-box: error: only Linux can confine a command this way")
	return 125
}
