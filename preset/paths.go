package preset

import (
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// resolve says which file a path means that stands in a configuration, from a
// folder on: ~ is the home folder, and links are followed as far as the machine
// shows them.
func resolve(raw, dir, home string, m shell.Machine) fspath.Path {
	at := fspath.At{Dir: dir, Home: home}
	if m != nil {
		at.Look = func(abs string) (link string, folder, there bool) {
			e, err := m.Lstat(abs)
			return e.Link, e.Dir, err == nil
		}
	}
	return fspath.Resolve(raw, at)
}

// resolveAll returns where folders of a configuration lead. One that cannot be
// resolved, or is a guess, is left out: it opens nothing.
func resolveAll(list []string, dir, home string, m shell.Machine) []string {
	var out []string
	for _, raw := range list {
		if p := resolve(raw, dir, home, m); p.Err == nil && !p.Unsure {
			out = append(out, p.Real)
		}
	}
	return out
}
