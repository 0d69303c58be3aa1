package shell

import (
	"path"
	"strings"
)

// maxPath is the longest path that is looked at; no system has longer ones.
const maxPath = 4096

// touch records that a command touches the path in a, and raises its risk.
func (w *walker) touch(st *state, c *Command, a Arg, access Access, recursive bool) {
	if a.Text == "" && !a.Unknown || a.proc() != nil {
		return
	}
	if a.Unknown && !a.plain || len(a.Text) > maxPath {
		w.touchUnknown(st, c, a, access, recursive)
		return
	}
	if strings.Contains(a.Text, "/fd/..") { // through the link of an open file, to anywhere
		c.doubt(Dangerous, "a path cannot be known: "+a.Text)
	}
	for i, dir := range [...]string{st.dir, st.alt, st.far} {
		if i > 0 && (dir == "" || path.IsAbs(a.Text)) {
			break
		}
		p := Path{Raw: a.Text, Access: access, Glob: a.Glob || a.Unknown || st.any && !path.IsAbs(a.Text), Recursive: recursive}
		p.Abs = resolve(a.Text, dir)
		if inert(p.Abs) || c.socket(p.Abs) {
			return
		}
		if !c.Elsewhere {
			p.Real = w.follow(p.Abs)
		}
		c.Effects |= accessEffects[access]
		w.addPath(c, p)
		c.Risk = min(c.Risk, w.judge(&p))
	}
}

func (w *walker) addPath(c *Command, p Path) {
	if c.Paths == nil {
		c.Paths = w.paths.take(2)
	}
	c.Paths = append(c.Paths, p)
}

// socket records the network connections that Bash opens for /dev/tcp/HOST/PORT.
func (c *Command) socket(abs string) bool {
	rest, ok := strings.CutPrefix(abs, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(abs, "/dev/udp/")
	}
	if !ok {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	c.host(host)
	c.Risk = min(c.Risk, Dangerous)
	return true
}

var accessEffects = [...]Effects{Writes | Deletes, List: Reads, Read: Reads, Write: Writes, Delete: Deletes, Change: Permissions}

// touchUnknown records a path of which not everything is known.
func (w *walker) touchUnknown(st *state, c *Command, a Arg, access Access, recursive bool) {
	p := Path{Raw: a.Text, Access: access, Recursive: recursive}
	c.Effects |= accessEffects[access]
	w.addPath(c, p)
	guess := p
	if len(a.Text) <= maxPath {
		guess.Abs = resolve(a.Text, st.dir)
	}
	risk := Dangerous
	if a.item && access == Read {
		return // a list of files to read, such as find | xargs cat
	}
	switch access {
	case List:
		risk = Safe
	case Read:
		risk = Moderate
		if w.secret(guess.Abs, false) {
			risk = Dangerous
		}
	}
	c.Risk = min(c.Risk, risk)
	if access != List {
		c.opaque("a path cannot be known: " + a.Text)
	}
}

// doubt records why what the command does cannot be known, and how bad that is.
func (c *Command) doubt(risk Risk, reason string) {
	c.Risk = min(c.Risk, risk)
	c.opaque(reason)
}

func (c *Command) opaque(reason string) {
	reason = cleaned(reason, 400)
	for _, r := range c.Opaque {
		if r == reason {
			return
		}
	}
	c.Opaque = append(c.Opaque, reason)
}

// resolve makes a path absolute and clean; empty if dir is not known.
func resolve(p, dir string) string {
	if !path.IsAbs(p) {
		if dir == "" {
			return ""
		}
		p = dir + "/" + p
	}
	if strings.HasPrefix(p, "/proc/") {
		p = throughProc(p, dir)
	}
	return path.Clean(p)
}

// throughProc follows the links /proc/PID/cwd and /proc/PID/root, before ".."
// takes them away. Whose they are does not matter: they lead to a folder.
func throughProc(p, dir string) string {
	parts := strings.SplitN(strings.TrimLeft(strings.ReplaceAll(p, "//", "/"), "/"), "/", 4)
	if len(parts) < 3 {
		return p
	}
	rest := ""
	if len(parts) == 4 {
		rest = "/" + parts[3]
	}
	switch parts[2] {
	case "cwd":
		if dir != "" {
			return dir + rest
		}
	case "root":
		return "/" + strings.TrimLeft(path.Clean("/"+rest), "/")
	}
	return p
}

// inert reports whether reading or writing p does nothing: /dev/null and the
// like.
func inert(p string) bool {
	if !strings.HasPrefix(p, "/dev/") {
		return false
	}
	return pathsInert.match(p, "")
}

// follow returns where p leads to when links are followed, as far as the
// Machine can tell; empty if that is p itself or unknown.
func (w *walker) follow(p string) string {
	if w.at.Machine == nil || p == "" {
		return ""
	}
	done, rest := "/", strings.Split(strings.Trim(p, "/"), "/")
	links := 0
	for len(rest) > 0 {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		e, ok := w.look(next)
		if !ok { // missing, or no more questions: the rest is as written
			done = path.Join(append([]string{next}, rest...)...)
			break
		}
		if e.Link == "" {
			done = next
			continue
		}
		if links++; links > 16 {
			return ""
		}
		target := e.Link
		if path.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(strings.Trim(target, "/"), "/"), rest...)
	}
	if done == p {
		return ""
	}
	return done
}

func (w *walker) look(p string) (Entry, bool) {
	if w.at.Machine == nil || w.looks >= maxLooks {
		return Entry{}, false
	}
	w.looks++
	e, err := w.at.Machine.Lstat(p)
	return e, err == nil
}

// judge says how risky it is to touch a path that is known.
func (w *walker) judge(p *Path) Risk {
	risk := w.judgeAt(p, p.Abs)
	if p.Real != "" {
		risk = min(risk, w.judgeAt(p, p.Real))
	}
	return risk
}

func (w *walker) judgeAt(p *Path, abs string) Risk {
	switch p.Access {
	case List:
		if w.secret(abs, p.Glob) && !w.inWorkspace(abs) {
			return Moderate
		}
		return Safe
	case Read:
		if pathsDevice.match(abs, w.at.Home) {
			return Dangerous // everything on the disk
		}
		if abs == "" { // in a folder that is not known: the name is all there is
			if w.secret("/unknown/"+p.Raw, p.Glob) {
				return Dangerous
			}
			return Moderate
		}
		if w.secret(abs, p.Glob) || p.Recursive && w.holdsSecrets(abs) {
			return Dangerous
		}
		if p.Recursive && p.Glob && strings.Trim(path.Base(abs), "*?") == "" && w.holdsSecrets(path.Dir(abs)) {
			return Dangerous // whatever find finds in the home folder
		}
		return Safe
	}
	if abs == "" {
		return Dangerous // relative to a folder that is not known
	}
	if pathsDevice.match(abs, w.at.Home) {
		return Blocked
	}
	if p.Access == Delete && (p.Recursive || p.Glob) && w.critical(abs, p.Glob) {
		return Blocked
	}
	if pathsStartup.match(abs, w.at.Home) {
		return Dangerous
	}
	if p.Access == Delete && w.wholeWorkspace(abs, p) {
		return Dangerous
	}
	if w.inWorkspace(abs) || temporary(abs) {
		return Moderate
	}
	return Dangerous
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

// wholeWorkspace reports whether deleting p empties a workspace, or more.
func (w *walker) wholeWorkspace(abs string, p *Path) bool {
	target := abs
	base := questionMarks(path.Base(abs))
	if p.Glob && strings.Trim(base, "*?.") == "" {
		target = path.Dir(abs)
		if strings.HasPrefix(base, ".") {
			target = path.Dir(target) // .* may be ..
		}
	}
	for _, root := range w.at.Workspace {
		if (p.Recursive || p.Glob) && within(root, target) || within(abs, root+"/.git") || p.Glob && means(base, ".git") {
			return true
		}
	}
	return false
}

// critical reports whether deleting p takes the machine or the home folder
// away: /, the home folder, a top-level folder of the system, all of one.
func (w *walker) critical(abs string, glob bool) bool {
	target := abs
	for glob && strings.Trim(questionMarks(path.Base(target)), "*?.") == "" && target != "/" {
		target = path.Dir(target)
	}
	if target == "/" || target == w.at.Home || w.at.Home != "" && within(w.at.Home, target) {
		return true
	}
	for _, p := range pathsSystem.rooted {
		if target == p {
			return true
		}
	}
	return false
}

func (v *visit) object(a Arg) { v.touch(a, Read, false) }
