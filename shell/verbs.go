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
	name := v.r.subs[n-1].Text
	colon := strings.IndexByte(name, ':') >= 0
	for i := range table.KeysVerbs.All() {
		e := &table.KeysVerbs.All()[i]
		does := Effects(e.Do.Does)
		if v.c.Effects.Has(does) || does.Has(Network) && !v.c.Effects.Has(Network) || !isVerb(e.Names, name, colon) {
			continue
		}
		for j := range table.KeysOtherVerbs.All() {
			if matchAny(table.KeysOtherVerbs.All()[j].Names, v.r.name+" "+joinArgs(v.r.subs)) {
				return
			}
		}
		v.c.Effects |= does
		return
	}
}

// isVerb reports whether one of the names is that of the sub-command. Most are
// ruled out by their first letter; those with a star in front have a colon.
func isVerb(names []string, name string, colon bool) bool {
	for _, verb := range names {
		if (name != "" && verb[0] == name[0] || colon && verb[0] == '*') && matchWord(verb, name) {
			return true
		}
	}
	return false
}
