package glob

import (
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep braces may be nested.
const maxDepth = 16

type kind uint8

const (
	literal kind = iota // the bytes of text
	any1                // ?
	class               // [...]
	star                // *
	deep                // **: anything, slashes too
	dirs                // **/: any number of whole components, also none
	group               // {...}; only until it is expanded
)

// A token is one element of a pattern.
type token struct {
	kind   kind
	at     int // where it stands in the pattern
	text   string
	set    *set
	choice [][]token
}

// A compiler turns one pattern into alternatives.
type compiler struct {
	src         string
	loose, fold bool
	pos, depth  int
}

// sequence reads tokens up to the end, or up to the end of a part of braces.
func (c *compiler) sequence() ([]token, error) {
	var out []token
	for c.pos < len(c.src) {
		at := c.pos
		switch b := c.src[at]; {
		case b == '*':
			for c.pos < len(c.src) && c.src[c.pos] == '*' {
				c.pos++
			}
			k := star
			if c.pos-at > 1 {
				k = deep
			}
			out = append(out, token{kind: k, at: at})
		case b == '?':
			c.pos++
			out = append(out, token{kind: any1, at: at})
		case b == '[':
			s, err := c.class()
			if err != nil {
				return nil, err
			}
			out = append(out, token{kind: class, at: at, set: s})
		case b == '{':
			choice, err := c.braces()
			if err != nil {
				return nil, err
			}
			out = append(out, token{kind: group, at: at, choice: choice})
		case b == '}' && c.depth == 0:
			return nil, c.fail(at, `} without {; a literal one is \}`)
		case c.depth > 0 && (b == '}' || b == ','):
			return out, nil
		default:
			text, err := c.literal()
			if err != nil {
				return nil, err
			}
			out = append(out, token{kind: literal, at: at, text: text})
		}
	}
	return out, nil
}

// braces reads {a,b}; the position is at the opening one.
func (c *compiler) braces() ([][]token, error) {
	open := c.pos
	if c.depth++; c.depth > maxDepth {
		return nil, c.fail(open, "braces are nested too deeply")
	}
	var out [][]token
	for {
		c.pos++ // the brace or the comma
		seq, err := c.sequence()
		if err != nil {
			return nil, err
		}
		out = append(out, seq)
		if c.pos >= len(c.src) {
			return nil, c.fail(open, `{ without }; a literal one is \{`)
		}
		if c.src[c.pos] == '}' {
			c.pos++
			c.depth--
			return out, nil
		}
	}
}

// literal reads bytes that stand for themselves: one that is escaped, or a run
// of plain ones.
func (c *compiler) literal() (string, error) {
	at := c.pos
	if c.src[at] == '\\' {
		if at+1 >= len(c.src) {
			return "", c.fail(at, `\ at the end; a literal one is \\`)
		}
		_, n := utf8.DecodeRuneInString(c.src[at+1:])
		c.pos += 1 + n
		return c.src[at+1 : c.pos], nil
	}
	stop := `\*?[{}`
	if c.depth > 0 {
		stop = `\*?[{},`
	}
	n := strings.IndexAny(c.src[at:], stop)
	if n < 0 {
		n = len(c.src) - at
	}
	c.pos += n
	return c.src[at:c.pos], nil
}
