// Command sayso-box is the first process inside a sandbox. sayso run starts it; it is
// of no use by itself.
package main

import (
	"os"

	"github.com/sayso-dev/sayso/internal/box"
)

func main() { os.Exit(box.Main()) }
