package glob

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A shellGlob is a pattern of the shell as a command has it. It is read as
// wide as any shell may read it: * and ? match a leading dot, a component **
// crosses folders, and a range of letters takes in what any locale has there.
type shellGlob struct {
	steps   automaton
	text    string // the pattern as a path: what a shell passes on if nothing matches
	prefix  string // what all its matches begin with
	meta    bool
	unknown bool // it may match anything
}

// maxOpen is how many brackets may stay open: each is looked for to the end.
const maxOpen = 64

// A part is one component of a shell pattern.
type part struct {
	steps automaton
	text  string
	meta  bool
	deep  bool // only stars, at least two
	wild  bool // begins with * or ?, which never match . and ..
}

// shellReader reads one shell pattern.
type shellReader struct {
	src     string
	pos     int
	fold    bool
	unknown bool
	part    part
	text    []byte // of the component
	run     []byte // the literal that is being read
	opened  int    // brackets that were not closed
}

func readShell(pattern string, fold bool) shellGlob {
	r := shellReader{src: pattern, fold: fold, unknown: len(pattern) > MaxLength || fold && !utf8.ValidString(pattern)}
	if r.unknown {
		return shellGlob{unknown: true}
	}
	var parts []part
	for r.pos <= len(pattern) && !r.unknown {
		p := r.component()
		switch {
		case !p.meta && (p.text == "" || p.text == "."):
		case p.text == ".." && !p.meta:
			if len(parts) > 0 { // behind what may be a link
				r.unknown = true
			}
			r.unknown = r.unknown || strings.HasPrefix(pattern, "/")
			parts = append(parts, p)
		default:
			r.unknown = r.unknown || p.leavesFolder()
			parts = append(parts, p)
		}
		r.pos++ // the slash
	}
	if r.unknown {
		return shellGlob{unknown: true}
	}
	return assemble(parts, strings.HasPrefix(pattern, "/"))
}

// leavesFolder reports whether the component may be . or .., as .* in many
// shells.
func (p *part) leavesFolder() bool {
	if !p.meta || p.wild || p.deep {
		return false
	}
	var dot, dots automaton
	dot.literal(".")
	dots.literal("..")
	return meet(p.steps, dot) || meet(p.steps, dots)
}

// component reads up to the next slash.
func (r *shellReader) component() part {
	r.part, r.text = part{}, r.text[:0]
	from := r.pos
	for r.pos < len(r.src) && r.src[r.pos] != '/' && !r.unknown {
		b := r.src[r.pos]
		switch {
		case b == '\\' && r.pos+1 < len(r.src):
			r.pos++
			if r.src[r.pos] == '/' {
				continue
			}
			r.plain()
		case b == '*':
			r.sign(from)
			r.part.steps.add(many, notSlash)
			r.pos++
		case b == '?':
			r.sign(from)
			r.any(notSlash, true)
			r.pos++
		case b == '[':
			r.bracket()
		case b == '(' || b == '{' && braced(r.src[r.pos:]):
			r.unknown = true // what only some shells expand
		default:
			r.plain()
		}
	}
	raw := r.src[from:r.pos]
	r.part.deep = len(raw) > 1 && strings.Trim(raw, "*") == ""
	r.part.text = string(r.text)
	r.flush()
	return r.part
}

// braced reports whether s, which begins with a brace, may be expanded by a
// shell. Where such an expansion ends is not looked at: {a},b} is one too.
func braced(s string) bool {
	s = s[:strings.LastIndexByte(s, '}')+1]
	return strings.Contains(s, ",") || strings.Contains(s, "..")
}

func (r *shellReader) plain() {
	r.run = append(r.run, r.src[r.pos])
	r.text = append(r.text, r.src[r.pos])
	r.pos++
}

// sign notes that a sign with a meaning stands here.
func (r *shellReader) sign(from int) {
	r.flush()
	r.part.meta = true
	r.part.wild = r.part.wild || r.pos == from
	r.text = append(r.text, r.src[r.pos])
}

// flush adds the literal that was read.
func (r *shellReader) flush() {
	if len(r.run) == 0 {
		return
	}
	text := string(r.run)
	if r.fold {
		text = foldString(text)
	}
	r.part.steps.literal(text)
	r.run = r.run[:0]
}

// any adds one character. Where case is folded the bytes of a character may
// become fewer or more, so any number of them is taken.
func (r *shellReader) any(low byteSet, wide bool) {
	if r.fold {
		r.part.steps.add(many, notSlash)
		return
	}
	r.part.steps.char(low, wide)
}

// bracket reads [...]. Only single characters and plain ranges are told
// exactly; the rest is any character.
func (r *shellReader) bracket() {
	s := r.src[r.pos+1:]
	i := 0
	if strings.HasPrefix(s, "!") || strings.HasPrefix(s, "^") {
		i++
	}
	simple := i == 0
	var low byteSet
	wide := false
	for first := true; ; first = false {
		if i >= len(s) { // not closed: a bracket like any other character
			r.opened++
			r.unknown = r.opened > maxOpen
			r.plain()
			return
		}
		b := s[i]
		switch {
		case b == '/': // shells do not agree
			r.unknown = true
			return
		case b == ']' && !first:
			r.flush()
			r.part.meta = true
			r.text = append(r.text, r.src[r.pos:r.pos+i+2]...)
			if simple {
				r.any(low, wide)
			} else {
				r.any(notSlash, true)
			}
			r.pos += i + 2
			return
		case b == '[' || b == '\\':
			simple = false
			i = skipNamed(s, i)
			continue
		case i+2 < len(s) && s[i+1] == '-' && s[i+2] != ']':
			more, ok := letters(b, s[i+2])
			simple, wide = simple && ok, true
			low = low.or(more)
			i += 3
			continue
		case b >= utf8.RuneSelf:
			wide = true
		default:
			low.add(b)
		}
		i++
	}
}

// skipNamed returns where a named class such as [:alpha:], or an escaped
// character, ends.
func skipNamed(s string, i int) int {
	if s[i] == '\\' {
		if strings.HasPrefix(s[i+1:], "/") {
			return i + 1
		}
		return i + 2
	}
	if i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0 {
		if n := strings.Index(s[i+2:], s[i+1:i+2]+"]"); n >= 0 && !strings.Contains(s[i:i+2+n], "/") {
			return i + n + 4
		}
	}
	return i + 1
}

// letters returns what a range of digits or of letters may hold in any locale,
// next to what is not ASCII.
func letters(from, to byte) (byteSet, bool) {
	var s byteSet
	if '0' <= from && from <= to && to <= '9' {
		for b := from; b <= to; b++ {
			s.add(b)
		}
		return s, true
	}
	lower := 'a' <= from && from <= 'z' && 'a' <= to && to <= 'z'
	upper := 'A' <= from && from <= 'Z' && 'A' <= to && to <= 'Z'
	if !lower && !upper { // A-z has signs between the letters
		return s, false
	}
	for b := byte('a'); b <= 'z'; b++ {
		s.add(b)
		s.add(b - 0x20)
	}
	return s, true
}

// assemble puts the components together.
func assemble(parts []part, rooted bool) shellGlob {
	g := shellGlob{text: "."}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
		g.meta = g.meta || p.meta
	}
	if rooted || len(parts) > 0 {
		g.text = strings.Join(texts, "/")
	}
	if rooted {
		g.text = "/" + g.text
	}
	parts = slices.CompactFunc(parts, func(a, b part) bool { return a.deep && b.deep })
	slash := rooted // one is due before the next component
	for i, p := range parts {
		if p.deep && i > 0 && i == len(parts)-1 {
			g.steps.inside()
			break
		}
		if slash {
			g.steps.literal("/")
		}
		slash = !p.deep
		switch {
		case !p.deep:
			g.steps = append(g.steps, p.steps...)
		case i == len(parts)-1:
			g.steps.add(many, anyByte)
		default:
			g.steps.folders()
		}
	}
	if len(parts) == 0 {
		g.steps.literal(g.text)
	}
	g.prefix = g.steps.begin()
	return g
}

// begin returns the bytes that everything accepted begins with.
func (a automaton) begin() string {
	var out []byte
	for _, s := range a {
		if s.op != one || s.bytes != only(s.bytes.first()) {
			break
		}
		out = append(out, s.bytes.first())
	}
	return string(out)
}
