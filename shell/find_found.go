package shell

import (
	"path"
	"strings"
)

// found is what the conditions may find below the folders, as patterns.
func (e *findExpr) found(set findSet) []Arg {
	if e.top {
		return e.dirs
	}
	var out []Arg
	for _, c := range set {
		for _, d := range e.dirs {
			out = e.foundBelow(out, d, c)
		}
	}
	return out
}

func (e *findExpr) foundBelow(out []Arg, d Arg, c findCond) []Arg {
	start := strings.TrimRight(d.Text, "/") + "/"
	at := []findPlace{{}}
	if c.whole != "" && !d.Unknown && !d.Glob && !strings.Contains(d.Text, "//") {
		at = places(c.whole, strings.ToLower(start))
	} else if c.whole != "" {
		_, name := pathPattern(c.whole)
		at[0].name = lastPart(name)
	}
	if e.itself(d, c) {
		out = append(out, d)
	}
	for _, p := range at {
		name := longer(c.name, p.name)
		if name == "" || name == "/" || name == "." {
			name = "*"
		}
		found := d
		found.Text = start + p.folder + name
		found.Glob, found.deep = true, true
		out = append(out, found)
	}
	return out
}

// itself reports whether what find starts from has to be looked at, too: it has
// the name or path that is looked for, or is special in itself.
func (e *findExpr) itself(d Arg, c findCond) bool {
	w := e.v.w
	abs := resolve(d.Text, e.v.st.dir)
	if d.Unknown || abs == "" {
		return false
	}
	if w.secret(abs, d.Glob) || w.startup(abs, d.Glob, false) || device(abs) {
		return true
	}
	if strings.Trim(c.name, "*?.") == "" && strings.Trim(c.whole, "*?./") == "" {
		return false // like everything in it
	}
	return (c.name == "" || matchFold(c.name, path.Base(abs))) && (c.whole == "" || matchFold(c.whole, d.Text))
}

func matchFold(glob, s string) bool {
	return matchStars(strings.ToLower(questionMarks(glob)), strings.ToLower(s))
}

func (e *findExpr) apply() {
	v := e.v
	before := len(v.w.commands)
	if e.deletes {
		v.says = append(v.says, "Delete what is found below {args}")
		e.delete()
	}
	for _, r := range e.runs {
		v.says = append(v.says, "For each file found below {args}: {inner}")
		if r.inDir {
			e.runInDir(r)
		} else {
			v.wrapped(replaceItems(r.words, "{}", e.found(r.on), false))
		}
	}
	changes := e.deletes
	for _, c := range v.w.commands[min(before, len(v.w.commands)):] {
		changes = changes || c.Effects&(Writes|Deletes|Permissions) != 0
	}
	if e.links && changes {
		v.c.doubt(Dangerous, "it follows links, to wherever they lead")
	}
}

// delete touches what -delete removes: single files that were chosen, or the
// folders with all there is.
func (e *findExpr) delete() {
	var chosen findSet
	for _, c := range e.deleted {
		if c.filter {
			chosen = append(chosen, c)
			continue
		}
		for _, d := range e.dirs {
			e.v.touch(d, Delete, true)
		}
	}
	for _, f := range e.found(chosen) {
		e.v.touch(f, Delete, false)
	}
}

// runInDir runs a command in the folder of each file, wherever that is.
func (e *findExpr) runInDir(r findRun) {
	v := e.v
	outer := v.st
	v.st = outer.fork()
	if len(e.dirs) == 1 && !e.dirs[0].Unknown {
		v.st.dir, v.st.any = resolve(e.dirs[0].Text, v.st.dir), true
	} else {
		v.st.dir, v.st.alt = "", ""
	}
	name := "*"
	if len(r.on) == 1 && r.on[0].name != "" {
		name = r.on[0].name
	} else if len(r.on) == 1 && r.on[0].whole != "" {
		_, name = pathPattern(r.on[0].whole)
		name = lastPart(name)
	}
	v.wrapped(replaceItems(r.words, "{}", []Arg{{Text: "./" + name, Glob: true, deep: true}}, false))
	v.st = outer
}

// output is the paths that are printed, and what the commands print, if that is
// a list, too: text may come any number of times, and its lines run together.
func (e *findExpr) output() {
	v := e.v
	out := stream{kind: streamUnknown}
	ran := v.print
	switch {
	case e.other || len(e.runs) > 0 && (ran == nil || ran.kind != streamItems):
	case len(e.printed) == 0 && ran == nil:
		out = stream{}
	default:
		out = stream{kind: streamItems, items: e.found(e.printed)}
		if ran != nil {
			out = out.then(*ran)
		}
	}
	v.print = &out
}

// sayListed names the file that says where find looks, in every sentence.
func (e *findExpr) sayListed() {
	list := e.listed.Text
	if list == "" {
		return
	}
	if list == "-" {
		list = "standard input"
	}
	e.v.says = append(e.v.says, "Look for files in {args}")
	for i, s := range e.v.says {
		e.v.says[i] = strings.ReplaceAll(s, "{args}", "what "+short(list)+" lists")
	}
}
