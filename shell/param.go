package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param appends the value of $x, ${x}, ${x:-y} and the like.
func (b *fieldBuilder) param(p *syntax.ParamExp, quoted bool) {
	b.any = b.any || quoted
	if p.Index != nil {
		b.w.arithm(b.st, b.f, p.Index)
	}
	if p.Slice != nil {
		b.w.arithm(b.st, b.f, p.Slice.Offset)
		b.w.arithm(b.st, b.f, p.Slice.Length)
	}
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil {
		b.unknown("${…}", true)
		return
	}
	name := p.Param.Value
	b.taint(b.secretOf(name))
	switch {
	case p.Excl:
		b.evaluated(b.st.lookup(b.w.at.Home, name))
		if p.Exp != nil {
			b.w.word(b.st, b.f, p.Exp.Word)
		}
		if p.Repl != nil {
			b.w.word(b.st, b.f, p.Repl.Orig)
			b.w.word(b.st, b.f, p.Repl.With)
		}
		b.unknown("${!"+name+"}", !quoted)
		b.cur.extra = &argExtra{why: "${!" + name + "} names another variable", secret: b.cur.secret()}
	case p.Length || p.Width || p.IsSet:
		b.value([]Arg{plainArg}, true)
	case p.Repl != nil:
		b.w.word(b.st, b.f, p.Repl.Orig)
		b.w.word(b.st, b.f, p.Repl.With)
		b.unknown("${"+name+"/…}", !quoted)
	case p.Slice != nil || len(p.Modifiers) > 0:
		b.unknown("${"+name+":…}", !quoted)
	case p.Exp != nil:
		b.operation(p, name, quoted)
	default:
		items := b.lookup(p, name)
		if quoted && (name == "@" || p.Index != nil && arrayWord(p.Index) == "@") {
			b.fields(items)
			return
		}
		if quoted && len(items) > 1 { // "$*" and "${x[*]}" are one word
			one := Arg{Text: joinArgs(items), Unknown: b.st.ifs}
			for _, it := range items {
				one.Unknown = one.Unknown || it.Unknown
				one.Glob = one.Glob || it.Glob
			}
			items = []Arg{one}
		}
		b.value(items, quoted)
	}
}

// arrayWord returns @ or * for ${x[@]} and ${x[*]}.
func arrayWord(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// lookup returns the value of a variable: several items for an array or $@.
func (b *fieldBuilder) lookup(p *syntax.ParamExp, name string) []Arg {
	items := b.st.lookup(b.w.at.Home, name)
	if p.Index == nil {
		if v, ok := b.st.get(name); ok && v.array && len(items) > 1 {
			return items[:1]
		}
		return items
	}
	switch v, ok := b.st.get(name); {
	case !ok || !v.array:
		return []Arg{{Text: "${" + name + "[…]}", Unknown: true, many: true}}
	case arrayWord(p.Index) == "@" || arrayWord(p.Index) == "*":
		return items
	}
	return []Arg{{Text: "${" + name + "[…]}", Unknown: true}}
}

// lookup returns what a variable or a special parameter holds.
func (st *state) lookup(home, name string) []Arg {
	if v, ok := st.get(name); ok {
		return v.value
	}
	switch name {
	case "HOME":
		if home != "" {
			return []Arg{{Text: home}}
		}
	case "PWD":
		if st.dir != "" && st.alt == "" {
			return []Arg{{Text: st.dir}}
		}
	case "@", "*":
		if st.paramsKnown {
			return st.params
		}
		return []Arg{{Text: "$" + name, Unknown: true, many: true}}
	case "#", "?", "$", "!", "-", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID",
		"HOSTNAME", "USER", "LOGNAME", "EPOCHSECONDS", "SHLVL", "OSTYPE", "MACHTYPE", "HOSTTYPE", "BASH_VERSION":
		return []Arg{plainArg}
	case "IFS":
		return []Arg{{Text: " "}}
	}
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' && st.paramsKnown {
		return positional(st.params, int(name[0]-'1'))
	}
	return []Arg{{Text: "$" + name, Unknown: true}}
}

// positional returns the parameter at index i. Behind one that may be several
// words, nobody knows which it is.
func positional(params []Arg, i int) []Arg {
	before := params[:min(i+1, len(params))]
	switch {
	case !slices.ContainsFunc(before, several):
		return params[min(i, len(params)):len(before)]
	case len(params) == 1:
		return params
	}
	return []Arg{{Text: "$" + string(rune('1'+i)), Unknown: true}}
}

// withoutFirst drops the first parameter; one that may be several words stays,
// for the others of them.
func withoutFirst(params []Arg) []Arg {
	if several(params[0]) {
		return params
	}
	return params[1:]
}

// several reports whether an argument may be more than one word, or none.
func several(a Arg) bool { return a.many || a.Glob }

// operation handles ${x:-y}, ${x:=y}, ${x:+y}, ${x:?y}, ${x%y}, ${x@P} …
func (b *fieldBuilder) operation(p *syntax.ParamExp, name string, quoted bool) {
	items := b.lookup(p, name)
	known := len(items) == 0 || !items[0].Unknown
	empty := len(items) == 0 || len(items) == 1 && items[0].Text == "" && known
	v, assigned := b.st.get(name)
	missing := len(items) == 0 || assigned && len(v.value) == 0 // unset, which is not the same as empty
	switch op := p.Exp.Op; op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		orNull := op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull
		assign := op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull
		switch {
		case !known && !assigned && name == "TMPDIR": // wherever that is, it is for temporary files
			b.inner(p.Exp.Word, quoted)
		case !known: // it may come from outside: judge by the word, and do not trust it
			other := b.w.word(b.st, b.f, p.Exp.Word)
			if assign {
				kept := other
				kept.Unknown = true
				b.st.set(name, kept)
			}
			other.Unknown, other.many = true, !quoted
			b.value([]Arg{other}, quoted)
		case missing || empty && orNull:
			if assign {
				b.st.set(name, b.w.word(b.st, b.f, p.Exp.Word))
			}
			b.inner(p.Exp.Word, quoted)
		default:
			b.w.word(b.st, b.f, p.Exp.Word)
			b.value(items, quoted)
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch {
		case !known:
			other := b.w.word(b.st, b.f, p.Exp.Word)
			other.Unknown, other.many = true, !quoted
			b.value([]Arg{other}, quoted)
		case missing || empty && op == syntax.AlternateUnsetOrNull:
			b.w.word(b.st, b.f, p.Exp.Word)
		default:
			b.inner(p.Exp.Word, quoted)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		b.w.word(b.st, b.f, p.Exp.Word)
		b.value(items, quoted)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		b.trimmed(items, b.w.word(b.st, b.f, p.Exp.Word), p.Exp.Op == syntax.RemLargeSuffix, quoted)
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		b.w.word(b.st, b.f, p.Exp.Word)
		b.unknown("${"+name+"^}", !quoted)
	default:
		if p.Exp.Word != nil {
			if b.w.word(b.st, b.f, p.Exp.Word).Text == "P" {
				b.evaluated(items)
				b.cur.extra = &argExtra{why: "${" + name + "@P} runs the commands in its value"}
			}
		}
		b.unknown("${"+name+p.Exp.Op.String()+"…}", !quoted)
	}
}

// inner appends the word of ${x:-word}, which has quotes of its own.
func (b *fieldBuilder) inner(word *syntax.Word, quoted bool) {
	if word == nil {
		return
	}
	for i, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		switch {
		case ok && i == 0 && !quoted && strings.HasPrefix(lit.Value, "~"):
			b.tilde(lit.Value, len(word.Parts) == 1)
		case ok && !quoted && !b.whole && !strings.Contains(lit.Value, `\`):
			b.splitText(lit.Value)
		default:
			b.part(p, quoted)
		}
	}
}

// evaluated follows the commands in values that the shell evaluates again.
func (b *fieldBuilder) evaluated(items []Arg) {
	for _, it := range items {
		b.w.evaluate(b.st, b.f, b.span, it)
	}
}

// evaluate follows the substitutions in a text that the shell expands once
// more: the subscript of an array in an arithmetic expression, a prompt.
func (w *walker) evaluate(st *state, f *frame, span Span, a Arg) {
	if a.Unknown || !strings.Contains(a.Text, "$(") && !strings.Contains(a.Text, "`") {
		return
	}
	inner := *f
	inner.nested, inner.folded = true, false
	w.opaqueAt(&inner, span, "text is evaluated once more: "+short(a.Text))
	w.script(st.fork(), &inner, ": "+strings.NewReplacer("'", "", "\"", "").Replace(a.Text), span, true)
	if last := len(w.commands) - 1; len(w.commands[last].Args) > 0 && w.commands[last].Args[0].Text == ":" {
		w.commands = w.commands[:last] // it only held the text
	}
}

// trimmed is the value of ${x%suffix}.
func (b *fieldBuilder) trimmed(items []Arg, suffix Arg, large, quoted bool) {
	if len(items) != 1 || items[0].Unknown || suffix.Unknown {
		b.unknown("${…%…}", !quoted)
		return
	}
	text := items[0].Text
	if items[0].Glob {
		if strings.ContainsAny(suffix.Text, "/*?[") {
			b.unknown("${…%…}", !quoted)
			return
		}
		// A file of the same folder.
		dir := path.Dir(text)
		if dir == "." && !strings.HasPrefix(text, "./") {
			text = "*"
		} else {
			text = dir + "/*"
		}
		b.value([]Arg{{Text: text, Glob: true}}, quoted)
		return
	}
	if strings.Contains(suffix.Text, "[") {
		b.unknown("${…%…}", !quoted)
		return
	}
	if len(text)*max(1, len(suffix.Text)) > 1<<12 || !b.w.spend(len(text)) { // each end is compared
		b.unknown("${…%…}", !quoted)
		return
	}
	best := -1
	for i := len(text); i >= 0; i-- {
		if matchStars(suffix.Text, text[i:]) {
			best = i
			if !large {
				break
			}
		}
	}
	if best >= 0 {
		text = text[:best]
	}
	b.value([]Arg{{Text: text}}, quoted)
}

// substitute walks $(…) and returns the words it prints, as far as known.
func (w *walker) substitute(st *state, f *frame, c *syntax.CmdSubst) []Arg {
	inner := *f
	inner.nested = true
	inner.folded = false
	inner.pipe, inner.pipeLen = 0, 1
	sub := st.fork()
	sub.errexit = false // Bash does not pass it on
	out := w.stmts(sub, &inner, c.Stmts)
	if len(c.Stmts) == 0 {
		return nil
	}
	return w.contentOf(sub, c.Stmts, out).words()
}

// A procSubst is what stands behind <(…) or >(…).
type procSubst struct {
	fed     bool // >(…): it reads what the command writes
	talks   bool // something in it talks to others
	printed stream
}

func (w *walker) process(st *state, f *frame, p *syntax.ProcSubst) *procSubst {
	inner := *f
	inner.nested = true
	inner.folded = false
	inner.pipe, inner.pipeLen = 0, 1
	if p.Op == syntax.CmdOut {
		inner.stdin = &stream{kind: streamUnknown}
	}
	before := len(w.commands)
	out := &procSubst{fed: p.Op == syntax.CmdOut, printed: w.stmts(st.fork(), &inner, p.Stmts)}
	for _, c := range w.commands[before:] {
		out.talks = out.talks || c.Effects&(Network|Publishes) != 0
	}
	return out
}

// arithm walks the substitutions in an arithmetic expression and forgets the
// variables it assigns.
func (w *walker) arithm(st *state, f *frame, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		a := w.word(st, f, x)
		for name, n := a.Text, 0; n < 8; n++ { // a name: its value counts, which may be a name again
			v, ok := st.get(name)
			if !ok || len(v.value) == 0 || v.value[0].Unknown {
				break
			}
			w.evaluate(st, f, f.at(x), v.value[0])
			name = v.value[0].Text
		}
		if !a.Unknown {
			w.evaluate(st, f, f.at(x), a)
		}
	case *syntax.BinaryArithm:
		if name, ok := x.X.(*syntax.Word); ok && assigns(x.Op) && name.Lit() != "" {
			st.set(name.Lit(), plainArg)
		}
		w.arithm(st, f, x.X)
		w.arithm(st, f, x.Y)
	case *syntax.UnaryArithm:
		if name, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			st.set(name.Lit(), plainArg)
		}
		w.arithm(st, f, x.X)
	case *syntax.ParenArithm:
		w.arithm(st, f, x.X)
	case *syntax.FlagsArithm:
		w.arithm(st, f, x.X)
	}
}

func assigns(op syntax.BinAritOperator) bool {
	s := op.String()
	return strings.HasSuffix(s, "=") && s != "==" && s != "!=" && s != "<=" && s != ">="
}

// testExpr walks the substitutions in [[ … ]].
func (w *walker) testExpr(st *state, f *frame, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.word(st, f, x)
	case *syntax.BinaryTest:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if word, ok := side.(*syntax.Word); ok && arithmeticTest(x.Op) {
				w.arithm(st, f, word)
			} else {
				w.testExpr(st, f, side)
			}
		}
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && x.Op == syntax.TsVarSet {
			w.evaluate(st, f, f.at(word), w.word(st, f, word))
			return
		}
		w.testExpr(st, f, x.X)
	case *syntax.ParenTest:
		w.testExpr(st, f, x.X)
	}
}

// arithmeticTest reports whether a test compares numbers.
func arithmeticTest(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// plainArg stands for text that is not known but is one word without a slash: a
// number, a date. Judged like a pattern, it stays in the folder it stands in.
var plainArg = Arg{Text: "*", Unknown: true, Glob: true, plain: true}
