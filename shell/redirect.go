package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects evaluates redirections and returns what the command can read from
// its standard input, if something is known of it.
func (w *walker) redirects(st *state, f *frame, c *Command, list []*syntax.Redirect) *stream {
	var stdin *stream
	for _, r := range list {
		var input *stream
		target := w.word(st, f, r.Word)
		red := Redirect{Op: r.Op.String(), Target: target}
		if r.N != nil {
			red.Fd = r.N.Value
		}
		if host := socketOf(target); host != "" && red.Fd != "" {
			if w.sockets == nil {
				w.sockets = map[string]string{}
			}
			w.sockets[red.Fd] = host
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body := w.document(st, f, r)
			red.Target = body
			input = textStream(body, "")
		case syntax.WordHdoc:
			input = textStream(target, "\n")
		case syntax.RdrIn:
			input = w.input(st, c, target)
		case syntax.RdrInOut:
			w.touch(st, c, target, Read, false)
			w.touch(st, c, target, Write, false)
			input = &stream{kind: streamUnknown}
		case syntax.DplIn, syntax.DplOut:
			switch open := isDescriptor(target.Text) && w.sent(c, strings.TrimSuffix(target.Text, "-")); {
			case !isDescriptor(target.Text):
				w.touch(st, c, target, Write, false)
			case r.Op == syntax.DplIn && open:
				input = &stream{kind: streamNetwork}
			case r.Op == syntax.DplIn: // <&3: something else that is open
				input = &stream{kind: streamUnknown}
			}
		default:
			w.touch(st, c, target, Write, false)
		}
		c.Redirects = append(c.Redirects, red)
		if input != nil && (red.Fd == "" || red.Fd == "0") {
			stdin = input
		}
	}
	for i := range c.Paths { // the program has not touched any yet
		c.Paths[i].Redirect = true
	}
	return stdin
}

// document is the text of a here-document: as it stands if the delimiter is
// quoted in any way, and otherwise like text in double quotes.
func (w *walker) document(st *state, f *frame, r *syntax.Redirect) Arg {
	if r.Hdoc == nil {
		return Arg{}
	}
	quoted := len(r.Word.Parts) > 1
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(lit.Value, `\`)
	}
	if strings.Contains(valueOfWord(r.Word), "$") {
		w.opaqueAt(f, f.at(r.Word), "where the here-document ends depends on the shell")
	}
	if !quoted {
		w.overrun(st, f, r)
		b := fieldBuilder{w: w, st: st, f: f, span: f.at(r.Hdoc), whole: true}
		b.parts(r.Hdoc.Parts, true)
		return b.take()
	}
	var text textBuffer
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok { // the parser has read more into it than the shell does
			return Arg{Text: "…", Unknown: true, many: true, Span: f.at(r.Hdoc)}
		}
		text.add(lit.Value)
	}
	return Arg{Text: text.text(), Span: f.at(r.Hdoc)}
}

// input is < file or < <(…).
func (w *walker) input(st *state, c *Command, target Arg) *stream {
	if target.proc() != nil {
		return &target.proc().printed
	}
	before := len(c.Paths)
	w.touch(st, c, target, Read, false)
	in := stream{kind: streamUnknown}
	if texts := w.textOfFile(resolve(target.Text, st.dir)); len(texts) == 1 && !target.Unknown && !target.Glob {
		in = texts[0]
	}
	in.secret = w.secretAmong(c.Paths[before:])
	return &in
}

// contentOf is what $(< file) gives: the content of the file, if the script or the
// session has written it; of other statements it is what they print.
func (w *walker) contentOf(st *state, stmts []*syntax.Stmt, printed stream) stream {
	if len(stmts) != 1 || stmts[0].Cmd != nil || len(w.commands) == 0 {
		return printed
	}
	list := w.commands[len(w.commands)-1].Redirects
	if len(list) != 1 || list[0].Op != "<" || list[0].Fd != "" || list[0].Target.Unknown {
		return printed
	}
	if texts := w.textOfFile(resolve(list[0].Target.Text, st.dir)); len(texts) == 1 {
		texts[0].secret = printed.secret
		return texts[0]
	}
	return printed
}

func textStream(a Arg, end string) *stream {
	if a.Unknown {
		return &stream{kind: max(streamUnknown, a.from), secret: a.secret()}
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
		if r.Op[0] != '<' && (r.Fd == "" || r.Fd == "1") && r.comesBack() {
			return stream{kind: streamUnknown}
		}
		if (r.Fd == "" || r.Fd == "1") && (r.Op == ">" || r.Op == ">>" || r.Op == "&>" || r.Op == "&>>" || r.Op == ">|") {
			return stream{}
		}
	}
	return s
}

// comesBack reports whether what is written to the target may still reach the
// standard output.
func (r *Redirect) comesBack() bool {
	t := &r.Target
	return t.proc() != nil || t.Unknown || strings.HasPrefix(t.Text, "/dev/") && t.Text != "/dev/null" || strings.HasPrefix(t.Text, "/proc/")
}

func valueOfWord(word *syntax.Word) string {
	text := ""
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text += p.Value
		case *syntax.SglQuoted:
			if p.Dollar {
				text += "$"
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				text += "$"
			}
		}
	}
	return text
}

// overrun looks for a line that ends a here-document for a shell while the
// parser reads on: inside an expansion that is not closed, or put together by a
// backslash at the end of a line. What follows it is run.
func (w *walker) overrun(st *state, f *frame, r *syntax.Redirect) {
	start, end := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	delim := r.Word.Lit()
	if start < 0 || end > len(f.src) || start >= end || delim == "" {
		return
	}
	body := f.src[start:end]
	for _, text := range [...]string{body, strings.ReplaceAll(body, "\\\n", "")} {
		for line, rest, more := "", text, true; more; {
			line, rest, more = strings.Cut(rest, "\n")
			if r.Op == syntax.DashHdoc {
				line = strings.TrimLeft(line, "\t")
			}
			if line == delim && strings.TrimSpace(rest) != "" {
				w.opaqueAt(f, f.at(r.Hdoc), "the here-document may end earlier")
				w.script(st.fork(), f, rest, f.at(r.Hdoc), true)
				return
			}
		}
	}
}

// feeds reports whether a redirection gives a command its standard input.
func feeds(list []Redirect) bool {
	for i := range list {
		if r := &list[i]; len(r.Op) > 0 && r.Op[0] == '<' && (r.Fd == "" || r.Fd == "0") {
			return true
		}
	}
	return false
}
