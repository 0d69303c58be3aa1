package shell

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// guardFiles are the files and folders that guard the agent which works here, if
// they are there.
func (w *walker) guardFiles() []string {
	var out []string
	for _, place := range append([]string{w.at.Dir}, w.at.Workspace...) {
		for _, name := range guardNames() {
			out = append(out, path.Join(place, name))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// deletesOwn notes what guards the agent among what a command deletes with a
// folder, or by a pattern, and does not name.
func (w *walker) deletesOwn(c *Command, p *Path) {
	if p.Access != Delete || p.Abs == "" || w.at.Machine == nil || c.Elsewhere {
		return
	}
	if !p.Glob && !p.Deep && !w.aboveWork(p.Abs) {
		return // most are files, or folders in the workspace
	}
	all := p.Glob && !p.Deep && allHidden(path.Base(p.Abs)) // meant for whatever is there
	for _, abs := range w.guardFiles() {
		if !p.takes(abs) {
			continue
		}
		if _, there := w.look(abs); there || all {
			w.addPath(c, Path{Raw: p.Raw, Abs: abs, Access: Delete})
			return
		}
	}
}

// aboveWork reports whether the work is in a folder, or is it.
func (w *walker) aboveWork(folder string) bool {
	return within(w.at.Dir, folder) || slices.ContainsFunc(w.at.Workspace, func(root string) bool { return within(root, folder) })
}

// allHidden reports whether a pattern finds all hidden files: .* and its like.
func allHidden(pattern string) bool {
	return strings.HasPrefix(pattern, ".") && strings.Trim(questionMarks(pattern), ".*?") == ""
}

// takes reports whether a file is among those that a path means.
func (p *Path) takes(abs string) bool {
	if !p.Glob && !p.Deep {
		return within(abs, p.Abs)
	}
	have, want := components(abs), components(p.Abs)
	if p.Deep {
		above := len(want) - 1
		if len(have) <= above || !slices.Equal(have[:above], want[:above]) {
			return false
		}
		below := have[above:]
		if !p.Recursive { // find deletes no folder that is not empty
			below = below[len(below)-1:]
		}
		return slices.ContainsFunc(below, func(name string) bool { return matchStars(questionMarks(want[above]), name) })
	}
	if len(want) > len(have) || len(want) < len(have) && !p.Recursive {
		return false
	}
	for i := range want {
		if !finds(want[i], have[i]) {
			return false
		}
	}
	return true
}

// cleans notes what guards the agent among the files that git clean deletes:
// those that are there and not in its index.
func (v *visit) cleans() {
	r := &v.r
	if len(r.subs) == 0 || r.subs[0].Text != "clean" || !v.c.Effects.Has(Irreversible) || v.w.at.Machine == nil || v.c.Elsewhere {
		return
	}
	root := v.w.rootOf(v.st.dir)
	index, err := v.w.at.Machine.ReadFile(path.Join(root, ".git/index"), maxArchive)
	if root == "" || err != nil {
		return
	}
	for _, abs := range v.w.guardFiles() {
		rel, ok := strings.CutPrefix(abs, root+"/")
		e, there := v.w.look(abs)
		if !ok || !there || !within(abs, v.st.dir) || bytes.Contains(index, []byte(rel)) || strings.Contains(rel, "/") && !e.Dir && !r.has("-d") {
			continue
		}
		if v.leavesOut(rel) || len(r.args) > 0 && !slices.ContainsFunc(r.args, func(a Arg) bool { return a.Unknown || within(abs, resolve(a.Text, v.st.dir)) }) {
			continue
		}
		v.touch(Arg{Text: abs}, Delete, true)
		return
	}
}

// leavesOut reports whether git clean keeps a file: it is told to, or the file is
// ignored and such files are not meant.
func (v *visit) leavesOut(rel string) bool {
	var patterns []string
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.hasValue && slices.Contains(g.flag.Names, "-e") {
			patterns = append(patterns, g.value.Text)
		}
	}
	if !v.r.has("-x") && !v.r.has("-X") {
		for _, name := range [...]string{".gitignore", ".git/info/exclude"} {
			text, _ := v.w.readFile(path.Join(v.w.rootOf(v.st.dir), name))
			patterns = append(patterns, strings.Fields(string(text))...)
		}
	}
	for _, pattern := range patterns {
		pattern = strings.Trim(pattern, "/")
		if within(rel, pattern) || matchStars(questionMarks(pattern), rel) || slices.ContainsFunc(components(rel), func(name string) bool { return matchStars(pattern, name) }) {
			return true
		}
	}
	return false
}
