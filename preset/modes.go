package preset

import (
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
		if c.Facts.Reveals(p) {
			return ask("safety.secret", "it reads a secret: "+secretOf(c, p))
		}
		if file := startup(c, p); file != nil && !namesUser(p) {
			return ask("safety.startup", "it changes "+shown(file)+", which runs by itself later")
		}
		if file := c.Facts.Find(p, shell.Shadowing, shell.Write); file != nil && !c.Facts.Place.Inside(file.Abs) {
			return ask("safety.program", "it changes "+shown(file)+", where programs are found by their names; one there may take the place of another")
		}
		if len(p.Opaque) > 0 && !setsUp(p) {
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
		return sayso.Decide(sayso.Ask, "taint", "the session has read a secret ("+c.Session.Tainted+"), and this talks to "+receivers(c.Part())).Immune()
	})
}

// setsUp reports whether the part does no more than run a script of the project,
// or one that sets a shell up, in this shell: the project's scripts are free to
// run, and what the session has written is judged by its content.
func setsUp(p *sayso.Part) bool {
	name := program(p)
	return (name == "source" || name == ".") && p.Risk >= shell.Moderate && len(p.Opaque) == 1
}

// startup returns a file that the part changes and that runs by itself later. A
// folder of the system that was made a part of the workspace is no such thing.
func startup(c *sayso.Case, p *sayso.Part) *shell.Path {
	file := c.Facts.Find(p, shell.Startup, changes...)
	if file == nil || !c.Facts.Place.Inside(file.Abs) || c.Facts.Find(&sayso.Part{Paths: asElsewhere(c, file)}, shell.Startup, changes...) != nil {
		return file
	}
	return nil
}

// asElsewhere is the file as if its workspace, where that is a folder in which
// everything counts, stood elsewhere.
func asElsewhere(c *sayso.Case, file *shell.Path) []shell.Path {
	for _, root := range c.Facts.Place.Workspace {
		if rest, ok := strings.CutPrefix(file.Abs, root); ok && c.Facts.Place.Class(root+"/x")&shell.Startup != 0 {
			moved := *file
			moved.Abs, moved.Real = "/workspace"+rest, ""
			return []shell.Path{moved}
		}
	}
	return []shell.Path{*file}
}

// unnamed asks where a rule denies files that the part does not name but may
// read among others. Programs that leave out hidden files do not read them.
func (p *Policy) unnamed() sayso.Stage {
	return sayso.Func("deny rules below", func(c *sayso.Case) sayso.Verdict {
		r := p.Rules.FindBelow(c, c.Part())
		if r == nil || hiddenName(r.Text) && skipsHidden(c) {
			return sayso.Pass()
		}
		return sayso.Decide(sayso.Ask, "rule.below", "it reads everything below a folder, and "+r.Text+" may be among it; name the files or leave those out").Immune().By(r)
	})
}

// hiddenName reports whether a rule is about files whose name starts with a dot.
func hiddenName(rule string) bool {
	_, pattern, _ := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
	return strings.HasPrefix(path.Base(pattern), ".")
}

// skipsHidden reports whether a search leaves out hidden files unless it is told
// otherwise.
func skipsHidden(c *sayso.Case) bool {
	p := c.Part()
	if p.Command == nil {
		return c.Facts.Class == sayso.ClassGrep
	}
	switch program(p) {
	case "rg", "ag":
		words := p.Command.Words()
		for i := range words.Options {
			if o := &words.Options[i]; o.Is("--hidden") || o.Is("-u") || o.Is("-uu") || o.Is("-uuu") || o.Is("-a") {
				return false
			}
		}
		return true
	case "git":
		return true // what is kept in the repository is no secret
	}
	return false
}

// byMode is what the mode makes of a part that nothing else has spoken about.
func byMode(mode string) sayso.Stage {
	return sayso.Func("mode", func(c *sayso.Case) sayso.Verdict {
		p := c.Part()
		if onlyReads(p) && !guessed(c, p) {
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
