package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wordList expands words as a shell would before it runs a command.
func (w *walker) wordList(st *state, f *frame, words []*syntax.Word) []Arg {
	out := w.args.take(len(words))
	for _, word := range words {
		if lit := plainWord(word); lit != nil && len(out) < maxWords && w.spend(1+len(lit.Value)/16) {
			out = append(out, Arg{Text: lit.Value, Span: f.atLit(lit)})
			continue
		}
		if !w.spend(1 + size(word)/16) {
			return append(out, Arg{Text: "…", Unknown: true, many: true})
		}
		if len(out) > maxWords { // what it runs still counts
			w.expandParts(st, f, word.Parts)
			continue
		}
		out = w.expand(st, f, word, out)
		if len(out) > maxWords {
			out = append(out[:maxWords], tooMany("…", f.at(word)))
		}
	}
	return out
}

// merged joins the literals that a brace expansion left side by side, because
// a tilde in front is expanded after it.
func merged(parts []syntax.WordPart) []syntax.WordPart {
	if len(parts) < 2 || !strings.HasPrefix(valueOf(parts[0]), "~") {
		return parts
	}
	text := ""
	i := 0
	for ; i < len(parts); i++ {
		lit, ok := parts[i].(*syntax.Lit)
		if !ok {
			break
		}
		text += lit.Value
	}
	return append([]syntax.WordPart{&syntax.Lit{Value: text}}, parts[i:]...)
}

// tooMany stands for words that are too many to follow.
func tooMany(text string, span Span) Arg {
	return Arg{Text: text, Unknown: true, many: true, Span: span, extra: &argExtra{why: "it expands to too many words"}}
}

// size is the length of a node in the source.
func size(n syntax.Node) int { return max(0, int(n.End().Offset())-int(n.Pos().Offset())) }

// expand appends the fields of one word.
func (w *walker) expand(st *state, f *frame, word *syntax.Word, out []Arg) []Arg {
	span := f.at(word)
	if !mayBrace(word) {
		b := fieldBuilder{w: w, st: st, f: f, span: span, done: out, first: len(out)}
		b.parts(word.Parts, false)
		return b.finish()
	}
	split := &syntax.Word{Parts: word.Parts} // a copy: a loop expands the word again
	syntax.SplitBraces(split)
	alternatives, ok := braces(split.Parts)
	if !ok {
		w.expandParts(st, f, split.Parts)
		return append(out, tooMany("{…}", span))
	}
	for _, parts := range alternatives {
		b := fieldBuilder{w: w, st: st, f: f, span: span, done: out, first: len(out)}
		b.parts(merged(parts), false)
		out = b.finish()
	}
	return out
}

// plainWord returns the only part of a word that a shell takes as it stands;
// most words are such.
func plainWord(word *syntax.Word) *syntax.Lit {
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && inertText(lit.Value) {
			return lit
		}
	}
	return nil
}

// inertText reports whether a shell takes a literal as it stands.
func inertText(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\', '*', '?', '[', '{', '~':
			return false
		}
	}
	return true
}

// mayBrace reports whether a word may have a brace expansion.
func mayBrace(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if strings.IndexByte(valueOf(p), '{') >= 0 {
			return true
		}
	}
	return false
}

// word expands a word that is not split into fields: an assignment, a
// redirection target, a pattern.
func (w *walker) word(st *state, f *frame, word *syntax.Word) Arg {
	if word == nil {
		return Arg{}
	}
	b := fieldBuilder{w: w, st: st, f: f, span: f.at(word), whole: true}
	b.parts(word.Parts, false)
	return b.take()
}

// expandParts walks the substitutions in parts whose text does not matter.
func (w *walker) expandParts(st *state, f *frame, parts []syntax.WordPart) {
	b := fieldBuilder{w: w, st: st, f: f, whole: true}
	for _, p := range parts {
		if brace, ok := p.(*syntax.BraceExp); ok {
			for _, e := range brace.Elems {
				w.expandParts(st, f, e.Parts)
			}
			continue
		}
		b.part(p, false)
	}
}

// A fieldBuilder puts the parts of a word together and splits it into fields.
type fieldBuilder struct {
	w     *walker
	st    *state
	f     *frame
	span  Span
	whole bool // do not split

	colons bool // ~ is expanded after a colon, too

	done  []Arg
	first int // where the fields of this word start in done
	cur   Arg
	buf   textBuffer
	any   bool // the current field exists, even if it is empty
}

func (b *fieldBuilder) take() Arg {
	b.cur.Text = b.buf.text()
	b.cur.Span = b.span
	if b.cur.plain && strings.HasPrefix(b.cur.Text, "*/") {
		b.cur.plain = false // empty, it would leave an absolute path
	}
	a := b.cur
	b.cur = Arg{}
	b.buf.reset()
	b.any = false
	return a
}

func (b *fieldBuilder) finish() []Arg {
	if b.any || b.buf.len() > 0 || b.cur.Unknown {
		b.done = append(b.done, b.take())
	}
	return b.done
}

func (b *fieldBuilder) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok && i == 0 && !quoted && strings.HasPrefix(lit.Value, "~") {
			b.tilde(lit.Value, len(parts) == 1)
			continue
		} else if at := strings.Index(valueOf(p), "=~"); ok && i == 0 && !quoted && at > 0 && isName(lit.Value[:at]) {
			b.colons = true
			b.literal(lit.Value[:at+1], false) // NAME=~/x
			b.tilde(lit.Value[at+1:], len(parts) == 1)
			continue
		}
		b.part(p, quoted)
	}
}

func valueOf(p syntax.WordPart) string {
	if lit, ok := p.(*syntax.Lit); ok {
		return lit.Value
	}
	return ""
}

func (b *fieldBuilder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		b.any = true
		if p.Dollar {
			b.buf.add(ansiC(p.Value))
		} else {
			b.buf.add(p.Value)
		}
	case *syntax.DblQuoted:
		b.any = true
		b.parts(p.Parts, true)
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.CmdSubst:
		b.value(b.w.substitute(b.st, b.f, p), quoted)
		b.cur.made = true
		for i := b.first; i < len(b.done); i++ {
			b.done[i].made = true
		}
	case *syntax.ArithmExp:
		b.w.arithm(b.st, b.f, p.X)
		b.value([]Arg{plainArg}, true)
	case *syntax.ProcSubst:
		b.any = true
		b.buf.add("/dev/fd/63")
		b.cur.extra = &argExtra{proc: b.w.process(b.st, b.f, p)}
	case *syntax.ExtGlob:
		b.w.evaluate(b.st, b.f, b.span, Arg{Text: p.Pattern.Value})
		b.unknown(p.Op.String()+p.Pattern.Value+")", false)
	case *syntax.BraceExp:
		for _, e := range p.Elems { // braces in quotes or assignments stay text
			b.parts(e.Parts, quoted)
		}
	}
}

// literal appends text of the source, in which a backslash still quotes.
func (b *fieldBuilder) literal(s string, quoted bool) {
	if strings.Trim(s, "\\\n") != "" || !strings.Contains(s, "\n") { // not only a line that goes on
		b.any = b.any || s != ""
	}
	if quoted && strings.IndexByte(s, '\\') < 0 || !strings.ContainsAny(s, `\*?[:`) {
		b.buf.add(s)
		return
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && quoted:
			if next := s[i+1]; next == '\n' {
				i++
				continue
			} else if strings.IndexByte("$`\"\\", next) >= 0 {
				i++
				c = next
			}
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == '\n' {
				continue
			}
			c = s[i]
		case c == ':' && (b.whole || b.colons) && !quoted && strings.HasPrefix(s[i:], ":~/") && b.w.at.Home != "": // PATH=/x:~/y
			b.buf.addByte(':')
			b.buf.add(b.w.at.Home)
			i++
			continue
		case (c == '*' || c == '?' || c == '[' && strings.IndexByte(s[i:], ']') > 0) && !quoted:
			b.cur.Glob = true
		}
		b.buf.addByte(c)
	}
}

// tilde expands ~, ~/x, ~+ and ~user at the start of a word.
func (b *fieldBuilder) tilde(s string, alone bool) {
	b.any = true
	user, rest, slash := strings.Cut(s[1:], "/")
	if slash {
		rest = "/" + rest
	} else if !alone { // ~$x, ~"x": not a tilde prefix
		b.literal(s, false)
		return
	}
	home := b.st.lookup(b.w.at.Home, "HOME")
	switch {
	case user == "" && len(home) == 1 && !home[0].Unknown:
		b.buf.add(home[0].Text)
	case user == "+" && knownOne(b.st.lookup("", "PWD")):
		b.buf.add(b.st.lookup("", "PWD")[0].Text)
	case user == "" || strings.Trim(user, "+-0123456789") == "" || strings.ContainsAny(user, "\\*?["):
		b.unknown("~"+user, false)
	default:
		b.buf.add(homeOf(user, b.w.at.Home))
	}
	b.literal(rest, false)
}

func knownOne(items []Arg) bool { return len(items) == 1 && !items[0].Unknown }

func (b *fieldBuilder) unknown(text string, many bool) {
	b.any = true
	b.cur.Unknown = true
	b.cur.many = b.cur.many || many
	b.cur.plain = false
	b.buf.add(text)
}

// value appends the result of an expansion. Without quotes it is split.
func (b *fieldBuilder) value(items []Arg, quoted bool) {
	split := !quoted && !b.whole
	if b.whole && len(items) > 1 { // one of them, or all: no path to be sure of
		b.taint(secretIn(items))
		b.unknown(joinArgs(items), true)
		return
	}
	for i, item := range items {
		if i > 0 {
			if b.whole {
				b.buf.addByte(' ')
			} else {
				b.done = append(b.done, b.take())
			}
		}
		b.item(item, quoted, split)
	}
	if quoted && len(items) == 0 {
		b.any = true
	}
}

// fields appends "$@" or "${x[@]}": each item is a field of its own.
func (b *fieldBuilder) fields(items []Arg) {
	for i, item := range items {
		if i > 0 {
			if b.whole {
				b.buf.addByte(' ')
			} else {
				b.done = append(b.done, b.take())
			}
		}
		many := item.many
		b.item(item, true, false)
		b.cur.many = b.cur.many || many
	}
	if len(items) == 0 && b.buf.len() == 0 {
		b.any = false // nothing at all, not an empty word
	}
}

func (b *fieldBuilder) item(item Arg, quoted, split bool) {
	if item.secret() != 0 {
		b.taint(item.secret())
	}
	b.cur.deep = b.cur.deep || item.deep
	if b.buf.len()+len(item.Text) > MaxLength || !b.w.spend(len(item.Text)/64) {
		b.unknown("…", true)
		b.cur.extra = &argExtra{why: "a value is too long to follow", secret: item.secret()}
		return
	}
	if item.Unknown {
		plain := item.plain && (!b.cur.Unknown || b.cur.plain)
		b.cur.from = max(b.cur.from, item.from)
		b.unknown(item.Text, item.many && !quoted || split && !item.plain || b.st.ifs && !quoted)
		b.cur.plain = plain
		b.cur.Glob = b.cur.Glob || item.Glob
		return
	}
	b.cur.Glob = b.cur.Glob || item.Glob
	if !split {
		b.any = b.any || quoted || item.Text != ""
		b.buf.add(item.Text)
		return
	}
	if b.st.ifs {
		b.unknown(item.Text, true)
		return
	}
	b.splitText(item.Text)
}

// splitText appends a value that the shell splits at white space and then
// expands as a pattern.
func (b *fieldBuilder) splitText(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			if b.any || b.buf.len() > 0 {
				if len(b.done) >= maxWords {
					b.unknown("…", true)
					return
				}
				b.done = append(b.done, b.take())
			}
		case '*', '?':
			b.cur.Glob = true
			fallthrough
		default:
			b.any = true
			b.buf.addByte(c)
		}
	}
}
