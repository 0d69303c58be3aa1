package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// method applies an entry for a method of something that is known to be a file:
// p.write_text(…) behind p = Path('x').
func (s *codeScanner) method(e *table.Flag, receiver string) bool {
	values := s.consts[receiver]
	if len(values) == 0 || e.Do == nil || e.Kind != table.KindNone || !e.Do.Does.Has(table.Writes) {
		return false
	}
	s.v.apply(e.Do)
	for _, value := range values {
		s.v.touch(s.path(value), Write, false)
	}
	return true
}

// hit applies an entry of the table, with the literals of the call behind it.
func (s *codeScanner) hit(e *table.Flag) {
	if e.Do != nil {
		s.v.apply(e.Do)
		if e.Do.Does.Has(table.Network) {
			s.hosts.fetches++
		}
	}
	if e.Kind == table.KindNone {
		if e.Do != nil && e.Do.Does.Has(table.Writes) {
			s.targets()
		}
		return
	}
	start := s.pos
	words := s.arguments()
	if s.v.w.at.Home != "" && (e.Kind == table.KindDelete || e.Kind == table.KindWrite) && s.home(s.src[start:s.pos]) {
		words, s.mixed = []string{s.v.w.at.Home}, false
	}
	if e.Kind == table.KindDelete || e.Kind == table.KindWrite || e.Kind == table.KindCd {
		words = s.exactly(start, words)
	}
	if e.Kind == table.KindCd {
		if len(words) > 0 && !s.mixed {
			s.dir = path.Clean(resolve(s.path(words[0]).Text, s.v.st.dir))
		}
		return
	}
	if e.Kind == table.KindWrite && (s.kind == table.KindPerl || s.kind == table.KindRuby) && s.pipes(words...) {
		return
	}
	if e.Kind == table.KindShell {
		for _, one := range s.also {
			s.command(one)
		}
	}
	switch {
	case e.Kind == table.KindWrite && (len(words) == 0 || s.mixed): // open(name, …): as with a script in a file
		s.v.c.doubt(Moderate, "which files the program opens cannot be known")
	case len(words) == 0 || s.mixed && e.Kind != table.KindShell:
		s.v.c.doubt(Dangerous, "what the program does cannot be known")
	case e.Kind == table.KindShell && s.list:
		args := make([]Arg, len(words))
		for i, w := range words {
			args[i].Text = w
		}
		s.command(quoteArgs(args))
	case e.Kind == table.KindShell:
		if s.mixed {
			s.v.c.doubt(Dangerous, "the command that the program runs cannot be known")
		}
		s.command(strings.Join(words, " "))
	case e.Kind == table.KindWrite: // a file and the mode to open it in
		access := Read
		if len(words) > 1 && strings.ContainsAny(words[1], "wax+>") && len(words[1]) < 4 || e.Do != nil {
			access = Write
		}
		for _, name := range append([]string{words[0]}, s.also...) {
			s.v.touch(s.path(name), access, false)
		}
	default:
		for _, name := range append([]string{words[0]}, s.also...) {
			s.v.value(e.Kind, nil, s.path(name), true)
		}
	}
}

// pipes runs the command of open("cmd|") and open(F, "-|", "cmd").
func (s *codeScanner) pipes(words ...string) bool {
	for i, w := range words {
		cmd := strings.TrimSpace(w)
		if !strings.HasPrefix(cmd, "|") && !strings.HasSuffix(cmd, "|") {
			continue
		}
		cmd = strings.Trim(cmd, "|")
		if cmd == "-" {
			cmd = strings.Join(words[i+1:], " ")
		}
		if s.mixed || cmd == "" {
			s.v.c.doubt(Dangerous, "the command that the program runs cannot be known")
		}
		s.command(cmd)
		return true
	}
	return false
}

// targets records the files that a call writes: every literal may be one.
func (s *codeScanner) targets() {
	start := s.pos
	words := s.arguments()
	words = s.exactly(start, words)
	if s.mixed || len(words) == 0 {
		s.v.c.doubt(Moderate, "which files the program writes cannot be known")
	}
	for _, w := range words {
		s.v.touch(s.path(w), Write, false)
	}
}

// arguments returns the string literals in the parentheses that follow, or of
// the rest of the statement.
func (s *codeScanner) arguments() []string {
	var words []string
	depth, commas, last := 0, 0, -1
	s.mixed, s.list, s.also = false, false, nil
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ',':
			commas++
		case commas == 0 && isNameStart(c) && !(s.kind == table.KindLisp && len(words) > 0): // not a plain literal
			if values := s.constant(depth); len(values) > 0 && len(words) == 0 {
				words, s.also = values[:1:1], values[1:]
				continue
			}
			s.mixed = true
		case s.quote(c):
			start := s.pos
			word := s.literal()
			if last >= 0 && len(words) > 0 && s.joined(s.src[last:start]) {
				word = words[len(words)-1] + word
				words = words[:len(words)-1]
			}
			last = s.pos
			words = append(words, word)
			s.inspect(word)
			s.address(start, word)
			if s.kind == table.KindAppleScript { // do shell script "…" with administrator privileges
				return words
			}
			continue
		case c == '(' || c == '[' || c == '{':
			s.list = s.list || c == '[' && len(words) == 0
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
			if depth <= 0 {
				s.pos++
				return words
			}
		case (c == ';' || c == '\n') && depth == 0:
			return words
		case c == '/' && depth == 0 && s.kind != table.KindNode:
		}
		s.pos++
	}
	return words
}

// constant reads a name that is all of an argument and returns what it stands
// for, if that is known; else it stays where it is.
func (s *codeScanner) constant(depth int) []string {
	end := s.pos
	for end < len(s.src) && (isNameStart(s.src[end]) || s.src[end] >= '0' && s.src[end] <= '9') {
		end++
	}
	values := s.consts[s.src[s.pos:end]]
	rest := strings.TrimLeft(s.src[end:], " \t\n")
	before := strings.TrimRight(s.src[:s.pos], " \t\n")
	if len(values) == 0 || depth != 1 || rest == "" || rest[0] != ',' && rest[0] != ')' || !strings.HasSuffix(before, "(") {
		return nil
	}
	s.pos = end
	return values
}

// command analyses a literal that the program gives to a shell.
func (s *codeScanner) command(text string) {
	if bareShell(text) {
		s.hosts.shells++
	}
	s.v.shell(Arg{Text: text, Span: s.v.c.Span})
	s.v.c.Risk = min(s.v.c.Risk, Moderate)
}

func (s *codeScanner) path(text string) Arg {
	if rest, ok := strings.CutPrefix(text, "~"); ok && s.v.w.at.Home != "" && (rest == "" || rest[0] == '/') {
		text = s.v.w.at.Home + rest
	}
	if s.dir != "" && !path.IsAbs(text) {
		text = s.dir + "/" + text
	}
	return Arg{Text: text}
}

// inspect looks at a literal: a secret is one wherever it is named, and an
// interpolation is code.
func (s *codeScanner) inspect(text string) {
	for _, mark := range [...]string{"#{", "${"} {
		if _, inner, ok := strings.Cut(text, mark); ok && s.depth < 4 {
			deeper := codeScanner{v: s.v, src: inner, keys: s.keys, kind: s.kind, depth: s.depth + 1}
			deeper.run()
		}
	}
	s.named(text)
}

// named looks at a literal that may be the name of a secret.
func (s *codeScanner) named(text string) {
	if text == "" || len(text) > maxPath || strings.ContainsAny(text, " \n") {
		return
	}
	a := s.path(text)
	if s.v.w.secret(resolve(a.Text, s.v.st.dir), false) {
		s.v.touch(a, Read, false)
	}
}
