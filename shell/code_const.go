package shell

import "github.com/sayso-dev/sayso/shell/internal/table"

// codeConstants are the names in a program that stand for the same text, or for
// one of a few, wherever they are used.
type codeConstants map[string][]string

// constants finds names that are given a literal once, or that run over a list
// of literals, and are otherwise only handed to calls. Everything else may give
// them another value, and then nothing is known about them.
func (s *codeScanner) constants() codeConstants {
	switch s.kind {
	case table.KindPython, table.KindNode, table.KindRuby:
	default:
		return nil
	}
	d := s.calls
	out := codeConstants{}
	s.consts, s.objects = out, map[string]bool{}
	for i := range d.tokens {
		if d.kind(i) != 'n' {
			continue
		}
		name := d.tokens[i].text
		if values := d.given(i); values != nil && out[name] == nil {
			out[name] = values
			if !d.constant(name, i) {
				out[name] = []string{}
			}
		}
	}
	return out
}

// given returns what the name at i gets there: NAME = 'x', NAME = Path('x') / 'y',
// for NAME in ['x', 'y'].
func (d *codeCalls) given(i int) []string {
	if d.name(i-1, "for") && d.name(i+1, "in") && (d.kind(i+2) == '[' || d.kind(i+2) == '(') {
		var out []string
		for j := i + 3; d.kind(j) == 's'; j += 2 {
			out = append(out, d.tokens[j].text)
			if j+1 == d.closes[i+2] {
				return out
			}
			if d.kind(j+1) != ',' {
				return nil
			}
		}
		return nil
	}
	if d.kind(i+1) != '=' || d.kind(i+2) == '=' || !d.tokens[i].first && !d.name(i-1, "const", "let", "var") {
		return nil
	}
	p, ok := d.pathAt(i+2, 0)
	if !ok || !d.starts(p.end) && d.kind(p.end) != ';' {
		return nil
	}
	d.s.objects[d.tokens[i].text] = p.object
	return []string{p.text}
}

// constant reports whether a name is nowhere given another value than at the
// token at.
func (d *codeCalls) constant(name string, at int) bool {
	for i := range d.tokens {
		if i == at || d.kind(i) != 'n' || d.tokens[i].text != name || d.kind(i-1) == '.' {
			continue
		}
		if d.kind(i+1) == '.' && d.kind(i+2) == 'n' && d.kind(i+3) == '(' { // a method of it
			continue
		}
		if after := d.kind(i + 1); (after == '/' || after == '+') && d.kind(i+2) != '=' && !d.tokens[i].first { // a part of another path
			continue
		}
		if !d.argument(i) {
			return false
		}
	}
	return true
}

// argument reports whether the token at i is an argument of a call, and nothing
// else: not a parameter, and not a target of an assignment.
func (d *codeCalls) argument(i int) bool {
	before, after := d.kind(i-1), d.kind(i+1)
	if before != '(' && before != ',' || after != ')' && after != ',' {
		return false
	}
	open := i - 1
	for depth := 0; open >= 0; open-- {
		switch d.kind(open) {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	if d.kind(open) != '(' || d.tokens[open].first || d.kind(open-1) != 'n' || d.name(open-2, "def", "function", "class", "async") || d.name(open-1, "function", "def", "lambda", "for", "catch", "in") {
		return false
	}
	end := d.closes[open]
	return end > 0 && d.kind(end+1) != '{' && (d.kind(end+1) != ':' || !d.name(open-2, "def")) && (d.kind(end+1) != '=' || d.tokens[end+1].first)
}
