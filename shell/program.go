package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A visit is one program being looked at: the walker, where it stands, the
// command as far as it is described, and how its arguments were read.
type visit struct {
	w *walker
	f *frame
	c *Command
	r reading

	st       *state // with the folder the program works in
	outer    *state // of the shell that starts it
	index    int    // of the command in the analysis
	says     []string
	print    *stream     // what it prints, if its handler knows better
	is       table.Trait // its traits, once they are known
	known    bool
	plain    string // a sentence with words of the command, which must not be read as a template
	also     string // what the sentence says at its end
	alters   string // the first statement of a query language that changes something
	kept     bool   // it is needed later: a trap runs at the end
	judged   bool   // what it prints is known, and will not change any more
	printing table.Output

	said [4]string // where says starts
}

// begin starts a visit in memory that an earlier one may have used.
func (v *visit) begin(w *walker, f *frame, c *Command, st *state) {
	v.f, v.c, v.st, v.outer = f, c, st, st
	v.says, v.is, v.known, v.judged = v.said[:0], 0, false, false
	if v.w != w { // to write a pointer costs, even if it is the same
		v.w = w
	}
	if v.print != nil || v.plain != "" || v.also != "" || v.alters != "" {
		v.print, v.plain, v.also, v.alters = nil, "", "", ""
	}
}

// program describes the command whose program is the first word.
func (w *walker) program(st *state, f *frame, c *Command) stream {
	name := baseName(c.Args[0].Text)
	t, args := w.tool(name, c.Args, f.fetched)
	w.place(st, c, name)
	if t == nil || w.impostor(st, c) {
		return w.stranger(st, f, c, name)
	}
	if f.direct && t.Use == table.UseBuiltin {
		c.doubt(Dangerous, name+" is no program: what runs instead cannot be known")
	}
	module := false
	if t.Use == table.UseInterpreter && t.Names[0] == "python" {
		t, args, module = asModule(t, args)
	}
	if args[0].Text != name && !module {
		args = append([]Arg{{Text: name, Span: c.Args[0].Span}}, args[1:]...)
	}
	var more []Arg
	if t.Is(table.IsChained) {
		args, more = chained(args)
	}
	v := w.visits.get()
	v.begin(w, f, c, st)
	if len(c.Assigns) > 0 && t.Use != table.UseBuiltin {
		v.st = st.fork()
		for _, a := range c.Assigns {
			v.st.export(a.Name, a.Value)
		}
	}
	v.r.piped = f.stdin != nil || feeds(c.Redirects)
	v.r.stdin = f.stdin
	v.r.read(t, args)
	if t.Use == table.UseFind && !v.r.help { // its expression is no list of options
		v.r.start(name, t)
	}
	v.index = w.add(c)
	if v.index < 0 {
		return stream{}
	}
	v.describe()
	if module { // a rule would have to name the interpreter
		c.Prefix, c.Suggest = append(w.words.take(1), name), false
	}
	v.sends()
	out := v.tainted(v.output())
	out.packs = v.packs()
	if len(c.Paths) > 0 && c.Effects.Has(Writes) {
		w.fills(c, v.writes(out), out)
	}
	if len(more) > 0 {
		c.Suggest = false
		next := w.begin(v.below(), c.Span)
		next.Args, next.Dir = more, st.dir
		out = out.then(w.program(st, v.below(), next))
	}
	if !v.kept {
		w.visits.put(v)
	}
	return out
}

// writes is what a program puts into the files that it writes itself: what it
// got from the network, or from its standard input.
func (v *visit) writes(out stream) stream {
	switch {
	case v.c.Effects.Has(Network) && v.prints() == table.PrintsNetwork:
		return stream{kind: streamNetwork}
	case (v.prints() == table.PrintsStdin || v.prints() == table.PrintsThrough) && v.f.stdin != nil:
		return *v.f.stdin
	case v.f.stdin != nil && v.f.stdin.kind >= streamNetwork:
		return *v.f.stdin
	case out.kind >= streamNetwork || out.secret != 0 || len(out.packs) > 0:
		return out
	}
	return stream{}
}

// output is what the program prints.
func (v *visit) output() stream {
	if v.print != nil {
		return *v.print
	}
	return v.printed()
}

// tool finds the table entry; git-foo is git foo.
func (w *walker) tool(name string, args []Arg, fetched bool) (*table.Tool, []Arg) {
	if t := table.Find(name); t != nil {
		return t, args
	}
	if sub, ok := strings.CutPrefix(name, "git-"); ok {
		words := append([]Arg{{Text: "git"}, {Text: sub}}, args[1:]...)
		if t := table.Find("git"); t != nil && subOf(t, words[1]) != nil {
			return t, words
		}
	}
	if base, ok := strings.CutPrefix(name, "mkfs."); ok && base != "" {
		return table.Find("mkfs"), args
	}
	if base, version, ok := strings.Cut(name, "@"); ok && version != "" && fetched { // npx prettier@3
		return table.Find(base), args
	}
	return nil, args
}

// asModule reads python -m pytest … as pytest …, for the modules that are programs
// of the same name.
func asModule(t *table.Tool, args []Arg) (*table.Tool, []Arg, bool) {
	for i := 1; i < len(args); i++ {
		word := args[i].Text
		if args[i].Unknown || len(word) < 2 || word[0] != '-' || word[1] == '-' {
			break
		}
		at := strings.IndexAny(word, "mcWX")
		if at < 0 {
			continue
		}
		rest, value := args[i+1:], args[i]
		if value.Text = word[at+1:]; value.Text == "" && len(rest) > 0 {
			value, rest = rest[0], rest[1:]
			i++
		}
		if word[at] == 'W' || word[at] == 'X' {
			continue
		}
		tool := moduleTool(value)
		if word[at] == 'c' || tool == nil {
			break
		}
		value.Text = strings.ReplaceAll(value.Text, "_", "-")
		return tool, append([]Arg{value}, rest...), true
	}
	return t, args, false
}

func moduleTool(module Arg) *table.Tool {
	for i := range table.KeysPythonModules.All() {
		if !module.Unknown && matchAny(table.KeysPythonModules.All()[i].Names, module.Text) {
			return table.Find(strings.ReplaceAll(module.Text, "_", "-"))
		}
	}
	return nil
}

// baseName strips the folder and a Windows ending from the name of a program.
func baseName(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	} else if i := strings.LastIndexByte(name, '\\'); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = strings.ToLower(name[:len(name)-4])
	}
	return name
}

// place judges the folder that the program is named to come from. A program
// in a folder of the system is what its name says; any other may be anything.
func (w *walker) place(st *state, c *Command, name string) {
	text := c.Args[0].Text
	if strings.IndexByte(text, '/') < 0 || c.Elsewhere {
		return
	}
	abs := resolve(text, st.dir)
	if pathsPrograms.match(abs, w.at.Home) {
		return
	}
	c.Effects |= Executes
	c.Risk = min(c.Risk, Moderate)
	p := Path{Raw: text, Abs: abs, Access: Read}
	p.Real = w.follow(abs, unclean(text, st.dir))
	w.addPath(c, p)
	c.Risk = min(c.Risk, w.judge(&p))
	w.runsFrom(c, abs)
	w.fetched(c, abs)
}

// impostor reports whether a program was just written under the name that it is
// started by, so that the name says nothing about what it does.
func (w *walker) impostor(st *state, c *Command) bool {
	text := c.Args[0].Text
	if strings.IndexByte(text, '/') < 0 || c.Elsewhere {
		return false
	}
	abs := resolve(text, st.dir)
	return !pathsPrograms.match(abs, w.at.Home) && (slices.Contains(w.built, abs) || len(w.textOfFile(abs)) > 0)
}

// stranger describes a program that no table knows.
func (w *walker) stranger(st *state, f *frame, c *Command, name string) stream {
	c.Effects |= Executes
	c.Prefix = []string{c.Args[0].Text} // not to suggest: it may be a wrapper
	local := strings.IndexByte(c.Args[0].Text, '/') >= 0
	if !local && c.Via >= 0 && codeOf(name) != table.KindNone { // uv run x.py
		local = len(w.textOfFile(resolve(name, st.dir))) > 0
	}
	switch {
	case len(c.Args) == 2 && !local && c.Via < 0 && (c.Args[1].Text == "--version" || c.Args[1].Text == "--help"):
		c.Sentence = "Ask " + short(name) + " for its version or help"
		c.Effects = Reads
		c.Risk = min(c.Risk, Safe)
	case local:
		c.Sentence = "Run the program " + short(joinArgs(c.Args))
		c.Risk = min(c.Risk, Moderate)
		abs := resolve(c.Args[0].Text, st.dir)
		if abs == "" || !w.inWorkspace(abs) && !temporary(abs) {
			c.Risk, c.Unknown = min(c.Risk, Dangerous), true
		}
	default:
		c.Sentence = "Run command: " + short(joinArgs(c.Args))
		c.Risk, c.Unknown = min(c.Risk, Dangerous), true
	}
	c.Sentence += outputTo(c.Redirects, c.Paths)
	for _, a := range c.Args[1:] { // it may read whatever it is given
		if !a.Unknown && len(a.Text) <= maxPath && w.secret(resolve(a.Text, st.dir), a.Glob) {
			w.touch(st, c, a, Read, false)
		}
	}
	if index := w.add(c); local && index >= 0 {
		w.runsProgram(st, f, c, index, resolve(c.Args[0].Text, st.dir), c.Args[1:])
	}
	out := stream{kind: streamUnknown, secret: max(w.secretAmong(c.Paths), secretIn(c.Args))}
	if f.stdin != nil {
		out.secret = max(out.secret, f.stdin.secret)
	}
	return out
}

// describe fills in what the program does.
func (v *visit) describe() {
	r, c := &v.r, v.c
	c.Prefix = v.prefix()
	c.Suggest = v.suggestible()
	if r.help {
		v.says = append(v.says, "Show the help or version of "+strings.Join(c.Prefix, " "))
		c.Effects |= Reads
		c.Sentence = v.sentence()
		c.Suggest = c.Suggest && len(c.Opaque) == 0
		return
	}
	if r.noSub != "" {
		v.unknownSub()
	}
	v.chdir()
	v.agentVariables()
	v.actions()
	v.handle()
	v.input()
	v.typed()
	if r.inner {
		v.wrapped(r.rest)
	}
	v.withoutRepeats()
	v.somewhere()
	v.projectCode()
	v.verb()
	v.variables()
	if c.Effects.Has(Network) && len(c.Hosts) == 0 {
		c.host(v.usualHost())
	}
	if c.Effects == 0 {
		c.Effects = Reads
	}
	c.Sentence = v.sentence()
	c.Suggest = c.Suggest && len(c.Opaque) == 0 && c.Risk > Blocked && !v.runsOthers()
}

// runsOthers reports whether the command runs others, through an option or a
// setting: its name alone does not say what a rule would allow. A package
// script is named by the prefix.
func (v *visit) runsOthers() bool {
	if v.r.tool().Use == table.UseScripts {
		return false
	}
	for i := v.index + 1; i < len(v.w.commands); i++ {
		if v.w.commands[i].Via == v.index {
			return true
		}
	}
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil && do.Does.Has(table.Executes) {
			return true
		}
	}
	return false
}

// somewhere judges a command that changes files and names none: it changes
// them in the folder it works in.
func (v *visit) somewhere() {
	c := v.c
	if c.Effects&(Writes|Deletes|Installs|Permissions) == 0 || c.Elsewhere {
		return
	}
	for _, p := range c.Paths {
		if p.Access >= Write {
			return
		}
	}
	if dir := v.st.dir; dir == "" || !v.w.inWorkspace(dir) && !temporary(dir+"/x") {
		c.Risk = min(c.Risk, Dangerous)
	}
}

func (v *visit) unknownSub() {
	v.c.Risk, v.c.Unknown = min(v.c.Risk, Dangerous), true
	v.c.Effects |= Executes
	v.plain = "Run the unknown " + v.r.name + " command " + short(joinArgs(v.c.Args[1:]))
}

// chdir applies the options that choose the folder to work in.
func (v *visit) chdir() {
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.flag.Kind != table.KindCd || !g.hasValue {
			continue
		}
		if v.st == v.outer {
			v.st = v.outer.fork()
		}
		if g.value.Unknown && !g.value.plain {
			v.st.dir, v.st.alt = "", ""
			v.c.opaque("the folder it works in cannot be known: " + g.value.Text)
			v.c.Risk = min(v.c.Risk, Moderate)
		} else {
			at := unclean(g.value.Text, v.st.dir)
			v.st.dir, v.st.alt = resolve(g.value.Text, v.st.dir), ""
			if real := v.w.follow(v.st.dir, at); real != "" && strings.Contains(at, "/..") {
				v.st.dir, v.st.alt = real, v.st.dir // a program goes where the kernel leads it
			}
		}
		v.c.Dir = v.st.dir
	}
}

// prefix returns the words that a rule for this command would name.
func (v *visit) prefix() []string {
	words := append(v.w.words.take(1+len(v.r.subs)+int(v.r.tool().Do.Prefix)), v.r.name)
	for _, s := range v.r.subs {
		words = append(words, s.Text)
	}
	n := int(v.r.tool().Do.Prefix)
	for i := 0; i < n && i < len(v.r.args); i++ {
		if a := v.r.args[i]; a.Unknown || a.Glob {
			break
		}
		words = append(words, v.r.args[i].Text)
	}
	return words
}

// suggestible reports whether a rule for the prefix says enough about what it
// would allow.
func (v *visit) suggestible() bool {
	if v.traits()&(table.IsWrapper|table.IsInterpreter|table.IsShell) != 0 || v.r.inner || v.r.noSub != "" || v.r.tool().Use == table.UseFind {
		return false
	}
	if len(v.r.subs) == 0 && v.r.tool().Subs() > 0 {
		return false // the name alone would cover every sub-command
	}
	return path.IsAbs(v.c.Args[0].Text) || strings.IndexByte(v.c.Args[0].Text, '/') < 0
}
