// Command sayso-box is the first process inside a sandbox. sayso run starts it; it is
// of no use by itself. sayso-box try makes an attempt to get out, for sayso doctor.
package main

import (
	"os"

	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/breakout"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "try" {
		os.Exit(breakout.Try(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "flat" {
		os.Exit(box.Flat())
	}
	os.Exit(box.Main())
}
