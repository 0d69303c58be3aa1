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
	for i, dir := range [...]string{st.dir, st.alt, st.far} {
		if i > 0 && (dir == "" || path.IsAbs(a.Text)) {
			break
		}
		p := Path{Raw: a.Text, Access: access, Glob: a.Glob || a.Unknown || st.any && !path.IsAbs(a.Text), Recursive: recursive, Deep: a.deep}
		p.Abs = resolve(a.Text, dir)
		if p.Abs == "" && dir == "" && access != List && !path.IsAbs(a.Text) {
			c.opaque("a path cannot be known, because the folder is not: " + a.Text)
		}
		if p.Abs == "" && path.IsAbs(a.Text) { // through a link of a process, to anywhere
			c.doubt(Dangerous, "a path cannot be known: "+a.Text)
		}
		if inert(p.Abs) || c.socket(p.Abs) {
			return
		}
		if len(st.mounts) > 0 && p.Abs != "" && !st.mounted(&p) {
			return
		}
		if (!c.Elsewhere || p.Here) && (w.at.Machine != nil || len(w.links) > 0) {
			written := p.Abs // through a mount, .. does not lead back
			if !p.Here {
				written = unclean(a.Text, dir)
			}
			w.reach(c, &p, written)
		}
		if access == Read && len(w.written) > 0 && p.Real == "" && !c.Elsewhere {
			p.Real = w.secretCopy(p.Abs, p.Glob)
		}
		c.Effects |= accessEffects[access]
		w.addPath(c, p)
		w.deletesOwn(c, &p)
		c.Risk = min(c.Risk, w.judgeFound(&p, a.deep))
		if len(st.mounts) > 0 {
			w.below(st, c, p)
		}
	}
}

// reach notes where a path leads.
func (w *walker) reach(c *Command, p *Path, asWritten string) {
	p.Real = w.follow(p.Abs, asWritten)
	if w.at.Machine != nil && w.looks >= maxLooks && p.Access != List {
		c.doubt(Dangerous, "there are too many paths to look at")
	}
	if p.Glob && p.Abs != "" {
		w.touchMatches(c, *p, asWritten)
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

// socketOf is the host of a connection that Bash opens; empty: it is none.
func socketOf(target Arg) string {
	if target.Unknown || !strings.HasPrefix(target.Text, "/dev/tcp/") && !strings.HasPrefix(target.Text, "/dev/udp/") {
		return ""
	}
	var c Command
	c.socket(target.Text)
	return c.Hosts[0]
}

// sent notes that a command writes to, or reads from, a connection that the script
// has opened before: exec 3<>/dev/tcp/HOST/PORT; … >&3
func (w *walker) sent(c *Command, fd string) bool {
	host, ok := w.sockets[fd]
	if ok {
		c.host(host)
		c.Risk = min(c.Risk, Dangerous)
	}
	return ok
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
	case Delete, Change:
		if guess.Abs != "" && w.critical(guess.Abs, a.Glob) { // ${X:-/}: it may be that
			risk = Blocked
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

// resolve makes a path absolute and clean; empty if dir is not known, or if the
// path goes through a link that leads anywhere.
func resolve(p, dir string) string {
	if !path.IsAbs(p) {
		if dir == "" {
			return ""
		}
		p = dir + "/" + p
	}
	if mayMeetProc(p) {
		return throughProc(p, dir)
	}
	return clean(p)
}

// clean is path.Clean for an absolute path; most of them are clean already.
func clean(p string) string {
	for i := 0; i < len(p); i++ {
		if p[i] == '/' && (i+1 == len(p) || p[i+1] == '/' || p[i+1] == '.') {
			return path.Clean(p)
		}
	}
	return p
}

// mayMeetProc rules out most paths: they start with another letter than /proc,
// /dev and what a pattern may stand for.
func mayMeetProc(p string) bool {
	return len(p) > 1 && strings.IndexByte("pPdD*?[./", p[1]) >= 0 || strings.Contains(p, "/..")
}

// throughProc cleans a path and follows the links /proc/PID/root and
// /proc/PID/cwd on the way, before ".." takes them away. Empty if one of them,
// or the link of an open file, leads to where nobody knows.
func throughProc(p, dir string) string {
	var room [16]string
	done := room[:0]
	for rest, more := p, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		switch {
		case part == "" || part == ".":
			continue
		case openFile(done):
			return ""
		case part != "..":
			done = append(done, part)
		case len(done) == 2 && isOrMatches(done[0], "dev") && isOrMatches(done[1], "fd"): // it is a link itself
			done = append(done[:0], "proc", "self")
		case len(done) > 0:
			done = done[:len(done)-1]
		}
		inProc := processPart(done)
		if inProc == "" || strings.Trim(inProc, "*?") == "" && strings.Trim(rest, "/") == "" {
			continue
		}
		root, cwd := isOrMatches(inProc, "root"), isOrMatches(inProc, "cwd")
		switch {
		case (root || cwd) && (isOrMatches(inProc, "task") || isOrMatches(inProc, "fd")):
			return "" // which of them is meant cannot be told
		case root:
			done = done[:0]
		case cwd && (dir == "" || !strings.HasSuffix(done[1], "self")):
			return "" // of another process
		case cwd:
			done = append(done[:0], strings.Split(strings.Trim(dir, "/"), "/")...)
		}
	}
	return "/" + strings.Join(done, "/")
}

// processPart is X in /proc/PID/X and /proc/PID/task/TID/X.
func processPart(parts []string) string {
	if (len(parts) == 3 || len(parts) == 5 && isOrMatches(parts[2], "task")) && isOrMatches(parts[0], "proc") {
		return questionMarks(parts[len(parts)-1])
	}
	return ""
}

// openFile reports whether parts is the link of an open file, which may be a
// folder anywhere: /dev/fd/3, /proc/PID/fd/3.
func openFile(parts []string) bool {
	if len(parts) == 3 {
		return isOrMatches(parts[0], "dev") && isOrMatches(parts[1], "fd")
	}
	return len(parts) > 3 && isOrMatches(processPart(parts[:len(parts)-1]), "fd")
}

// isOrMatches reports whether a component of a path, maybe a pattern, stands
// for name.
func isOrMatches(part, name string) bool {
	return part == name || strings.ContainsAny(part, "*?[") && matchStars(questionMarks(part), name)
}

// inert reports whether reading or writing p does nothing: /dev/null and the
// like.
func inert(p string) bool {
	if !strings.HasPrefix(p, "/dev/") {
		return false
	}
	return pathsInert.match(p, "")
}

// device reports whether p is a disk or the like; all of them are in two folders.
func device(p string) bool {
	return (strings.HasPrefix(p, "/dev/") || strings.HasPrefix(p, "/proc/")) && pathsDevice.match(p, "")
}

// object is something in the repository of git: a commit, REV:PATH, or in the
// index :PATH and :N:PATH. What it shows is the file of that name.
func (v *visit) object(a Arg) {
	file, ok := objectPath(a.Text)
	switch {
	case !ok:
		v.touch(a, Read, false)
		return
	case strings.HasPrefix(file, "!") || strings.HasPrefix(file, "^") || strings.HasPrefix(file, "(exclude"):
		return // :!PATH, what is left out
	case file == "":
		return // the top folder
	}
	if strings.HasPrefix(file, "(") { // :(top,icase)PATH
		_, file, _ = strings.Cut(file, ")")
	}
	if !strings.ContainsAny(file, "$`*~{(…") { // what is unknown stands in front of the colon
		a.Unknown = false
	}
	a.Text = strings.TrimLeft(file, "/") // :/PATH starts at the top of the repository
	v.touch(a, Read, false)
}

// objectPath is the part behind the first colon that is not in braces
// (HEAD@{10:00}), and behind the stage of an entry in the index.
func objectPath(s string) (string, bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}' && depth > 0:
			depth--
		case s[i] == ':' && depth == 0:
			file := s[i+1:]
			if i == 0 && len(file) > 1 && file[0] >= '0' && file[0] <= '3' && file[1] == ':' {
				file = file[2:]
			}
			return file, true
		}
	}
	return "", false
}

// homeOf is where the home folder of another user would be.
func homeOf(user, home string) string {
	if user == "root" {
		return "/root"
	}
	if i := strings.LastIndexByte(home, '/'); i > 0 {
		return home[:i] + "/" + user
	}
	return "/home/" + user
}
