package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A codePath is the name of a file that an expression of a program gives.
type codePath struct {
	text   string
	end    int  // the token behind it
	object bool // it has methods that change the file: Path('x')
}

// Nobody writes expressions for paths that are deeper, or have more parts.
const (
	maxPathDepth = 16
	maxPathParts = 64
)

// pathAt reads an expression that starts at a token and gives the name of a file:
// literals, the home and the current folder, names that stand for one text, and
// what puts them together. The end is where it stops being one.
func (d *codeCalls) pathAt(i, depth int) (codePath, bool) {
	p, ok := d.operand(i, depth)
	for parts := 0; ok && parts < maxPathParts && len(p.text) <= maxPath; parts++ {
		joint := 1
		switch k := d.kind(p.end); {
		case d.starts(p.end):
			return p, true
		case k == '.' && d.kind(p.end+1) == 'n' && d.kind(p.end+2) == '(' && d.closes[p.end+2] > 0:
			next, same := d.through(p, depth)
			if !same {
				return p, true
			}
			p = next
			continue
		case k == '/' && p.object, k == '+':
		case k == '.' && (d.s.kind == table.KindPHP || d.s.kind == table.KindPerl):
		case k == '.' && d.kind(p.end+1) == '.' && d.s.kind == table.KindLua:
			joint = 2
		default:
			return p, true
		}
		var right codePath
		if right, ok = d.operand(p.end+joint, depth+1); ok {
			if d.kind(p.end) == '/' || p.object {
				p.text = d.under(p.text, right.text)
			} else {
				p.text += right.text
			}
			p.end = right.end
		}
	}
	return p, false
}

// starts reports whether a statement starts at a token, or none is left.
func (d *codeCalls) starts(i int) bool { return i >= len(d.tokens) || d.tokens[i].first }

// operand reads one part of such an expression.
func (d *codeCalls) operand(i, depth int) (codePath, bool) {
	if depth > maxPathDepth {
		return codePath{}, false
	}
	switch d.kind(i) {
	case 's':
		text, ok := d.s.filled(d.tokens[i].text, depth)
		return codePath{text: text, end: i + 1}, ok
	case '(':
		p, ok := d.pathAt(i+1, depth+1)
		if !ok || p.end != d.closes[i] {
			return codePath{}, false
		}
		p.end++
		return p, true
	case 'n':
		if name := d.tokens[i].text; d.kind(i+1) == 's' && d.s.kind == table.KindPython && len(name) < 3 {
			text, ok := d.tokens[i+1].text, true
			if strings.ContainsAny(name, "fF") {
				text, ok = d.s.formattedPath(text, depth)
			}
			return codePath{text: text, end: i + 2}, ok
		}
		return d.named(i, depth)
	}
	return codePath{}, false
}

// named reads what starts with a name: a constant, or a function that gives a path.
func (d *codeCalls) named(i, depth int) (codePath, bool) {
	name, end := d.dotted(i)
	if values := d.s.consts[d.tokens[i].text]; len(values) == 1 {
		return codePath{text: values[0], end: i + 1, object: d.s.objects[d.tokens[i].text]}, true
	}
	home, dir := d.s.v.w.at.Home, "."
	e := d.s.keyed(&table.KeysPathFunctions, name)
	switch {
	case e == nil:
		return codePath{}, false
	case e.Kind == table.KindVar && d.kind(end) == '[' && d.kind(end+1) == 's' && d.tokens[end+1].text == "HOME" && d.closes[end] == end+2:
		return codePath{text: home, end: end + 3}, home != ""
	case e.Kind == table.KindUnset && d.kind(end) != '(': // a value, not a call
		return codePath{text: home, end: end}, home != ""
	}
	if d.kind(end) != '(' || d.closes[end] < 0 {
		return codePath{}, false
	}
	after := d.closes[end] + 1
	switch e.Kind {
	case table.KindVar:
		return codePath{text: home, end: after}, home != "" && d.kind(end+1) == 's' && d.tokens[end+1].text == "HOME"
	case table.KindUnset:
		return codePath{text: home, end: after, object: strings.HasSuffix(name, "Path.home")}, home != "" && after == end+2
	case table.KindCd:
		return codePath{text: dir, end: after, object: strings.HasSuffix(name, "Path.cwd")}, after == end+2
	}
	parts, ok := d.pathArguments(end, depth)
	if !ok || len(parts) == 0 || e.Kind == table.KindStart && len(parts) < 2 {
		return codePath{}, false
	}
	p := codePath{text: parts[0], end: after, object: e.Kind == table.KindWrite}
	for _, part := range parts[1:] {
		p.text = d.under(p.text, part)
	}
	return p, true
}

// through reads a method that gives another path: p.joinpath('x'), p.resolve().
func (d *codeCalls) through(p codePath, depth int) (codePath, bool) {
	open := p.end + 2
	e := d.s.keyed(&table.KeysPathMethods, d.tokens[p.end+1].text)
	if e == nil || !p.object || e.Kind != table.KindStart && e.Kind != table.KindRead {
		return p, false
	}
	if e.Kind == table.KindStart {
		parts, ok := d.pathArguments(open, depth)
		if !ok {
			return p, false
		}
		for _, part := range parts {
			p.text = d.under(p.text, part)
		}
	}
	p.end = d.closes[open] + 1
	return p, true
}

// dotted reads a name with what it is part of: os.path.join, require('os').homedir.
func (d *codeCalls) dotted(i int) (string, int) {
	name, end := d.tokens[i].text, i+1
	if name == "require" && d.kind(i+1) == '(' && d.kind(i+2) == 's' && d.closes[i+1] == i+3 {
		name, end = strings.TrimPrefix(d.tokens[i+2].text, "node:"), i+4
	}
	for !d.starts(end) {
		switch {
		case d.kind(end) == '.' && d.kind(end+1) == 'n':
			name, end = name+"."+d.tokens[end+1].text, end+2
		case d.kind(end) == ':' && d.kind(end+1) == ':' && d.kind(end+2) == 'n':
			name, end = name+"."+d.tokens[end+2].text, end+3
		default:
			return name, end
		}
	}
	return name, end
}

// pathArguments reads the arguments of a call, each of which has to be a path.
func (d *codeCalls) pathArguments(open, depth int) ([]string, bool) {
	var out []string
	for i, end := open+1, d.closes[open]; i < end; i++ {
		p, ok := d.pathAt(i, depth+1)
		if !ok || d.kind(p.end) != ',' && p.end != end {
			return nil, false
		}
		out = append(out, p.text)
		i = p.end
	}
	return out, true
}

// under puts a name below a folder. One that starts at the root is where it is.
func (d *codeCalls) under(dir, name string) string {
	if path.IsAbs(name) && d.s.kind != table.KindNode || dir == "." {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + strings.TrimPrefix(name, "/")
}

// keyed finds the entry of a block for a name.
func (s *codeScanner) keyed(keys *table.KeyTable, name string) *table.Flag {
	for i := range keys.All() {
		if e := &keys.All()[i]; matchAny(e.Names, name) {
			return e
		}
	}
	return nil
}

// filled puts values in place of what a literal interpolates. What cannot be known
// makes it unknown.
func (s *codeScanner) filled(text string, depth int) (string, bool) {
	switch s.kind {
	case table.KindNode:
		return s.interpolated(text, "${", depth)
	case table.KindRuby:
		return s.interpolated(text, "#{", depth)
	case table.KindPerl, table.KindPHP:
		for _, home := range [...]string{"$ENV{HOME}", "$ENV{'HOME'}", `$ENV{"HOME"}`, "$_SERVER[HOME]", "{$_SERVER['HOME']}"} {
			text = strings.ReplaceAll(text, home, s.v.w.at.Home)
		}
		return text, !strings.ContainsAny(text, "$") && (s.kind == table.KindPHP || !strings.Contains(text, "@{"))
	}
	return text, true
}

// formattedPath is filled for the braces of a Python f-string.
func (s *codeScanner) formattedPath(text string, depth int) (string, bool) {
	if strings.Contains(text, "{{") || strings.Contains(text, "}}") {
		return "", false
	}
	return s.interpolated(text, "{", depth)
}

func (s *codeScanner) interpolated(text, mark string, depth int) (string, bool) {
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(text, mark)
		b.WriteString(plain)
		if !found {
			return b.String(), true
		}
		inner, after, closed := strings.Cut(rest, "}")
		sub := codeScanner{v: s.v, src: inner, keys: s.keys, kind: s.kind, consts: s.consts, objects: s.objects, depth: s.depth + 1}
		d := codeCalls{s: &sub, tokens: sub.tokens()}
		d.match()
		p, ok := d.pathAt(0, depth+1)
		if !closed || !ok || p.end != len(d.tokens) {
			return "", false
		}
		b.WriteString(p.text)
		text = after
	}
}

// tokenAt finds the first token at a place in the program or behind it.
func (d *codeCalls) tokenAt(pos int) int {
	i, _ := slices.BinarySearchFunc(d.tokens, pos, func(t codeToken, pos int) int { return t.at - pos })
	return i
}

// exactly reads the arguments of the call whose bracket is at a place in the
// program, in which the literals were found. Where the first is an expression that
// gives a path, that is what counts; a literal that interpolates something that is
// not known is not known itself.
func (s *codeScanner) exactly(start int, literals []string) []string {
	if s.calls == nil || len(s.also) > 0 {
		return literals
	}
	d := s.calls
	open := d.tokenAt(start)
	end := open
	if d.kind(open) == '(' && d.closes[open] > 0 {
		end, open = d.closes[open], open+1
	}
	first, ok := d.pathAt(open, 0)
	switch k := d.kind(first.end); {
	case !ok:
		s.mixed = s.mixed || d.kind(open) == 's'
		return literals
	case k != ',' && first.end != end && !d.starts(first.end):
		return literals
	}
	words := []string{first.text}
	for i := first.end; d.kind(i) == ',' && i < end; {
		i++
		if d.kind(i) == 'n' && d.kind(i+1) == '=' { // a keyword
			i += 2
		}
		if p, ok := d.pathAt(i, 0); ok && (d.kind(p.end) == ',' || p.end == end) {
			words, i = append(words, p.text), p.end
		}
		for i < end && d.kind(i) != ',' {
			i = max(i, d.closes[i]) + 1
		}
	}
	s.mixed = false
	return words
}

// fileMethods looks for methods of what is a file: Path('x').write_text(…). The
// scan for names then leaves them out.
func (s *codeScanner) fileMethods() {
	d := s.calls
	for i := range d.tokens {
		if k := d.kind(i); k != 'n' && k != '(' || d.kind(i-1) == '.' {
			continue
		}
		p, ok := d.pathAt(i, 0)
		if !ok || !p.object || d.kind(p.end) != '.' || d.kind(p.end+1) != 'n' || d.kind(p.end+2) != '(' {
			continue
		}
		if e := s.keyed(&table.KeysPathMethods, d.tokens[p.end+1].text); e != nil {
			s.fileMethod(e, p)
		}
	}
}

func (s *codeScanner) fileMethod(e *table.Flag, p codePath) {
	d, open := s.calls, p.end+2
	access := Write
	switch e.Kind {
	case table.KindDelete, table.KindMove:
		access = Delete
	case table.KindText: // its first literal is the mode to open it in
		if d.kind(open+1) != 's' && !d.name(open+1, "mode") || d.kind(open+1) == 's' && !strings.ContainsAny(d.tokens[open+1].text, "wax+") {
			s.known = append(s.known, d.tokens[p.end+1].at)
			s.v.touch(s.path(p.text), Read, false)
			return
		}
	case table.KindWrite, table.KindChange:
	default:
		return
	}
	if e.Do != nil {
		s.v.apply(e.Do)
	}
	s.v.touch(s.path(p.text), access, false)
	if e.Kind == table.KindMove {
		if to, ok := d.pathAt(open+1, 0); ok && to.end == d.closes[open] {
			s.v.touch(s.path(to.text), Write, false)
		} else {
			s.v.c.doubt(Moderate, "which files the program writes cannot be known")
		}
	}
	s.known = append(s.known, d.tokens[p.end+1].at)
}
