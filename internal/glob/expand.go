package glob

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// What one pattern may stand for when its braces are written out. Without a
// bound, forty short pairs of braces would be a trillion patterns.
const (
	maxAlternatives = 256
	maxTokens       = 16 << 10
)

// compile parses the pattern and writes it out as alternatives without braces.
func (c *compiler) compile() ([]alternative, error) {
	if c.src == "" {
		return nil, c.fail(0, "the pattern is empty")
	}
	if len(c.src) > MaxLength {
		return nil, c.fail(MaxLength, "the pattern is too long")
	}
	seq, err := c.sequence()
	if err != nil {
		return nil, err
	}
	seqs, ok := expand(seq)
	if ok {
		seqs, ok = c.split(seqs)
	}
	if !ok {
		return nil, c.fail(0, "the pattern stands for too many others")
	}
	var out []alternative
	for _, seq := range seqs {
		if len(seq) == 0 { // nothing at all is no path
			continue
		}
		a, err := c.alternative(seq)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, c.fail(0, "the pattern is empty")
	}
	return out, nil
}

// expand writes out the braces of a sequence; false means too many.
func expand(seq []token) ([][]token, bool) {
	out := [][]token{nil}
	for i, t := range seq {
		if t.kind != group {
			for j := range out {
				if out[j] == nil {
					out[j] = make([]token, 0, len(seq)-i)
				}
				out[j] = append(out[j], t)
			}
			continue
		}
		var next [][]token
		tokens := 0
		for _, part := range t.choice {
			ends, ok := expand(part)
			if !ok {
				return nil, false
			}
			for _, begin := range out {
				for _, end := range ends {
					next = append(next, append(begin[:len(begin):len(begin)], end...))
					if tokens += len(begin) + len(end); tooMany(len(next), tokens) {
						return nil, false
					}
				}
			}
		}
		out = next
	}
	return out, true
}

func tooMany(alternatives, tokens int) bool {
	return alternatives > maxAlternatives || tokens > maxTokens
}

// split makes sequences plain, until every ** stands alone between slashes:
// a**b becomes a*b and a*/**/*b. A sequence that ends in /** also stands for
// the folder itself, which becomes a sequence of its own.
func (c *compiler) split(todo [][]token) ([][]token, bool) {
	var out [][]token
	tokens := 0
	for len(todo) > 0 {
		seq := c.join(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if tokens += len(seq); tooMany(len(out)+len(todo), tokens) {
			return nil, false
		}
		if i := inner(seq); i >= 0 {
			at := seq[i].at
			one, slash := token{kind: star, at: at}, token{kind: literal, at: at, text: "/"}
			todo = append(todo, spliced(seq, i, one), spliced(seq, i, one, slash, token{kind: deep, at: at}, slash, one))
			continue
		}
		if end := len(seq) - 1; end > 1 && seq[end].kind == deep && seq[end-1].kind == literal {
			folder := append([]token(nil), seq[:end]...)
			folder[end-1].text = strings.TrimSuffix(folder[end-1].text, "/")
			todo = append(todo, folder)
		}
		out = append(out, seq)
	}
	return out, true
}

// join merges neighbours: literals, and stars, of which one is enough. In the
// loose dialect a ** within a component is a star, for those cross anyway.
func (c *compiler) join(seq []token) []token {
	out := make([]token, 0, len(seq))
	for _, t := range seq {
		if t.kind == literal && t.text == "" {
			continue
		}
		if len(out) == 0 {
			out = append(out, t)
			continue
		}
		last := &out[len(out)-1]
		switch wild := last.kind == star || last.kind == deep; {
		case t.kind == literal && last.kind == literal:
			last.text += t.text
		case wild && (t.kind == star || t.kind == deep):
			last.kind = max(last.kind, t.kind)
		default:
			out = append(out, t)
		}
	}
	if c.loose {
		for i := inner(out); i >= 0; i = inner(out) {
			out[i].kind = star
		}
	}
	return out
}

// inner finds a ** that does not stand alone between slashes.
func inner(seq []token) int {
	for i, t := range seq {
		if t.kind != deep {
			continue
		}
		if i > 0 && !strings.HasSuffix(seq[i-1].text, "/") || i+1 < len(seq) && !strings.HasPrefix(seq[i+1].text, "/") {
			return i
		}
	}
	return -1
}

// spliced is seq with the token at i replaced.
func spliced(seq []token, i int, by ...token) []token {
	out := make([]token, 0, len(seq)+len(by))
	out = append(append(out, seq[:i]...), by...)
	return append(out, seq[i+1:]...)
}

// gather turns each ** and the slash behind it into one token; several in a
// row are one.
func gather(seq []token) []token {
	out := seq[:0]
	for i := 0; i < len(seq); i++ {
		t := seq[i]
		if t.kind == deep && i+1 < len(seq) {
			t.kind = dirs
			seq[i+1].text = seq[i+1].text[1:]
			if len(out) > 0 && out[len(out)-1].kind == dirs {
				continue
			}
		}
		if t.kind == deep && len(out) > 0 && out[len(out)-1].kind == dirs {
			out = out[:len(out)-1] // **/** is **
		}
		if t.kind != literal || t.text != "" {
			out = append(out, t)
		}
	}
	return out
}

// alternative compiles one sequence.
func (c *compiler) alternative(seq []token) (alternative, error) {
	if at := c.unclean(seq); at >= 0 {
		return alternative{}, c.fail(at, "no clean path has an empty, . or .. component, or a / at its end")
	}
	seq = gather(append([]token(nil), seq...))
	if c.fold {
		for i := range seq {
			seq[i].text = foldString(seq[i].text)
		}
	}
	a := alternative{tokens: seq, loose: c.loose}
	a.classify()
	if a.kind == general && !c.loose {
		return a, c.render(&a)
	}
	return a, nil
}

// unclean finds a component that no clean path has, and returns where it
// stands; -1 if there is none.
func (c *compiler) unclean(seq []token) int {
	if len(seq) == 1 && (seq[0].text == "/" || seq[0].text == ".") {
		return -1
	}
	up := true // all components so far were .., with which a relative path may begin
	for i, t := range seq {
		if t.kind != literal {
			up = false
			continue
		}
		from := 0
		parts := strings.Split(t.text, "/")
		for j, part := range parts {
			whole := (j > 0 || i == 0) && (j < len(parts)-1 || i == len(seq)-1)
			begins := i == 0 && j < 2 && j < len(parts)-1 && parts[0] == "" // /x, or //host/x
			bad := part == "" && !begins || part == "." || part == ".." && !up
			if whole && bad {
				if strings.HasPrefix(c.src[t.at:], t.text) {
					return t.at + min(from, len(t.text)-1)
				}
				return t.at // it was put together out of several
			}
			up = up && part == ".."
			from += len(part) + 1
		}
	}
	return -1
}

// render writes what follows the literal folder as a pattern for doublestar,
// and only with what doublestar matches as this package means it: no braces
// (they take exponential time), no class that contains a slash, no ** within a
// component, nothing that is not UTF-8 (it takes all such bytes for the same).
func (c *compiler) render(a *alternative) error {
	var b strings.Builder
	for i, t := range a.tokens {
		text := t.text
		if i == 0 && t.kind == literal {
			text = text[len(a.lit):]
		}
		switch t.kind {
		case literal:
			if strings.ContainsRune(text, utf8.RuneError) || !utf8.ValidString(text) {
				return c.fail(t.at, "a character that is not valid UTF-8")
			}
			b.WriteString(Escape(text))
		case any1:
			b.WriteByte('?')
		case star:
			b.WriteByte('*')
		case deep:
			b.WriteString("**")
		case dirs:
			b.WriteString("**/")
		case class:
			t.set.render(&b)
		}
	}
	a.rest = b.String()
	if !doublestar.ValidatePattern(a.rest) {
		return c.fail(0, "the pattern is not valid")
	}
	return nil
}

func (s *set) render(b *strings.Builder) {
	b.WriteByte('[')
	if s.negated {
		b.WriteByte('!')
	}
	for _, r := range s.ranges {
		b.WriteByte('\\')
		b.WriteRune(r.lo)
		b.WriteString(`-\`)
		b.WriteRune(r.hi)
	}
	b.WriteByte(']')
}
