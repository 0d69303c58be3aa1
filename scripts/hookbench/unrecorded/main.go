// Unrecorded is sayso-hook without its journal, to see what that costs.
package main

import (
	"fmt"
	"os"

	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/quick"
)

func main() {
	state, err := local.State()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	agent, _ := hook.Find("claude")
	os.Exit(quick.Answer(quick.Call{Agent: agent}, state.Dir, state, nil, os.Stdin, os.Stdout, os.Stderr))
}
