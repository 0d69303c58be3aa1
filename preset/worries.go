package preset

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// worries are the effects that the default mode asks about, the gravest first.
var worries = []struct {
	effect shell.Effects
	code   sayso.Code
	reason string
}{
	{shell.Privilege, "mode.privilege", "it acts with the rights of another user"},
	{shell.Publishes, "mode.publish", "others will see it"},
	{shell.Irreversible, "mode.irreversible", "it cannot be undone"},
	{shell.System, "mode.system", "it changes the machine, not only the workspace"},
}

// told is a reason with what the part is about to do.
func told(reason string, p *sayso.Part) string {
	if p.Sentence == "" {
		return reason
	}
	return reason + ": " + p.Sentence
}

// worry says why a person should look at the part first; the empty code: no
// reason.
func worry(mode string, c *sayso.Case, p *sayso.Part) (sayso.Code, string) {
	for _, w := range worries {
		if p.Effects&w.effect != 0 && (w.effect != shell.Publishes || sends(p)) { // not to this machine

			return w.code, told(w.reason, p)
		}
	}
	if code, reason := unknown(c, p); code != "" {
		return code, reason
	}
	if file := farther(c, p); file != nil {
		return "mode.outside", "it changes " + shown(file) + ", which is outside the workspace"
	}
	switch {
	case remote(c, p):
		return "mode.remote", told("it changes something on another machine", p)
	case carried(c, p) != "":
		return "mode.publish", "it sends something along to " + receivers(p) + ": " + carried(c, p)
	case p.Effects&shell.Installs != 0 && len(packages(p)) > 0:
		return "mode.install", "it adds code from outside: " + strings.Join(packages(p), ", ")
	case p.Effects&shell.Network != 0 && assigned(p) != "":
		return "mode.install", "a variable makes it go through " + assigned(p)
	case p.Effects&shell.Installs != 0 && ownRegistry(p) != "":
		return "mode.install", "it takes packages from " + ownRegistry(p)
	case c.Facts.Class == sayso.ClassMode && mode == Plan:
		return "mode.leave", "only a person ends plan mode"
	case deletes(c, p) != "":
		return "mode.delete", "it deletes something that cannot be made again: " + deletes(c, p)
	case p.Risk < shell.Moderate:
		return "mode.dangerous", told("it is known to be dangerous", p)
	case settles(p):
		return "mode.setting", told("git will run it, or talk to it, later on", p)
	case signals(c, p) != "":
		return "mode.process", "it may stop a process that the agent has not started: " + signals(c, p)
	}
	return "", ""
}

// unknown says what is not known about the part, if it cannot be judged for that
// reason.
func unknown(c *sayso.Case, p *sayso.Part) (sayso.Code, string) {
	switch {
	case guessed(c, p):
		return "mode.mcp", "nothing is known about what the tool " + shell.Shown(c.Facts.Tool) + " of the MCP server " + shell.Shown(c.Facts.Server) + " does"
	case c.Facts.Class == sayso.ClassUnknown:
		return "mode.unknown", "the tool " + shell.Shown(c.Call.Tool) + " is not known"
	case p.Command != nil && p.Command.Unknown:
		return "mode.unknown", "it is not known what this does: " + shell.Shown(p.Text)
	}
	return "", ""
}

// guessed reports whether what a tool of an MCP server does is read only out of the
// names of its arguments: a command there may be for anything.
func guessed(c *sayso.Case, p *sayso.Part) bool {
	return c.Facts.Class == sayso.ClassMCP && (p.Risk < shell.Safe || p.Command != nil)
}

// farther returns the first file that the part changes and that is neither in the
// workspace nor a temporary one.
func farther(c *sayso.Case, p *sayso.Part) *shell.Path {
	for i := range p.Paths {
		one := *p
		one.Paths = p.Paths[i : i+1]
		if !c.Facts.Inside(&one) {
			return &p.Paths[i]
		}
	}
	return nil
}

// carried names what a request takes along: a command whose output stands in the
// address or a header, or a file of headers. What only says which version or kind
// of machine is wanted does not count.
func carried(c *sayso.Case, p *sayso.Part) string {
	if p.Command == nil || p.Command.Nested || !sends(p) {
		return ""
	}
	if name := program(p); name == "curl" || name == "curlie" {
		words := p.Command.Words()
		for i := range words.Options {
			if o := &words.Options[i]; (o.Is("-H") || o.Is("--url-query")) && strings.HasPrefix(o.Value, "@") {
				return "the content of " + shell.Shown(o.Value[1:])
			}
		}
	}
	for i := range c.Facts.Parts {
		q := &c.Facts.Parts[i]
		if q == p || q.Command == nil || !q.Command.Nested || !flows(q.Command, p.Command) || slices.Contains(harmlessOutput, program(q)) && len(q.Paths) == 0 {
			continue
		}
		return "what " + shell.Shown(q.Text) + " prints"
	}
	return ""
}

// harmlessOutput are programs that, without a file to read, print what they are
// given, or what kind of machine, version or time it is.
var harmlessOutput = []string{
	"uname", "arch", "date", "echo", "printf", "basename", "dirname", "seq", "nproc", "tr",
	"cut", "sed", "awk", "head", "tail", "sort", "grep", "jq", "xargs", "dpkg", "rustc", "go",
	"node", "python", "python3", "lsb_release", "curl", "wget", "git", "mktemp", "uuidgen", "xmllint",
}

// packages names what a part installs beyond what the project already lists.
func packages(p *sayso.Part) []string {
	if p.Command == nil || p.Effects&shell.Network == 0 && len(p.Hosts) == 0 { // make install
		return nil
	}
	var out []string
	for _, a := range p.Command.Words().Operands {
		switch a.Text {
		case "", "install", "pip", "setuptools", "wheel": // python -m pip install, and what pip itself is made of
			continue
		}
		if a.Text[0] != '.' && a.Text[0] != '/' && a.Text[0] != '-' {
			out = append(out, shell.Shown(a.Text))
		}
	}
	return out
}

// ownRegistry is a host that packages come from and that the command itself
// names; empty: the usual ones.
func ownRegistry(p *sayso.Part) string {
	for _, h := range p.Hosts {
		if h != shell.Registries && h != shell.Remotes && h != shell.External && p.Command != nil && strings.Contains(strings.ToLower(words(p.Command)), h) {
			return h
		}
	}
	return ""
}

// assigned is a host that the variables in front of a command name; empty: none.
func assigned(p *sayso.Part) string {
	if p.Command == nil {
		return ""
	}
	for _, a := range p.Command.Assigns {
		for _, h := range p.Hosts {
			if strings.Contains(a.Value.Text, "://") && strings.Contains(strings.ToLower(a.Value.Text), h) && !shell.IsLoopback(h) {
				return h
			}
		}
	}
	return ""
}

// words is the text of a command with the assignments in front of it.
func words(c *shell.Command) string {
	var b strings.Builder
	for _, a := range c.Assigns {
		b.WriteString(a.Value.Text + " ")
	}
	for _, a := range c.Args {
		b.WriteString(a.Text + " ")
	}
	return b.String()
}

// remote reports whether the part is a command that runs on another machine and
// does more than read there. A container is not another machine.
func remote(c *sayso.Case, p *sayso.Part) bool {
	if p.Command == nil || !p.Command.Elsewhere || p.Risk == shell.Safe {
		return false
	}
	for parent := c.Facts.Parent(p.Command); parent != nil; parent = c.Facts.Parent(parent) {
		if parent.Effects&shell.Network != 0 && len(parent.Hosts) > 0 && !onlyRegistries(parent.Hosts) {
			return true
		}
	}
	return false
}

// onlyRegistries reports whether images and packages are all that is fetched.
func onlyRegistries(hosts []string) bool {
	return len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool { return h != shell.Registries })
}

// deletes names the first file that the part deletes and that neither a build
// makes again nor the session has written.
func deletes(c *sayso.Case, p *sayso.Part) string {
	switch program(p) {
	case "git", "rmdir", "trash", "trash-put", "gio": // what they delete was empty, or can be brought back
		return ""
	}
	for _, touched := range p.Paths {
		if touched.Access != shell.Delete || moved(p, touched) {
			continue
		}
		class := c.Facts.Place.Class(touched.Abs)
		if class&(shell.Temporary|shell.Remade) != 0 {
			continue
		}
		if writtenHere(c, &touched) && !touched.Recursive {
			continue
		}
		return shell.Shown(touched.Raw)
	}
	return ""
}

// program is the name of the program of a part, without its folder; empty for
// what is no command, or one of assignments and redirections only.
func program(p *sayso.Part) string {
	if p.Command == nil || len(p.Command.Args) == 0 {
		return ""
	}
	return path.Base(p.Command.Args[0].Text)
}

// moved reports whether a file is read before it is removed: it is somewhere
// else afterwards.
func moved(p *sayso.Part, gone shell.Path) bool {
	read, written := false, p.Command == nil // a tool that moves says where to in another part
	for _, touched := range p.Paths {
		read = read || touched.Access == shell.Read && touched.Abs == gone.Abs
		written = written || touched.Access == shell.Write
	}
	return read && written
}
