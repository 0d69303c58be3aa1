package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// loop walks a body that may run any number of times: what it assigns is not
// known when it starts again.
func (w *walker) loop(st *state, f *frame, body func(*state), n syntax.Node) stream {
	if !w.spend(size(n) / 16) {
		return stream{}
	}
	before := st.fork()
	st.forget(n)
	w.enter()
	inner := st.fork()
	body(inner)
	again := st.fork()
	again.join(inner)
	w.leave(again)
	if !again.sameAs(st) { // a function or a wrapper changed the shell: the next turn starts there
		again.unknownVars(st)
		inner = again.fork()
		body(inner)
		again.join(inner)
	}
	*st = *again
	st.join(before)
	return stream{kind: streamUnknown}
}

// enter and leave stand around a function body or a loop: what return, break
// and continue know is known behind it, too.
func (w *walker) enter() { w.leaves = append(w.leaves, nil) }

func (w *walker) leave(st *state) {
	last := len(w.leaves) - 1
	for i := range w.leaves[last] {
		st.join(&w.leaves[last][i])
	}
	w.leaves = w.leaves[:last]
}

// jump notes the state where the innermost function or loop is left.
func (w *walker) jump(st *state) {
	last := len(w.leaves) - 1
	if last < 0 {
		return
	}
	if len(w.leaves[last]) == maxUnrolled {
		st.lose()
		return
	}
	kept := *st.fork()
	kept.ended = false
	for i := range w.leaves { // break 2 and return leave more than one
		if i == last || len(w.leaves[i]) < maxUnrolled {
			w.leaves[i] = append(w.leaves[i], kept)
		}
	}
}

// maxUnrolled is how many values of a loop variable are followed one by one.
const maxUnrolled = 16

func (w *walker) forClause(st *state, f *frame, c *syntax.ForClause) stream {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		loop := c.Loop.(*syntax.CStyleLoop)
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			w.arithm(st, f, x)
		}
		return w.loop(st, f, func(body *state) { w.stmts(body, f, c.Do) }, c)
	}
	items := st.params
	if iter.InPos.IsValid() {
		items = w.wordList(st, f, iter.Items)
	}
	if isSetting(iter.Name.Value) {
		w.opaqueAt(f, f.at(c.Loop), "a loop sets "+iter.Name.Value+", which programs go by")
	}
	for _, a := range items {
		if a.why() != "" {
			w.opaqueAt(f, f.at(c.Loop), a.why())
		}
	}
	if c.Select || len(items) > maxUnrolled || slices.ContainsFunc(items, func(a Arg) bool { return a.Unknown && a.many }) || !iter.InPos.IsValid() && !st.paramsKnown {
		items = []Arg{anyOf(items, "$"+iter.Name.Value)}
	}
	if v, ok := st.get(iter.Name.Value); ok && v.ref != "" { // the loop makes it stand for others
		st.lose()
	}
	return w.loop(st, f, func(body *state) {
		for _, item := range items {
			body.set(iter.Name.Value, item)
			w.stmts(body, f, c.Do)
		}
	}, c)
}

// anyOf is a word that is not known and one of several: it comes from where they
// come from, and may have in it what they have.
func anyOf(items []Arg, text string) Arg {
	out := Arg{Text: text, Unknown: true}
	for i := range items {
		out.from = max(out.from, items[i].from)
	}
	if secret := secretIn(items); secret != 0 {
		out.extra = &argExtra{secret: secret}
	}
	return out
}

// define makes a function known.
func (w *walker) define(st *state, f *frame, c *syntax.FuncDecl) {
	fn := function{name: c.Name.Value, body: c.Body, called: new(bool)}
	if len(st.funcs) < maxVars { // beyond, a call is one of an unknown command
		st.funcs = append(slices.Clip(st.funcs), fn)
	}
	if len(w.defined) < maxCommands {
		w.defined = append(w.defined, definition{fn, *st.fork(), *f})
		return
	}
	w.stop()
}

// uncalled walks the functions that were defined and never called, so that
// nothing in the script is left out.
func (w *walker) uncalled() {
	for i := 0; i < len(w.defined); i++ { // their bodies may define more
		d := &w.defined[i]
		if *d.called {
			continue
		}
		*d.called = true
		st, f := d.st, d.f
		st.params, st.paramsKnown = nil, false
		f.stdin = nil
		w.stmt(&st, &f, d.body)
	}
}

// trapsAt runs the traps with what is known where the script may end.
func (w *walker) trapsAt(end *state) {
	if len(w.traps) == 0 {
		return
	}
	final := end.fork()
	for i := range w.exits {
		final.join(&w.exits[i])
	}
	final.ended = false
	for i := 0; i < len(w.traps) && i < maxUnrolled; i++ { // a trap may set another
		t := &w.traps[i]
		t.v.st = final.fork()
		if t.anytime { // a signal may come before the last assignment
			t.v.st.lose()
			t.v.st.dir, t.v.st.alt = "", ""
		}
		t.v.c = w.commands[t.v.index]
		t.v.shell(t.text)
		t.v.c.Sentence = t.v.sentence()
	}
}
