package shell

import "strings"

// An awkReader follows one reading up to where it splits.
type awkReader struct {
	awkState
	p     *awkProgram
	found []awkFinding
	next  []awkState
}

// run reports whether the reading got to the end. It did not if it split.
func (r *awkReader) run() bool {
	start := r.pos
	defer func() { r.p.work -= r.pos - start }()
	for r.pos < len(r.p.src) {
		if !r.token() {
			return false
		}
	}
	return r.depth() == 0 && r.braces == 0
}

func (r *awkReader) at(text string) bool { return strings.HasPrefix(r.p.src[r.pos:], text) }

// token reads one token. It reports false if the reading ends there.
func (r *awkReader) token() bool {
	src := r.p.src
	switch c := src[r.pos]; {
	case c == ' ' || c == '\t' || c == '\r':
		r.pos++
	case c == '\\' && (r.at("\\\n") || r.at("\\\r\n")):
		r.pos += 2
	case c == '#':
		for r.pos < len(src) && src[r.pos] != '\n' {
			r.pos++
		}
	case c == '"':
		return r.literal()
	case c == '/':
		return r.slash()
	case c >= '0' && c <= '9' || c == '.':
		r.pos++
		r.operand()
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		r.word()
	case c == '@' && !r.at("@/"): // gawk: @include, @load, indirect calls
		r.find(awkFinding{kind: awkRunsUnknown})
		r.operator(1)
	default:
		return r.punctuation(c)
	}
	return true
}

func (r *awkReader) find(f awkFinding) { r.found = append(r.found, f) }

func (r *awkReader) operand() { r.prev, r.text = awkOperand, 0 }

func (r *awkReader) operator(size int) {
	r.pos += size
	r.prev, r.text = awkOperator, 0
}

// end ends a statement.
func (r *awkReader) end() { r.print, r.get = 0, 0 }

func (r *awkReader) punctuation(c byte) bool {
	switch c {
	case '(', '[', ')', ']', '{', '}':
		return r.bracket(c)
	case ';':
		r.end()
		r.operator(1)
	case '\n':
		r.newline()
	case '|':
		r.pipe()
	case '>':
		r.greater()
	case '<':
		r.less()
	case '+', '-':
		if r.pos+1 < len(r.p.src) && r.p.src[r.pos+1] == c { // in front of its operand, or behind it
			r.operator(2)
			r.prev = awkEither
			break
		}
		r.operator(1)
	case '=', '&', '?', ',':
		r.noFile()
		r.operator(1)
	default:
		r.operator(1)
	}
	return true
}

// noFile notes an operator behind which a < is no longer that of getline.
func (r *awkReader) noFile() {
	if r.get > r.depth() {
		r.get = 0
	}
}

// bracket keeps the balance of all brackets; nothing runs without it.
func (r *awkReader) bracket(c byte) bool {
	r.pos++
	before := r.prev
	r.prev, r.text = awkOperator, 0
	switch c {
	case '(':
		if before == awkHead {
			r.head = r.depth() + 1
		}
		r.parens++
	case '[':
		r.boxes++
	case '{', '}':
		r.end()
		r.braces++
		if c == '}' {
			r.braces -= 2
		}
		return r.depth() == 0 && r.braces >= 0
	case ')':
		r.parens--
		r.prev = awkEither
		if r.head == r.depth()+1 {
			r.head, r.prev = 0, awkHeadEnd
		}
	case ']':
		r.boxes--
		r.prev = awkOperand
	}
	if r.get > r.depth()+1 {
		r.get = 0
	}
	return r.parens >= 0 && r.boxes >= 0
}

// newline ends a statement, unless an operator stands before it.
func (r *awkReader) newline() {
	r.pos++
	if r.prev == awkOperator || r.depth() > 0 {
		return
	}
	r.end()
	r.operator(0)
}

// slash is a division, the start of a regular expression, or, as the awks do
// not agree, both.
func (r *awkReader) slash() bool {
	var ways []awkState
	if r.prev == awkOperand || r.prev == awkEither || r.prev == awkHeadEnd {
		way := r.awkState
		way.pos++
		way.prev, way.text = awkOperator, 0
		ways = append(ways, way)
	}
	if r.prev != awkOperand {
		for _, end := range r.p.regexpEnds(r.pos + 1) {
			way := r.awkState
			way.pos, way.prev, way.text = end, awkOperand, 0
			ways = append(ways, way)
		}
	}
	if len(ways) == 1 {
		r.awkState = ways[0]
		return true
	}
	r.next = ways
	return false
}

// regexpEnds returns where a regular expression may end: behind the first slash
// that is not escaped, and, if that may stand in brackets, behind each of the
// following ones. Some awks do not know brackets, and those that do differ.
func (p *awkProgram) regexpEnds(pos int) []int {
	var ends []int
	open := false
	for ; pos < len(p.src) && p.src[pos] != '\n'; pos++ {
		p.work--
		switch p.src[pos] {
		case '\\':
			pos++
		case '[':
			open = true
		case '/':
			ends = append(ends, pos+1)
			if !open {
				return ends
			}
		}
	}
	return ends
}

func (r *awkReader) word() {
	start := r.pos
	for r.pos < len(r.p.src) && (isNameStart(r.p.src[r.pos]) && r.p.src[r.pos] != '$' || r.p.src[r.pos] >= '0' && r.p.src[r.pos] <= '9') {
		r.pos++
	}
	r.operand()
	switch r.p.src[start:r.pos] {
	case "print", "printf":
		r.print, r.prev = r.depth()+1, awkKeyword
	case "return", "exit", "delete":
		r.prev = awkKeyword
	case "in", "case", "do", "else":
		r.prev = awkOperator
	case "if", "while", "for", "switch":
		r.prev = awkHead
	case "getline":
		r.get, r.prev = r.depth()+1, awkEither
	case "length", "next", "nextfile", "break", "continue", "default":
		r.prev = awkEither
	case "system":
		r.system()
	case "ARGV":
		r.find(awkFinding{kind: awkArguments})
	case "ENVIRON", "PROCINFO", "SYMTAB":
		r.find(awkFinding{kind: awkEnvironment})
	}
}

// system is system("…") with nothing else in it, or a command that cannot be
// known.
func (r *awkReader) system() {
	pos := r.p.blanks(r.pos)
	if pos < len(r.p.src) && r.p.src[pos] == '(' {
		if f, end, ok := r.p.text(r.p.blanks(pos + 1)); ok {
			if end = r.p.blanks(end); end < len(r.p.src) && r.p.src[end] == ')' {
				f.kind = awkRuns
				r.find(f)
				return
			}
		}
	}
	r.find(awkFinding{kind: awkRunsUnknown})
}

// pipe is | or |& : a command on one of its sides. || is not.
func (r *awkReader) pipe() {
	if r.at("||") {
		r.noFile()
		r.operator(2)
		return
	}
	literal, size := r.text, 1
	if r.at("|&") {
		size = 2
	}
	r.noFile()
	r.operator(size)
	pos := r.p.blanks(r.pos)
	f, end, ok := r.p.text(pos)
	f.kind = awkFeeds
	switch {
	case strings.HasPrefix(r.p.src[pos:], "getline"):
		if f, _, ok = r.p.text(literal - 1); ok {
			f.kind = awkRuns
			r.find(f)
			return
		}
	case ok:
		r.find(f)
		if r.p.ends(end) {
			return
		}
	}
	r.find(awkFinding{kind: awkRunsUnknown})
}

// greater is a redirection in a print statement, outside all brackets.
func (r *awkReader) greater() {
	r.noFile()
	if r.at(">=") || r.print != r.depth()+1 {
		r.operator(1)
		return
	}
	r.operator(1)
	if r.at(">") {
		r.operator(1)
	}
	if f, end, ok := r.p.text(r.p.blanks(r.pos)); ok {
		f.kind = awkWrites
		r.find(f)
		if r.p.ends(end) {
			return
		}
	}
	r.find(awkFinding{kind: awkWritesUnknown})
}

// less is the file of a getline, if one waits for it.
func (r *awkReader) less() {
	waits := r.get == r.depth()+1 && !r.at("<=")
	r.noFile()
	r.operator(1)
	if !waits {
		return
	}
	if f, end, ok := r.p.text(r.p.blanks(r.pos)); ok {
		f.kind = awkReads
		r.find(f)
		if end = r.p.blanks(end); r.p.ends(end) || strings.IndexByte(">&|?", r.p.src[end]) >= 0 {
			return
		}
	}
	r.find(awkFinding{kind: awkReadsUnknown})
}

// literal reads a string. It is the whole operand if nothing stands before it
// that could be joined with it.
func (r *awkReader) literal() bool {
	start, lone := r.pos, r.prev == awkOperator || r.prev == awkHeadEnd
	f, end, ok := r.p.text(r.pos)
	if !ok {
		return false
	}
	r.find(f)
	r.pos = end
	r.operand()
	if lone && strings.IndexByte("+-*%^$<>~", r.before(start)) < 0 {
		r.text = start + 1
	}
	return true
}

// before is the last byte in front of pos that is no blank.
func (r *awkReader) before(pos int) byte {
	for pos--; pos >= 0; pos-- {
		if c := r.p.src[pos]; c != ' ' && c != '\t' {
			return c
		}
	}
	return ';'
}

func (p *awkProgram) blanks(pos int) int {
	for pos < len(p.src) && (p.src[pos] == ' ' || p.src[pos] == '\t') {
		pos++
	}
	return pos
}

// ends reports whether nothing is added to a literal that ends at pos.
func (p *awkProgram) ends(pos int) bool {
	pos = p.blanks(pos)
	return pos >= len(p.src) || strings.IndexByte(";})\n,#", p.src[pos]) >= 0
}

// text reads the string literal at pos and returns where it ends.
func (p *awkProgram) text(pos int) (f awkFinding, end int, ok bool) {
	if pos < 0 || pos >= len(p.src) || p.src[pos] != '"' {
		return f, pos, false
	}
	var b strings.Builder
	for pos++; pos < len(p.src); pos++ {
		c := p.src[pos]
		switch {
		case c == '"':
			f.text = b.String()
			return f, pos + 1, true
		case c == '\n':
			return f, pos, false
		case c == '\\' && pos+1 < len(p.src):
			pos++
			c = p.src[pos]
			if i := strings.IndexByte(`"\/abfnrtv`, c); i >= 0 {
				c = "\"\\/\a\b\f\n\r\t\v"[i]
			} else if n, used := digits(p.src[pos:], 8, 3); used > 0 && n > 0 && n < 256 {
				c = byte(n)
				pos += used - 1
			} else {
				f.odd = true
				if c == '\n' { // the line goes on
					continue
				}
			}
		}
		b.WriteByte(c)
	}
	return f, pos, false
}
