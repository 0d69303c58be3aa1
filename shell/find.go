package shell

import (
	"path"
	"strings"
)

// find reads the expression of find: where it looks, what it runs, writes and
// deletes.
func (v *visit) find() {
	e := findExpr{v: v, names: []string{""}}
	e.starts(v.c.Args[1:])
	for len(e.rest) > 0 {
		a := e.next()
		if a.Unknown && a.many {
			v.c.doubt(Dangerous, "a part of the expression cannot be known: "+a.Text)
			continue
		}
		e.test(a)
	}
	recursive := true
	for _, s := range e.dirs {
		v.touch(s, List, recursive)
	}
	v.r.args, v.r.settled = e.dirs, false
	e.apply()
	v.print = &stream{kind: streamItems, items: e.found()}
	if e.other || len(e.runs) > 0 {
		v.print = &stream{kind: streamUnknown}
	}
}

type findExpr struct {
	v       *visit
	dirs    []Arg
	rest    []Arg
	names   []string // of the branches between -o, "" where one has no -name
	filter  bool     // something limits what is found
	not     bool     // the next primary is negated
	deletes bool
	other   bool // it prints something else than paths
	runs    []findRun
}

// A findRun is a command behind -exec or one of its variants.
type findRun struct {
	words []Arg
	inDir bool // it runs in the folder of what was found
}

func (e *findExpr) next() Arg {
	a := e.rest[0]
	e.rest = e.rest[1:]
	return a
}

// starts takes the options and folders in front of the expression.
func (e *findExpr) starts(args []Arg) {
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "-H" || text == "-L" || text == "-P" || text == "-E" || text == "-X" || text == "-x" || text == "-s" || text == "-d":
		case text == "-D" || text == "-f":
			if len(args) > 1 {
				args = args[1:]
				if text == "-f" {
					e.dirs = append(e.dirs, args[0])
				}
			}
		case strings.HasPrefix(text, "-O"):
		case strings.HasPrefix(text, "-") || text == "(" || text == "!" || text == ")" || text == ",":
			e.rest = args
			e.defaultDir()
			return
		default:
			e.dirs = append(e.dirs, args[0])
		}
		args = args[1:]
	}
	e.defaultDir()
}

func (e *findExpr) defaultDir() {
	if len(e.dirs) == 0 {
		e.dirs = []Arg{{Text: "."}}
	}
}

// test reads one primary of the expression.
func (e *findExpr) test(a Arg) {
	for i := range keysFind {
		entry := &keysFind[i]
		if !matchAny(entry.names, a.Text) {
			continue
		}
		switch entry.kind {
		case kindCmd:
			e.run(strings.HasSuffix(a.Text, "dir"))
		case kindNone:
			e.flag(a.Text)
		default:
			if len(e.rest) == 0 {
				return
			}
			value := e.next()
			e.filter = true
			switch a.Text {
			case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename":
				if !value.Unknown && !e.not {
					e.names[len(e.names)-1] = path.Base(value.Text)
				}
			case "-printf":
				e.other = true
			case "-fprintf", "-fprintf0":
				if len(e.rest) > 0 {
					e.next()
				}
			}
			e.v.value(entry.kind, nil, value, false)
			if entry.kind == kindWrite {
				e.v.says = append(e.v.says, "Look for files in {args} and write what is found to "+short(value.Text))
			}
			e.not = false
		}
		return
	}
	switch a.Text {
	case "!":
		e.not = true
		return
	case ",":
		e.names = append(e.names, "")
		return
	}
	if strings.HasPrefix(a.Text, "-") {
		e.v.c.doubt(Moderate, "the option "+a.Text+" is not known")
	}
}

func (e *findExpr) flag(name string) {
	switch name {
	case "-delete":
		e.deletes = true
	case "-not":
		e.not = true
		return
	case "-o", "-or":
		e.names = append(e.names, "")
	case "-empty":
		e.filter = true
		if last := len(e.names) - 1; e.names[last] == "" && !e.not {
			e.names[last] = "(empty)"
		}
	case "-executable", "-readable", "-writable", "-nouser", "-nogroup":
		e.filter = true
	}
	e.not = false
}

// run takes the command behind -exec up to ; or {} +.
func (e *findExpr) run(inDir bool) {
	var words []Arg
	for len(e.rest) > 0 {
		a := e.next()
		if a.Text == ";" || a.Text == "+" && len(words) > 0 && words[len(words)-1].Text == "{}" {
			break
		}
		words = append(words, a)
	}
	if len(words) == 0 {
		e.v.c.doubt(Dangerous, "the command behind -exec is missing")
		return
	}
	e.runs = append(e.runs, findRun{words, inDir})
}

// found is what the expression may find, as patterns.
func (e *findExpr) found() []Arg {
	var out []Arg
	for _, name := range e.names {
		if name == "" || name == "/" || name == "." {
			name = "*"
		}
		for _, d := range e.dirs {
			d.Text = strings.TrimRight(d.Text, "/") + "/" + name
			d.Glob, d.deep = true, true
			out = append(out, d)
		}
	}
	return out
}

func (e *findExpr) apply() {
	v := e.v
	if e.deletes {
		v.says = append(v.says, "Delete what is found below {args}")
		if e.filter {
			for _, f := range e.found() {
				v.touch(f, Delete, false)
			}
		} else {
			for _, d := range e.dirs {
				v.touch(d, Delete, true)
			}
		}
	}
	for _, r := range e.runs {
		v.says = append(v.says, "For each file found below {args}: {inner}")
		if !r.inDir {
			v.wrapped(replaceItems(r.words, "{}", e.found(), false))
			continue
		}
		outer := v.st
		v.st = outer.fork() // in the folder of the file, wherever that is
		if len(e.dirs) == 1 && !e.dirs[0].Unknown {
			v.st.dir, v.st.any = resolve(e.dirs[0].Text, v.st.dir), true
		} else {
			v.st.dir, v.st.alt = "", ""
		}
		name := e.names[0]
		if name == "" || len(e.names) > 1 {
			name = "*"
		}
		v.wrapped(replaceItems(r.words, "{}", []Arg{{Text: "./" + name, Glob: true}}, false))
		v.st = outer
	}
}

// fd runs commands on what it finds, behind -x or -X.
func (v *visit) fd() {
	if !v.r.inner {
		return
	}
	dirs := []Arg{{Text: "."}}
	if len(v.r.args) > 1 {
		dirs = v.r.args[1:]
	}
	items := make([]Arg, len(dirs))
	name := "*"
	if len(v.r.args) > 0 { // a regular expression: its letters are in the name
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
				return r
			}
			return -1
		}, v.r.args[0].Text)
		name = "*" + name + "*"
	}
	if g := v.r.given("-e"); g != nil {
		name = "*." + g.value.Text
	}
	for i, d := range dirs {
		d.Text = strings.TrimRight(d.Text, "/") + "/" + name
		d.Glob = true
		items[i] = d
	}
	words := v.r.rest
	for i, a := range words {
		if a.Text == ";" {
			words = words[:i]
			break
		}
	}
	v.says = append(v.says, "For each file found: {inner}")
	v.r.inner, v.r.settled = false, false
	v.wrapped(replaceItems(words, "{}", items, true))
}

// replaceItems puts items where the placeholder stands in words: as arguments
// of their own where it is a word, as text where it is a part of one. If it
// stands nowhere and add is set, they are added at the end.
func replaceItems(words []Arg, placeholder string, items []Arg, add bool) []Arg {
	out := make([]Arg, 0, len(words)+len(items))
	found := false
	for _, a := range words {
		switch {
		case placeholder != "" && a.Text == placeholder && !a.Unknown:
			out = append(out, items...)
			found = true
		case placeholder != "" && strings.Contains(a.Text, placeholder):
			found = true
			a.extra = &argExtra{why: "the words of the input become a part of " + short(a.Text)}
			if len(items) > 0 {
				a.Text = strings.ReplaceAll(a.Text, placeholder, items[0].Text)
				a.Unknown = a.Unknown || items[0].Unknown
				a.Glob = a.Glob || items[0].Glob
				a.many = a.many || items[0].many
			}
			out = append(out, a)
		default:
			out = append(out, a)
		}
	}
	if !found && add {
		out = append(out, items...)
	}
	return out
}
