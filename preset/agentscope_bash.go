package preset

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// readOnlyCommands are the commands that AgentScope lets run in every mode. What
// follows these words does not matter, as long as it does not make the command
// change something.
var readOnlyCommands = [][]string{
	{"git", "status"},
	{"git", "log"},
	{"git", "diff"},
	{"git", "show"},
	{"git", "branch"},
	{"git", "blame"},
	{"git", "grep"},
	{"git", "reflog"},
	{"git", "config", "--list"},
	{"ls"},
	{"cat"},
	{"head"},
	{"tail"},
	{"grep"},
	{"rg"},
	{"find"},
	{"tree"},
	{"stat"},
	{"wc"},
	{"pwd"},
	{"which"},
	{"docker", "ps"},
	{"docker", "images"},
	{"docker", "logs"},
	{"docker", "inspect"},
	{"docker", "info"},
	{"gh", "repo", "view"},
	{"gh", "issue", "list"},
	{"gh", "pr", "list"},
	{"gh", "status"},
	{"npm", "list"},
	{"pip", "list"},
	{"pip", "show"},
	{"node", "--version"},
	{"python", "--version"},
}

// fileCommands are the commands that may change files in working directories in
// the mode accept_edits.
var fileCommands = []string{"mkdir", "touch", "rm", "cp", "mv", "sed"}

// checkBash is the permission check of Bash.
func (a *agentScope) checkBash(c *sayso.Case, edits bool) sayso.Verdict {
	if v := safetyOfBash(c); v.Speaks() {
		return v
	}
	switch {
	case readOnlyLine(c):
		return sayso.Decide(sayso.Allow, codeAgentScopeReadOnly, "every command of it is read-only")
	case edits && a.editsInside(c):
		return sayso.Decide(sayso.Allow, "tool.accept_edits", "every file that it changes is in a working directory")
	}
	return sayso.Pass()
}

// safetyOfBash asks about a command line that runs something which is not
// written in it, that removes what nobody wants removed, or that touches a
// dangerous path. No allow rule answers that.
func safetyOfBash(c *sayso.Case) sayso.Verdict {
	ask := func(code sayso.Code, reason string) sayso.Verdict {
		return sayso.Decide(sayso.Ask, code, "Safety check: "+reason).Immune()
	}
	for i := range c.Facts.Parts {
		if why := injection(&c.Facts.Parts[i]); why != "" {
			return ask("safety.injection", "command injection: "+why)
		}
	}
	for i := range c.Facts.Parts {
		if p := &c.Facts.Parts[i]; destroys(p) {
			return ask("safety.removal", "it can destroy far more than is meant: "+shell.Shown(p.Text))
		}
	}
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if name := dangerous(p); name != "" {
			return ask("safety.path", "it touches a dangerous path: "+name)
		}
		if raw := holdsHome(p, c.Facts.Place.Home); raw != "" {
			return ask("safety.path", "it goes through the home folder, where dangerous paths are: "+raw)
		}
		if raw := unknownPath(p); raw != "" {
			return ask("safety.path", "it may touch a dangerous path, which path is meant cannot be known: "+raw)
		}
	}
	return sayso.Pass()
}

// injection says why a part may run something that is not written in the command
// line; empty: it does not.
func injection(p *sayso.Part) string {
	cmd := p.Command
	switch {
	case cmd == nil && len(p.Opaque) > 0:
		return p.Opaque[0]
	case cmd == nil:
		return ""
	case cmd.Nested:
		return "a command stands inside a word of another: " + shell.Shown(p.Text)
	case cmd.Runs != shell.NoOrigin:
		return "it runs text as a command: " + shell.Shown(p.Text)
	case len(cmd.Args) == 0:
		if len(p.Opaque) > 0 {
			return p.Opaque[0]
		}
		return ""
	case cmd.Args[0].Unknown || cmd.Args[0].Glob:
		return "which command runs cannot be known: " + shell.Shown(p.Text)
	case cmd.Args[0].Text == "eval":
		return "eval runs text as a command"
	}
	return ""
}

// destroys reports whether a part removes a whole system, a home or a place that
// cannot be known, or does something of that kind.
func destroys(p *sayso.Part) bool {
	if p.Risk == shell.Blocked {
		return true
	}
	for _, touched := range p.Paths {
		if touched.Access == shell.Delete && touched.Recursive && touched.Abs == "" {
			return true
		}
	}
	return false
}

// holdsHome returns a folder of which everything is read or changed, and which is
// the home folder or holds it.
func holdsHome(p *sayso.Part, home string) string {
	for _, touched := range p.Paths {
		if touched.Recursive && touched.Access != shell.List && home != "" && touched.Abs != "" && fspath.Within(home, touched.Abs) {
			return shell.Shown(touched.Raw)
		}
	}
	return ""
}

// unknownPath returns a path of the part of which nobody knows what it is.
func unknownPath(p *sayso.Part) string {
	for _, touched := range p.Paths {
		if touched.Abs == "" {
			return shell.Shown(touched.Raw)
		}
	}
	return ""
}

// readOnlyLine reports whether every command of a line is read-only.
func readOnlyLine(c *sayso.Case) bool {
	for i := range c.Facts.Parts {
		if !readOnlyPart(&c.Facts.Parts[i]) {
			return false
		}
	}
	return len(c.Facts.Parts) > 0
}

// readOnlyPart reports whether a part is one of the read-only commands, and
// neither its options nor a redirection make it change something.
func readOnlyPart(p *sayso.Part) bool {
	cmd := p.Command
	if cmd == nil {
		return readsOnly(p) && len(p.Opaque) == 0
	}
	const harmless = shell.Reads | shell.Network | shell.LongRunning | shell.Secrets
	if len(cmd.Assigns) > 0 || len(p.Opaque) > 0 || p.Effects&^harmless != 0 {
		return false
	}
	for _, r := range cmd.Redirects {
		if strings.Contains(r.Op, ">") {
			return false
		}
	}
	for _, words := range readOnlyCommands {
		if startsWith(cmd.Args, words) {
			return true
		}
	}
	return false
}

// readsOnly reports whether a part is a file that a redirection reads.
func readsOnly(p *sayso.Part) bool {
	for _, touched := range p.Paths {
		if touched.Access != shell.Read && touched.Access != shell.List {
			return false
		}
	}
	return len(p.Paths) > 0
}

func startsWith(args []shell.Arg, words []string) bool {
	if len(args) < len(words) {
		return false
	}
	for i, w := range words {
		if args[i].Unknown || args[i].Text != w {
			return false
		}
	}
	return true
}

// editsInside reports whether a line has only file commands, whose every path is
// in a working directory, and read-only ones.
func (a *agentScope) editsInside(c *sayso.Case) bool {
	dirs := a.directories(c)
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if !readOnlyPart(p) && !(fileCommand(p) && allInside(p, dirs)) {
			return false
		}
	}
	return len(c.Facts.Parts) > 0
}

// fileCommand reports whether a part is one of the file commands, or a file that
// a redirection of one of them writes.
func fileCommand(p *sayso.Part) bool {
	cmd := p.Command
	if cmd == nil {
		return len(p.Opaque) == 0 && len(p.Paths) > 0
	}
	const allowed = shell.Reads | shell.Writes | shell.Deletes | shell.Irreversible
	if len(cmd.Args) == 0 || !slices.Contains(fileCommands, cmd.Args[0].Text) || cmd.Via >= 0 || cmd.Elsewhere {
		return false
	}
	changes := p.Effects&(shell.Writes|shell.Deletes) != 0
	return len(cmd.Assigns) == 0 && len(p.Opaque) == 0 && p.Effects&^allowed == 0 && (!changes || len(p.Paths) > 0)
}
