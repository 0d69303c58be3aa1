package shell

import (
	"slices"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// withoutRepeats takes away what a program runs if it is the same as what stands
// in front of it: a text that is read in two ways is reported once where both are
// alike. What a shell runs twice runs twice.
func (v *visit) withoutRepeats() {
	w := v.w
	if len(w.commands) < v.index+3 || len(w.traps) > 0 || v.r.chain[0].Use == table.UseBuiltin || v.traits()&table.IsShell != 0 {
		return
	}
	before, start := -1, -1 // the child in front of this one, and this one
	for i := v.index + 1; i <= len(w.commands); i++ {
		if i < len(w.commands) && w.commands[i].Via != v.index {
			continue
		}
		if before >= 0 && w.sameRun(before, start, i) {
			w.remove(start, i)
			i = start
			if i < len(w.commands) {
				continue // the child in front stays the same
			}
			return
		}
		before, start = start, i
	}
}

// sameRun reports whether the commands of [from, mid) and [mid, to) are alike.
func (w *walker) sameRun(from, mid, to int) bool {
	if mid-from != to-mid {
		return false
	}
	for i := range mid - from {
		a, b := w.commands[from+i], w.commands[mid+i]
		if a.Risk != b.Risk || a.Effects != b.Effects || a.Dir != b.Dir || a.Elsewhere != b.Elsewhere ||
			i > 0 && b.Via-a.Via != mid-from || !slices.EqualFunc(a.Args, b.Args, sameArg) ||
			!slices.Equal(a.Paths, b.Paths) || !slices.Equal(a.Hosts, b.Hosts) || !slices.Equal(a.Opaque, b.Opaque) {
			return false
		}
	}
	return true
}

// remove takes the commands of [from, to) away.
func (w *walker) remove(from, to int) {
	w.commands = slices.Delete(w.commands, from, to)
	for _, c := range w.commands[from:] {
		if c.Via >= to {
			c.Via -= to - from
		}
	}
}
