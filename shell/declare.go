package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
	indexed := false
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			w.arithm(st, f, e.Index)
			indexed = true
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
	unknown := slices.ContainsFunc(items, func(a Arg) bool { return a.Unknown })
	c.Assigns = append(c.Assigns, Assign{name, Arg{Text: strings.Join(texts, " "), Unknown: unknown}})
	if !alone {
		return
	}
	if a.Append {
		if old, ok := st.get(name); ok {
			items = append(old.value[:len(old.value):len(old.value)], items...)
		}
	}
	if len(items) > maxWords || indexed {
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
	var out stream
	for _, a := range d.Args {
		if a.Name == nil {
			word := w.word(st, f, a.Value)
			w.evaluate(st, f, c.Span, word)
			c.Args = append(c.Args, word)
			if strings.HasPrefix(word.Text, "-") {
				options += word.Text[1:]
			} else if name, value, ok := strings.Cut(word.Text, "="); ok && syntax.ValidName(name) && !word.Unknown {
				st.set(name, Arg{Text: value})
			} else if word.Unknown {
				st.lose()
			}
			continue
		}
		c.Args = append(c.Args, Arg{Text: a.Name.Value})
		if a.Naked && strings.Contains(options, "p") { // before it counts as one of the script
			b := fieldBuilder{st: st}
			out.secret = max(out.secret, b.secretOf(a.Name.Value))
		}
		w.declare(st, f, c, a, d.Variant.Value, options)
	}
	c.Sentence = declareSentence(c, d.Variant.Value)
	if exports(c.Args) && !onlyPrints(d) || strings.Contains(options, "i") { // later programs see it; its value is calculated
		c.Risk = min(c.Risk, Moderate)
	}
	switch {
	case strings.ContainsAny(options, "fF"): // functions
	case onlyPrints(d) && len(c.Assigns) == 0:
		out.kind, out.secret = streamUnknown, environment
		if f.shows(nil) {
			c.Risk = min(c.Risk, Moderate)
			c.Sentence = "Show all variables, with the secrets among them"
		}
	case out.secret != 0:
		out.kind = streamUnknown
		c.showsSecret()
	}
	c.Prefix = []string{d.Variant.Value}
	index := w.add(c)
	w.settings(st, f, index)
	return out
}

// declare evaluates one NAME or NAME=value of a declaration.
func (w *walker) declare(st *state, f *frame, c *Command, a *syntax.Assign, variant, options string) {
	name := a.Name.Value
	if variant != "export" && variant != "readonly" && !strings.Contains(options, "g") {
		st.hide(name) // in a function, it is local
	}
	old, known := st.get(name)
	old.name = name
	old.odd = old.odd || strings.ContainsAny(options, "ilu")
	defer func() {
		if v, ok := st.get(name); ok && (variant == "readonly" || strings.Contains(options, "r")) {
			v.fixed = true
			st.drop(name)
			st.vars = append(st.vars, v)
		}
	}()
	old.exported = old.exported || variant == "export" || strings.Contains(options, "x")
	if a.Array != nil {
		st.setVar(old)
		w.assignArray(st, f, c, a, true)
		return
	}
	if variant == "nameref" || strings.Contains(options, "n") {
		if a.Naked { // the next assignment says what it stands for
			st.lose()
			return
		}
		target := w.word(st, f, a.Value)
		w.evaluate(st, f, c.Span, target)
		if isSetting(target.Text) {
			w.opaqueAt(f, c.Span, name+" is another name for "+target.Text+", which programs go by")
		}
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
	if !known { // export X=$X/y: it may have a value from outside
		old.value = []Arg{{Text: "$" + name, Unknown: true}}
	}
	st.setVar(old)
	w.assign(st, f, c, a, true)
}

// onlyPrints reports whether a declaration names nothing: export -p.
func onlyPrints(d *syntax.DeclClause) bool {
	for _, a := range d.Args {
		if a.Name != nil {
			return false
		}
	}
	return true
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

// declareSentence says which variables a declaration is about.
func declareSentence(c *Command, variant string) string {
	if len(c.Assigns) > 0 {
		return bareSentence(c)
	}
	var names []string
	for _, a := range c.Args[1:] {
		if !strings.HasPrefix(a.Text, "-") {
			names = append(names, short(a.Text))
		}
	}
	switch {
	case len(names) == 0:
		return "Show variables"
	case len(c.Args) > 1 && strings.HasPrefix(c.Args[1].Text, "-") && strings.Contains(c.Args[1].Text, "p"):
		return "Show the variables " + strings.Join(names, ", ")
	case variant == "export":
		return "Let other programs see " + strings.Join(names, ", ")
	}
	return "Declare " + strings.Join(names, ", ")
}
