package tools

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What an input may be at most. It comes from a model, which may have read
// something hostile.
const (
	maxInput = 1 << 20 // bytes
	maxDepth = 64      // objects and lists in one another
	maxNodes = 1 << 16 // values
)

// A node is a JSON value.
type node struct {
	kind byte   // one of { [ " 0 t f n
	text string // of a string, unquoted; of a number, as it stands
	keys []string
	kids []node
}

// A scanner reads JSON more strictly than encoding/json does: no two keys of an
// object may be the same, or differ only in case, and no character may be
// replaced by another on the way. Parsers answer these differently, so what we
// judge could be something else than what the agent does.
type scanner struct {
	src   string
	pos   int
	nodes int
	key   string // the last one read, for errors
}

// parse reads all of src.
func parse(src string) (node, error) {
	switch {
	case len(src) > maxInput:
		return node{}, &InputError{Problem: "longer than 1 MiB"}
	case !utf8.ValidString(src):
		return node{}, &InputError{Problem: "not UTF-8"}
	}
	s := scanner{src: src}
	n, err := s.value(0)
	if err != nil {
		return node{}, err
	}
	if s.space(); s.pos < len(src) {
		return node{}, s.fail("something follows the value")
	}
	return n, nil
}

func (s *scanner) fail(problem string) error {
	return &InputError{Key: s.key, Problem: problem}
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// next skips white space and returns the byte behind it, 0 at the end.
func (s *scanner) next() byte {
	s.space()
	if s.pos == len(s.src) {
		return 0
	}
	return s.src[s.pos]
}

func (s *scanner) value(depth int) (node, error) {
	if s.nodes++; s.nodes > maxNodes {
		return node{}, s.fail("too many values")
	}
	c := s.next()
	if (c == '{' || c == '[') && depth == maxDepth {
		return node{}, s.fail("nested too deeply")
	}
	switch c {
	case '{':
		return s.object(depth + 1)
	case '[':
		return s.list(depth + 1)
	case '"':
		text, err := s.str()
		return node{kind: '"', text: text}, err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) word(w string) (node, error) {
	if !strings.HasPrefix(s.src[s.pos:], w) {
		return node{}, s.fail("not JSON")
	}
	s.pos += len(w)
	return node{kind: w[0]}, nil
}

func (s *scanner) list(depth int) (node, error) {
	n := node{kind: '['}
	s.pos++
	if s.next() == ']' {
		s.pos++
		return n, nil
	}
	for {
		v, err := s.value(depth)
		if err != nil {
			return n, err
		}
		n.kids = append(n.kids, v)
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return n, nil
		default:
			return n, s.fail("not JSON: a list does not end")
		}
	}
}

func (s *scanner) object(depth int) (node, error) {
	n := node{kind: '{'}
	s.pos++
	if s.next() == '}' {
		s.pos++
		return n, nil
	}
	for {
		if s.next() != '"' {
			return n, s.fail("not JSON: a key is missing")
		}
		key, err := s.str()
		if err != nil {
			return n, err
		}
		s.key = key
		if s.next() != ':' {
			return n, s.fail("not JSON: no colon")
		}
		s.pos++
		v, err := s.value(depth)
		if err != nil {
			return n, err
		}
		n.keys, n.kids = append(n.keys, key), append(n.kids, v)
		switch s.next() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return n, unique(n.keys)
		default:
			return n, s.fail("not JSON: an object does not end")
		}
	}
}

// unique makes sure that no two keys are the same but for case.
func unique(keys []string) error {
	if len(keys) > 8 {
		seen := make(map[string]bool, len(keys))
		for _, k := range keys {
			f := fold(k)
			if seen[f] {
				return &InputError{Key: k, Problem: "given twice, or in another case"}
			}
			seen[f] = true
		}
		return nil
	}
	for i, k := range keys {
		for _, other := range keys[:i] {
			if strings.EqualFold(k, other) {
				return &InputError{Key: k, Problem: "given twice, or in another case"}
			}
		}
	}
	return nil
}

// fold maps strings that strings.EqualFold holds for equal to the same one.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

func (s *scanner) number() (node, error) {
	start := s.pos
	if s.peek('-') {
		s.pos++
	}
	whole := s.digits()
	ok := whole == 1 || whole > 1 && s.src[s.pos-whole] != '0'
	if s.peek('.') {
		s.pos++
		ok = s.digits() > 0 && ok
	}
	if s.peek('e') || s.peek('E') {
		s.pos++
		if s.peek('+') || s.peek('-') {
			s.pos++
		}
		ok = s.digits() > 0 && ok
	}
	if !ok {
		return node{}, s.fail("not JSON")
	}
	return node{kind: '0', text: s.src[start:s.pos]}, nil
}

func (s *scanner) peek(c byte) bool { return s.pos < len(s.src) && s.src[s.pos] == c }

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}
