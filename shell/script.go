package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
	f.src = src
	if strings.IndexByte(src, '\\') >= 0 {
		if reading, reason := asShell(src); reason != "" {
			return w.readTwice(st, f, reading, reason)
		}
		src = withoutLongComments(src)
	}
	file, err := w.parse(src)
	if err != nil {
		return w.unparsed(st, f, src, err)
	}
	if mended := withoutFalseComments(src); mended != src {
		w.readAs(st.fork(), f, mended, syntax.LangBash)
		w.opaqueAt(f, f.span, "what stands behind a # may be a comment or not")
	}
	if f.old && onlyInBash(src) {
		w.readAs(st.fork(), f, src, syntax.LangPOSIX)
	}
	return w.stmts(st, f, file.Stmts)
}

// asShell returns a text as a shell reads it, and why the parser does not.
func asShell(src string) (string, string) {
	switch {
	case strings.Contains(src, "\\\r"):
		return strings.ReplaceAll(src, "\\\r", " "), "a backslash stands in front of a carriage return"
	case strings.Contains(src, "$\\\n"):
		return strings.ReplaceAll(src, "\\\n", ""), "a line goes on behind a dollar sign"
	}
	return src, ""
}

// readTwice handles a text that the parser and a shell read in different ways,
// given as a shell reads it.
func (w *walker) readTwice(st *state, f *frame, asShell, reason string) stream {
	if !f.fixed {
		w.opaque = reason
	}
	w.readAs(st, f, asShell, syntax.LangBash)
	w.opaqueAt(f, f.span, reason)
	return stream{kind: streamUnknown}
}

// readAs walks another reading of the script; where its commands stand in the
// source is not known.
func (w *walker) readAs(st *state, f *frame, src string, lang syntax.LangVariant) {
	inner := *f
	inner.fixed, inner.src = true, src
	p := syntax.NewParser(syntax.Variant(lang))
	file, err := p.Parse(strings.NewReader(src), "")
	if err != nil {
		w.opaqueAt(&inner, f.span, "another shell may read it in another way: "+err.Error())
		return
	}
	w.stmts(st, &inner, file.Stmts)
}

// onlyInBash reports whether a text has something that a plain sh takes for
// something else, such as [[ x > file ]] or $'…'.
func onlyInBash(src string) bool {
	for _, sign := range [...]string{"$'", `$"`, "[[", "((", "&>", ">&", "<<<", "|&", "function", "{", "<(", ">(", "\\x", "\\u", "\\e"} {
		if strings.Contains(src, sign) {
			return true
		}
	}
	return false
}

// unparsed reports a text that is not a valid script. What can still be read
// from its first line on is reported too: a shell would run it.
func (w *walker) unparsed(st *state, f *frame, src string, err error) stream {
	reason := "it does not parse as a shell script: " + err.Error()
	if !f.fixed {
		w.opaque = reason
	}
	w.stmts(st, f, readable(src))
	w.opaqueAt(f, f.span, reason)
	return stream{}
}

// readable returns the statements of a text that does not parse: all of them
// if the parser can mend it, else those in front of the mistake.
func readable(src string) []*syntax.Stmt {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(8))
	if file, err := p.Parse(strings.NewReader(src), ""); err == nil && recovered(file.Stmts) {
		return file.Stmts
	}
	var before []*syntax.Stmt
	p = syntax.NewParser(syntax.Variant(syntax.LangBash))
	whole := true
	for s, err := range p.StmtsSeq(strings.NewReader(src)) { // which goes on after a break
		whole = whole && err == nil && recovered([]*syntax.Stmt{s})
		if whole {
			before = append(before, s)
		}
	}
	return before
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
				whole = whole && (n.Cmd != nil || len(n.Redirs) > 0)
			case *syntax.Word:
				whole = whole && len(n.Parts) > 0
			}
			return whole
		})
	}
	return whole
}
