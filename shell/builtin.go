package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"

	"mvdan.cc/sh/v3/syntax"
)

// builtin does what the shell's own commands do to the shell.
func (v *visit) builtin() {
	st, args := v.outer, v.r.args
	switch v.r.name {
	case "unset", "read", "mapfile", "readarray", "let", "export", "declare", "typeset", "local", "readonly":
		for _, a := range v.c.Args[1:] {
			v.w.evaluate(st, v.f, v.c.Span, a)
		}
	}
	switch v.r.name {
	case "cd", "chdir":
		v.cd(args)
	case "pushd":
		v.pushd(args)
	case "popd":
		v.popd(args)
	case "eval":
		v.eval(args)
	case "source", ".":
		v.source(args)
	case "alias":
		v.alias(args)
	case "hash":
		v.hash(args)
	case "trap":
		v.trap(args)
	case "set":
		v.set()
	case "unset":
		v.unset(args)
	case "read", "mapfile", "readarray", "getopts":
		v.readInto(args)
	case "shift":
		if st.paramsKnown && len(st.params) > 0 && len(args) == 0 {
			st.params = withoutFirst(st.params)
		} else {
			st.paramsKnown = false
		}
	case "shopt", "setopt":
		for _, a := range args {
			st.shopt = st.shopt || a.Unknown || a.Text == "cdable_vars" || a.Text == "lastpipe" || a.Text == "autocd" || a.Text == "cdspell"
			st.errexit = st.errexit && !a.Unknown && a.Text != "errexit"
		}
	case "break", "continue":
		v.w.jump(st)
	case "exit", "return":
		v.ends()
	case "export", "declare", "typeset", "local", "readonly":
		if exports(v.c.Args) {
			v.c.Risk = min(v.c.Risk, Moderate)
		}
		for _, a := range args {
			if name, value, ok := strings.Cut(a.Text, "="); ok && syntax.ValidName(name) {
				a.Text = value
				st.set(name, a)
			}
		}
	}
}

// unset forgets variables and functions.
func (v *visit) unset(args []Arg) {
	st := v.outer
	for _, a := range args {
		name, _, item := strings.Cut(a.Text, "[")
		if item || len(st.active) > 0 { // one item of an array; or what a caller's local hides comes back
			st.setUnknown(name)
			continue
		}
		st.drop(a.Text)
		st.set(a.Text)
		v.w.hides(v.c, a.Text)
		st.funcs = slices.DeleteFunc(slices.Clone(st.funcs), func(fn function) bool { return fn.name == a.Text })
	}
	v.c.Risk = min(v.c.Risk, Moderate)
}

// ends is exit or return.
func (v *visit) ends() {
	st := v.outer
	if v.r.name == "return" {
		v.w.jump(st)
	}
	// With a redirection that fails, exit does not end the shell, and return
	// ends only a function.
	st.ended = v.f.pipeLen <= 1 && len(v.c.Redirects) == 0 && (v.r.name == "exit" || len(st.active) > 0)
	if len(v.w.exits) < maxUnrolled && v.r.name != "return" {
		v.w.exits = append(v.w.exits, *st.fork())
		v.w.exits[len(v.w.exits)-1].ended = false
	}
}

// cd moves the directory that later paths are resolved against.
func (v *visit) cd(args []Arg) {
	st := v.outer
	old, before := st.dir, st.alt
	v.c.Effects |= Reads
	if v.r.name == "pushd" && v.r.has("-n") {
		return
	}
	if len(args) > 0 && v.searches(args[0].Text) {
		st.dir, st.alt = "", ""
		return
	}
	st.drop("PWD")
	st.drop("OLDPWD")
	if strings.HasPrefix(v.r.name, "p") && len(args) > 0 && len(args[0].Text) > 1 && (args[0].Text[0] == '+' || args[0].Text[0] == '-') {
		st.dir, st.alt = "", "" // pushd +1
		return
	}
	st.any = st.any && !(len(args) > 0 && path.IsAbs(args[0].Text)) || len(args) > 0 && (args[0].Glob || args[0].Unknown)
	switch {
	case len(args) == 0 && v.r.name == "pushd":
		st.dir, st.alt = "", ""
		return
	case len(args) == 0:
		st.dir = ""
		if home := st.lookup(v.w.at.Home, "HOME"); len(home) == 1 && !home[0].Unknown {
			st.dir = resolve(home[0].Text, st.dir)
		}
	case args[0].Text == "-" || args[0].Unknown && !args[0].plain:
		st.dir = ""
	case args[0].Text == "":
		return
	default:
		at := unclean(args[0].Text, st.dir)
		st.dir = resolve(args[0].Text, st.dir)
		if real := v.w.follow(st.dir, at); real != "" && v.r.has("-P") {
			st.dir = real
		}
	}
	st.alt = ""
	if real := v.w.follow(st.dir, st.dir); real != "" {
		// cd keeps the path as written; what is reached through it is real.
		v.w.addPath(v.c, Path{Raw: args[0].Text, Abs: st.dir, Real: real, Access: List})
	}
	if e, ok := v.w.look(st.dir); ok && (e.Dir || e.Link != "") {
		return // it exists: cd does not fail
	}
	if old != st.dir {
		st.alt, st.cd = old, true
		if before != "" {
			st.far = before // both may have failed
		}
	}
}

// searches reports whether cd looks for a folder elsewhere, too.
func (v *visit) searches(dir string) bool {
	if path.IsAbs(dir) || dir == "." || dir == ".." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") {
		return false
	}
	for _, a := range v.c.Assigns {
		if a.Name == "CDPATH" {
			return true
		}
	}
	_, ok := v.outer.get("CDPATH")
	return ok || v.outer.shopt
}

// eval is never resolved for good, but what is written out is followed. What a
// program prints to set a shell up leaves no text.
func (v *visit) eval(args []Arg) {
	text := joinArgs(args)
	if strings.TrimSpace(text) == "" && !slices.ContainsFunc(args, func(a Arg) bool { return a.Unknown || a.Glob }) {
		v.c.Risk = min(v.c.Risk, Moderate)
		v.outer.lose()
		return
	}
	v.c.doubt(Dangerous, "eval runs text as a command")
	for _, a := range args {
		if a.Unknown || a.Glob {
			v.c.Runs = max(v.c.Runs, a.from.origin(), UnknownOrigin)
			return
		}
	}
	v.w.script(v.outer, v.below(), text, v.c.Span, true)
}

func (v *visit) source(args []Arg) {
	if len(args) == 0 {
		return
	}
	a := args[0]
	abs := resolve(a.Text, v.st.dir)
	switch {
	case a.proc() != nil:
		v.runs(a.proc().printed)
	case standardInput(a) && v.f.stdin != nil:
		v.runs(*v.f.stdin)
	case a.Unknown:
		v.c.doubt(Dangerous, "which script runs cannot be known: "+a.Text)
	case activates(abs) && v.w.inWorkspace(abs):
		v.c.Risk = min(v.c.Risk, Moderate)
		v.says = append(v.says, "Activate the environment in {arg1}")
		v.touch(a, Read, false)
	default:
		risk := Dangerous
		if v.w.inWorkspace(abs) || pathsSourced.match(abs, v.w.at.Home) { // as with bash FILE, or as every shell starts
			risk = Moderate
		}
		v.c.Effects |= Executes
		v.c.doubt(risk, "it runs "+short(a.Text)+" in this shell")
		v.runsFiles(a, abs)
		v.touch(a, Read, false)
		v.outer.lose()
	}
}

// activates reports whether a script is one that tools write to switch an
// environment on: .venv/bin/activate and the like.
func activates(abs string) bool {
	return strings.HasPrefix(path.Base(abs), "activate") && path.Base(path.Dir(abs)) == "bin"
}

func (v *visit) alias(args []Arg) {
	for _, a := range args {
		name, value, ok := strings.Cut(a.Text, "=")
		if !ok {
			continue
		}
		a.Text = value
		if reserved(name) {
			v.c.doubt(Dangerous, "a word of the language itself gets another meaning: "+short(name))
		}
		if len(v.outer.aliases) >= maxVars {
			v.c.doubt(Dangerous, "too many aliases to follow")
			return
		}
		v.outer.aliases = append(v.outer.aliases[:len(v.outer.aliases):len(v.outer.aliases)], variable{name: name, value: []Arg{a}})
		v.c.Effects |= Executes
		v.c.Risk = min(v.c.Risk, Moderate)
	}
}

// hash is hash -p FILE NAME…: from now on the names stand for that program. The
// program of that name is taken to be possible, too, as with an alias.
func (v *visit) hash(names []Arg) {
	g := v.r.given("-p")
	if g == nil {
		return
	}
	for _, a := range names {
		if a.Unknown || g.value.Unknown || len(v.outer.aliases) >= maxVars {
			v.c.doubt(Dangerous, "a command gets another meaning: "+short(a.Text))
			continue
		}
		program := Arg{Text: quoteArgs([]Arg{g.value}), Span: g.value.Span}
		v.outer.aliases = append(v.outer.aliases[:len(v.outer.aliases):len(v.outer.aliases)], variable{name: a.Text, value: []Arg{program}})
	}
}

// reserved reports whether the parser takes a word for a part of the language.
func reserved(name string) bool {
	switch name {
	case "if", "then", "elif", "else", "fi", "for", "while", "until", "select", "do", "done", "case", "in", "esac", "function", "time",
		"coproc", "!", "{", "}", "[[", "]]", "((", "declare", "local", "export", "readonly", "typeset", "nameref", "let", "eval":
		return true
	}
	return false
}

func (v *visit) trap(args []Arg) {
	if len(args) < 2 || args[0].Text == "-" || args[0].Text == "" {
		return
	}
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	v.kept = true
	anytime := false
	for _, signal := range args[1:] {
		anytime = anytime || signal.Text != "EXIT" && signal.Text != "0"
	}
	v.w.traps = append(v.w.traps, trapped{*v, args[0], anytime})
	if anytime && (args[0].Unknown || changesState(args[0].Text)) {
		v.c.doubt(Dangerous, "it may change the shell between any two commands")
	}
	if anytime {
		v.outer.errexit = false
	}
}

// changesState reports whether a script may change variables, the folder or the
// options of the shell that runs it.
func changesState(text string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return true
	}
	changes := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.FuncDecl:
			changes = true
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			t := table.Find(n.Args[0].Lit())
			switch name := n.Args[0].Lit(); {
			case name == "exit" || name == "return" || name == "break" || name == "continue" || name == "trap":
			case t == nil || t.Use == table.UseBuiltin:
				changes = true
			}
		}
		return !changes
	})
	return changes
}

func (v *visit) set() {
	st := v.outer
	args := v.c.Args[1:]
	for len(args) > 0 {
		a := args[0]
		switch {
		case a.Unknown:
			v.c.doubt(Moderate, "an argument cannot be known: "+a.Text)
			st.paramsKnown, st.errexit = false, false
			return
		case a.Text == "--" || a.Text == "-" || len(a.Text) < 2 || a.Text[0] != '-' && a.Text[0] != '+':
			if a.Text == "--" || a.Text == "-" {
				args = args[1:]
			}
			st.params, st.paramsKnown = slices.Clone(args), true
			v.c.Risk = min(v.c.Risk, Moderate)
			return
		}
		args = args[1:]
		for _, letter := range a.Text[1:] {
			if letter == 'o' && len(args) > 0 {
				v.option(args[0].Text, a.Text[0] == '-')
				args = args[1:]
				continue
			}
			v.option(string(letter), a.Text[0] == '-')
		}
	}
}

// option switches one option of the shell.
func (v *visit) option(name string, on bool) {
	st := v.outer
	switch name {
	case "e", "errexit":
		st.errexit = on
	case "a", "allexport":
		st.all = st.all || on
		v.changesShell()
	case "k":
		v.changesShell()
	case "pipefail", "nounset", "xtrace", "verbose", "noglob", "noclobber", "noexec", "monitor", "notify", "braceexpand", "hashall",
		"histexpand", "history", "physical", "errtrace", "functrace", "ignoreeof", "nolog", "onecmd", "vi", "emacs", "interactive-comments":
	default:
		if len(name) > 1 {
			v.changesShell()
		}
	}
}

func (v *visit) changesShell() {
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
}
