package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// callStmt walks a simple command.
func (w *walker) callStmt(st *state, f *frame, s *syntax.Stmt, call *syntax.CallExpr) stream {
	args := w.wordList(st, f, call.Args)
	span := f.at(s)
	if !f.fixed {
		span = callSpan(s, call)
	}
	c := w.begin(f, span)
	c.Args = args
	c.Dir = st.dir
	stdin := w.redirects(st, f, &c, s.Redirs)
	if stdin != nil {
		inner := *f
		inner.stdin = stdin
		f = &inner
	}
	for _, a := range call.Assigns {
		w.assign(st, f, &c, a, len(call.Args) == 0)
	}
	for _, a := range args {
		if a.why != "" {
			c.Risk = min(c.Risk, Moderate)
			c.opaque(a.why)
		}
	}
	if len(args) == 0 {
		return w.bare(&c, f, call)
	}
	return w.invoke(st, f, &c).unless(c.Redirects)
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
func (w *walker) bare(c *Command, f *frame, call *syntax.CallExpr) stream {
	if len(call.Args) > 0 { // words that expanded to nothing
		c.Opaque = append(c.Opaque, "the command is empty")
		c.Risk = min(c.Risk, Moderate)
	}
	c.Sentence = bareSentence(c)
	w.add(*c)
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

// assign evaluates one assignment. Alone it changes the state; in front of a
// command it only counts for that command.
func (w *walker) assign(st *state, f *frame, c *Command, a *syntax.Assign, alone bool) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if a.Array != nil {
		w.assignArray(st, f, c, a, alone)
		return
	}
	if a.Index != nil {
		w.arithm(st, f, a.Index)
	}
	value := w.word(st, f, a.Value)
	c.Assigns = append(c.Assigns, Assign{name, value})
	w.setting(st, f, c, &keysEnvironment, name, value)
	if !alone {
		return
	}
	switch {
	case a.Index != nil:
		st.setUnknown(name)
	case a.Append:
		old, ok := st.get(name)
		if !ok || len(old.value) != 1 {
			st.setUnknown(name)
			return
		}
		joined := old.value[0]
		joined.Text += value.Text
		joined.Unknown = joined.Unknown || value.Unknown
		joined.Glob = joined.Glob || value.Glob
		st.set(name, joined)
	default:
		st.set(name, value)
	}
	if v, ok := st.get(name); ok && v.odd {
		w.evaluate(st, f, c.Span, value)
	}
}

func (w *walker) assignArray(st *state, f *frame, c *Command, a *syntax.Assign, alone bool) {
	var items []Arg
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			w.arithm(st, f, e.Index)
		}
		if e.Value != nil {
			items = w.expand(st, f, e.Value, items)
		}
	}
	name := a.Name.Value
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = it.Text
	}
	c.Assigns = append(c.Assigns, Assign{name, Arg{Text: strings.Join(texts, " ")}})
	if !alone {
		return
	}
	if a.Append {
		if old, ok := st.get(name); ok {
			items = append(old.value[:len(old.value):len(old.value)], items...)
		}
	}
	if len(items) > maxWords {
		st.setUnknown(name)
		return
	}
	st.setVar(variable{name: name, value: items, array: true})
}

// declClause walks declare, local, export, readonly, typeset and nameref.
func (w *walker) declClause(st *state, f *frame, d *syntax.DeclClause) stream {
	c := w.begin(f, f.at(d))
	c.Dir = st.dir
	c.Args = []Arg{{Text: d.Variant.Value, Span: f.at(d.Variant)}}
	var options string
	for _, a := range d.Args {
		if a.Name == nil {
			word := w.word(st, f, a.Value)
			w.evaluate(st, f, c.Span, word)
			c.Args = append(c.Args, word)
			if strings.HasPrefix(word.Text, "-") {
				options += word.Text[1:]
			}
			continue
		}
		c.Args = append(c.Args, Arg{Text: a.Name.Value})
		w.declare(st, f, &c, a, d.Variant.Value, options)
	}
	c.Sentence = "Declare " + d.Variant.Value + " variables"
	if len(c.Assigns) > 0 {
		c.Sentence = bareSentence(&c)
	}
	if exports(c.Args) || strings.Contains(options, "i") { // later programs see it; its value is calculated
		c.Risk = min(c.Risk, Moderate)
	}
	c.Prefix = []string{d.Variant.Value}
	w.add(c)
	return stream{}
}

// declare evaluates one NAME or NAME=value of a declaration.
func (w *walker) declare(st *state, f *frame, c *Command, a *syntax.Assign, variant, options string) {
	name := a.Name.Value
	if variant != "export" && variant != "readonly" && !strings.Contains(options, "g") {
		st.hide(name) // in a function, it is local
	}
	old, _ := st.get(name)
	old.name = name
	old.odd = old.odd || strings.ContainsAny(options, "ilu")
	old.exported = old.exported || variant == "export" || strings.Contains(options, "x")
	if variant == "nameref" || strings.Contains(options, "n") {
		target := w.word(st, f, a.Value)
		w.evaluate(st, f, c.Span, target)
		st.setVar(variable{name: name, ref: target.Text, value: []Arg{{Text: "$" + name, Unknown: true, many: true}}})
		c.Assigns = append(c.Assigns, Assign{name, target})
		return
	}
	if a.Naked {
		if st.locals == nil && old.value == nil {
			old.value = []Arg{{Text: "$" + name, Unknown: true, many: true}}
		}
		st.setVar(old)
		return
	}
	st.setVar(old)
	w.assign(st, f, c, a, true)
}

// exports reports whether a declaration puts variables into the environment.
func exports(args []Arg) bool {
	if args[0].Text == "export" {
		return true
	}
	for _, a := range args[1:] {
		if strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "x") {
			return true
		}
	}
	return false
}

// redirects evaluates redirections and returns what the command can read from
// its standard input, if something is known of it.
func (w *walker) redirects(st *state, f *frame, c *Command, list []*syntax.Redirect) *stream {
	var stdin *stream
	for _, r := range list {
		target := w.word(st, f, r.Word)
		red := Redirect{Op: r.Op.String(), Target: target}
		if r.N != nil {
			red.Fd = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body := w.word(st, f, r.Hdoc)
			red.Target = body
			stdin = textStream(body, "")
			if len(r.Word.Parts) > 1 && r.Hdoc != nil && len(r.Hdoc.Parts) > 1 { // E"O"F quotes the body
				stdin = &stream{kind: streamUnknown}
			}
		case syntax.WordHdoc:
			stdin = textStream(target, "\n")
		case syntax.RdrIn:
			stdin = w.input(st, c, target)
		case syntax.RdrInOut:
			w.touch(st, c, target, Write, false)
			stdin = &stream{kind: streamUnknown}
		case syntax.DplIn, syntax.DplOut:
			if !isDescriptor(target.Text) {
				w.touch(st, c, target, Write, false)
			}
		default:
			w.touch(st, c, target, Write, false)
		}
		c.Redirects = append(c.Redirects, red)
	}
	return stdin
}

// input is < file or < <(…).
func (w *walker) input(st *state, c *Command, target Arg) *stream {
	if target.proc != nil {
		return &target.proc.printed
	}
	w.touch(st, c, target, Read, false)
	return &stream{kind: streamUnknown}
}

func textStream(a Arg, end string) *stream {
	if a.Unknown {
		return &stream{kind: streamUnknown}
	}
	return &stream{kind: streamText, text: a.Text + end}
}

// isDescriptor reports whether the target of >& is a number or a dash.
func isDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// unless is s, or nothing if standard output goes somewhere else.
func (s stream) unless(redirects []Redirect) stream {
	for _, r := range redirects {
		if (r.Fd == "" || r.Fd == "1") && r.Op == ">&" && r.Target.Text != "1" {
			return stream{kind: streamUnknown} // it may be brought back by 2>&1 further out
		}
		if (r.Fd == "" || r.Fd == "1") && (r.Op == ">" || r.Op == ">>" || r.Op == "&>" || r.Op == "&>>" || r.Op == ">|") {
			return stream{}
		}
	}
	return s
}

// invoke follows a simple command whose words are expanded. The command is
// reported before the ones that it runs.
func (w *walker) invoke(st *state, f *frame, c *Command) stream {
	st.cd = false
	name := c.Args[0]
	if name.made {
		c.Risk = min(c.Risk, Dangerous)
		c.opaque("the name of the command comes from a command")
	}
	if name.Unknown || name.Glob || name.Text == "" {
		return w.unknownName(f, c)
	}
	if alias, ok := st.alias(name.Text); ok && f.depth < maxNested {
		return w.expandAlias(st, f, c, alias)
	}
	if fn, ok := st.function(name.Text); ok {
		return w.callFunction(st, f, c, fn)
	}
	return w.program(st, f, c)
}

func (w *walker) unknownName(f *frame, c *Command) stream {
	c.Effects |= Executes
	c.Risk = min(c.Risk, Dangerous)
	c.Opaque = append(c.Opaque, "which command runs cannot be known: "+c.Args[0].Text)
	c.Sentence = "Run a command that cannot be known: " + short(joinArgs(c.Args))
	w.add(*c)
	return stream{kind: streamUnknown}
}

func (w *walker) expandAlias(st *state, f *frame, c *Command, alias variable) stream {
	c.Sentence = "Use the alias " + c.Args[0].Text
	c.Effects |= Executes
	if alias.value[0].Unknown {
		c.Opaque = append(c.Opaque, "the alias "+c.Args[0].Text+" is not known")
		c.Risk = min(c.Risk, Dangerous)
		w.add(*c)
		return stream{kind: streamUnknown}
	}
	c.Risk = min(c.Risk, Moderate)
	inner := *f
	inner.via = w.add(*c)
	bare := st.fork()
	bare.aliases = slices.DeleteFunc(slices.Clone(st.aliases), func(v variable) bool { return v.name == alias.name })
	if len(c.Args) > 1 && strings.HasSuffix(alias.value[0].Text, " ") {
		if _, ok := st.alias(c.Args[1].Text); ok { // then the next word is expanded, too
			w.opaqueAt(&inner, c.Span, "an alias is followed by another")
		}
	}
	return w.script(bare, &inner, alias.value[0].Text+" "+quoteArgs(c.Args[1:]), c.Span, true)
}

// callFunction walks the body of a function with its arguments.
func (w *walker) callFunction(st *state, f *frame, c *Command, fn function) stream {
	running := *fn.called && st.calling(fn.body)
	*fn.called = true
	c.Sentence = "Run the function " + fn.name
	switch {
	case running && (f.background || f.pipeLen > 1):
		c.Risk = Blocked
		c.Effects |= Processes | LongRunning
		c.Sentence = "Start copies of itself without end (a fork bomb)"
	case running || f.depth >= maxNested:
		c.Risk = min(c.Risk, Moderate)
		c.Effects |= LongRunning
		c.Opaque = append(c.Opaque, "the function "+fn.name+" calls itself")
	}
	inner := *f
	inner.via = w.add(*c)
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
	out := w.stmt(st, &inner, fn.body)
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
