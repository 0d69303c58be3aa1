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

// guards denies what nobody wants an agent to do, whatever the rules say.
func (p *Policy) guards() sayso.Stage {
	files := slices.Concat(guardFiles, p.Guarded)
	return sayso.Func("guards", func(c *sayso.Case) sayso.Verdict {
		p := c.Part()
		switch {
		case p.Risk == shell.Blocked:
			return sayso.Decide(sayso.Deny, "guard.destroy", "it can do damage that cannot be undone: "+p.Sentence)
		case decidesOwn(c, p, files).Speaks():
			return decidesOwn(c, p, files)
		case c.Facts.Is(p, shell.Device, changes...):
			return sayso.Decide(sayso.Deny, "guard.device", "it would overwrite a device")
		case outside(c, p, shell.OfSystem):
			return sayso.Decide(sayso.Deny, "guard.system", "it would change a file of the system")
		case outside(c, p, shell.Startup):
			return sayso.Decide(sayso.Deny, "guard.startup", "it would change a file that runs by itself later")
		case p.Command != nil && p.Command.Runs == shell.Fetched:
			return sayso.Decide(sayso.Deny, "guard.fetched", "it runs text from the network without anybody having read it")
		case p.Command != nil && p.Command.Runs == shell.Decoded:
			return sayso.Decide(sayso.Deny, "guard.decoded", "it runs decoded text that nobody can read")
		}
		return sayso.Pass()
	})
}

// outside reports whether the part changes a file of that class which is not in
// the workspace.
func outside(c *sayso.Case, p *sayso.Part, class shell.PathClass) bool {
	for _, touched := range p.Paths {
		if touched.Access <= shell.Read && touched.Access > 0 {
			continue
		}
		for _, abs := range [...]string{touched.Abs, touched.Real} {
			if abs != "" && c.Facts.Place.Class(abs)&class != 0 && !inProject(c, abs) {
				return true
			}
		}
	}
	return false
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

// guardFiles are what decides about an agent's calls: the policy and the state
// of sayso, and the settings of agents that can switch a hook off. A pattern
// that starts with / is below the root, ~/ below the home folder; the others
// stand anywhere.
var guardFiles = []string{
	".sayso.yaml", ".sayso/**", "~/.config/sayso/**", "~/.local/state/sayso/**", "~/.local/share/sayso/**", "/etc/sayso/**",
	".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/**", "~/.claude.json", "~/.claude/settings.json", "/etc/claude-code/**",
	".codex/config.toml", ".codex/hooks.json", ".codex/hooks/**", ".codex/rules/**", "/etc/codex/**",
	".gemini/settings.json", ".gemini/policies/**", ".gemini/hooks/**", "/etc/gemini-cli/**",
	"opencode.json", "opencode.jsonc", ".opencode/plugin/**", ".opencode/plugins/**", "~/.config/opencode/**",
	".github/hooks/**", "~/.copilot/**", ".cursor/hooks.json", ".cursor/cli.json", "~/.cursor/**", "/etc/cursor/**",
	".kosmokrator.yaml", "~/.kosmokrator/**", "~/.config/kodacode/**", ".cowork/policy/**",
}

// touches reports whether the part touches one of the files in one of the ways.
func touches(p *sayso.Part, home string, files []string, ways ...shell.Access) bool {
	for _, touched := range p.Paths {
		for _, way := range ways {
			if touched.Access != way {
				continue
			}
			for _, abs := range [...]string{touched.Abs, touched.Real} {
				if abs != "" && anyFile(files, strings.ToLower(abs), strings.ToLower(home), touched.Recursive || touched.Access == shell.Delete) {
					return true
				}
			}
		}
	}
	return false
}

func anyFile(files []string, abs, home string, recursive bool) bool {
	for _, file := range files {
		name, tree := strings.CutSuffix(file, "/**")
		switch {
		case strings.HasPrefix(name, "~/"):
			name = path.Join(home, name[2:])
		case !strings.HasPrefix(name, "/"):
			if at := strings.Index(abs+"/", "/"+name+"/"); at >= 0 && (tree || len(abs) == at+1+len(name)) {
				return true
			}
			if folder, _, deeper := strings.Cut(name, "/"); deeper && recursive && path.Base(abs) == folder {
				return true // the folder that it stands in
			}
			continue
		}
		if abs == name || tree && strings.HasPrefix(abs, name+"/") || recursive && strings.HasPrefix(name, abs+"/") {
			return true
		}
	}
	return false
}

// decidesForItself reports whether a command answers, grants or trusts in the
// place of a person, or ends what would ask one. Which verbs of sayso only show
// something stands in the tables.
func decidesForItself(p *sayso.Part) bool {
	switch program(p) {
	case "pkill", "killall", "kill":
		for _, a := range p.Command.Args[1:] {
			if strings.HasPrefix(path.Base(a.Text), "sayso") {
				return true
			}
		}
		return false
	case "sayso", "sayso-hook":
		return p.Risk < shell.Moderate && !runsOther(p.Command)
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
				if sends(&parts[j]) && (i == j && parts[i].Effects&shell.Secrets == 0 || i != j && flows(parts[i].Command, parts[j].Command)) {
					return sayso.Decide(sayso.Deny, "guard.leak", "it would send a secret out: "+parts[i].Text)
				}
			}
		}
		return sayso.Pass()
	})
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
