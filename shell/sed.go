package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// sed reads a sed script for the commands that do more than edit a stream:
// w writes a file, r reads one, e runs a command.
func (v *visit) sed(a Arg) {
	text, first := v.sedText(a)
	if !first {
		return // it was read together with the piece before it
	}
	if a.Unknown && !a.plain {
		// A variable in a pattern or replacement is the usual case; one that
		// is the whole script could be anything.
		v.c.doubt(Moderate, "the sed script cannot be known: "+short(a.Text))
	}
	s := sedScript{v: v, src: text, seen: make([]bool, len(text)+1), work: 64*len(text) + 4096}
	s.read()
}

// sedText is the script that a piece of it belongs to: several -e are one
// script, a line each, and so 'a\' makes text of the next one. With a script
// in a file between them, each stands alone.
func (v *visit) sedText(a Arg) (text string, first bool) {
	var pieces []string
	var start *Arg
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.flag.Kind == table.KindScript {
			return a.Text, true
		}
		if g.flag.Kind != table.KindSed || !g.hasValue {
			continue
		}
		if g.value.Unknown && !g.value.plain {
			v.c.doubt(Moderate, "the sed script cannot be known: "+short(g.value.Text))
		}
		if start == nil {
			start = &g.value
		}
		pieces = append(pieces, g.value.Text)
	}
	if len(pieces) < 2 {
		return a.Text, true
	}
	return strings.Join(pieces, "\n"), a.Span == start.Span && a.Text == start.Text
}

// A sedScript finds the commands of a script. The seds do not agree where a
// regular expression with brackets, a label or a command ends, so it goes
// through every place where a command may start in one of them.
type sedScript struct {
	v    *visit
	src  string
	seen []bool // by position: a command may start there
	todo []int  // those that were not looked at yet
	work int    // how many bytes may still be looked at
	done []sedFile
}

// A sedFile is something outside the stream that the script names.
type sedFile struct {
	access Access // 0: it is a command
	text   string
}

// maxSedFiles is how many files and commands of a script are told apart.
const maxSedFiles = 64

const (
	sedBlanks = " \t\r\v\f"
	sedBreaks = sedBlanks + "\n;"
)

func (s *sedScript) read() {
	complete := false
	s.start(0)
	for len(s.todo) > 0 {
		pos := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if pos == len(s.src) {
			complete = true
			continue
		}
		for _, at := range s.addresses(pos) {
			if !s.spent() {
				s.command(at)
			}
		}
		if s.spent() {
			s.v.c.doubt(Dangerous, "the sed script can be read in too many ways")
			return
		}
	}
	if !complete {
		s.v.c.doubt(Moderate, "the sed script is not understood: "+short(s.src))
	}
}

// spent reports whether there is too much to look at.
func (s *sedScript) spent() bool { return s.work < 0 || len(s.done) > maxSedFiles }

// start notes that a command may start at pos. Not every sed wants something
// between two commands, and some take an escaped newline for a blank.
func (s *sedScript) start(pos int) {
	for {
		pos = s.skip(min(pos, len(s.src)), sedBreaks)
		if s.seen[pos] {
			return
		}
		s.seen[pos] = true
		s.todo = append(s.todo, pos)
		if !s.joins(pos) {
			return
		}
		pos += 2
	}
}

// joins reports whether the line ends in a backslash here.
func (s *sedScript) joins(pos int) bool {
	return pos < len(s.src) && s.src[pos] == '\\' && (pos+1 == len(s.src) || s.src[pos+1] == '\n')
}

func (s *sedScript) skip(pos int, chars string) int {
	for pos < len(s.src) && strings.IndexByte(chars, s.src[pos]) >= 0 {
		pos++
		s.work--
	}
	return pos
}

// until is the position of the next of chars, or the end.
func (s *sedScript) until(pos int, chars string) int {
	end := len(s.src)
	if pos >= end {
		return end
	}
	if i := strings.IndexAny(s.src[pos:], chars); i >= 0 {
		end = pos + i
	}
	s.work -= end - pos
	return end
}

// delimited returns where text up to a delimiter may end: behind the first one
// that is not escaped, and, if that may stand in brackets, behind each of the
// following ones. To find out which is the one would take to know which sed it
// is: in brackets, they read classes and backslashes differently, and some do
// not know brackets at all.
func (s *sedScript) delimited(pos int, delim byte, brackets bool) []int {
	var ends []int
	open := false
	for ; pos < len(s.src); pos++ {
		s.work--
		switch c := s.src[pos]; {
		case c == delim:
			ends = append(ends, pos+1)
			if !open {
				return ends
			}
		case c == '\\':
			pos++
		case c == '[' && brackets:
			open = true
		}
	}
	return ends
}

// addresses returns where the command may start whose addresses are at pos.
func (s *sedScript) addresses(pos int) []int {
	var out []int
	for _, p := range s.address(pos) {
		p = s.skip(p, sedBlanks)
		if p >= len(s.src) || s.src[p] != ',' {
			out = append(out, p)
			continue
		}
		out = append(out, s.address(s.skip(p+1, sedBlanks+"+~"))...)
	}
	for i, p := range out {
		out[i] = s.skip(p, sedBlanks+"!")
	}
	return out
}

// address returns where one address may end; there may be none.
func (s *sedScript) address(pos int) []int {
	if pos >= len(s.src) {
		return nil
	}
	delim := byte('/')
	switch c := s.src[pos]; {
	case c >= '0' && c <= '9' || c == '$':
		return []int{s.skip(pos, "0123456789$~")}
	case c == '/':
	case c == '\\' && pos+1 < len(s.src):
		pos++
		delim = s.src[pos]
	default:
		return []int{pos}
	}
	ends := s.delimited(pos+1, delim, true)
	for i, p := range ends {
		ends[i] = s.skip(p, "IM")
	}
	return ends
}

// command reads one command behind its addresses, and notes where the next may
// start. One that no sed knows ends the reading.
func (s *sedScript) command(pos int) {
	if pos >= len(s.src) {
		return
	}
	c := s.src[pos]
	pos++
	switch c {
	case '{', '}', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '=', 'F':
		s.start(pos)
	case 'l', 'L', 'q', 'Q':
		s.start(s.skip(pos, sedBlanks+"0123456789"))
	case '#':
		s.comment(pos)
	case ':', 'b', 't', 'T', 'v':
		s.label(s.skip(pos, sedBlanks))
	case 'a', 'i', 'c':
		s.text(pos)
	case 'w', 'W':
		s.file(pos, Write)
	case 'r', 'R':
		s.file(pos, Read)
	case 'e':
		s.file(pos, 0)
	case 'y', 's':
		s.substitution(pos, c == 's')
	}
}

// comment notes the ends that a comment may have: for some a carriage return
// is one, and for some a backslash lets it go on.
func (s *sedScript) comment(pos int) {
	s.start(s.until(pos, "\r\n"))
	for {
		end := s.until(pos, "\n")
		s.start(end)
		if !oddSlashes(s.src[pos:end]) || end == len(s.src) {
			return
		}
		pos = end + 1
	}
}

// label notes the ends that a label may have: for some it is the whole line.
func (s *sedScript) label(pos int) {
	s.start(s.until(pos, "\n"))
	s.start(s.until(pos, sedBreaks))
	s.start(s.until(pos, sedBreaks+"}"))
}

// text moves over the text of a, i, c, which goes on after a backslash. Blanks
// behind that backslash count for some only, and for some the text may start
// on the next line without one.
func (s *sedScript) text(pos int) {
	if end := s.skip(pos, sedBlanks); end < len(s.src) && s.src[end] == '\n' {
		s.start(end)
		pos = end + 1
	}
	for {
		start := pos
		pos = s.until(pos, "\n")
		line := s.src[start:pos]
		if oddSlashes(line) {
			pos++
		} else {
			s.start(pos)
			if !oddSlashes(strings.TrimRight(line, sedBlanks)) {
				return
			}
			pos++
		}
		if pos >= len(s.src) {
			s.start(len(s.src))
			return
		}
	}
}

func oddSlashes(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// file takes the rest of the line as the name of a file, or as a command.
func (s *sedScript) file(pos int, access Access) {
	end := s.until(pos, "\n")
	s.start(end)
	f := sedFile{access, strings.TrimSpace(s.src[pos:end])}
	for _, other := range s.done {
		if other == f {
			return
		}
	}
	s.done = append(s.done, f)
	if access == 0 {
		s.execute(f.text)
		return
	}
	s.v.touch(Arg{Text: f.text}, access, false)
	if access == Write {
		s.v.also = ", writing lines to " + short(f.text)
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

// substitution is s or y, behind its letter. In the second part a bracket is a
// plain character.
func (s *sedScript) substitution(pos int, flags bool) {
	if pos >= len(s.src) {
		return
	}
	delim := s.src[pos]
	for _, p := range s.delimited(pos+1, delim, true) {
		if s.spent() {
			return
		}
		for _, end := range s.delimited(p, delim, false) {
			if flags {
				s.flags(end)
			} else {
				s.start(end)
			}
		}
	}
}

// flags reads what follows s///. Blanks may stand between the flags; another
// letter is refused by every sed.
func (s *sedScript) flags(pos int) {
	runs := false
	for ; pos < len(s.src); pos++ {
		s.work--
		c := s.src[pos]
		if c == 'w' {
			s.file(pos+1, Write)
			break
		}
		if strings.IndexByte("\n;}#", c) >= 0 || s.joins(pos) {
			s.start(pos)
			break
		}
		if strings.IndexByte("egpiImM0123456789"+sedBlanks, c) < 0 {
			return
		}
		runs = runs || c == 'e'
	}
	if pos >= len(s.src) {
		s.start(pos)
	}
	if runs {
		s.execute("")
	}
}
