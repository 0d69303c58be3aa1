package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// callStmt walks a simple command.
func (w *walker) callStmt(st *state, f *frame, s *syntax.Stmt, call *syntax.CallExpr) stream {
	args := w.wordList(st, f, call.Args)
	span := f.span
	if !f.fixed {
		span = callSpan(s, call)
	}
	c := w.begin(f, span)
	c.Args = args
	c.Dir = st.dir
	stdin := w.redirects(st, f, c, s.Redirs)
	if stdin != nil {
		f = f.fed(stdin)
	}
	for _, a := range call.Assigns {
		w.assign(st, f, c, a, len(call.Args) == 0)
	}
	for i := range args {
		if why := args[i].why(); why != "" {
			c.doubt(Moderate, why)
		}
	}
	var out stream
	index := len(w.commands)
	if len(args) == 0 {
		out = w.bare(c, call)
	} else {
		out = w.invoke(st, f, c).unless(c.Redirects)
	}
	if len(c.Assigns) > 0 {
		w.settings(st, f, index)
		if len(args) > 0 && special(args[0].Text) { // some shells keep the value
			for _, a := range c.Assigns {
				st.setUnknown(a.Name)
			}
		}
	}
	return out
}

// special reports whether a builtin is one of those in front of which POSIX
// keeps assignments.
func special(name string) bool {
	switch name {
	case ":", ".", "source", "eval", "exec", "export", "readonly", "set", "unset", "trap", "shift", "return", "exit", "break", "continue", "times":
		return true
	}
	return false
}

// callSpan is the text from the first assignment or word to the last word or
// redirection of a command.
func callSpan(s *syntax.Stmt, call *syntax.CallExpr) Span {
	start, end := int(call.Pos().Offset()), int(call.End().Offset())
	if end < start {
		end = start
	}
	for _, r := range s.Redirs {
		start = min(start, int(r.Pos().Offset()))
		if r.Word != nil {
			end = max(end, int(r.Word.End().Offset()))
		}
	}
	return Span{start, end}
}

// bare reports a command that consists of assignments or redirections only.
func (w *walker) bare(c *Command, call *syntax.CallExpr) stream {
	if len(call.Args) > 0 { // words that expanded to nothing, as far as can be seen
		c.doubt(Dangerous, "which command runs cannot be known: it comes from an expansion")
	}
	c.Sentence = bareSentence(c)
	w.add(c)
	return stream{}
}

func bareSentence(c *Command) string {
	if len(c.Assigns) == 0 {
		return redirectSentence(c)
	}
	names := make([]string, len(c.Assigns))
	for i, a := range c.Assigns {
		names[i] = a.Name
	}
	return "Set " + strings.Join(names, ", ")
}

// invoke follows a simple command whose words are expanded. The command is
// reported before the ones that it runs.
func (w *walker) invoke(st *state, f *frame, c *Command) stream {
	st.cd = false
	name := c.Args[0]
	if name.made {
		c.doubt(Dangerous, "the name of the command comes from a command")
	}
	if name.Unknown || name.Glob || name.Text == "" {
		return w.unknownName(f, c)
	}
	if alias, ok := st.alias(name.Text); ok && f.depth < maxNested {
		// Only some shells expand it, and never if the name was quoted.
		plain, other := w.copyOf(c), st.fork()
		out := w.expandAlias(st, f, c, alias)
		w.namedProgram(other, f, plain)
		other.ended = false // with the alias, it may go on
		st.join(other)
		return out
	}
	return w.namedProgram(st, f, c)
}

// namedProgram follows a name that is no alias: a function, or a program.
func (w *walker) namedProgram(st *state, f *frame, c *Command) stream {
	fn, ok := st.function(c.Args[0].Text)
	if !ok {
		return w.program(st, f, c)
	}
	if fn.maybe {
		w.program(st.fork(), f, w.copyOf(c))
	}
	return w.callFunction(st, f, c, fn)
}

func (w *walker) unknownName(f *frame, c *Command) stream {
	c.Effects |= Executes
	c.Risk = min(c.Risk, Dangerous)
	c.Opaque = append(c.Opaque, "which command runs cannot be known: "+c.Args[0].Text)
	c.Sentence = "Run a command that cannot be known: " + short(joinArgs(c.Args))
	w.add(c)
	return stream{kind: streamUnknown}
}

func (w *walker) expandAlias(st *state, f *frame, c *Command, alias variable) stream {
	c.Sentence = "Use the alias " + short(c.Args[0].Text)
	c.Effects |= Executes
	if alias.value[0].Unknown {
		c.Opaque = append(c.Opaque, "the alias "+c.Args[0].Text+" is not known")
		c.Risk = min(c.Risk, Dangerous)
		w.add(c)
		return stream{kind: streamUnknown}
	}
	c.Risk = min(c.Risk, Moderate)
	inner := *f
	inner.via = w.add(c)
	bare := st.fork()
	bare.aliases = slices.DeleteFunc(slices.Clone(st.aliases), func(v variable) bool { return v.name == alias.name })
	if len(c.Args) > 1 && strings.HasSuffix(alias.value[0].Text, " ") {
		if _, ok := st.alias(c.Args[1].Text); ok { // then the next word is expanded, too
			w.opaqueAt(&inner, c.Span, "an alias is followed by another")
		}
	}
	out := w.script(bare, &inner, alias.value[0].Text+" "+quoteArgs(c.Args[1:]), c.Span, true)
	aliases := st.aliases
	st.join(bare)
	st.aliases = aliases
	return out
}

// callFunction walks the body of a function with its arguments.
func (w *walker) callFunction(st *state, f *frame, c *Command, fn function) stream {
	running := *fn.called && st.calling(fn.body)
	*fn.called = true
	c.Sentence = "Run the function " + short(fn.name)
	switch {
	case running && (f.background || f.pipeLen > 1):
		c.Risk = Blocked
		c.Effects |= Processes | LongRunning
		c.Sentence = "Start copies of itself without end (a fork bomb)"
	case running || f.depth >= maxNested:
		c.Risk = min(c.Risk, Dangerous)
		c.Effects |= LongRunning
		c.Opaque = append(c.Opaque, "the function "+fn.name+" calls itself")
	}
	inner := *f
	inner.via = w.add(c)
	if running || f.depth >= maxNested {
		return stream{kind: streamUnknown}
	}
	inner.depth++
	outer, known, locals := st.params, st.paramsKnown, st.locals
	st.params, st.paramsKnown, st.locals = c.Args[1:], true, &[]variable{}
	for _, a := range c.Assigns {
		st.hide(a.Name)
		st.export(a.Name, a.Value)
	}
	st.active = append(st.active[:len(st.active):len(st.active)], fn.body)
	w.enter()
	out := w.stmt(st, &inner, fn.body)
	w.leave(st)
	st.active = st.active[:len(st.active)-1]
	for _, v := range *st.locals {
		st.drop(v.name)
		st.setVar(v)
	}
	st.params, st.paramsKnown, st.locals = outer, known, locals
	st.ended = false // return ends the function only
	return out
}

func (st *state) calling(body *syntax.Stmt) bool {
	for _, b := range st.active {
		if b == body {
			return true
		}
	}
	return false
}

func joinArgs(args []Arg) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.Text
	}
	return strings.Join(texts, " ")
}

// quoteArgs writes arguments so that a shell reads them back as they are.
func quoteArgs(args []Arg) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case a.Unknown:
			b.WriteString(`"$unresolved"`)
		case a.Glob:
			b.WriteString(a.Text)
		default:
			b.WriteString("'" + strings.ReplaceAll(a.Text, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

// Quote writes words so that a shell reads them back as they are.
func Quote(argv []string) string {
	args := make([]Arg, len(argv))
	for i, s := range argv {
		args[i].Text = s
	}
	return quoteArgs(args)
}
