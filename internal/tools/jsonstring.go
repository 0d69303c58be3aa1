package tools

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// str reads a string, whose opening quote is next.
func (s *scanner) str() (string, error) {
	s.pos++
	start := s.pos
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return s.src[start : s.pos-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return "", s.fail("not JSON: a control character in a string")
		}
		s.pos++
	}
	return "", s.fail("not JSON: a string does not end")
}

// escaped reads the rest of a string from its first backslash on.
func (s *scanner) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(s.src[start:s.pos])
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		s.pos++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			return "", s.fail("not JSON: a control character in a string")
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		r, err := s.escape()
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
	}
	return "", s.fail("not JSON: a string does not end")
}

// escape reads what follows a backslash.
func (s *scanner) escape() (rune, error) {
	if s.pos == len(s.src) {
		return 0, s.fail("not JSON: a string does not end")
	}
	c := s.src[s.pos]
	s.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := s.hex()
		if !ok || !utf16.IsSurrogate(r) {
			return r, s.unless(ok)
		}
		// Half a character becomes U+FFFD for us and stays half a character
		// for others.
		if !strings.HasPrefix(s.src[s.pos:], `\u`) {
			return 0, s.unless(false)
		}
		s.pos += 2
		low, ok := s.hex()
		r = utf16.DecodeRune(r, low)
		return r, s.unless(ok && r != '\uFFFD')
	}
	return 0, s.unless(false)
}

func (s *scanner) unless(ok bool) error {
	if ok {
		return nil
	}
	return s.fail("a wrong escape in a string")
}

func (s *scanner) hex() (rune, bool) {
	if len(s.src)-s.pos < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s.src[s.pos:s.pos+4], 16, 16)
	s.pos += 4
	return rune(n), err == nil
}
