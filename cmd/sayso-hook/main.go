// Command sayso-hook answers the hooks of agents.
package main

import (
	"os"

	"github.com/sayso-dev/sayso/internal/cli"
)

func main() {
	os.Exit(cli.Hook(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
