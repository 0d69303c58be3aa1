package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// optionValues applies the values of options by their kinds. If the command
// only shows something, so are the files that its options name, but for those
// that it writes its output to.
func (v *visit) optionValues(shows bool) {
	recursive := v.traits()&table.IsRecursive != 0
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if !g.hasValue || g.flag.Kind == table.KindNone {
			continue
		}
		k := g.flag.Kind
		if shows && (k >= table.KindWrite && k <= table.KindChange && !outputOption(g.flag.Names) || k == table.KindPatch) {
			k = table.KindRead
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
	recursive := v.traits()&table.IsRecursive != 0
	shape := v.r.shape()
	for i := range v.r.args {
		s := slotFor(shape, i, len(v.r.args))
		if s == nil {
			v.extra(v.r.args[i])
			continue
		}
		v.value(s.Kind, s.Keys, v.r.args[i], recursive)
	}
	for _, a := range v.r.stray {
		v.extra(a)
	}
	for i, s := range shape {
		if len(v.r.args) <= i {
			switch {
			case s.Def != "":
				v.value(s.Kind, s.Keys, Arg{Text: s.Def, Glob: strings.HasSuffix(s.Def, "*")}, recursive)
			case s.Kind == table.KindDelete || s.Kind == table.KindMove: // it is for deleting, whatever it is given later
				v.c.Effects |= Deletes
				v.c.Risk = min(v.c.Risk, Moderate)
			}
		}
	}
}

// optionValue applies the value of an option. Where the options of a program
// mean paths seen from the outer folder, it is looked at from there.
func (v *visit) optionValue(g *given, k table.Kind, recursive bool) {
	if v.st != v.outer && v.traits()&table.IsFromHere != 0 {
		inner := v.st
		v.st = v.outer
		defer func() { v.st = inner }()
	}
	if k == table.KindSplit {
		v.splitWords(g)
		return
	}
	v.value(k, g.flag.Keys, g.value, recursive)
}

// splitWords is env -S 'a b' c: the words of the option, then those behind it.
func (v *visit) splitWords(g *given) {
	if strings.ContainsAny(g.value.Text, `\$`) {
		v.c.doubt(Dangerous, v.r.name+" reads its own escapes: "+short(g.value.Text))
	}
	if v.r.inner {
		g.value.Text += " " + quoteArgs(v.r.rest)
		v.r.inner, v.r.settled = false, false
	}
	v.shell(g.value)
}

// extra is an operand that no slot expects. A secret is a secret anyway.
func (v *visit) extra(a Arg) {
	if v.r.noSub == "" && !a.Unknown && len(a.Text) <= maxPath && v.w.secret(resolve(a.Text, v.st.dir), a.Glob) {
		v.touch(a, Read, false)
	}
	v.text(a)
}

func (v *visit) touch(a Arg, access Access, recursive bool) {
	if a.Text == "-" && access <= Write || strings.Contains(a.Text, "://") && v.elsewhere(a, access) {
		return // standard input or output, or no path at all
	}
	v.w.touch(v.st, v.c, a, access, recursive || a.deep)
}

// value applies a word by its kind.
func (v *visit) value(k table.Kind, keys *table.KeyTable, a Arg, recursive bool) {
	switch k {
	case table.KindText:
		v.text(a)
	case table.KindRoot:
		v.touch(a, List, false)
	case table.KindList:
		v.touch(a, List, recursive)
	case table.KindRead:
		v.touch(a, Read, recursive)
	case table.KindWrite, table.KindDelete, table.KindMove, table.KindReplace, table.KindChange:
		v.file(k, a, recursive)
	case table.KindScript:
		v.script(a)
	case table.KindURL, table.KindHost, table.KindRemote, table.KindRemoteWrite, table.KindRepo:
		v.target(k, a)
	case table.KindPkg:
		v.c.Effects |= Installs
		v.c.Risk = min(v.c.Risk, Moderate)
		if strings.Contains(a.Text, "://") || strings.HasPrefix(a.Text, "git+") {
			v.c.host(hostOf(a.Text))
		} else if host, ok := registryOf(a.Text); ok && v.r.name == "go" && !a.Unknown {
			v.c.named(host) // a module is named by where it is
		}
	case table.KindEnv:
		name, value, given := strings.Cut(a.Text, "=")
		a.Text = value
		if given {
			v.w.variable(v.st, v.f, v.c, name, a)
		} else {
			v.w.setting(v.st, v.f, v.c, &table.KeysEnvironment, name, a)
		}
		v.c.Assigns = append(v.c.Assigns, Assign{name, a})
	case table.KindProgram:
		if a.Unknown || strings.ContainsAny(a.Text, " /;&|$`") && !pathsPrograms.match(a.Text, v.w.at.Home) { // else it is one of the system
			v.shell(a)
		}
	case table.KindShell:
		v.shell(a)
	case table.KindKey:
		v.key(keys, a)
	case table.KindMount:
		v.mount(a)
	case table.KindRsh:
		v.shell(v.completed(a))
	case table.KindObject:
		v.object(a)
	case table.KindData, table.KindForm:
		v.data(k, a)
	case table.KindVar:
		v.readVar(a)
	case table.KindFilter:
		v.filter(a)
	case table.KindDNS:
		v.lookedUp(a)
	case table.KindShown:
		v.shownVariable(a)
	case table.KindServer, table.KindDatabase:
		v.server(k, a)
	case table.KindTrace, table.KindArchive, table.KindOutput:
		v.special(k, a)
	case table.KindImage:
		v.image(a)
	case table.KindPatch:
		v.patchFile(a)
	case table.KindPatched, table.KindPacked, table.KindStart:
		v.nextTo(k, a, recursive)
	case table.KindCd, table.KindInnerCd, table.KindUnset, table.KindCmd, table.KindBackup, table.KindBefore, table.KindEnding, table.KindNone:
	default:
		v.program(k, keys, a)
	}
}

// file is a path that is changed in one way or several.
func (v *visit) file(k table.Kind, a Arg, recursive bool) {
	switch k {
	case table.KindWrite:
		if cmd, ok := strings.CutPrefix(a.Text, "|"); ok { // psql -o '|cmd' and the like
			v.shell(Arg{Text: cmd, Unknown: a.Unknown, Span: a.Span})
			return
		}
		v.touch(a, Write, recursive)
	case table.KindDelete:
		v.touch(a, Delete, recursive)
	case table.KindMove:
		v.touch(a, Read, recursive)
		v.touch(a, Delete, recursive)
	case table.KindReplace:
		v.nextTo(table.KindPacked, a, recursive)
		v.touch(a, Delete, recursive)
	case table.KindChange:
		v.touch(a, Change, recursive)
	}
}

// special is a value that is a path only if it looks like one, or whose use
// depends on the other options.
func (v *visit) special(k table.Kind, a Arg) {
	switch {
	case k == table.KindTrace: // GIT_TRACE=1 goes to the terminal
		if a.Unknown || path.IsAbs(a.Text) {
			v.touch(a, Write, false)
		}
	case k == table.KindArchive && (v.r.has("-x") || v.r.has("-t") || v.r.has("-d")):
		v.touch(a, Read, false)
	case k == table.KindArchive:
		v.touch(a, Write, false)
	case !strings.Contains(a.Text, "="):
		v.touch(a, Write, true)
	default: // type=local,dest=PATH
		for _, part := range strings.Split(a.Text, ",") {
			if name, value, _ := strings.Cut(part, "="); name == "dest" || name == "destination" {
				a.Text = value
				v.touch(a, Write, true)
			}
		}
	}
}

// text is an inert word. If it is unknown, unquoted, and the program has
// options that do something, it may turn out to be one of them.
func (v *visit) text(a Arg) {
	if rest, ok := strings.CutPrefix(a.Text, "file://"); ok { // aws … --filters file://x
		a.Text = rest
		v.touch(a, Read, false)
		return
	}
	if rest, ok := strings.CutPrefix(a.Text, "fileb://"); ok {
		a.Text = rest
		v.touch(a, Read, false)
		return
	}
	if !a.Unknown || a.plain || !a.many && !(a.made && strings.HasPrefix(a.Text, "$")) {
		return
	}
	for _, t := range v.r.chain {
		flags := t.Flags()
		for i := range flags {
			f := &flags[i]
			if f.Kind.Acts() || f.Do != nil && f.Do.Does&^(table.Reads|table.LongRunning) != 0 {
				v.c.doubt(Moderate, "an argument cannot be known: "+a.Text)
				return
			}
		}
	}
}

// standardInput reports whether a file is the standard input.
func standardInput(a Arg) bool {
	return !a.Unknown && (a.Text == "/dev/stdin" || a.Text == "/dev/fd/0" || a.Text == "/proc/self/fd/0")
}

// script is a file that is executed.
func (v *visit) script(a Arg) {
	if a.Text == "-" && !a.Unknown || standardInput(a) {
		v.stdinProgram()
		return
	}
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if strings.HasPrefix(a.Text, "/dev/fd/") && a.proc() == nil || strings.HasPrefix(a.Text, "/proc/") {
		v.c.doubt(Dangerous, "which script runs cannot be known: "+a.Text)
		return
	}
	if strings.Contains(a.Text, "://") {
		v.c.host(hostOf(a.Text))
		v.c.Runs = Fetched
		v.c.doubt(Dangerous, "it runs a program from the network")
		return
	}
	if a.proc() != nil {
		v.runs(a.proc().printed)
		return
	}
	if a.Unknown && !a.plain {
		v.c.doubt(Dangerous, "which script runs cannot be known: "+a.Text)
		return
	}
	abs := resolve(a.Text, v.st.dir)
	v.w.runsFrom(v.c, abs)
	v.w.fetched(v.c, abs)
	v.runsFiles(a, abs)
	v.touch(a, Read, false)
}

func (v *visit) spanOf(a Arg) Span {
	if v.f.fixed || a.Span == (Span{}) {
		return v.c.Span
	}
	return a.Span
}

// data is text that is sent, or the name of a file that is: @FILE, NAME@FILE,
// NAME=@FILE, NAME=<FILE.
func (v *visit) data(k table.Kind, a Arg) {
	value := a.Text
	if k == table.KindForm {
		_, value, _ = strings.Cut(value, "=")
		value, _, _ = strings.Cut(value, ";")
		value = strings.Replace(value, "<", "@", 1)
	}
	if g := v.r.given("--cookie"); g != nil && g.value.Span == a.Span && !strings.Contains(value, "=") {
		v.touch(a, Read, false) // curl -b FILE
		return
	}
	name, file, ok := strings.Cut(value, "@")
	name = strings.TrimRight(name, ":=") // httpie: NAME=@FILE
	if !ok || name != "" && !isName(name) || file == "" {
		v.text(a)
		return
	}
	a.Text = file
	v.touch(a, Read, false)
}

// filter is a pattern for the names of files. If it is for secrets, they are
// what is read.
func (v *visit) filter(a Arg) {
	a.Text = strings.TrimPrefix(a.Text, "**/")
	if v.w.secret("/unknown/"+a.Text, a.Glob || strings.ContainsAny(a.Text, "*?[")) {
		a.Glob = a.Glob || strings.ContainsAny(a.Text, "*?[")
		v.touch(a, Read, false)
	}
}
