package shell

import "strings"

// optionValues applies the values of options by their kinds. If the command
// only shows something, so are the files that its options name, but for those
// that it writes its output to.
func (v *visit) optionValues(shows bool) {
	recursive := v.traits()&isRecursive != 0
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if !g.hasValue || g.flag.kind == kindNone {
			continue
		}
		k := g.flag.kind
		if shows && k >= kindWrite && k <= kindChange && !outputOption(g.flag.names) {
			k = kindRead
		}
		v.optionValue(g, k, recursive)
	}
}

func outputOption(names []string) bool {
	for _, n := range names {
		if n == "-o" || strings.Contains(n, "out") || strings.Contains(n, "report") || strings.Contains(n, "log") {
			return true
		}
	}
	return false
}

// operands applies the operands by their kinds.
func (v *visit) operands() {
	recursive := v.traits()&isRecursive != 0
	shape := v.r.shape()
	for i := range v.r.args {
		s := slotFor(shape, i, len(v.r.args))
		if s == nil {
			v.extra(v.r.args[i])
			continue
		}
		v.value(s.kind, s.keys, v.r.args[i], recursive)
	}
	for i, s := range shape {
		if len(v.r.args) <= i {
			switch {
			case s.def != "":
				v.value(s.kind, s.keys, Arg{Text: s.def}, recursive)
			case s.kind == kindDelete || s.kind == kindMove: // it is for deleting, whatever it is given later
				v.c.Effects |= Deletes
				v.c.Risk = min(v.c.Risk, Moderate)
			}
		}
	}
}

// optionValue applies the value of an option. Where the options of a program
// mean paths seen from the outer folder, it is looked at from there.
func (v *visit) optionValue(g *given, k kind, recursive bool) {
	if v.st != v.outer && v.traits()&isFromHere != 0 {
		inner := v.st
		v.st = v.outer
		defer func() { v.st = inner }()
	}
	if g.flag.kind == kindShell && v.r.inner && v.r.name == "env" { // env -S 'a b' c
		g.value.Text += " " + quoteArgs(v.r.rest)
		v.r.inner = false
	}
	v.value(k, g.flag.keys, g.value, recursive)
}

// extra is an operand that no slot expects. A secret is a secret anyway.
func (v *visit) extra(a Arg) {
	if v.r.noSub == "" && !a.Unknown && len(a.Text) <= maxPath && v.w.secret(resolve(a.Text, v.st.dir), a.Glob) {
		v.touch(a, Read, false)
	}
	v.text(a)
}

func (v *visit) touch(a Arg, access Access, recursive bool) {
	if a.Text == "-" && access <= Write { // standard input or output
		return
	}
	v.w.touch(v.st, v.c, a, access, recursive)
}

func (v *visit) value(k kind, keys *keyTable, a Arg, recursive bool) {
	switch k {
	case kindText:
		v.text(a)
	case kindList:
		v.touch(a, List, recursive)
	case kindRead:
		v.touch(a, Read, recursive)
	case kindWrite:
		if cmd, ok := strings.CutPrefix(a.Text, "|"); ok { // psql -o '|cmd' and the like
			v.shell(Arg{Text: cmd, Unknown: a.Unknown, Span: a.Span})
			return
		}
		v.touch(a, Write, recursive)
	case kindDelete:
		v.touch(a, Delete, recursive)
	case kindMove:
		v.touch(a, Read, recursive)
		v.touch(a, Delete, recursive)
	case kindReplace:
		v.touch(a, Read, recursive)
		v.touch(a, Write, recursive)
		v.touch(a, Delete, recursive)
	case kindChange:
		v.touch(a, Change, recursive)
	case kindScript:
		v.script(a)
	case kindURL, kindHost, kindRemote, kindRemoteWrite, kindRepo:
		v.target(k, a)
	case kindPkg:
		v.c.Effects |= Installs
		v.c.Risk = min(v.c.Risk, Moderate)
		if strings.Contains(a.Text, "://") || strings.HasPrefix(a.Text, "git+") {
			v.c.host(hostOf(a.Text))
		}
	case kindEnv:
		name, value, _ := strings.Cut(a.Text, "=")
		a.Text = value
		v.w.setting(v.st, v.f, v.c, &keysEnvironment, name, a)
		v.c.Assigns = append(v.c.Assigns, Assign{name, a})
	case kindShell:
		v.shell(a)
	case kindKey:
		v.key(keys, a)
	case kindCd, kindCmd, kindNone:
	default:
		v.code(k, a)
	}
}

// text is an inert word. If it is unknown, unquoted, and the program has
// options that do something, it may turn out to be one of them.
func (v *visit) text(a Arg) {
	if !a.Unknown || !a.many || a.plain {
		return
	}
	for _, t := range v.r.chain {
		for i := range t.flags {
			f := &t.flags[i]
			if f.kind > kindRead || f.do != nil && f.do.does&^(Reads|LongRunning) != 0 {
				v.c.Risk = min(v.c.Risk, Moderate)
				v.c.opaque("an argument cannot be known: " + a.Text)
				return
			}
		}
	}
}

// script is a file that is executed.
func (v *visit) script(a Arg) {
	if !a.Unknown && (a.Text == "-" || a.Text == "/dev/stdin" || a.Text == "/dev/fd/0" || a.Text == "/proc/self/fd/0") {
		v.stdinProgram()
		return
	}
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if strings.Contains(a.Text, "://") {
		v.c.host(hostOf(a.Text))
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.c.opaque("it runs a program from the network")
		return
	}
	if a.proc != nil {
		v.runs(a.proc.printed)
		return
	}
	if a.Unknown && !a.plain {
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.c.opaque("which script runs cannot be known: " + a.Text)
		return
	}
	v.touch(a, Read, false)
}

// target is a host, a URL, or something on one.
func (v *visit) target(k kind, a Arg) {
	c := v.c
	if a.Unknown && !a.plain {
		c.host(External)
		c.Risk = min(c.Risk, Moderate)
		c.opaque("the host cannot be known: " + a.Text)
		return
	}
	text := a.Text
	switch k {
	case kindRemote, kindRemoteWrite, kindRepo:
		if !isRemote(text) {
			v.local(k, a)
			return
		}
	}
	if k == kindRemoteWrite {
		c.Effects |= Publishes
		c.Risk = min(c.Risk, Dangerous)
	}
	if path, ok := strings.CutPrefix(text, "file://"); ok {
		a.Text = path
		v.touch(a, Read, false)
		return
	}
	c.host(hostOf(text))
	c.Risk = min(c.Risk, Moderate)
}

// local is the side of a copy, or the name of a remote, on this machine.
func (v *visit) local(k kind, a Arg) {
	switch k {
	case kindRemote:
		v.touch(a, Read, v.traits()&isRecursive != 0)
	case kindRemoteWrite:
		v.touch(a, Write, false)
		if v.c.Effects.Has(Deletes) { // rsync --delete
			v.touch(a, Delete, true)
		}
	case kindRepo:
		if strings.ContainsAny(a.Text, "/~") {
			v.touch(a, Read, false)
		} else {
			v.c.host(Remotes)
		}
	}
}

// isRemote reports whether s names something on another host: a URL, or
// host:path.
func isRemote(s string) bool {
	if strings.Contains(s, "://") {
		return true
	}
	i := strings.IndexByte(s, ':')
	return i > 1 && strings.IndexByte(s[:i], '/') < 0
}

// hostOf returns the host of a URL, of user@host:path, or of host:port.
func hostOf(s string) string {
	s = strings.TrimPrefix(s, "git+")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
		if i := strings.IndexAny(s, "/?#"); i >= 0 {
			s = s[:i]
		}
	} else if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			return strings.ToLower(s[1:i])
		}
	}
	if i := strings.IndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	if s == "" {
		return External
	}
	return strings.ToLower(strings.TrimSuffix(s, "."))
}

// shell is the text of a script.
func (v *visit) shell(a Arg) {
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if a.Unknown {
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.c.opaque("the script it runs cannot be known: " + a.Text)
		if strings.HasPrefix(a.Text, "$") {
			return
		}
	}
	f := v.below()
	f.elsewhere = v.f.elsewhere // ssh -o ProxyCommand runs here
	st := v.st.fork()
	if v.r.chain[0].use != useBuiltin { // a trap runs in this shell
		st = v.st.child()
	}
	v.w.script(st, f, a.Text, v.spanOf(a), true)
}

func (v *visit) spanOf(a Arg) Span {
	if v.f.fixed || a.Span == (Span{}) {
		return v.c.Span
	}
	return a.Span
}

// below is the frame for the commands that this one runs.
func (v *visit) below() *frame {
	f := *v.f
	f.via = v.index
	f.elsewhere = f.elsewhere || v.traits()&isElsewhere != 0
	f.stdin = v.f.stdin
	f.pipe, f.pipeLen = 0, 1
	f.background = false
	f.depth++
	f.span, f.fixed = v.c.Span, true
	return &f
}

// wrapped follows the command that this one runs, given as words.
func (v *visit) wrapped(args []Arg) {
	if len(args) == 0 {
		return
	}
	if args[0].Text == "-c" && len(args) > 1 { // flock FILE -c TEXT
		v.shell(args[1])
		return
	}
	if v.traits()&isJoined != 0 && !plainWords(args) || len(args) == 1 && strings.ContainsAny(args[0].Text, " \t\n") {
		v.joined(args)
		if len(args) == 1 {
			return
		}
		// Joined, sh -c 'a b' loses its quotes. Judge it as it was meant, too.
	}
	f := v.below()
	st := v.outer // command and builtin run in this shell
	if v.r.name != "command" && v.r.name != "builtin" {
		st = v.st.fork()
		st.funcs, st.aliases = nil, nil // a program cannot call a function
		f.direct = true
		v.environment(st)
	} else {
		st = st.fork()
		st.funcs, st.aliases = nil, nil
		defer func() {
			v.outer.dir, v.outer.alt, v.outer.cd, v.outer.any, v.outer.ended = st.dir, st.alt, st.cd, st.any, st.ended
		}()
	}
	if f.elsewhere {
		st.dir, st.alt = "", ""
	}
	if f.depth > maxNested*2 {
		v.w.opaqueAt(f, v.c.Span, "commands are wrapped too deeply")
		return
	}
	f.fixed = v.f.fixed
	span := v.c.Span
	if first := args[0].Span; !f.fixed && first != (Span{}) {
		span = Span{first.Start, max(first.End, args[len(args)-1].Span.End)}
	}
	c := v.w.begin(f, span)
	c.Args = args
	c.Dir = st.dir
	if t := findTool(baseName(args[0].Text)); t != nil && t.is(isShell|isInterpreter) {
		for _, a := range args {
			if a.why != "" {
				c.Risk = min(c.Risk, Moderate)
				c.opaque(a.why)
			}
		}
	}
	out := v.w.invoke(st, f, &c)
	v.print = &out
	v.c.Effects |= Executes & c.Effects
}

// environment applies what env and its like do to the variables of the
// command they run.
func (v *visit) environment(st *state) {
	for i := range v.r.args {
		name, value, ok := strings.Cut(v.r.args[i].Text, "=")
		if ok && v.r.slotAt(i) == kindEnv {
			a := v.r.args[i]
			a.Text = value
			st.export(name, a)
		}
	}
	if v.r.name != "env" {
		return
	}
	if v.r.has("-i") {
		for _, old := range v.st.vars {
			st.set(old.name)
		}
	}
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.spelling == "-u" || g.spelling == "--unset" {
			st.drop(g.value.Text)
			st.set(g.value.Text)
		}
	}
}

// plainWords reports whether joining words and splitting them again gives the
// same words.
func plainWords(args []Arg) bool {
	for _, a := range args {
		if a.Unknown || a.Text == "" || strings.ContainsAny(a.Text, " \t\n'\"\\$`|&;<>(){}*?[]#~!") {
			return false
		}
	}
	return true
}

// joined follows words that are put together and given to a shell, as ssh and
// watch do.
func (v *visit) joined(args []Arg) {
	f := v.below()
	st := v.st.child()
	if f.elsewhere {
		st.dir, st.alt = "", ""
	}
	text := Arg{Text: joinArgs(args), Span: args[0].Span}
	for _, a := range args {
		text.Unknown = text.Unknown || a.Unknown
	}
	if text.Unknown {
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.c.opaque("the command it runs cannot be known: " + short(text.Text))
	}
	out := v.w.script(st, f, text.Text, v.spanOf(text), true)
	v.print = &out
}

// key looks up KEY=VALUE.
func (v *visit) key(keys *keyTable, a Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	if a.Unknown && strings.HasPrefix(name, "$") {
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.c.opaque("a setting cannot be known: " + a.Text)
		return
	}
	a.Text = value
	if a.Unknown && !strings.Contains(value, "$") {
		a.Unknown = false
	}
	v.w.setting(v.st, v.below(), v.c, keys, name, a)
}

// setting applies what a table of keys says about NAME=VALUE.
func (w *walker) setting(st *state, f *frame, c *Command, keys *keyTable, name string, value Arg) {
	for i := range *keys {
		e := &(*keys)[i]
		for _, pattern := range e.names {
			if matchWord(pattern, name) || e.foldedMatch(pattern, name) {
				w.applySetting(st, f, c, e, value)
				return
			}
		}
	}
}

// foldedMatch compares without regard to case where the table has a dot: the
// settings of git are such.
func (e *flag) foldedMatch(pattern, name string) bool {
	return strings.IndexByte(pattern, '.') >= 0 && matchWord(strings.ToLower(pattern), strings.ToLower(name))
}

func (w *walker) applySetting(st *state, f *frame, c *Command, e *flag, value Arg) {
	v := visit{w: w, f: f, c: c, st: st, outer: st, index: f.via}
	v.r.start("", &tool{})
	if e.kind == kindShell && w.shows(st, value) {
		return // PAGER=cat and the like
	}
	if e.do != nil {
		v.apply(e.do)
	}
	if e.kind == kindNone || e.kind == kindText {
		return
	}
	v.value(e.kind, e.keys, value, false)
}

// shows reports whether a command that a setting names only shows something,
// or is none at all.
func (w *walker) shows(st *state, value Arg) bool {
	if value.Unknown {
		return false
	}
	if value.Text == "" {
		return true
	}
	probe := walker{at: w.at, out: &Analysis{}, commands: 16}
	probe.at.Machine = nil
	probe.script(&state{dir: st.dir}, &frame{via: -1, pipeLen: 1}, value.Text, Span{}, true)
	for i := range probe.out.Commands {
		if c := &probe.out.Commands[i]; c.Risk != Safe || c.Effects&^Reads != 0 {
			return false
		}
	}
	return probe.out.Opaque == ""
}
