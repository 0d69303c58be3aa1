package lint

import (
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A word of a command pattern, in pieces.
type word struct {
	pieces []piece
	quoted bool // it has quotes or backslashes: the author means it as it is
}

// A piece is text, or one of the signs * and ?.
type piece struct {
	text string
	sign bool
}

// lone reports whether the word is a * that stands for any number of words.
func (w *word) lone() bool { return len(w.pieces) == 1 && w.pieces[0].sign && w.pieces[0].text == "*" }

// some is a text that the word matches.
func (w *word) some() string {
	var b strings.Builder
	for _, p := range w.pieces {
		if p.sign {
			b.WriteString(made)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// written is the word as it stands in the pattern, without quotes.
func (w *word) written() string {
	var b strings.Builder
	for _, p := range w.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// choices are the texts that each piece may be.
func (w *word) choices() [][]string {
	var out [][]string
	for _, p := range w.pieces {
		switch {
		case !p.sign:
			out = append(out, []string{p.text})
		case p.text == "?":
			out = append(out, []string{"q"})
		case len(w.pieces) == 1:
			out = append(out, []string{made})
		default:
			out = append(out, []string{"", made})
		}
	}
	return out
}

// splitWords takes a command pattern apart as rules do; ok is false if a quote is
// not closed.
func splitWords(pattern string) (words []word, ok bool) {
	var w word
	open, quote := false, byte(0)
	add := func(text string, sign bool) {
		open = true
		if n := len(w.pieces); !sign && n > 0 && !w.pieces[n-1].sign {
			w.pieces[n-1].text += text
			return
		}
		w.pieces = append(w.pieces, piece{text, sign})
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			w.quoted = true
			add(pattern[i:i+1], false)
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, w.quoted, open = c, true, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				words = append(words, w)
			}
			w, open = word{}, false
		default:
			add(pattern[i:i+1], c == '*' || c == '?')
		}
	}
	if open {
		words = append(words, w)
	}
	return words, quote == 0
}

// commandSamples are command lines that a pattern is about, written as its author
// has written them: an operator of the shell is one.
func commandSamples(pattern string) (texts []string, exact bool) {
	words, ok := splitWords(pattern)
	if !ok || len(words) == 0 {
		return nil, false
	}
	var choices [][]string
	for i := range words {
		w := &words[i]
		last := i == len(words)-1
		switch {
		case w.lone() && i == 0:
			choices = append(choices, []string{made, made + "0 " + made + "1"})
		case w.lone():
			choices = append(choices, []string{"", " " + made, " " + made + "a " + made + "b " + made + "c"})
		default:
			if i > 0 {
				choices = append(choices, []string{" "})
			}
			choices = append(choices, spelled(w, last)...)
		}
	}
	return product(choices)
}

// spelled are the choices of a word as a shell has to read it: quoted where its
// author has quoted it, and where it is the ; that ends find -exec.
func spelled(w *word, last bool) [][]string {
	all := w.choices()
	if !w.quoted && !(last && w.written() == ";") {
		return all
	}
	texts, _ := product(all)
	for i, t := range texts {
		texts[i] = shell.Quote([]string{t})
	}
	return [][]string{texts}
}
