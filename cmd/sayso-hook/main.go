// Command sayso-hook answers the hooks of agents. It is sayso hook without what
// takes long to start: the agent runs it before each tool call.
package main

import (
	"os"

	"github.com/sayso-dev/sayso/internal/quick"
)

func main() { os.Exit(quick.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
