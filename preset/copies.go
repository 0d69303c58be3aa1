package preset

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A copy of sayso, or a link to it, decides as sayso does, and its name tells
// nobody. So the program is not copied, and what sounds like it is held to be it.

// copiesOwn names the program of sayso that a part copies, links or passes on;
// empty: it does no such thing.
func copiesOwn(c *sayso.Case, p *sayso.Part, files []string) string {
	if p.Command == nil || len(p.Command.Args) == 0 {
		return ""
	}
	passes := p.Effects&shell.Writes != 0 || p.Command.PipeLen > 1 || p.Command.Nested || len(p.Command.Redirects) > 0
	for i := range p.Paths {
		file := &p.Paths[i]
		if file.Access == shell.Read && passes && file.Raw != p.Command.Args[0].Text && isOwnProgram(c, file, files) {
			return shown(file)
		}
	}
	if p.Effects&shell.Writes == 0 {
		return ""
	}
	for i := range c.Facts.Parts {
		if q := &c.Facts.Parts[i]; looksForOwn(q) && flows(q.Command, p.Command) {
			return p.Text
		}
	}
	return ""
}

// isOwnProgram reports whether a file is a program of sayso.
func isOwnProgram(c *sayso.Case, file *shell.Path, files []string) bool {
	for _, abs := range [...]string{file.Abs, file.Real} {
		if abs == "" || !isOwnName(abs) {
			continue
		}
		if c.Facts.Place.Class(abs)&shell.Guard != 0 || slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(f, abs) }) {
			return true
		}
	}
	return false
}

func isOwnName(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
	return name == "sayso" || name == "sayso-hook"
}

// looksForOwn reports whether a part tells where a program of sayso is.
func looksForOwn(p *sayso.Part) bool {
	switch program(p) {
	case "which", "gwhich", "whereis", "whence", "where", "type", "command", "realpath", "readlink", "hash", "find", "locate":
		return slices.ContainsFunc(p.Command.Args[1:], func(a shell.Arg) bool { return isOwnName(a.Text) })
	}
	return false
}

// decidesInDisguise reports whether a program that is started by its path, or whose
// name is not known, is told what only sayso is told.
func decidesInDisguise(p *sayso.Part) bool {
	if p.Command == nil || len(p.Command.Args) < 3 {
		return false
	}
	args := p.Command.Args
	return (args[0].Unknown || strings.Contains(args[0].Text, "/")) && args[1].Text == "mode" && args[2].Text == Bypass
}
