package shell

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is analysed. Beyond the first two a command line is refused;
// beyond the others what is left is opaque.
const (
	MaxLength = 128 << 10 // bytes of a command line
	MaxDepth  = 100       // nesting of its constructs

	maxWords    = 1000    // words that one expansion may yield
	maxCommands = 4000    // commands of one analysis
	maxSteps    = 1 << 17 // statements and words of one analysis
	maxNested   = 12      // scripts inside scripts, functions inside functions
	maxLooks    = 64      // questions to the Machine
	maxFileSize = 1 << 20
)

// Errors that Analyze returns for a command line it does not read.
var (
	ErrTooLong = errors.New("command line is longer than 131072 bytes")
	ErrTooDeep = errors.New("command line is nested deeper than 100 levels")
	ErrPlace   = errors.New("invalid place")
)

// Analyze says what the command line src would do if a shell ran it at that
// place. It returns an error only for a command line or a place that it
// refuses to read: [ErrTooLong], [ErrTooDeep], [ErrPlace]. A script with a
// syntax error is not an error but an opaque, dangerous analysis, because a
// shell may run the part before it.
func Analyze(src string, at Place) (*Analysis, error) {
	if err := checkPlace(&at); err != nil {
		return nil, err
	}
	if len(src) > MaxLength {
		return nil, fmt.Errorf("%w: it has %d", ErrTooLong, len(src))
	}
	if pos, depth := deepest(src); depth > MaxDepth {
		return nil, fmt.Errorf("%w at byte %d", ErrTooDeep, pos)
	}
	run := runs.Get().(*run)
	defer run.release()
	run.w = walker{at: at, commands: maxCommands}
	run.st = state{dir: at.Dir}
	run.f = frame{via: -1, pipeLen: 1, span: Span{0, len(src)}}
	run.w.visits.free = append(run.visits[:0], &run.visit)
	run.w.scratch.free = append(run.scraps[:0], &run.scratch)

	out := &Analysis{Risk: Safe, Commands: make([]Command, 0, likely(src))}
	run.w.out = out
	run.w.script(&run.st, &run.f, src, Span{0, len(src)}, false)
	run.w.trapsAt(&run.st)
	run.w.uncalled()
	for i := range out.Commands {
		c := &out.Commands[i]
		out.Risk = min(out.Risk, c.Risk)
		out.Effects |= c.Effects
	}
	if out.Opaque != "" {
		out.Risk = min(out.Risk, Dangerous)
	}
	return out, nil
}

// likely estimates how many commands a text has, so that room for them is made
// once.
func likely(src string) int {
	n := 1
	for i := 0; i < len(src) && n < 16; i++ {
		if c := src[i]; c == '|' || c == ';' || c == '(' || c == '\n' || c == '&' && i > 0 && src[i-1] == '&' {
			n++
		}
	}
	return n
}

// A run is what one analysis needs, in one piece and kept for the next one.
// Nothing of it is part of the result.
type run struct {
	w       walker
	st      state
	f       frame
	visit   visit
	scratch Command
	visits  [4]*visit
	scraps  [4]*Command
}

var runs = sync.Pool{New: func() any { return new(run) }}

func (r *run) release() {
	*r = run{}
	runs.Put(r)
}

func checkPlace(at *Place) error {
	if !path.IsAbs(at.Dir) {
		return fmt.Errorf("%w: the working directory %q is not absolute", ErrPlace, at.Dir)
	}
	if at.Home != "" && !path.IsAbs(at.Home) {
		return fmt.Errorf("%w: the home folder %q is not absolute", ErrPlace, at.Home)
	}
	at.Dir = path.Clean(at.Dir)
	if at.Home != "" {
		at.Home = path.Clean(at.Home)
	}
	if len(at.Workspace) == 0 {
		at.Workspace = []string{at.Dir}
		return nil
	}
	roots := make([]string, len(at.Workspace))
	for i, root := range at.Workspace {
		if !path.IsAbs(root) {
			return fmt.Errorf("%w: the workspace %q is not absolute", ErrPlace, root)
		}
		roots[i] = path.Clean(root)
	}
	at.Workspace = roots
	return nil
}

// parsers are kept: a new one costs as much as reading a short command.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

func parse(src string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	return p.Parse(strings.NewReader(src), "")
}

// script analyses a text as a shell would run it. Nested says that src is not
// the source itself but text found in it, which stands at span.
func (w *walker) script(st *state, f *frame, src string, span Span, nested bool) stream {
	if nested {
		if f.depth >= maxNested {
			w.opaqueAt(f, span, "scripts are nested too deeply")
			return stream{}
		}
		if len(src) > MaxLength {
			w.opaqueAt(f, span, "nested script is too long")
			return stream{}
		}
		if _, depth := deepest(src); depth > MaxDepth {
			w.opaqueAt(f, span, "nested script is nested too deeply")
			return stream{}
		}
		inner := *f
		inner.depth++
		inner.span, inner.fixed = span, true
		inner.direct, inner.fetched = false, false
		f = &inner
	}
	if strings.Contains(src, "\\\r") {
		return w.carriageReturn(st, f, src, span)
	}
	file, err := parse(src)
	if err != nil {
		return w.unparsed(st, f, src, span, err)
	}
	if mended := withoutFalseComments(src); mended != src {
		inner := *f
		inner.span, inner.fixed = span, true
		w.script(st.fork(), &inner, mended, span, false)
		w.opaqueAt(f, span, "what stands behind a # may be a comment or not")
	}
	return w.stmts(st, f, file.Stmts)
}

// carriageReturn handles a backslash in front of a carriage return. The parser
// takes it with the newline behind it for a line that goes on; a shell ends the
// line there and runs the next one.
func (w *walker) carriageReturn(st *state, f *frame, src string, span Span) stream {
	reason := "a backslash stands in front of a carriage return"
	if !f.fixed {
		w.out.Opaque = reason
	}
	inner := *f
	inner.span, inner.fixed = span, true
	w.script(st, &inner, strings.ReplaceAll(src, "\\\r", " "), span, false)
	w.opaqueAt(f, span, reason)
	return stream{kind: streamUnknown}
}

// unparsed reports a text that is not a valid script. What can still be read
// from its first line on is reported too: a shell would run it.
func (w *walker) unparsed(st *state, f *frame, src string, span Span, err error) stream {
	reason := "it does not parse as a shell script: " + err.Error()
	if !f.fixed {
		w.out.Opaque = reason
	}
	var first []*syntax.Stmt
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(8))
	if file, rerr := p.Parse(strings.NewReader(src), ""); rerr == nil && file != nil {
		first = file.Stmts
	}
	if len(first) > 0 && recovered(first) {
		w.stmts(st, f, first)
	}
	w.opaqueAt(f, span, reason)
	return stream{}
}

// recovered reports whether statements that the parser mended can be walked:
// it leaves nodes without content where it gave up.
func recovered(stmts []*syntax.Stmt) bool {
	whole := true
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				whole = whole && n.Word != nil && len(n.Word.Parts) > 0
			case *syntax.Stmt:
				whole = whole && n.Cmd != nil
			case *syntax.Word:
				whole = whole && len(n.Parts) > 0
			}
			return whole
		})
	}
	return whole
}
