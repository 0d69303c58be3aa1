// Command sayso-hook answers the hooks of agents. It is sayso hook without what
// takes long to start: the agent runs it before each tool call.
package main

import (
	"bytes"
	"io"
	"os"

	"github.com/sayso-dev/sayso/internal/early"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/resident"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "resident" {
		os.Exit(resident.Main())
	}
	status := quick.Main(os.Args[1:], io.MultiReader(bytes.NewReader(early.Taken), os.Stdin), os.Stdout, os.Stderr)
	if early.Missing && status == 0 && quick.IsEvent(os.Args[1:]) { // the next one need not decide by itself
		resident.Start()
	}
	os.Exit(status)
}
