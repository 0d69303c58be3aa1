package cli

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
)

// stateFolder is where sandboxes keep what outlives them; empty: there is none.
func stateFolder() string {
	state, err := local.State()
	if err != nil || private.Make(state.Dir) != nil {
		return ""
	}
	return state.Dir
}

// tellMade tells of what a command has made that tools read by themselves.
func tellMade(result sandbox.Result, std IO) {
	for _, name := range result.Made {
		printf(std.Err, "sayso: note: %s was made while it ran: look at it before a tool reads it\n", shell.ShownWhole(name))
	}
	for _, u := range result.Undone {
		if u.Aside == "" {
			printf(std.Err, "sayso: note: %s was removed while it ran, and put back\n", shell.ShownWhole(u.Path))
			continue
		}
		printf(std.Err, "sayso: note: %s was made while it ran, and put aside: look at it, and if it is to be there: mv %s\n", shell.ShownWhole(u.Path), shell.ShownWhole(commandLine([]string{u.Aside, u.Path})))
	}
}

// madeNote is the same for the journal.
func madeNote(result sandbox.Result) (note string) {
	if len(result.Made) > 0 {
		note += "; made under a guarded name: " + strings.Join(result.Made, ", ")
	}
	for _, u := range result.Undone {
		if u.Aside == "" {
			note += "; removed under a guarded name and put back: " + u.Path
			continue
		}
		note += "; made under a guarded name and put aside: " + u.Path + " as " + u.Aside
	}
	return note
}

// gitSettings is the line of a report for what leads git to programs, where something is
// not guarded.
const gitSettings = "settings of git"

// report is that line, if there is one.
func (g *gitGuard) report() sandbox.Report {
	if g == nil || len(g.open) == 0 {
		return nil
	}
	why := g.open[0]
	if n := len(g.open) - 1; n > 0 {
		why += fmt.Sprintf(", and %d more", n)
	}
	return sandbox.Report{{Promise: gitSettings, State: sandbox.Open, Why: "what they name can be changed: " + why}}
}

// tellOpen tells what is not guarded as in other workspaces.
func tellOpen(r sandbox.Report, std IO) {
	for _, line := range r {
		if line.Promise == gitSettings {
			printf(std.Err, "sayso: note: not everything is guarded of %s: %s\n", line.Promise, shell.ShownWhole(line.Why))
		}
	}
}
