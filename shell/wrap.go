package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// shell is the text of a script.
func (v *visit) shell(a Arg) {
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if a.Unknown {
		v.c.Runs = max(v.c.Runs, a.from.origin(), UnknownOrigin)
		v.c.doubt(Dangerous, "the script it runs cannot be known: "+a.Text)
		if strings.HasPrefix(a.Text, "$") {
			return
		}
	}
	v.follow(a)
}

// follow reports the commands of a script that this command runs.
func (v *visit) follow(a Arg) {
	f := v.below()
	f.connected = f.connected || v.r.tool().Do.Does&table.Network != 0
	f.elsewhere = v.f.elsewhere // the text is for this machine: ssh -o ProxyCommand
	st := v.st.fork()
	if v.r.chain[0].Use != table.UseBuiltin { // a trap runs in this shell
		st = v.st.child()
	}
	v.w.script(st, f, a.Text, v.spanOf(a), true)
}

// below is the frame for the commands that this one runs.
func (v *visit) below() *frame {
	f := *v.f
	f.via = v.index
	f.elsewhere = f.elsewhere || v.traits()&table.IsElsewhere != 0
	f.stdin = v.f.stdin
	f.pipe, f.pipeLen = 0, 1
	f.background = false
	f.depth++
	f.span, f.fixed = v.c.Span, true
	return &f
}

// wrapped follows the command that this one runs, given as words.
func (v *visit) wrapped(args []Arg) {
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "-") && v.traits()&table.IsElsewhere != 0 && v.traits()&table.IsJoined == 0 && !v.takesScript(args[0]) {
		return // docker run IMAGE --version: arguments of the image's own program
	}
	if v.traits()&table.IsChained != 0 { // a command of its own
		args = append([]Arg{{Text: v.r.name, Span: v.c.Span}}, args...)
	}
	if len(args) > 1 && v.takesScript(args[0]) { // flock FILE -c TEXT
		v.shell(args[1])
		return
	}
	if v.traits()&table.IsJoined != 0 && !plainWords(args) || len(args) == 1 && strings.ContainsAny(strings.TrimSpace(args[0].Text), " \t\n") {
		v.joined(args)
		if len(args) == 1 {
			return
		}
		// Joined, sh -c 'a b' loses its quotes. Judge it as it was meant, too.
	}
	f := v.below()
	st := v.outer // command and builtin run in this shell
	if v.traits()&table.IsThisShell == 0 {
		st = v.st.fork()
		st.funcs, st.aliases = nil, nil // a program cannot call a function
		f.direct = true
		f.fetched = v.c.Effects.Has(Network) && !f.elsewhere
		v.environment(st)
	} else {
		st = st.fork()
		st.funcs, st.aliases = nil, nil
		defer func() { // all that it did to this shell stays
			st.funcs, st.aliases = v.outer.funcs, v.outer.aliases
			*v.outer = *st
		}()
	}
	v.leave(st)
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
	if t := table.Find(baseName(args[0].Text)); t != nil && t.Is(table.IsShell|table.IsInterpreter) {
		for _, a := range args {
			if a.why() != "" {
				c.doubt(Moderate, a.why())
			}
		}
	}
	v.alsoPrints(v.w.invoke(st, f, c))
	v.c.Effects |= Executes & c.Effects
}

// takesScript reports whether the first word of a wrapped command is still an
// option of the wrapper, with a script.
func (v *visit) takesScript(a Arg) bool {
	if !strings.HasPrefix(a.Text, "-") {
		return false
	}
	flags := v.r.tool().Flags()
	for i := range flags {
		if f := &flags[i]; f.Kind == table.KindShell && matchAny(f.Names, a.Text) {
			return true
		}
	}
	return false
}

// environment applies what env and its like do to the variables of the
// command they run.
func (v *visit) environment(st *state) {
	for i := range v.r.args {
		name, value, ok := strings.Cut(v.r.args[i].Text, "=")
		if ok && v.r.slotAt(i) == table.KindEnv {
			a := v.r.args[i]
			a.Text = value
			st.export(name, a)
		}
	}
	if v.traits()&table.IsBare != 0 {
		for _, old := range v.st.vars {
			st.set(old.name)
		}
	}
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.flag.Kind == table.KindUnset {
			st.drop(g.value.Text)
			st.set(g.value.Text)
			v.w.hides(v.c, g.value.Text)
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
	v.leave(st)
	text := Arg{Text: joinArgs(args), Span: args[0].Span}
	for _, a := range args {
		text.Unknown = text.Unknown || a.Unknown
		text.from = max(text.from, a.from)
	}
	if text.Unknown {
		v.c.Runs = max(v.c.Runs, text.from.origin())
		v.c.doubt(Dangerous, "the command it runs cannot be known: "+short(text.Text))
	}
	v.alsoPrints(v.w.script(st, f, text.Text, v.spanOf(text), true))
}

// alsoPrints adds what a wrapped command prints to what was printed before.
func (v *visit) alsoPrints(out stream) {
	if v.print != nil {
		out = v.print.then(out)
	}
	v.print = &out
}
