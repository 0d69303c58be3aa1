package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// find reads the expression of find: where it looks, what it runs, writes and
// deletes.
func (v *visit) find() {
	e := findExpr{v: v}
	e.starts(v.c.Args[1:])
	all := findSet{{}}
	matched, _ := e.list(all)
	for len(e.rest) > 0 { // a ) that closes nothing; find would refuse it
		e.next()
		more, _ := e.list(all)
		matched = matched.or(more)
	}
	for _, s := range e.dirs {
		v.touch(s, List, true)
	}
	v.r.args, v.r.settled = e.dirs, false
	if !e.acts {
		e.printed = matched
	}
	e.apply()
	e.sayListed()
	e.output()
}

// A findExpr is the expression of one find. It is not kept: each part is told
// which files may reach it, and says which of them it is true and false for.
type findExpr struct {
	v       *visit
	dirs    []Arg
	listed  Arg // -files0-from: the file that names where it looks
	rest    []Arg
	top     bool // -maxdepth 0: only what is named is looked at
	links   bool // -L: it follows links, to wherever they lead
	acts    bool // something else than to print the path is done
	other   bool // it prints something else than paths
	printed findSet
	deleted findSet
	deletes bool
	runs    []findRun
}

// A findSet is the files that may reach a part of the expression: those that
// match one of several conditions. It may hold more than really do.
type findSet []findCond

// A findCond is what is known of files: patterns for their name and their whole
// path, empty if there is none, and whether anything else was asked of them.
type findCond struct {
	name   string
	whole  string
	filter bool
}

// maxConds is how many conditions are told apart.
const maxConds = 16

func (s findSet) or(t findSet) findSet {
	out := s[:len(s):len(s)]
	for _, c := range t {
		if !out.has(c) {
			out = append(out, c)
		}
	}
	if len(out) > maxConds {
		return findSet{{filter: true}}
	}
	return out
}

func (s findSet) has(c findCond) bool {
	for _, mine := range s {
		if mine == c {
			return true
		}
	}
	return false
}

// each applies what a test asks for to all conditions.
func (s findSet) each(change func(*findCond)) findSet {
	out := make(findSet, 0, len(s))
	for _, c := range s {
		c.filter = true
		change(&c)
		if !out.has(c) {
			out = append(out, c)
		}
	}
	return out
}

func (s findSet) filtered() findSet { return s.each(func(*findCond) {}) }

// named are the files that also match a pattern for their name. Of two patterns
// the one that says more is kept; two names are nobody's.
func (s findSet) named(name string) findSet {
	out := make(findSet, 0, len(s))
	for _, c := range s {
		if c.name != "" && !strings.ContainsAny(c.name+name, "*?[(") && !strings.EqualFold(c.name, name) {
			continue
		}
		c.name = longer(name, c.name)
		out = append(out, c)
	}
	return out.filtered()
}

// at are the files whose whole path also matches a pattern.
func (s findSet) at(whole string) findSet {
	return s.each(func(c *findCond) { c.whole = longer(whole, c.whole) })
}

// longer is the pattern of two that has more written out.
func longer(a, b string) string {
	if b == "" || lettersIn(a) > lettersIn(b) {
		return a
	}
	return b
}

// A findRun is a command behind -exec or one of its variants.
type findRun struct {
	words []Arg
	inDir bool // it runs in the folder of what was found
	on    findSet
}

func (e *findExpr) next() Arg {
	a := e.rest[0]
	e.rest = e.rest[1:]
	return a
}

// accept takes the next word if it is one of two spellings.
func (e *findExpr) accept(word, other string) bool {
	if len(e.rest) == 0 || e.rest[0].Unknown || e.rest[0].Text != word && e.rest[0].Text != other {
		return false
	}
	e.next()
	return true
}

// ends reports whether a list of tests ends here.
func (e *findExpr) ends() bool {
	if len(e.rest) == 0 {
		return true
	}
	switch e.rest[0].Text {
	case ")", ",", "-o", "-or":
		return true
	}
	return false
}

// starts takes the options and folders in front of the expression.
func (e *findExpr) starts(args []Arg) {
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "-D" || text == "-f":
			if len(args) > 1 {
				args = args[1:]
				if text == "-f" {
					e.dirs = append(e.dirs, args[0])
				}
			}
		case strings.HasPrefix(text, "-O"):
		case len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "HLPEXxsd") == "":
			e.links = e.links || strings.Contains(text, "L")
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

// list is the whole expression, or one in parentheses. With a comma, both sides
// see all files, and the last one should say whether it is true; but GNU find
// may change their order.
func (e *findExpr) list(in findSet) (yes, no findSet) {
	yes, no = e.either(in)
	for e.accept(",", ",") {
		also, fails := e.either(in)
		yes, no = yes.or(also), no.or(fails)
	}
	return yes, no
}

// either is a list with -o: the right side sees what the left is false for.
func (e *findExpr) either(in findSet) (yes, no findSet) {
	yes, no = e.both(in)
	for e.accept("-o", "-or") {
		var more findSet
		more, no = e.both(no)
		yes = yes.or(more)
	}
	return yes, no
}

// both is a list of tests: each sees what the ones before are true for.
func (e *findExpr) both(in findSet) (yes, no findSet) {
	yes = in
	for !e.ends() {
		if e.accept("-a", "-and") {
			continue
		}
		var fails findSet
		yes, fails = e.maybeNot(yes)
		no = no.or(fails)
	}
	return yes, no
}

func (e *findExpr) maybeNot(in findSet) (yes, no findSet) {
	negated := false
	for e.accept("!", "-not") {
		negated = !negated
	}
	if e.ends() {
		return in, in
	}
	if e.accept("(", "(") {
		yes, no = e.list(in)
		e.accept(")", ")")
	} else {
		yes, no = e.primary(in)
	}
	if negated {
		return no, yes
	}
	return yes, no
}

// primary reads one test or action.
func (e *findExpr) primary(in findSet) (yes, no findSet) {
	a := e.next()
	if a.Unknown {
		e.v.c.doubt(Dangerous, "a part of the expression cannot be known: "+a.Text)
		return in, in
	}
	for i := range table.KeysFind.All() {
		entry := &table.KeysFind.All()[i]
		if !matchAny(entry.Names, a.Text) {
			continue
		}
		switch {
		case entry.Kind == table.KindCmd:
			e.run(strings.HasSuffix(a.Text, "dir"), in)
			return in, in
		case entry.Kind == table.KindNone:
			return e.flag(a.Text, in)
		case len(e.rest) == 0:
			return in, in
		}
		value := e.next()
		e.v.value(entry.Kind, nil, value, false)
		return e.valued(a.Text, value, in)
	}
	if strings.HasPrefix(a.Text, "-") {
		e.v.c.doubt(Moderate, "the option "+a.Text+" is not known")
	}
	return in.filtered(), in.filtered()
}

// valued is a test or an action with a value.
func (e *findExpr) valued(name string, value Arg, in findSet) (yes, no findSet) {
	switch name {
	case "-name", "-iname":
		if !value.Unknown {
			return in.named(unquoted(value.Text)), in.filtered()
		}
	case "-path", "-ipath", "-wholename", "-iwholename":
		if !value.Unknown {
			return in.at(unquoted(value.Text)), in.filtered()
		}
	case "-regex", "-iregex":
		if !value.Unknown {
			return in.at(regexpGlob(value.Text)), in.filtered()
		}
	case "-maxdepth":
		e.top = value.Text == "0" && !value.Unknown // the last one counts
		return in.filtered(), nil
	case "-mindepth", "-regextype":
		return in.filtered(), nil
	case "-files0-from":
		e.dirs, e.v.w.items, e.listed = []Arg{unknownItem}, true, value
		return in, nil
	case "-printf":
		e.acts, e.other = true, true
		return in, nil
	case "-fprint", "-fprint0", "-fls", "-fprintf":
		if name == "-fprintf" && len(e.rest) > 0 {
			e.next() // the format
		}
		e.acts = true
		e.other = e.other || value.Unknown || strings.HasPrefix(value.Text, "/dev/") || strings.HasPrefix(value.Text, "/proc/")
		e.v.says = append(e.v.says, "Look for files in {args} and write what is found to "+short(value.Text))
		return in, nil
	}
	return in.filtered(), in.filtered()
}

// flag is a test or an action without a value.
func (e *findExpr) flag(name string, in findSet) (yes, no findSet) {
	switch name {
	case "-delete", "-rm":
		e.acts, e.deletes = true, true
		e.deleted = e.deleted.or(in)
		return in, in
	case "-print", "-print0":
		e.acts = true
		e.printed = e.printed.or(in)
		return in, nil
	case "-ls":
		e.acts, e.other = true, true
		return in, nil
	case "-prune", "-true":
		return in, nil
	case "-false":
		return nil, in
	case "-quit", "-exit":
		return nil, nil
	case "-empty":
		return in.each(func(c *findCond) {
			if c.name == "" {
				c.name = "(empty)"
			}
		}), in.filtered()
	case "-executable", "-readable", "-writable", "-nouser", "-nogroup", "-sparse", "-xattr":
		return in.filtered(), in.filtered()
	case "-follow":
		e.links = true
	}
	return in, nil
}

// run takes the command behind -exec up to ; or {} +.
func (e *findExpr) run(inDir bool, on findSet) {
	e.acts = true
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
	e.runs = append(e.runs, findRun{words, inDir, on})
}
