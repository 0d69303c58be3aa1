package shell

import "github.com/sayso-dev/sayso/shell/internal/table"

// Code of the workspace is part of the work, and what is installed is what its
// name says. Any other code may do anything: whoever runs it does not know what.

// ownCode reports whether code at a place belongs to the work, or is installed.
func (w *walker) ownCode(abs string) bool {
	return abs != "" && (w.inWorkspace(abs) || temporary(abs) || pathsPrograms.match(abs, w.at.Home) ||
		pathsInstalled.match(abs, w.at.Home) || pathsSourced.match(abs, w.at.Home))
}

// runsFrom judges where code comes from that a command runs.
func (w *walker) runsFrom(c *Command, abs string) {
	if !c.Elsewhere && !inert(abs) && !w.ownCode(abs) {
		c.Risk = min(c.Risk, Dangerous)
	}
}

// projectCode judges a command that runs the code of a project: the one whose
// files it is given, or the one in the folder it works in.
func (v *visit) projectCode() {
	c := v.c
	if !v.r.tool().Do.Does.Has(table.Executes) || !c.Effects.Has(Executes) || c.Elsewhere || v.r.inner ||
		v.traits()&(table.IsWrapper|table.IsInterpreter|table.IsShell) != 0 {
		return
	}
	given := false
	for i := range c.Paths {
		if p := &c.Paths[i]; p.Access == Read && !p.Redirect {
			v.w.runsFrom(c, p.Abs)
			given = true
		}
	}
	if dir := v.st.dir; !given && (dir == "" || !v.w.inWorkspace(dir) && !temporary(dir+"/x")) {
		c.Risk = min(c.Risk, Dangerous)
	}
}
