package shell

import (
	"path"
	"strings"
)

// find reads the expression of find: where it looks, what it runs, writes and
// deletes.
func (v *visit) find() {
	e := findExpr{v: v}
	e.starts(v.c.Args[1:])
	for len(e.rest) > 0 {
		a := e.next()
		if a.Unknown && a.many {
			v.c.Risk = min(v.c.Risk, Dangerous)
			v.c.opaque("a part of the expression cannot be known: " + a.Text)
			continue
		}
		e.test(a)
	}
	recursive := true
	for _, s := range e.dirs {
		v.touch(s, List, recursive)
	}
	v.r.args = e.dirs
	e.apply()
	v.print = &stream{kind: streamItems, items: e.found()}
}

type findExpr struct {
	v       *visit
	dirs    []Arg
	rest    []Arg
	name    string // the last -name or -path
	filter  bool   // something limits what is found
	deletes bool
	runs    [][]Arg
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
			e.run()
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
				if !value.Unknown {
					e.name = path.Base(value.Text)
				}
			case "-fprintf", "-fprintf0":
				if len(e.rest) > 0 {
					e.next()
				}
			}
			e.v.value(entry.kind, nil, value, false)
		}
		return
	}
	if strings.HasPrefix(a.Text, "-") {
		e.v.c.Risk = min(e.v.c.Risk, Moderate)
		e.v.c.opaque("the option " + a.Text + " is not known")
	}
}

func (e *findExpr) flag(name string) {
	switch name {
	case "-delete":
		e.deletes = true
	case "-empty":
		e.filter, e.name = true, "(empty)"
	case "-executable", "-readable", "-writable", "-nouser", "-nogroup":
		e.filter = true
	}
}

// run takes the command behind -exec up to ; or {} +.
func (e *findExpr) run() {
	var words []Arg
	for len(e.rest) > 0 {
		a := e.next()
		if a.Text == ";" || a.Text == "+" && len(words) > 0 && words[len(words)-1].Text == "{}" {
			break
		}
		words = append(words, a)
	}
	if len(words) == 0 {
		e.v.c.Risk = min(e.v.c.Risk, Dangerous)
		e.v.c.opaque("the command behind -exec is missing")
		return
	}
	e.runs = append(e.runs, words)
}

// found is what the expression may find, as patterns.
func (e *findExpr) found() []Arg {
	name := e.name
	if name == "" || name == "/" || name == "." {
		name = "*"
	}
	out := make([]Arg, len(e.dirs))
	for i, d := range e.dirs {
		d.Text = strings.TrimRight(d.Text, "/") + "/" + name
		d.Glob = true
		out[i] = d
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
	for _, words := range e.runs {
		v.says = append(v.says, "For each file found below {args}: {inner}")
		v.wrapped(replaceItems(words, "{}", e.found(), false))
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
	v.r.inner = false
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

// xargs runs a command with the words of its input.
func (v *visit) xargs() {
	r := &v.r
	words := r.rest
	if !r.inner {
		return
	}
	r.inner = false
	placeholder := ""
	for i := range r.flags {
		g := &r.flags[i]
		switch g.spelling {
		case "-I", "-J":
			placeholder = g.value.Text
		case "-i", "--replace":
			placeholder = "{}"
			if g.value.Text != "" {
				placeholder = g.value.Text
			}
		}
	}
	items := v.items()
	if r.has("-a") {
		items = []Arg{unknownItem}
	}
	if placeholder == "" || len(items) > maxUnrolled {
		v.wrapped(replaceItems(words, placeholder, items, placeholder == ""))
		return
	}
	for _, item := range items { // one command an item
		v.wrapped(replaceItems(words, placeholder, []Arg{item}, false))
	}
}

// unknownItem stands for the words that xargs reads and nobody knows.
var unknownItem = Arg{Text: "{items}", Unknown: true, many: true, item: true}

// items is what xargs or parallel reads from standard input.
func (v *visit) items() []Arg {
	if v.f.stdin == nil {
		return []Arg{unknownItem}
	}
	switch s := v.f.stdin; s.kind {
	case streamText:
		var out []Arg
		for _, word := range strings.Fields(s.text) {
			out = append(out, Arg{Text: strings.Trim(word, `'"`)})
			if len(out) == maxWords {
				break
			}
		}
		return out
	case streamItems:
		return s.items
	}
	return []Arg{unknownItem}
}

// parallel puts its words together, with each item, and gives them to a shell.
func (v *visit) parallel() {
	r := &v.r
	words := r.rest
	r.inner = false
	var items []Arg
	given := false
	for i, a := range words {
		if strings.HasPrefix(a.Text, ":::") {
			given = true
			if a.Text == ":::" || a.Text == ":::+" {
				for _, it := range words[i+1:] {
					if !strings.HasPrefix(it.Text, ":::") {
						items = append(items, it)
					}
				}
			} else {
				items = []Arg{unknownItem}
			}
			words = words[:i]
			break
		}
	}
	if !given {
		items = v.items()
	}
	if len(words) == 0 {
		v.parallelScripts(items)
		return
	}
	if len(items) > maxUnrolled {
		items = append(items[:maxUnrolled], unknownItem)
	}
	for _, item := range items {
		v.parallelOne(words, item)
	}
}

func (v *visit) parallelScripts(items []Arg) {
	if v.f.stdin != nil && v.f.stdin.kind == streamText {
		v.runs(*v.f.stdin)
		return
	}
	for _, it := range items {
		v.shell(it)
	}
}

func (v *visit) parallelOne(words []Arg, item Arg) {
	replaced := make([]Arg, 0, len(words)+1)
	found := false
	for _, a := range words {
		for _, mark := range [...]string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}", "{3}", "{#}", "{%}"} {
			if strings.Contains(a.Text, mark) {
				a.Text = strings.ReplaceAll(a.Text, mark, item.Text)
				a.Unknown = a.Unknown || item.Unknown
				found = true
			}
		}
		replaced = append(replaced, a)
	}
	if !found {
		replaced = append(replaced, item)
	}
	if len(words) == 1 && strings.ContainsAny(words[0].Text, " ;|&") {
		a := Arg{Text: joinArgs(replaced), Unknown: replaced[0].Unknown || item.Unknown}
		v.shell(a)
		return
	}
	v.wrapped(replaced)
}
