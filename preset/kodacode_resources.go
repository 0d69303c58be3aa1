package preset

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// What else a call may reach, besides the subjects of rules.
const (
	kodaWorkspace = "workspace" // a file in the workspace
	kodaTool      = "tool"      // something that is no file, no command and no host
)

// kodaResources are the things that a call reaches, each with the subject that it
// is. Its text is what patterns are matched with.
func kodaResources(c *sayso.Case) []*sayso.Case {
	var out []sayso.Part
	for i := range c.Facts.Parts {
		out = append(out, kodaReached(c.Facts, &c.Facts.Parts[i])...)
	}
	out = append(out, kodaLines(c.Facts, out)...)
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(p sayso.Part) bool {
		key := p.Subject + "\x00" + p.Text
		if len(p.Paths) > 0 && p.Command == nil {
			key += "\x00" + p.Paths[0].Access.String()
		}
		if p.Command != nil {
			return false // the same text may be another command
		}
		was := seen[key]
		seen[key] = true
		return was
	})
	return c.Split(out)
}

// kodaReached takes a part of a call apart.
func kodaReached(f *sayso.Facts, p *sayso.Part) []sayso.Part {
	switch {
	case p.Command != nil:
		return kodaCommand(f, p)
	case len(p.Paths) > 0:
		return kodaPaths(f, p, p.Paths)
	case f.Class == sayso.ClassFetch || len(p.Hosts) > 0:
		return []sayso.Part{kodaFetch(p)}
	}
	one := *p
	one.Subject = kodaTool
	switch {
	case f.Class == sayso.ClassSearch:
		one.Subject, one.Text, one.Hosts = SubjectNetworkTarget, shell.External, []string{shell.External}
	case len(f.Lines) > 0:
		one.Subject = SubjectBash
	}
	return []sayso.Part{one}
}

// kodaCommand is the command itself, the files outside that it touches, and the
// hosts that it talks to.
func kodaCommand(f *sayso.Facts, p *sayso.Part) []sayso.Part {
	run := *p
	run.Subject, run.Text = SubjectBash, strings.TrimSpace(p.Text)
	if p.Command.Via >= 0 || run.Text == "" { // the text is that of the command around it
		run.Text = kodaArgv(p.Command)
	}
	out := []sayso.Part{run}
	if !p.Command.Elsewhere {
		paths := append(p.Paths[:len(p.Paths):len(p.Paths)], kodaWorksIn(f, p))
		paths = append(paths, kodaNamed(f, p)...)
		for _, one := range kodaPaths(f, p, paths) {
			if one.Subject == SubjectExternalDirectory { // what it does inside is part of the command
				out = append(out, one)
			}
		}
	}
	for _, target := range kodaTargets(p) {
		out = append(out, sayso.Part{
			Subject: SubjectNetworkTarget, Text: target, Command: p.Command, Hosts: []string{target}, Effects: shell.Network, Risk: p.Risk, Sentence: p.Sentence,
		})
	}
	return out
}

// kodaWorksIn is the folder that a command works in, which it may read and write
// without naming it.
func kodaWorksIn(f *sayso.Facts, p *sayso.Part) shell.Path {
	dir := shell.Path{Raw: "the folder it works in", Abs: p.Command.Dir, Access: shell.Read}
	if p.Effects&^kodaHarmless != 0 {
		dir.Access = shell.Write
	}
	if dir.Abs == "" {
		return dir
	}
	if r := resolve(dir.Abs, f.Place.Dir, f.Place.Home, f.Place.Machine); r.Err == nil {
		dir.Real = r.Real
	}
	return dir
}

// kodaNamed are the paths among the words of a program that nobody knows, which
// may do anything with them. Only those that are outside matter.
func kodaNamed(f *sayso.Facts, p *sayso.Part) []shell.Path {
	if !p.Command.Unknown || p.Command.Dir == "" {
		return nil
	}
	var out []shell.Path
	for _, a := range p.Command.Args[1:] {
		word := a.Text
		if option, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(option, "-") {
			word = value // --out=FILE
		}
		if a.Unknown || word == "" || strings.Contains(word, "://") {
			continue
		}
		if r := resolve(word, p.Command.Dir, f.Place.Home, f.Place.Machine); r.Err == nil {
			out = append(out, shell.Path{Raw: word, Abs: r.Abs, Real: r.Real, Access: shell.Write})
		}
	}
	return out
}

// kodaTargets are the network targets of a command: hosts, symbolic names, or
// the command itself where it does not say whom it talks to.
func kodaTargets(p *sayso.Part) []string {
	var out []string
	for _, h := range p.Hosts {
		if h = strings.ToLower(strings.TrimSpace(h)); h == "" {
			h = shell.External // it cannot be known
		}
		out = append(out, h)
	}
	if len(out) == 0 && p.Effects&shell.Network != 0 {
		out = append(out, kodaScope+p.Command.Words().Name)
	}
	return out
}

func kodaArgv(c *shell.Command) string {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	return strings.Join(words, " ")
}

// kodaPaths makes a resource of every name that a path has: what it says, and
// where links lead.
func kodaPaths(f *sayso.Facts, p *sayso.Part, paths []shell.Path) []sayso.Part {
	var out []sayso.Part
	for _, touched := range paths {
		names := []string{touched.Abs}
		if touched.Real != "" && touched.Real != touched.Abs {
			names = append(names, touched.Real)
		}
		for _, abs := range names {
			one := *p
			one.Paths, one.Subject, one.Text = []shell.Path{touched}, SubjectExternalDirectory, abs
			one.Paths[0].Abs, one.Paths[0].Real = abs, ""
			switch {
			case abs == "":
				one.Text = touched.Raw // it cannot be known
			case kodaInside(f, &one.Paths[0]):
				one.Subject = kodaWorkspace
			}
			out = append(out, one)
		}
	}
	return out
}

// kodaInside reports whether a path is in the workspace. A pattern may lead out
// of it only by its first part, which is no pattern.
func kodaInside(f *sayso.Facts, p *shell.Path) bool {
	return slices.ContainsFunc(f.Place.Workspace, func(root string) bool { return fspath.Within(p.Abs, root) })
}

// kodaFetch is a request for an address, whose host counts, too.
func kodaFetch(p *sayso.Part) sayso.Part {
	one := *p
	one.Subject, one.Text = SubjectWebFetch, strings.TrimSpace(p.Text)
	if u, err := url.Parse(one.Text); err == nil && u.Host != "" && len(p.Opaque) == 0 {
		one.Text = kodaAddress(u, p.Hosts)
	}
	return one
}

// kodaAddress writes an address in the one way in which patterns are matched:
// without a name and password, without the usual port, with the host in lower
// case, and with a path that has no detours.
func kodaAddress(u *url.URL, hosts []string) string {
	host := strings.ToLower(u.Host)
	if len(hosts) == 1 {
		host = hosts[0]
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)] {
			host += ":" + port
		}
	}
	out := strings.ToLower(u.Scheme) + "://" + host
	if u.Path != "" {
		clean := path.Clean("/" + u.Path)
		if strings.HasSuffix(u.Path, "/") && clean != "/" {
			clean += "/"
		}
		if clean == u.Path {
			clean = u.EscapedPath() // as it was written
		}
		out += clean
	}
	if u.RawQuery != "" {
		out += "?" + u.RawQuery
	}
	return out
}

// kodaLines are the command lines as a whole, where they are more than one
// command: a rule that denies or asks may mean all of it.
func kodaLines(f *sayso.Facts, parts []sayso.Part) []sayso.Part {
	var out []sayso.Part
	for _, line := range f.Lines {
		line = strings.TrimSpace(line)
		known := slices.ContainsFunc(parts, func(p sayso.Part) bool { return p.Subject == SubjectBash && p.Text == line })
		if !known {
			out = append(out, sayso.Part{Subject: SubjectBash, Text: line, Risk: shell.Safe})
		}
	}
	return out
}
