package preset

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// changes are the ways to touch a file that leave it different.
var changes = []shell.Access{shell.Write, shell.Change, shell.Delete}

// guards denies what nobody wants an agent to do, whatever the rules say. Each
// reason names what is meant, and says what a person can do instead.
func (p *Policy) guards() sayso.Stage {
	files := p.Guarded
	return sayso.Func("guards", func(c *sayso.Case) sayso.Verdict {
		p := c.Part()
		deny := func(code sayso.Code, reason string) sayso.Verdict { return sayso.Decide(sayso.Deny, code, reason) }
		if p.Risk == shell.Blocked {
			return deny("guard.destroy", "no agent may do this, because it cannot be brought back or stopped: "+p.Sentence)
		}
		if own := decidesOwn(c, p, files); own.Speaks() {
			return own
		}
		if file := c.Facts.Find(p, shell.Device, changes...); file != nil {
			return deny("guard.device", "it would overwrite the device "+shown(file))
		}
		if file := outside(c, p, shell.OfSystem); file != nil {
			return deny("guard.system", "it would change "+shown(file)+", which belongs to the system; change it yourself if you want that")
		}
		if file := outside(c, p, shell.Startup); file != nil && !namesUser(p) {
			return deny("guard.startup", "it would change "+shown(file)+", which runs by itself later or lets somebody in; change it yourself if you want that")
		}
		if p.Command == nil {
			return sayso.Pass()
		}
		switch p.Command.Runs {
		case shell.Fetched:
			return deny("guard.fetched", "it runs text from the network that nobody has read; save it to a file and look at it first")
		case shell.Decoded:
			return deny("guard.decoded", "it runs decoded text that nobody can read; save it to a file and look at it first")
		}
		return sayso.Pass()
	})
}

// guarded returns a file that the part changes and that guards agents: one that
// the tables know, or one of those given, which are absolute.
func guarded(c *sayso.Case, p *sayso.Part, files []string) *shell.Path {
	if file := c.Facts.Find(p, shell.Guard, changes...); file != nil {
		return file
	}
	for i := range p.Paths {
		touched := &p.Paths[i]
		if touched.Access <= shell.Read && touched.Access > 0 {
			continue
		}
		for _, abs := range [...]string{touched.Abs, touched.Real} {
			if abs != "" && anyFile(files, strings.ToLower(abs), touched.Recursive || touched.Access == shell.Delete) {
				return touched
			}
		}
	}
	return nil
}

func anyFile(files []string, abs string, recursive bool) bool {
	for _, file := range files {
		name, tree := strings.CutSuffix(strings.ToLower(file), "/**")
		if abs == name || tree && strings.HasPrefix(abs, name+"/") || recursive && strings.HasPrefix(name, abs+"/") {
			return true
		}
	}
	return false
}

// outside returns a file of that class which the part changes and which is not
// in the workspace, or nil.
func outside(c *sayso.Case, p *sayso.Part, class shell.PathClass) *shell.Path {
	for i := range p.Paths {
		touched := p.Paths[i]
		if touched.Access <= shell.Read && touched.Access > 0 {
			continue
		}
		for _, abs := range [...]string{touched.Abs, touched.Real} {
			touched.Abs, touched.Real = abs, ""
			if abs == "/" && touched.Access == shell.Write && p.Effects&shell.Privilege != 0 {
				continue // a container gets to see it; what is done to it there is judged by itself
			}
			if abs != "" && !inProject(c, abs) && c.Facts.Place.ClassOf(&touched)&class != 0 {
				return &p.Paths[i]
			}
		}
	}
	return nil
}

// inProject reports whether a file is in the workspace, and the workspace is not
// simply everything: an agent that was started in / or above the home folder does
// not own the system, or what runs when a user logs in.
func inProject(c *sayso.Case, abs string) bool {
	at := c.Facts.Place
	at.Workspace = slices.DeleteFunc(slices.Clone(at.Workspace), func(root string) bool {
		return root == "/" || strings.HasPrefix(at.Home, root+"/")
	})
	return len(at.Workspace) > 0 && at.Inside(abs)
}

// decidesForItself reports whether a command answers, grants or trusts in the
// place of a person, or ends what would ask one. Which verbs of sayso only show
// something stands in the tables.
func decidesForItself(c *sayso.Case, p *sayso.Part) bool {
	switch program(p) {
	case "pkill", "killall", "kill":
		for _, a := range p.Command.Args[1:] {
			if strings.HasPrefix(path.Base(a.Text), "sayso") {
				return true
			}
		}
		return finds(c, p)
	case "sayso", "sayso-hook":
		return p.Risk < shell.Moderate && !runsOther(p.Command)
	}
	return decidesInDisguise(p)
}

// finds reports whether the processes that a part ends are those of sayso: a
// pattern finds them, or another part that looks for them tells which they are.
func finds(c *sayso.Case, p *sayso.Part) bool {
	if program(p) == "pkill" {
		for _, a := range p.Command.Words().Operands {
			if !a.Unknown && mayFind(a.Text) {
				return true
			}
		}
	}
	for i := range c.Facts.Parts {
		q := &c.Facts.Parts[i]
		switch program(q) {
		case "pgrep", "pidof":
			if strings.Contains(q.Text, "sayso") && (flows(q.Command, p.Command) || c.Facts.Parent(p.Command) != nil) {
				return true
			}
		}
	}
	return false
}

// runsOther reports whether sayso is asked to run something, which is decided
// like any other call.
func runsOther(c *shell.Command) bool {
	return len(c.Args) > 1 && (c.Args[1].Text == "run" || c.Args[1].Text == "sh")
}

// leaks denies a call in which the content of a secret reaches the network.
func leaks() sayso.Stage {
	return sayso.Func("leaks", func(c *sayso.Case) sayso.Verdict {
		parts := c.Facts.Parts
		for i := range parts {
			if !c.Facts.Reveals(&parts[i]) {
				continue
			}
			for j := range parts {
				if sends(&parts[j]) && (i == j && parts[i].Effects&shell.Secrets == 0 && !pulls(&parts[i]) || i != j && flows(parts[i].Command, parts[j].Command)) {
					return sayso.Decide(sayso.Deny, "guard.leak", "it would send a secret to "+receivers(&parts[j])+": "+secretOf(c, &parts[i]))
				}
			}
		}
		return sayso.Pass()
	})
}

// pulls reports whether a part runs something in a container, for which it may
// fetch an image: what it is given stays on this machine.
func pulls(p *sayso.Part) bool {
	return p.Command != nil && p.Effects&shell.Executes != 0 && p.Effects&shell.Publishes == 0 && onlyRegistries(p.Hosts)
}

// secretOf names the secret that a part reveals.
func secretOf(c *sayso.Case, p *sayso.Part) string {
	if file := c.Facts.Find(p, shell.Secret, shell.Read); file != nil {
		return shown(file)
	}
	return "what " + shell.Shown(p.Text) + " shows"
}

// shown is the path as it was written, and where it leads to.
func shown(file *shell.Path) string {
	if file.Raw == "-" || file.Raw == "" { // it comes through a pipe or a variable
		return shell.Shown(file.Abs)
	}
	if file.Real == "" || file.Real == file.Abs {
		return shell.Shown(file.Raw)
	}
	return shell.Shown(file.Raw) + ", which leads to " + shell.Shown(file.Real)
}

// receivers names the hosts that a part talks to.
func receivers(p *sayso.Part) string {
	var names []string
	for _, h := range p.Hosts {
		switch h {
		case shell.External:
		case shell.Registries:
			names = append(names, "a package registry")
		case shell.Remotes:
			names = append(names, "the remote repository")
		default:
			names = append(names, shell.Shown(h))
		}
	}
	if len(names) == 0 {
		return "the network"
	}
	return strings.Join(names, ", ")
}

// sends reports whether the part can send something to another machine.
func sends(p *sayso.Part) bool {
	if p.Effects&(shell.Network|shell.Publishes) == 0 {
		return false
	}
	for _, h := range p.Hosts {
		if !shell.IsLoopback(h) {
			return true
		}
	}
	return len(p.Hosts) == 0
}

// flows reports whether what the command from prints can reach the command to:
// through a pipe, or because it stands in one of its words.
func flows(from, to *shell.Command) bool {
	if from == nil || to == nil {
		return false
	}
	if from.Nested && from.Span.Start >= to.Span.Start && from.Span.End <= to.Span.End {
		return true
	}
	return from.PipeLen > 1 && from.PipeLen == to.PipeLen && from.Pipe < to.Pipe && from.Span.Start < to.Span.Start
}
