package preset

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// signalling are the programs that stop other processes, or send them signals.
var signalling = []string{
	"kill", "pkill", "killall", "skill", "snice", "xkill", "fkill", "fkill-cli",
	"kill-port", "killport", "fuser",
}

// signals names what a part sends a signal to, if that may be a process which
// the agent has not started: somebody's editor, or the agent itself. Empty: it
// does no such thing.
func signals(c *sayso.Case, p *sayso.Part) string {
	name := program(p)
	if p.Effects&shell.Processes == 0 || !slices.Contains(signalling, name) {
		return ""
	}
	operands := p.Command.Words().Operands
	if name != "kill" || len(operands) == 0 {
		return shell.Shown(p.Text)
	}
	for _, a := range operands {
		if !strings.HasPrefix(a.Text, "%") && !(a.Unknown && startedHere(c, p, a)) {
			return shell.Shown(p.Text)
		}
	}
	return ""
}

// startedHere reports whether the number of a process comes from where a shell
// keeps those that it has started itself: $!, the jobs, or a file of the
// workspace.
func startedHere(c *sayso.Case, p *sayso.Part, a shell.Arg) bool {
	for i := range c.Facts.Parts {
		q := &c.Facts.Parts[i]
		if q == p || q.Command == nil || !q.Command.Nested || !flows(q.Command, p.Command) {
			continue
		}
		return program(q) == "jobs" || program(q) == "cat" && len(q.Paths) == 1 && c.Facts.Place.Inside(q.Paths[0].Abs)
	}
	if parent := c.Facts.Parent(p.Command); a.Text != "*" || parent != nil && len(parent.Args) > 0 && slices.Contains(reading, path.Base(parent.Args[0].Text)) {
		return false
	}
	for _, line := range c.Facts.Lines {
		if strings.Contains(line, "$!") && !strings.Contains(line, "PPID") {
			return true
		}
	}
	return false
}

// reading are the programs that give others words which they read: those are no
// variables.
var reading = []string{"xargs", "parallel", "gxargs"}

// writtenHere reports whether the session has written the file.
func writtenHere(c *sayso.Case, file *shell.Path) bool {
	_, ours := c.Session.Written[file.Abs]
	return ours && !file.Glob
}
