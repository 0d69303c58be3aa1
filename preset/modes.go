package preset

import (
	"fmt"
	"net/netip"
	"path"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// safety asks about what must not happen silently, even where a rule or a grant
// allows it.
func safety() sayso.Stage {
	return sayso.Func("safety", func(c *sayso.Case) sayso.Verdict {
		p := c.Part()
		ask := func(code sayso.Code, reason string) sayso.Verdict {
			return sayso.Decide(sayso.Ask, code, reason).Immune()
		}
		switch {
		case c.Facts.Reveals(p):
			return ask("safety.secret", "it reads a secret")
		case c.Facts.Is(p, shell.Startup, changes...):
			return ask("safety.startup", "it changes a file that runs by itself later")
		case len(p.Opaque) > 0:
			return ask("safety.opaque", "not everything it does can be known: "+p.Opaque[0])
		}
		return sayso.Pass()
	})
}

// taint asks before anything leaves the machine once a secret was read.
func taint() sayso.Stage {
	return sayso.Func("taint", func(c *sayso.Case) sayso.Verdict {
		if c.Session.Tainted == "" || !sends(c.Part()) {
			return sayso.Pass()
		}
		return sayso.Decide(sayso.Ask, "taint", "the session has read a secret ("+c.Session.Tainted+"), and this talks to the network").Immune()
	})
}

// denied binds what a person has denied, by whatever tool it is tried again:
// denied for the rest of the turn, asked about for the rest of the session.
func denied() sayso.Stage {
	return sayso.Func("denied before", func(c *sayso.Case) sayso.Verdict {
		for _, d := range c.Session.Denied {
			set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Deny, Text: d.Rule}})
			if err != nil || set.Find(sayso.Deny, c, c.Part()) == nil {
				continue
			}
			if d.Turn == c.Session.Turn {
				return sayso.Decide(sayso.Deny, "denied.before", "a person has just denied this: "+d.Text)
			}
			return sayso.Decide(sayso.Ask, "denied.before", "a person has denied this before: "+d.Text).Immune()
		}
		return sayso.Pass()
	})
}

// byMode is what the mode makes of a part that nothing else has spoken about.
func byMode(mode string) sayso.Stage {
	return sayso.Func("mode", func(c *sayso.Case) sayso.Verdict {
		p := c.Part()
		if onlyReads(p) {
			return sayso.Decide(sayso.Allow, "mode.read", "it only reads")
		}
		code, reason := worry(mode, c, p)
		switch mode {
		case Plan: // only what reads or fetches comes here
			if code != "" {
				return sayso.Decide(sayso.Ask, code, reason)
			}
			return sayso.Decide(sayso.Allow, "mode.fetch", "it fetches something and sends nothing")
		case Careful:
			if code == "" {
				code, reason = "mode.careful", "in careful mode every change asks"
			}
			return sayso.Decide(sayso.Ask, code, reason)
		case Bypass:
			return sayso.Decide(sayso.Allow, "mode.bypass", "the mode bypass asks about nothing itself")
		}
		if code == "" && p.Effects&shell.Network != 0 {
			return sayso.Decide(sayso.Allow, "mode.fetch", "it fetches something and sends nothing")
		}
		if code == "" {
			return sayso.Decide(sayso.Allow, "mode.work", "it stays inside the workspace and can be undone")
		}
		return sayso.Decide(sayso.Ask, code, reason)
	})
}

// onlyReads reports whether a part changes nothing, here or elsewhere.
func onlyReads(p *sayso.Part) bool {
	return p.Risk == shell.Safe && p.Effects&^(shell.Reads|shell.LongRunning|shell.Network|shell.Executes) == 0
}

// onlyLooks reports whether a part changes nothing, though what it looks at may
// be a secret.
func onlyLooks(p *sayso.Part) bool {
	return p.Effects != 0 && p.Effects&^(shell.Reads|shell.Secrets|shell.Network|shell.LongRunning) == 0
}

// onlyFetches reports whether a part asks a server for something, sends nothing,
// and writes nothing here.
func onlyFetches(p *sayso.Part) bool {
	return p.Risk >= shell.Moderate && p.Effects&shell.Network != 0 && p.Effects&^(shell.Reads|shell.Network|shell.LongRunning) == 0 && len(p.Opaque) == 0
}

// worries are the effects that the default mode asks about, the gravest first.
var worries = []struct {
	effect shell.Effects
	code   sayso.Code
	reason string
}{
	{shell.Privilege, "mode.privilege", "it acts with the rights of another user"},
	{shell.Publishes, "mode.publish", "it makes something visible to others"},
	{shell.Irreversible, "mode.irreversible", "it cannot be undone"},
	{shell.System, "mode.system", "it changes the machine, not only the workspace"},
}

// worry says why a person should look at the part first; the empty code: no
// reason.
func worry(mode string, c *sayso.Case, p *sayso.Part) (sayso.Code, string) {
	for _, w := range worries {
		if p.Effects&w.effect != 0 && (w.effect != shell.Publishes || sends(p)) { // not to this machine

			return w.code, w.reason
		}
	}
	switch {
	case metadata(p):
		return "mode.metadata", "it asks the cloud's metadata service, which hands out credentials"
	case c.Facts.Class == sayso.ClassMCP:
		return "mode.mcp", "nothing is known about what this tool does"
	case c.Facts.Class == sayso.ClassUnknown:
		return "mode.unknown", "the tool is not known"
	case !c.Facts.Inside(p):
		return "mode.outside", "it changes files outside the workspace"
	case remote(c, p):
		return "mode.remote", "it changes something on another machine"
	case p.Effects&shell.Installs != 0 && len(packages(p)) > 0:
		return "mode.install", "it adds code from outside: " + strings.Join(packages(p), ", ")
	case p.Effects&shell.Installs != 0 && ownRegistry(p) != "":
		return "mode.install", "it takes packages from " + ownRegistry(p)
	case c.Facts.Class == sayso.ClassMode && mode == Plan:
		return "mode.leave", "only a person ends plan mode"
	case deletes(c, p) != "":
		return "mode.delete", "it deletes something that cannot be made again: " + deletes(c, p)
	case p.Risk < shell.Moderate:
		return "mode.unknown", fmt.Sprintf("it is %s: %s", p.Risk, p.Sentence)
	}
	return "", ""
}

// metadata reports whether a part talks to a service that gives a machine in a
// cloud its credentials.
func metadata(p *sayso.Part) bool {
	for _, h := range p.Hosts {
		addr, err := netip.ParseAddr(h)
		if err == nil && addr.IsLinkLocalUnicast() || h == "metadata.google.internal" || h == "metadata" || h == "fd00:ec2::254" {
			return true
		}
	}
	return false
}

// packages names what a part installs beyond what the project already lists.
func packages(p *sayso.Part) []string {
	if p.Command == nil || p.Effects&shell.Network == 0 && len(p.Hosts) == 0 { // make install
		return nil
	}
	var out []string
	for _, a := range p.Command.Words().Operands {
		if a.Text != "" && a.Text[0] != '.' && a.Text[0] != '/' && a.Text[0] != '-' {
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
		if parent.Effects&shell.Network != 0 && len(parent.Hosts) > 0 {
			return true
		}
	}
	return false
}

// deletes names the first file that the part deletes and that neither a build
// makes again nor the session has written.
func deletes(c *sayso.Case, p *sayso.Part) string {
	switch program(p) {
	case "git", "rmdir", "trash", "trash-put", "gio": // what they delete was empty, or can be brought back
		return ""
	}
	for _, touched := range p.Paths {
		if touched.Access != shell.Delete || moved(p, touched) || c.Facts.Class == sayso.ClassMove {
			continue
		}
		class := c.Facts.Place.Class(touched.Abs)
		if class&(shell.Temporary|shell.Remade) != 0 {
			continue
		}
		if _, ours := c.Session.Written[touched.Abs]; ours && !touched.Recursive && !touched.Glob {
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
	for _, touched := range p.Paths {
		if touched.Access == shell.Read && touched.Abs == gone.Abs {
			return true
		}
	}
	return false
}
