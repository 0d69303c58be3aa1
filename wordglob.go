package sayso

import "strings"

// A wordGlob is one word of a pattern: * stands for any text, ? for one
// character, and a backslash takes their meaning away.
type wordGlob struct {
	text string // without backslashes
	meta []bool // which bytes of text are signs; nil: none
}

func compileWord(s string) wordGlob {
	if !strings.ContainsAny(s, `*?\`) {
		return wordGlob{text: s}
	}
	var g wordGlob
	var b strings.Builder
	signs := false
	for i := 0; i < len(s); i++ {
		sign := s[i] == '*' || s[i] == '?'
		if s[i] == '\\' && i+1 < len(s) {
			i++
			sign = false
		}
		b.WriteByte(s[i])
		g.meta = append(g.meta, sign)
		signs = signs || sign
	}
	g.text = b.String()
	if !signs {
		g.meta = nil
	}
	return g
}

// any reports whether the word is a lone *.
func (g *wordGlob) any() bool { return g.text == "*" && g.meta != nil }

func (g *wordGlob) literal() bool { return g.meta == nil }

// match goes back to the last * only, which is enough and keeps it linear in
// both.
func (g *wordGlob) match(s string) bool {
	if g.meta == nil {
		return g.text == s
	}
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(g.text) && g.meta[p] && g.text[p] == '*':
			star, mark = p, i
			p++
		case p < len(g.text) && (g.meta[p] || g.text[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(g.text) && g.meta[p] && g.text[p] == '*' {
		p++
	}
	return p == len(g.text)
}

// escapeWord returns the pattern that matches exactly s.
func escapeWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"*?\\()") {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?\"`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// patternWords splits a command pattern into words. Quotes keep blanks
// together; a backslash keeps the next character as it is.
func patternWords(text string) ([]string, bool) {
	var words []string
	var b strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
			b.WriteByte(text[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, b.String())
				b.Reset()
			}
			open = false
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, b.String())
	}
	return words, quote == 0
}
