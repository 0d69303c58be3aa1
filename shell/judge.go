package shell

import (
	"path"
	"strings"
)

// judge says how risky it is to touch a path that is known.
func (w *walker) judge(p *Path) Risk { return w.judgeFound(p, false) }

// judgeFound is judge; deep says that the last component is a name at any depth
// below the others, as find has it.
func (w *walker) judgeFound(p *Path, deep bool) Risk {
	risk := w.judgeAt(p, p.Abs, deep)
	if p.Real != "" {
		risk = min(risk, w.judgeAt(p, p.Real, deep))
	}
	return risk
}

func (w *walker) judgeAt(p *Path, abs string, deep bool) Risk {
	switch p.Access {
	case List:
		if w.secretMeaning(abs, p.Glob, deep) == meant && !w.inWorkspace(abs) {
			return Moderate
		}
		return Safe
	case Read:
		return w.judgeRead(p, abs, deep)
	}
	if abs == "" {
		return Dangerous // relative to a folder that is not known
	}
	if device(abs) {
		return Blocked
	}
	if (p.Access == Delete || p.Access == Change && p.Recursive) && (p.Recursive || p.Glob || abs == w.at.Home || abs == "/") && w.critical(abs, p.Glob) {
		return Blocked
	}
	if w.startup(abs, p.Glob, deep) {
		return Dangerous
	}
	if p.Access == Delete && w.wholeWorkspace(abs, p, deep) {
		return Dangerous
	}
	if w.inWorkspace(abs) || temporary(abs) {
		return Moderate
	}
	return Dangerous
}

func (w *walker) judgeRead(p *Path, abs string, deep bool) Risk {
	if device(abs) {
		return Dangerous // everything on the disk
	}
	risk := Safe
	if abs == "" { // in a folder that is not known: the name is all there is
		risk, abs = Moderate, "/unknown/"+p.Raw
	}
	switch w.secretMeaning(abs, p.Glob, deep) {
	case meant, included:
		return Dangerous
	case possible:
		risk = Moderate
	}
	if p.Recursive && !deep && w.holdsSecrets(abs) {
		return Dangerous
	}
	if p.Recursive && p.Glob && anyName(path.Base(abs)) && w.holdsSecrets(path.Dir(abs)) {
		return Dangerous // whatever find finds in the home folder
	}
	return risk
}

// anyName reports whether a component matches any name.
func anyName(part string) bool { return strings.Trim(questionMarks(part), "*?") == "" }

// startup reports whether p runs by itself later, or may match what does.
func (w *walker) startup(p string, glob, deep bool) bool {
	if pathsStartup.match(p, w.at.Home) {
		return true
	}
	// A file system that does not tell .GIT from .git.
	lower, home := strings.ToLower(p), strings.ToLower(w.at.Home)
	if lower != p && pathsStartup.match(lower, home) {
		return true
	}
	return isPattern(p, glob, deep) && pathsStartup.meaning(questionMarks(lower), home, deep) >= included
}

// inWorkspace reports whether p is in one of the folders of the work.
func (w *walker) inWorkspace(p string) bool {
	for _, root := range w.at.Workspace {
		if within(p, root) {
			return true
		}
	}
	return false
}

// within reports whether p is root or below it, by path component.
func within(p, root string) bool {
	if root == "/" {
		return path.IsAbs(p)
	}
	return p == root || strings.HasPrefix(p, root) && p[len(root)] == '/'
}

// temporary reports whether p is a named child of a folder for temporary
// files; the folder itself, or everything in it, is not.
func temporary(p string) bool {
	for _, root := range pathsTemp.rooted {
		if rest, ok := strings.CutPrefix(p, root+"/"); ok {
			first, _, _ := strings.Cut(rest, "/")
			return strings.Trim(first, "*?[].") != ""
		}
	}
	return false
}

// wholeWorkspace reports whether deleting p empties a workspace, or more, or
// takes its history away.
func (w *walker) wholeWorkspace(abs string, p *Path, deep bool) bool {
	target := abs
	base := strings.ToLower(questionMarks(path.Base(abs)))
	for part := base; p.Glob && target != "/" && strings.Trim(part, "*?.") == ""; part = questionMarks(path.Base(target)) {
		target = path.Dir(target)
		if strings.HasPrefix(part, ".") {
			target = path.Dir(target) // .* may be ..
		}
	}
	for _, root := range w.at.Workspace {
		if (p.Recursive || p.Glob) && within(root, target) || p.Glob && means(base, ".git") || w.history(abs, root, isPattern(abs, p.Glob, deep), deep) {
			return true
		}
	}
	return false
}

// history reports whether p is the folder of git in a workspace or below it.
func (w *walker) history(p, root string, pattern, deep bool) bool {
	p, root = strings.ToLower(p), strings.ToLower(root)
	if within(p, root+"/.git") {
		return pattern || !strings.HasSuffix(p, ".lock") // what a git that ended too early leaves behind
	}
	return pattern && compare(questionMarks(p), root+"/.git/**", deep) >= included
}

// critical reports whether deleting p takes the machine or the home folder
// away: /, the home folder, a top-level folder of the system, all of one.
func (w *walker) critical(abs string, glob bool) bool {
	target := abs
	for glob && strings.Trim(questionMarks(path.Base(target)), "*?.") == "" && target != "/" {
		target = path.Dir(target)
	}
	if target == "/" || w.at.Home != "" && within(strings.ToLower(w.at.Home), strings.ToLower(target)) {
		return true
	}
	for _, p := range pathsSystem.rooted {
		if strings.EqualFold(target, p) {
			return true
		}
	}
	return false
}
