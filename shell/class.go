package shell

import (
	"path"
	"strings"
)

// A PathClass says what is special about a path; the zero value: nothing.
type PathClass uint8

const (
	Secret    PathClass = 1 << iota // holds keys, passwords, tokens
	OfSystem                        // a file of the operating system
	Startup                         // runs by itself later: shell start-up files, hooks, units
	Device                          // a disk or the like
	Temporary                       // a named child of a folder for temporary files, not in the workspace
	Remade                          // a build or a package manager makes it again
	Guard                           // guards an agent: its settings and hooks, the policy and state of sayso
	Shadowing                       // a program of the user that is found by its name, and may hide another one
)

// Class says what is special about an absolute, cleaned path.
func (at Place) Class(abs string) PathClass {
	if abs == "" {
		return 0
	}
	w := walker{at: at}
	var out PathClass
	if w.secret(abs, false) {
		out |= Secret
	}
	if w.startup(abs, false, false) {
		out |= Startup
	}
	if pathsDevice.match(abs, at.Home) {
		out |= Device
	}
	if temporary(abs) && !at.Inside(abs) { // a workspace among temporary files is work
		out |= Temporary
	}
	if at.remade(abs) {
		out |= Remade
	}
	if pathsGuard.match(strings.ToLower(abs), strings.ToLower(at.Home)) {
		out |= Guard
	}
	if pathsShadowing.match(abs, at.Home) {
		out |= Shadowing
	}
	if pathsMachine.match(abs, at.Home) && (at.Home == "" || !within(abs, at.Home)) {
		out |= OfSystem
	}
	return out
}

// ClassOf says what is special about all that a path may mean, as written and
// with links followed: the files that a pattern is meant to find, and those
// below a folder that is touched as a whole.
func (at Place) ClassOf(p *Path) PathClass {
	out := at.Class(p.Abs) | at.Class(p.Real)
	if !p.Glob && !p.Recursive && p.Access != Delete {
		return out
	}
	w := walker{at: at}
	if len(at.Workspace) == 0 {
		w.at.Workspace = []string{at.Dir}
	}
	for _, abs := range [...]string{p.Abs, p.Real} {
		if abs == "" {
			continue
		}
		if !device(abs) && w.judgeRead(p, abs, p.Deep) == Dangerous {
			out |= Secret
		}
		if w.startup(abs, p.Glob, p.Deep) {
			out |= Startup
		}
		if w.guards(abs, p) {
			out |= Guard
		}
		if (p.Recursive || p.Deep) && topFolder(abs, p) == "/" {
			out |= OfSystem
		}
	}
	return out
}

// topFolder is the folder in which everything is that p may mean.
func topFolder(abs string, p *Path) string {
	if p.Deep {
		abs = path.Dir(abs)
	}
	for p.Glob && strings.ContainsAny(abs, "*?[") {
		abs = path.Dir(abs)
	}
	return abs
}

// guards reports whether a pattern is meant to find what guards an agent, or a
// folder that is touched as a whole holds it.
func (w *walker) guards(abs string, p *Path) bool {
	abs, home := strings.ToLower(abs), strings.ToLower(w.at.Home)
	if isPattern(abs, p.Glob, p.Deep) {
		return pathsGuard.meaning(questionMarks(abs), home, p.Deep) >= included
	}
	if !p.Recursive && p.Access != Delete || abs == "/" { // what is done to all of the machine has graver names
		return false
	}
	return guardFolder(abs) || pathsGuard.below(abs, home)
}

// guardFolder reports whether a folder of that name, in lower case, may hold what
// guards an agent.
func guardFolder(abs string) bool {
	for _, d := range pathsGuard.deep {
		if folder, _, deeper := strings.Cut(strings.TrimPrefix(d.pattern, "**/"), "/"); deeper && path.Base(abs) == folder {
			return true
		}
	}
	return false
}

// remade looks only at the part of the path that is in the workspace: that the
// workspace itself is in a folder named build says nothing.
func (at Place) remade(abs string) bool {
	roots := at.Workspace
	if len(roots) == 0 {
		roots = []string{at.Dir}
	}
	for _, root := range roots {
		if within(abs, root) && abs != root {
			return pathsRemade.match("/"+strings.TrimPrefix(abs[len(root):], "/"), "")
		}
	}
	return false
}

// Judge says how risky it is to touch a path, as it is judged in a command
// line. The path must be absolute and cleaned; an empty one is not known.
func (at Place) Judge(p Path) Risk {
	if len(at.Workspace) == 0 {
		at.Workspace = []string{at.Dir}
	}
	w := walker{at: at}
	return w.judgeFound(&p, p.Deep)
}

// Inside reports whether an absolute, cleaned path is in the workspace.
func (at Place) Inside(abs string) bool {
	if len(at.Workspace) == 0 {
		return within(abs, at.Dir)
	}
	for _, root := range at.Workspace {
		if within(abs, root) {
			return true
		}
	}
	return false
}
