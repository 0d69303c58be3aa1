package shell

import "github.com/sayso-dev/sayso/shell/internal/table"

// A given is an option as it was given.
type given struct {
	flag     *table.Flag
	spelling string
	value    Arg
	hasValue bool
}

// has reports whether the option of that spelling was given.
func (r *reading) has(spelling string) bool { return r.given(spelling) != nil }

// given returns the last occurrence of an option, in whatever spelling.
func (r *reading) given(spelling string) *given {
	for i := len(r.flags) - 1; i >= 0; i-- {
		for _, name := range r.flags[i].flag.Names {
			if name == spelling {
				return &r.flags[i]
			}
		}
	}
	return nil
}

// hasValue reports whether the option was given with a value that matches one
// of the patterns, or at all if there are none. An unknown value may match.
func (r *reading) hasValue(spelling string, globs []string) bool {
	for i := range r.flags {
		g := &r.flags[i]
		for _, name := range g.flag.Names {
			if name == spelling && (globs == nil || g.value.Unknown || matchAny(globs, g.value.Text)) {
				return true
			}
		}
	}
	return false
}

// onlyValues reports whether the option was given, and always with a value that
// is known and matches one of the patterns.
func (r *reading) onlyValues(spelling string, globs []string) bool {
	found := false
	for i := range r.flags {
		g := &r.flags[i]
		for _, name := range g.flag.Names {
			if name != spelling {
				continue
			}
			if g.value.Unknown || !matchAny(globs, g.value.Text) {
				return false
			}
			found = true
		}
	}
	return found
}

// plainArgs counts the operands that are not assignments for a command.
func (r *reading) plainArgs() int {
	n := 0
	for i := range r.args {
		if r.slotAt(i) != table.KindEnv {
			n++
		}
	}
	return n
}
