package shell

import (
	"path"
	"slices"
	"strings"
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
	e.output()
}

// A findExpr is the expression of one find. It is not kept: each part is told
// which files may reach it, and says which of them it is true and false for.
type findExpr struct {
	v       *visit
	dirs    []Arg
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
	for i := range keysFind {
		entry := &keysFind[i]
		if !matchAny(entry.names, a.Text) {
			continue
		}
		switch {
		case entry.kind == kindCmd:
			e.run(strings.HasSuffix(a.Text, "dir"), in)
			return in, in
		case entry.kind == kindNone:
			return e.flag(a.Text, in)
		case len(e.rest) == 0:
			return in, in
		}
		value := e.next()
		e.v.value(entry.kind, nil, value, false)
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
		e.dirs = []Arg{unknownItem}
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

// unquoted is a pattern without the backslashes, which quote in patterns, too.
func unquoted(glob string) string {
	if strings.IndexByte(glob, '\\') < 0 {
		return glob
	}
	out := make([]byte, 0, len(glob))
	for i := 0; i < len(glob); i++ {
		c := glob[i]
		if c == '\\' && i+1 < len(glob) {
			if i++; strings.IndexByte("*?[", glob[i]) < 0 {
				c = glob[i]
			} else {
				c = '?'
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// A findPlace is a folder below the one that find starts from, with a slash at
// its end, and a pattern for names in it.
type findPlace struct{ folder, name string }

// places are where a pattern for the whole path finds something below a folder,
// which the path starts with. The * of the pattern crosses slashes.
func places(whole, start string) []findPlace {
	folder, name := pathPattern(whole)
	var out []findPlace
	add := func(folder string) {
		out = append(out, findPlace{folder, name})
		if name == "" || strings.IndexByte(name[1:], '*') < 0 {
			return
		}
		// With a star inside, the beginning may belong to a folder.
		if name[0] == '*' {
			folder += "*/"
		}
		inner := strings.IndexByte(name[1:], '*') + 2
		out = append(out, findPlace{folder + name[:inner] + "/", lastPart(name)})
	}
	if strings.HasPrefix(whole, "*") {
		add(folder)
	}
	for i := range len(folder) {
		if folder[i] == '/' && folder[:i] != "*" && matchStars(strings.ToLower(folder[:i+1]), start) {
			add(folder[i+1:])
		}
	}
	// The star that is not at the very beginning may go on below the start.
	from, glob := max(len(folder), 1), folder+name
	if i := strings.IndexByte(glob[min(from, len(glob)):], '*'); i >= 0 && matchStars(strings.ToLower(glob[:from+i+1]), start) {
		out = append(out, findPlace{"", lastPart(name)})
	}
	return out
}

// lastPart is the last star of a pattern and what stands behind it; without a
// star, all of it.
func lastPart(name string) string { return name[max(strings.LastIndexByte(name, '*'), 0):] }

// pathPattern takes a pattern for a whole path apart. A folder with a * in it
// may stand for several.
func pathPattern(glob string) (folder, name string) {
	glob = questionMarks(glob)
	i := strings.LastIndexByte(glob, '/')
	if i < 0 {
		return "", glob
	}
	parts := strings.Split(glob[:i], "/")
	for j, part := range parts {
		if strings.Contains(part, "*") {
			parts[j] = "*"
		}
	}
	return strings.Join(parts, "/") + "/", glob[i+1:]
}

// regexpGlob is a pattern that matches at least what a regular expression does:
// everything but letters that are there for sure becomes a star.
func regexpGlob(re string) string {
	if strings.ContainsAny(re, "|()") {
		return "*" // a part of it may be missing
	}
	out := make([]byte, 0, len(re))
	for i := 0; i < len(re); i++ {
		c := re[i]
		quoted := c == '\\' && i+1 < len(re)
		if quoted {
			i++
			c = re[i]
		}
		switch {
		case quoted && c == '.', !quoted && (c == '/' || c == '_' || c == '-' || isAlnum(c)):
			out = append(out, c)
		case c == '?' || c == '*' || c == '{': // what stands in front may be missing
			if len(out) > 0 {
				out[len(out)-1] = '*'
			}
			i += max(strings.IndexByte(re[i:], '}'), 0)
		case c == '[' && !quoted:
			out = append(out, '*')
			i += max(bracket(re[i:])-1, 0)
		case c == '^' && i == 0 || c == '$' && i == len(re)-1:
		default:
			out = append(out, '*')
		}
	}
	return collapsed(string(out))
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// collapsed writes each run of stars as one.
func collapsed(glob string) string {
	for strings.Contains(glob, "**") {
		glob = strings.ReplaceAll(glob, "**", "*")
	}
	return glob
}

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
	if len(v.r.args) > 0 { // a regular expression for a part of the name
		_, name = pathPattern(collapsed("*" + regexpGlob(v.r.args[0].Text) + "*"))
	}
	if g := v.r.given("-e"); g != nil {
		name = "*." + g.value.Text
	}
	hidden := v.r.option("-H") || v.r.option("-u") || v.r.option("--hidden") || v.r.option("--unrestricted")
	for i, d := range dirs {
		d.Text = strings.TrimRight(d.Text, "/") + "/" + name
		d.Glob, d.deep = true, hidden
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

// option reports whether an option was given in exactly this spelling, whether
// a table knows it or not.
func (r *reading) option(spelling string) bool {
	for i := range r.flags {
		if r.flags[i].spelling == spelling {
			return true
		}
	}
	return slices.Contains(r.others, spelling)
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
