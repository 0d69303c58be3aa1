package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A walker follows a script as a shell would run it, taking both branches of
// every condition, and collects the commands.
type walker struct {
	at       Place
	commands []*Command // found so far
	room     int        // how many more may be reported
	opaque   string     // why the whole script cannot be known
	steps    int        // statements and words that were walked
	looks    int        // how often the Machine was asked
	stopped  bool
	items    bool // commands run with words that are read
	visits   freeList[visit]
	fresh    []Command // of the result
	spare    freeList[Command]
	args     slab[Arg]
	paths    slab[Path]
	words    slab[string]
	stages   slab[stage]
	text     []byte // where a sentence is put together
	parser   *syntax.Parser
	src      strings.Reader // what it reads
	*trail
}

// A trapped is the text of a trap, which runs later.
type trapped struct {
	v       visit
	text    Arg
	anytime bool // not only at the end
}

// A definition is a function and what was known where it was defined.
type definition struct {
	function
	st state
	f  frame
}

// A frame is where in the structure of the script the walker stands.
type frame struct {
	pipe, pipeLen int
	background    bool
	nested        bool
	elsewhere     bool
	folded        bool // sentences of commands here are part of the wrapper's
	via           int
	depth         int    // scripts and functions around this one
	scripts       int    // package scripts around this one
	src           string // the text of the script
	span          Span   // of the script; of all its commands, if fixed
	fixed         bool
	old           bool    // the shell that runs it may know less than Bash
	lenient       bool    // set -e does not count: the result is looked at
	fetched       bool    // a package that npx and its like fetch
	connected     bool    // its standard input and output are a connection: nc -e
	direct        bool    // started by a program, which knows no builtin
	captured      bool    // what it prints goes into a pipe
	stdin         *stream // what the command can read, if something is known
}

func (f *frame) at(n syntax.Node) Span {
	if f.fixed {
		return f.span
	}
	start, end := n.Pos(), n.End()
	if !start.IsValid() || !end.IsValid() || start.After(end) { // mended by the parser
		return f.span
	}
	return Span{int(start.Offset()), int(end.Offset())}
}

// atLit is at for a part of a word, without the way through the interface.
func (f *frame) atLit(lit *syntax.Lit) Span {
	if f.fixed || !lit.ValuePos.IsValid() || lit.ValuePos.After(lit.ValueEnd) {
		return f.span
	}
	return Span{int(lit.ValuePos.Offset()), int(lit.ValueEnd.Offset())}
}

// stmts walks statements one after the other and returns what they print.
func (w *walker) stmts(st *state, f *frame, list []*syntax.Stmt) stream {
	var out stream
	for i, s := range list {
		got := w.stmt(st, f, s)
		if st.errexit && st.cd && !f.lenient { // a cd that failed would have ended the script
			st.alt, st.far, st.cd = "", "", false
		}
		if i == 0 {
			out = got
		} else {
			out = out.then(got)
		}
		if st.ended {
			break
		}
	}
	return out
}

func (w *walker) stmt(st *state, f *frame, s *syntax.Stmt) stream {
	if w.stopped || !w.spend(1) {
		return stream{}
	}
	if s.Background || s.Coprocess || s.Disown {
		inner := *f
		inner.background = true
		f = &inner
		st = st.fork() // a background command does not change this shell
	}
	if s.Negated && !f.lenient {
		f.lenient = true
		out := w.stmt(st, f, s)
		f.lenient = false
		return out
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return w.callStmt(st, f, s, call)
	}
	var block *Command
	if s.Cmd == nil || len(s.Redirs) > 0 {
		f, block = w.redirectBlock(st, f, s)
	}
	if s.Cmd == nil { // $(<file) prints the file
		return stream{kind: streamUnknown, secret: w.secretAmong(block.Paths)}
	}
	before := w.shown
	out := w.command(st, f, s.Cmd)
	if w.shown != before && out.secret == 0 { // somewhere inside
		out.secret = w.last
	}
	if block != nil && block.Effects.Has(Writes) {
		w.fills(block, stream{}, out)
	}
	return out
}

// command walks everything but a simple command.
func (w *walker) command(st *state, f *frame, cmd syntax.Command) stream {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(st, f, c)
	case *syntax.Block:
		return w.stmts(st, f, c.Stmts)
	case *syntax.Subshell:
		return w.stmts(st.fork(), f, c.Stmts)
	case *syntax.IfClause:
		return w.ifClause(st, f, c)
	case *syntax.WhileClause:
		return w.loop(st, f, func(body *state) {
			w.condition(body, f, c.Cond)
			w.stmts(body, f, c.Do)
		}, c)
	case *syntax.ForClause:
		return w.forClause(st, f, c)
	case *syntax.CaseClause:
		return w.caseClause(st, f, c)
	case *syntax.FuncDecl:
		if c.Name != nil && c.Body != nil {
			w.define(st, f, c)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(st, f, c.Stmt)
		}
	case *syntax.CoprocClause:
		inner := *f
		inner.background = true
		return w.stmt(st.fork(), &inner, c.Stmt)
	case *syntax.DeclClause:
		return w.declClause(st, f, c)
	case *syntax.TestClause:
		w.testExpr(st, f, c.X)
	case *syntax.ArithmCmd:
		w.arithm(st, f, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			w.arithm(st, f, x)
		}
	default:
		w.opaqueAt(f, f.at(cmd), "a construct that is not understood")
	}
	return stream{}
}

// condition walks statements whose result is looked at.
func (w *walker) condition(st *state, f *frame, list []*syntax.Stmt) {
	outer := f.lenient
	f.lenient = true
	w.stmts(st, f, list)
	f.lenient = outer
}

// binary walks a list or a pipeline. Long ones lean to the left, so the
// operands are collected first instead of recursing into each.
func (w *walker) binary(st *state, f *frame, b *syntax.BinaryCmd) stream {
	if b.Op == syntax.Pipe || b.Op == syntax.PipeAll {
		var buf [4]*syntax.Stmt
		return w.pipeline(st, f, flattenPipe(b, buf[:0]))
	}
	var buf [8]*syntax.BinaryCmd
	links := append(buf[:0], b)
	left := b.X
	for {
		x, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || len(left.Redirs) > 0 || left.Background || x.Op == syntax.Pipe || x.Op == syntax.PipeAll {
			break
		}
		links = append(links, x)
		left = x.X
	}
	// What follows && sees the shell after success, what follows || after a
	// failure; both are known at the end.
	outer := f.lenient
	f.lenient = true // the result of all but the last is looked at
	out := w.stmt(st, f, left)
	var failed, also state
	st.split(left.Negated, &failed)
	for i := len(links) - 1; i >= 0; i-- {
		l := links[i]
		f.lenient = outer || i > 0
		if l.Op == syntax.AndStmt {
			out = out.then(w.stmt(st, f, l.Y))
			st.split(l.Y.Negated, &also)
			failed.join(&also)
			continue
		}
		branch := failed.fork()
		out = out.then(w.stmt(branch, f, l.Y))
		st.join(branch)
		failed = *st // whether it succeeded or not does not matter any more
		failed.clip()
	}
	st.join(&failed)
	return out
}

func flattenPipe(b *syntax.BinaryCmd, out []*syntax.Stmt) []*syntax.Stmt {
	for _, side := range [...]*syntax.Stmt{b.X, b.Y} {
		inner, ok := side.Cmd.(*syntax.BinaryCmd)
		if ok && len(side.Redirs) == 0 && !side.Negated && (inner.Op == syntax.Pipe || inner.Op == syntax.PipeAll) {
			out = flattenPipe(inner, out)
		} else {
			out = append(out, side)
		}
	}
	return out
}

// A stage is one part of a pipeline.
type stage struct {
	f   frame
	st  state
	out stream
}

func (w *walker) pipeline(st *state, f *frame, parts []*syntax.Stmt) stream {
	stages := w.stages.take(len(parts))[:len(parts)]
	for i, s := range parts {
		g := &stages[i]
		g.f, g.st = *f, *st
		g.st.clip() // each part is a subshell
		g.f.pipe, g.f.pipeLen = i, len(parts)
		g.f.captured = f.captured || i < len(parts)-1
		if i > 0 {
			g.f.stdin = &stages[i-1].out
		}
		g.out = w.stmt(&g.st, &g.f, s)
	}
	last := &stages[len(parts)-1]
	if st.shopt { // lastpipe: the last part runs in this shell
		st.join(&last.st)
	}
	return last.out
}

func (w *walker) ifClause(st *state, f *frame, c *syntax.IfClause) stream {
	// The branches of a long chain are walked in a loop, not recursively.
	var ends []*state
	for {
		w.condition(st, f, c.Cond)
		negated := len(c.Cond) > 0 && c.Cond[len(c.Cond)-1].Negated
		branch := st.fork()
		branch.split(negated, st)
		w.stmts(branch, f, c.Then)
		ends = append(ends, branch)
		if c.Else == nil {
			break
		}
		c = c.Else
		if !c.ThenPos.IsValid() { // a plain else
			w.stmts(st, f, c.Then)
			break
		}
	}
	for _, e := range ends {
		st.join(e)
	}
	return stream{kind: streamUnknown}
}

func (w *walker) caseClause(st *state, f *frame, c *syntax.CaseClause) stream {
	w.word(st, f, c.Word)
	before := st.fork()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.word(st, f, p)
		}
		branch := before.fork()
		branch.join(st) // ;& and ;;& fall through from the one before
		w.stmts(branch, f, item.Stmts)
		st.join(branch)
	}
	return stream{kind: streamUnknown}
}

// redirectBlock reports the redirections of a compound command, which belong
// to no simple command, and returns the frame for what is inside.
func (w *walker) redirectBlock(st *state, f *frame, s *syntax.Stmt) (*frame, *Command) {
	c := w.begin(f, f.at(s))
	stdin := w.redirects(st, f, c, s.Redirs)
	if len(c.Paths) > 0 || len(c.Opaque) > 0 {
		c.Dir = st.dir
		c.Sentence = redirectSentence(c)
		w.add(c)
	}
	if stdin == nil {
		return f, c
	}
	return f.fed(stdin), c
}

// fed is the same place with something to read.
func (f *frame) fed(stdin *stream) *frame {
	inner := *f
	inner.stdin = stdin
	return &inner
}

// begin starts a command at this place.
func (w *walker) begin(f *frame, span Span) *Command {
	c := w.blank()
	c.Span, c.Pipe, c.PipeLen, c.Background = span, f.pipe, f.pipeLen, f.background
	c.Nested, c.Elsewhere, c.Via, c.folded = f.nested, f.elsewhere, f.via, f.folded
	c.Risk = Safe
	return c
}

// copyOf is the same command once more, to be followed in another way.
func (w *walker) copyOf(c *Command) *Command {
	other := w.blank()
	*other = *c
	return other
}

// spend takes n from the work that one analysis may do. Nested loops multiply
// their bodies, so the length of the source alone is no bound.
func (w *walker) spend(n int) bool {
	w.steps += n
	if w.steps > maxSteps && !w.stopped {
		w.stop()
	}
	return !w.stopped
}

func (w *walker) stop() {
	w.stopped = true
	w.opaque = "it is too long to follow"
}

// add reports a command and returns its index.
func (w *walker) add(c *Command) int {
	if w.room == 0 && !w.stopped {
		w.stop()
	}
	if w.stopped {
		return -1
	}
	w.room--
	w.commands = append(w.commands, c)
	return len(w.commands) - 1
}

// opaqueAt reports something that cannot be known, as a command of its own.
func (w *walker) opaqueAt(f *frame, span Span, reason string) {
	c := w.begin(f, span)
	c.Risk = Dangerous
	c.Effects = Executes
	c.Opaque = []string{reason}
	c.Sentence = "Run something that cannot be known: " + reason
	w.add(c)
}
