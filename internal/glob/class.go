package glob

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A set is what a class [...] matches: characters in its ranges, or, if it is
// negated, all others.
type set struct {
	negated bool
	ranges  []runeRange // in order, without overlaps
}

type runeRange struct{ lo, hi rune }

func (s *set) has(r rune) bool {
	for _, rr := range s.ranges {
		if rr.lo <= r && r <= rr.hi {
			return !s.negated
		}
	}
	return s.negated
}

// class reads [...]; the position is at the opening bracket.
func (c *compiler) class() (*set, error) {
	open := c.pos
	c.pos++
	s := &set{}
	if c.peek() == '!' || c.peek() == '^' {
		s.negated = true
		c.pos++
	}
	for c.peek() != ']' {
		if c.peek() == '[' && strings.IndexByte(":.=", c.peekAfter()) >= 0 {
			return nil, c.fail(c.pos, `named classes are not known; a literal [ is \[`)
		}
		at := c.pos
		lo, err := c.member(open)
		if err != nil {
			return nil, err
		}
		hi := lo
		if c.peek() == '-' && c.peekAfter() != ']' {
			c.pos++
			if hi, err = c.member(open); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			return nil, c.fail(at, "the range ends before it begins")
		}
		s.ranges = append(s.ranges, runeRange{lo, hi})
	}
	if len(s.ranges) == 0 {
		return nil, c.fail(open, `an empty class; a literal ] in a class is \]`)
	}
	c.pos++
	return s, c.settle(s, open)
}

// member reads one character of a class.
func (c *compiler) member(open int) (rune, error) {
	if c.peek() == '\\' {
		c.pos++
	}
	if c.pos >= len(c.src) {
		return 0, c.fail(open, `[ without ]; a literal one is \[`)
	}
	r, n := utf8.DecodeRuneInString(c.src[c.pos:])
	if r == utf8.RuneError {
		return 0, c.fail(c.pos, "a character that is not valid UTF-8")
	}
	c.pos += n
	return r, nil
}

// settle puts the ranges in order, folds them, and takes out the slash, which
// only the loose dialect can match.
func (c *compiler) settle(s *set, open int) error {
	s.ranges = merge(s.ranges)
	if c.fold {
		s.ranges = foldRanges(s.ranges)
	}
	if c.loose {
		return nil
	}
	if s.negated {
		s.ranges = merge(append(s.ranges, runeRange{'/', '/'}))
		return nil
	}
	s.ranges = withoutSlash(s.ranges)
	if len(s.ranges) == 0 {
		return c.fail(open, "a class does not match /")
	}
	return nil
}

func merge(ranges []runeRange) []runeRange {
	slices.SortFunc(ranges, func(a, b runeRange) int { return cmp.Compare(a.lo, b.lo) })
	out := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &out[len(out)-1]; r.lo <= last.hi+1 {
			last.hi = max(last.hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

func withoutSlash(ranges []runeRange) []runeRange {
	out := make([]runeRange, 0, len(ranges)+1)
	for _, r := range ranges {
		if r.hi < '/' || r.lo > '/' {
			out = append(out, r)
			continue
		}
		if r.lo < '/' {
			out = append(out, runeRange{r.lo, '/' - 1})
		}
		if r.hi > '/' {
			out = append(out, runeRange{'/' + 1, r.hi})
		}
	}
	return out
}

// lastCased is behind the last character that has an upper or lower case.
const lastCased = 0x1F000

// foldRanges adds to the ranges what their characters are folded to.
func foldRanges(ranges []runeRange) []runeRange {
	out := slices.Clone(ranges)
	for _, rr := range ranges {
		for r := rr.lo; r <= min(rr.hi, lastCased); r++ {
			if f := foldRune(r); f != r {
				out = append(out, runeRange{f, f})
			}
		}
	}
	return merge(out)
}

// foldRune goes by way of upper case, because several letters (s and the long
// ſ, σ and the final ς) have the same.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// foldString folds every character; bytes that are not UTF-8 stay.
func foldString(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	if i == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)+8), s[:i]...)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError {
			out = append(out, s[i:i+n]...)
		} else {
			out = utf8.AppendRune(out, foldRune(r))
		}
		i += n
	}
	return string(out)
}

// peek returns the next byte, 0 at the end.
func (c *compiler) peek() byte {
	if c.pos < len(c.src) {
		return c.src[c.pos]
	}
	return 0
}

func (c *compiler) peekAfter() byte {
	if c.pos+1 < len(c.src) {
		return c.src[c.pos+1]
	}
	return 0
}
