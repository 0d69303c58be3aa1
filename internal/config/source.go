package config

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxSize is the most that a policy file may have. Reading one takes time and
// memory in proportion, and a repository brings one along.
const maxSize = 256 << 10

// A mark is a place in a text: line and column, from 1, the column in characters.
type mark struct{ line, column int }

// A source is a text with its lines.
type source struct {
	name   string
	text   []byte
	starts []int // of the lines
}

func newSource(name string, text []byte) *source {
	s := &source{name: name, text: text, starts: []int{0}}
	for i, c := range text {
		if c == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// line returns a line without its end, and nothing for one that is not there.
func (s *source) line(n int) []byte {
	if n < 1 || n > len(s.starts) {
		return nil
	}
	end := len(s.text)
	if n < len(s.starts) {
		end = s.starts[n] - 1
	}
	return bytes.TrimSuffix(s.text[s.starts[n-1]:end], []byte("\r"))
}

// start returns where a line begins; one behind the last is the end of the text.
func (s *source) start(line int) int {
	if line-1 < len(s.starts) {
		return s.starts[line-1]
	}
	return len(s.text)
}

// offset returns where in the text a mark is.
func (s *source) offset(m mark) int {
	at := s.start(m.line)
	for range m.column - 1 {
		_, n := utf8.DecodeRune(s.text[at:])
		at += n
	}
	return at
}

// indent counts the blanks that a line begins with.
func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// check reports what YAML, or an editor, would show as something else than we
// read. It returns false if the text is not to be read at all.
func (s *source) check(report func(mark, string, string)) bool {
	if len(s.text) > maxSize {
		report(mark{}, fmt.Sprintf("the file is larger than %d KiB", maxSize>>10), "")
		return false
	}
	at := mark{1, 1}
	leads := s.hasText(1) // in the indentation of a line with something in it
	for i := 0; i < len(s.text); {
		r, n := utf8.DecodeRune(s.text[i:])
		next := s.text[min(i+n, len(s.text)):]
		switch {
		case r == utf8.RuneError && n == 1:
			report(at, fmt.Sprintf("the byte %#02x is not UTF-8", s.text[i]), "save the file as UTF-8")
		case r == '\t' && leads:
			report(at, "a tab in the indentation", "indent with spaces")
			leads = false // once a line
		case r == '\ufeff':
			report(at, "a byte order mark", "save the file as UTF-8 without one")
		case hidden(r) || r == '\r' && !bytes.HasPrefix(next, []byte("\n")):
			report(at, fmt.Sprintf("the character %U cannot be seen", r), `remove it, or write it in double quotes as \u and its number`)
		}
		i += n
		at.column++
		leads = leads && r == ' '
		if r == '\n' {
			at = mark{at.line + 1, 1}
			leads = s.hasText(at.line)
		}
	}
	return true
}

func (s *source) hasText(line int) bool { return len(bytes.TrimSpace(s.line(line))) > 0 }

// hidden reports whether a character makes a text look like something else:
// control characters, line ends that only some programs take for one, and those
// that change the direction of writing.
func hidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029:
		return true
	}
	return r == 0x200e || r == 0x200f || r == 0x061c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
