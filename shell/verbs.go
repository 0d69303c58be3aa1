package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// verb adds what the name of the sub-command says, so that all programs are alike
// in it: a command that changes something and is named for deleting deletes. One
// that publishes or installs talks to others: git stash push does not.
func (v *visit) verb() {
	n := len(v.r.subs)
	if n == 0 || v.c.Effects&^(Reads|LongRunning|Network) == 0 {
		return
	}
	for i := range table.KeysVerbs {
		e := &table.KeysVerbs[i]
		if !v.isVerb(e.Names, v.r.subs[n-1].Text) {
			continue
		}
		if e.Do != nil && (!e.Do.Does.Has(table.Network) || v.c.Effects.Has(Network)) {
			v.c.Effects |= Effects(e.Do.Does)
		}
		return
	}
}

// isVerb reports whether one of the names is the sub-command's, or those of the
// program and all sub-commands.
func (v *visit) isVerb(names []string, last string) bool {
	for _, name := range names {
		program, subs, whole := strings.Cut(name, " ")
		if !whole && matchWord(name, last) || whole && program == v.r.name && subs == joinArgs(v.r.subs) {
			return true
		}
	}
	return false
}
