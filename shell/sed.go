package shell

import "strings"

// sed reads a sed script for the commands that do more than edit a stream:
// w writes a file, r reads one, e runs a command.
func (v *visit) sed(a Arg) {
	if a.Unknown && !a.plain {
		// A variable in a pattern or replacement is the usual case; one that
		// is the whole script could be anything.
		v.c.doubt(Moderate, "the sed script cannot be known: "+short(a.Text))
	}
	s := sedScript{v: v, src: a.Text}
	for s.pos < len(s.src) {
		if !s.command() {
			v.c.doubt(Moderate, "the sed script is not understood: "+short(a.Text))
			return
		}
	}
}

type sedScript struct {
	v   *visit
	src string
	pos int
}

func (s *sedScript) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *sedScript) skip(chars string) {
	for s.pos < len(s.src) && strings.IndexByte(chars, s.src[s.pos]) >= 0 {
		s.pos++
	}
}

// line takes the rest of the line.
func (s *sedScript) line() string {
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] != '\n' {
		s.pos++
	}
	return strings.TrimSpace(s.src[start:s.pos])
}

// delimited moves over text up to an unescaped delimiter.
func (s *sedScript) delimited(delim byte) bool {
	class := false
	for ; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '[' && !class:
			class = true
		case c == ']' && class:
			class = false
		case c == delim && (!class || delim != '/'):
			s.pos++
			return true
		}
	}
	return false
}

// replacement moves over the second part of s/// or y///, in which a bracket
// is a plain character.
func (s *sedScript) replacement(delim byte) bool {
	for ; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case delim:
			s.pos++
			return true
		}
	}
	return false
}

// address moves over one address.
func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9' || c == '$':
		s.skip("0123456789$~")
	case c == '/':
		s.pos++
		if !s.delimited('/') {
			return false
		}
		s.skip("IM")
	case c == '\\' && s.pos+1 < len(s.src):
		delim := s.src[s.pos+1]
		s.pos += 2
		if !s.delimited(delim) {
			return false
		}
		s.skip("IM")
	}
	return true
}

// command reads one command with its addresses.
func (s *sedScript) command() bool {
	s.skip(" \t\n;")
	if s.pos >= len(s.src) {
		return true
	}
	if !s.address() {
		return false
	}
	s.skip(" \t")
	if s.peek() == ',' {
		s.pos++
		s.skip(" \t+~")
		if !s.address() {
			return false
		}
	}
	s.skip(" \t!")
	if s.pos >= len(s.src) {
		return false
	}
	c := s.src[s.pos]
	s.pos++
	switch c {
	case '{', '}', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '=', 'F':
	case 'l', 'L', 'q', 'Q':
		s.skip(" \t0123456789")
	case '#':
		s.line()
	case ':', 'b', 't', 'T', 'v':
		for s.pos < len(s.src) && strings.IndexByte(";\n}", s.src[s.pos]) < 0 {
			s.pos++
		}
	case 'a', 'i', 'c':
		s.text()
	case 'w', 'W':
		s.v.touch(Arg{Text: s.line()}, Write, false)
	case 'r', 'R':
		s.v.touch(Arg{Text: s.line()}, Read, false)
	case 'e':
		s.execute(s.line())
	case 'y':
		delim := s.peek()
		s.pos++
		first := s.replacement(delim)
		return first && s.replacement(delim)
	case 's':
		return s.substitution()
	default:
		return false
	}
	return true
}

// text moves over the text of a, i, c, which goes on after a backslash.
func (s *sedScript) text() {
	for {
		start := s.pos
		s.line()
		line := s.src[start:s.pos]
		slashes := len(line) - len(strings.TrimRight(line, `\`))
		if slashes%2 == 0 || s.pos >= len(s.src) {
			return
		}
		s.pos++
	}
}

func (s *sedScript) execute(text string) {
	s.v.c.Effects |= Executes
	if text == "" {
		s.v.c.doubt(Dangerous, "sed runs the text it reads as commands")
		return
	}
	s.v.shell(Arg{Text: text, Span: s.v.c.Span})
}

func (s *sedScript) substitution() bool {
	delim := s.peek()
	s.pos++
	if !s.delimited(delim) || !s.replacement(delim) {
		return false
	}
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == 'e':
			s.execute("")
		case c == 'w':
			s.pos++
			s.v.touch(Arg{Text: s.line()}, Write, false)
			return true
		case strings.IndexByte("gpiImM0123456789", c) < 0:
			return true
		}
		s.pos++
	}
	return true
}
