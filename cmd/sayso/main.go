// Sayso decides what an AI agent may do.
package main

import (
	"os"

	"github.com/sayso-dev/sayso/internal/cli"
	"github.com/sayso-dev/sayso/internal/keyring"
	"github.com/sayso-dev/sayso/internal/script"
)

func main() {
	os.Exit(cli.Main(cli.Args(os.Args), cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Script: script.Stage, Keyring: keyring.Ring{}}))
}
