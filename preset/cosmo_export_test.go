package preset

import (
	"fmt"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A CosmoFault is a mistake in the lists of Cosmo. Plant makes it, and returns what
// takes it back.
type CosmoFault struct {
	Name  string
	Plant func() (undo func())
}

// CosmoFaults are the lists with each entry missing and each level changed.
func CosmoFaults() []CosmoFault {
	var out []CosmoFault
	rows := func(name string, change func(rows []cosmoRow)) {
		out = append(out, CosmoFault{name, func() func() {
			was := cosmoTable
			changed := slices.Clone(was)
			for i := range changed {
				changed[i].commands = slices.Clone(was[i].commands)
			}
			change(changed)
			cosmoTable = changed
			return func() { cosmoTable = was }
		}})
	}
	for i, row := range cosmoTable {
		for j, command := range row.commands {
			rows(fmt.Sprintf("%s without %s", row.why, command), func(rows []cosmoRow) {
				rows[i].commands = slices.Delete(rows[i].commands, j, j+1)
			})
		}
		for _, level := range []shell.Risk{shell.Safe, shell.Moderate, shell.Dangerous, shell.Blocked} {
			if level != row.level {
				rows(fmt.Sprintf("row %d, %s, is %s", i, row.why, level), func(rows []cosmoRow) { rows[i].level = level })
			}
		}
	}
	for name, list := range map[string]*[]string{"sandboxed": &cosmoSandboxed, "scripts": &cosmoScripts, "verbose": &cosmoVerbose, "protected": &cosmoProtected, "secret": &cosmoSecret} {
		for i, entry := range *list {
			out = append(out, CosmoFault{name + " without " + entry, func() func() {
				was := *list
				*list = slices.Delete(slices.Clone(was), i, i+1)
				return func() { *list = was }
			}})
		}
	}
	return out
}

// CosmoPlan is the plan of Cosmo, changed, with what it says of a call beside it.
func CosmoPlan(change func(sayso.Plan) sayso.Plan) sayso.Preset {
	p := Cosmo()
	plan := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		stages, err := plan(mode)
		return change(stages), err
	}
	return p
}
