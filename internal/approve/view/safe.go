package view

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sayso-dev/sayso/internal/fspath"
)

const (
	// mostBlanks is how many blanks in a row are shown as blanks: behind more of
	// them something could stand that nobody looks for.
	mostBlanks = 40
	// mostEmpty is the same for empty lines.
	mostEmpty = 4
	// mostMarks is how many marks may stand on one letter.
	mostMarks = 2
	// longLine is from how many characters on a line is worth a warning.
	longLine = 1000
)

// A mark gives a range of bytes of a text a role.
type mark struct {
	start, end int
	role       Role
}

// A writer makes text fit to be shown, and counts what it had to replace.
type writer struct {
	role   Role // of what is only text
	strict bool // signs that look like others are replaced, too: it is code
	tabs   bool // a tab is shown as blanks

	hidden, alike, rightToLeft, longest int
}

// Safe is a text on one line, whole, without anything that could change how a
// terminal, a browser or a person reads it: each such character is replaced by
// its code.
func Safe(text string) string {
	w := writer{}
	return w.line(text, 0, nil).String()
}

// lines shows a text of several lines.
func (w *writer) lines(text string, marks []mark) []Line {
	var out []Line
	empty := 0
	flush := func() {
		if empty > mostEmpty {
			out = append(out, Line{{fmt.Sprintf("[%d empty lines]", empty), Hidden}})
		} else {
			for range empty {
				out = append(out, Line{})
			}
		}
		empty = 0
	}
	at := 0
	for rest := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.Trim(rest, " \t\r") == "" {
			empty++
		} else {
			flush()
			out = append(out, w.line(strings.TrimSuffix(rest, "\r"), at, marks))
		}
		at += len(rest) + 1
	}
	flush()
	return out
}

// line shows one line, which starts at a byte of the text that the marks are for.
func (w *writer) line(text string, at int, marks []mark) Line {
	var out Line
	var span strings.Builder // the last one of out
	put := func(s string, role Role) {
		if n := len(out); n == 0 || out[n-1].Role != role {
			out = ended(out, &span)
			out = append(out, Span{Role: role})
		}
		span.WriteString(s)
	}
	from := marksFrom(marks, at)
	w.longest = max(w.longest, utf8.RuneCountInString(text))
	var alike map[int]bool
	if !ascii(text) {
		alike = w.lookalikes(text)
	}
	onLetter := -1 // how many marks stand on the last letter; there is none yet
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		role := from.role(at+i, w.role)
		if n = w.blanks(text, i, n); r == ' ' && n > mostBlanks {
			put(fmt.Sprintf("[%d blanks]", n), Hidden)
			i, onLetter = i+n, -1
			continue
		}
		if unicode.Is(unicode.M, r) {
			onLetter++
		} else {
			onLetter = 0
		}
		switch {
		case r == '\t' && w.tabs:
			put("    ", role)
		case alike[i]:
			w.alike++
			put(code(text[i:i+n]), Hidden)
		case !seen(r, n), unicode.Is(unicode.M, r) && (onLetter == 0 || onLetter > mostMarks):
			w.hidden++
			put(code(text[i:i+n]), Hidden)
		default:
			if rightToLeft(r) {
				w.rightToLeft++
			}
			put(text[i:i+n], role)
		}
		i += n
	}
	return ended(out, &span)
}

// ended gives the last span its text.
func ended(out Line, text *strings.Builder) Line {
	if n := len(out); n > 0 {
		out[n-1].Text = text.String()
	}
	text.Reset()
	return out
}

// blanks is how many bytes of a text belong together: all of a long row of
// blanks, or else those of one character.
func (*writer) blanks(text string, i, size int) int {
	n := 0
	for i+n < len(text) && text[i+n] == ' ' {
		n++
	}
	if n > mostBlanks {
		return n
	}
	return size
}

// A marker goes through a text with its marks, which are in order.
type marker struct{ marks []mark }

// marksFrom is a marker at a byte of a text.
func marksFrom(marks []mark, at int) *marker {
	i := sort.Search(len(marks), func(i int) bool { return marks[i].end > at })
	return &marker{marks[i:]}
}

// role is that of a byte, which is not before the one asked for last.
func (m *marker) role(at int, other Role) Role {
	for len(m.marks) > 0 && m.marks[0].end <= at {
		m.marks = m.marks[1:]
	}
	if len(m.marks) > 0 && m.marks[0].start <= at {
		return m.marks[0].role
	}
	return other
}

// inOrder sorts marks, and joins those that overlap.
func inOrder(marks []mark) []mark {
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	var out []mark
	for _, m := range marks {
		if n := len(out); n > 0 && m.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, m.end)
			continue
		}
		out = append(out, m)
	}
	return out
}

// seen reports whether a character shows as itself, and does nothing else.
func seen(r rune, size int) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return true
	case r == utf8.RuneError && size <= 1, !unicode.IsPrint(r):
		return false
	case r == 0x2800 || r == unicode.ReplacementChar: // a blank, and what stands for anything
		return false
	case r < 0x300 && unicode.IsLetter(r): // those of Europe, which are looked at most
		return true
	}
	return fspath.Plain(string(r)) != "" // else it has no width
}

// code is how a character is written that must not be interpreted.
func code(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == utf8.RuneError && n <= 1:
		return fmt.Sprintf(`\x%02x`, text[0])
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u{%x}`, r)
}

// lookalikes are the characters of a text that a reader takes for others, by
// where they stand: letters in a word that has ASCII letters, too, or that reads
// as if it had no others. A word of another script is left alone.
func (w *writer) lookalikes(text string) map[int]bool {
	out := map[int]bool{}
	start := -1
	word := func(end int) {
		if start >= 0 {
			markWord(out, text, start, end)
		}
		start = -1
	}
	before := ' '
	for i, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r >= utf8.RuneSelf && unicode.IsNumber(r)
		switch {
		case letter && start < 0:
			start = i
		case !letter:
			word(i)
			if r >= utf8.RuneSelf && (w.strict && likeSign(r) || before == ' ' && dash(r)) {
				out[i] = true
			}
		}
		before = r
	}
	word(len(text))
	return out
}

func markWord(out map[int]bool, text string, start, end int) {
	word := text[start:end]
	if ascii(word) {
		return
	}
	mixed := strings.ContainsFunc(word, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) })
	if !mixed && !ascii(fspath.Plain(word)) {
		return
	}
	for i, r := range word {
		if like := fspath.Plain(string(r)); r >= utf8.RuneSelf && like != "" && ascii(like) {
			out[start+i] = true
		}
	}
}

// likeSign reports whether a character looks like a sign that a shell or a path
// gives a meaning.
func likeSign(r rune) bool {
	const signs = "‘’‚‛“”„‟′″‵‶«»ʹʺˈ｀´ˋ∕⁄⧸╱∖⧵⧹；;｜ǀ│∣＆＞＜›‹＄（）｛｝［］＃！＊∗～˜∼．․。：∶＝，‚＠％＋"
	like := fspath.Plain(string(r))
	return strings.ContainsRune(signs, r) || dash(r) || like != "" && ascii(like)
}

func dash(r rune) bool {
	return unicode.Is(unicode.Pd, r) && r >= utf8.RuneSelf || r == 0x2212
}

// rightToLeft reports whether a letter is of a script that is written so: some
// terminals then show what stands around it in another order.
func rightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
