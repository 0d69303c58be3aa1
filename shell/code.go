package shell

import "strings"

// code looks at the text of a program in another language. It is not
// understood, only searched for what starts programs, touches files or talks
// to the network; the names come from the tables.
func (v *visit) code(k kind, a Arg) {
	switch k {
	case kindSed:
		v.sed(a)
		return
	case kindAwk:
		v.awk(a)
		return
	case kindSQL:
		v.sql(a)
		return
	case kindRedis:
		v.redis(a)
		return
	case kindJq:
		return
	}
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if a.Unknown {
		v.c.doubt(Dangerous, "the program it runs cannot be known: "+short(a.Text))
	}
	if len(a.Text) > MaxLength {
		v.c.doubt(Dangerous, "the program it runs is too long")
		return
	}
	s := codeScanner{v: v, src: a.Text, keys: codeKeys(k), kind: k}
	s.run()
}

func codeKeys(k kind) *keyTable {
	switch k {
	case kindPython:
		return &keysPython
	case kindNode:
		return &keysNode
	case kindPerl:
		return &keysPerl
	case kindRuby:
		return &keysRuby
	case kindPHP:
		return &keysPhp
	case kindMongo:
		return &keysMongo
	case kindAppleScript:
		return &keysApplescript
	case kindPowerShell:
		return &keysPowershell
	}
	return &keysCode
}

// A codeScanner finds names and string literals in a program.
type codeScanner struct {
	v    *visit
	src  string
	pos  int
	keys *keyTable
	kind kind

	mixed bool // the first argument of the last call is more than a literal
	depth int  // interpolations around
	list  bool // the arguments of the last call are a list of words
}

func (s *codeScanner) run() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '#' && s.commentAt() || c == '/' && s.at("//") && (s.kind == kindNode || s.kind == kindPHP || s.kind == kindMongo):
			s.line()
		case c == '`' && (s.kind == kindPerl || s.kind == kindRuby || s.kind == kindPHP):
			s.command(s.literal())
		case c == '%' && s.at("%x") && s.kind == kindRuby:
			s.pos += 2
			s.command(s.bracketed())
		case c == '\'' || c == '"' || c == '`':
			s.inspect(s.literal())
		case isNameStart(c):
			s.name()
		default:
			s.pos++
		}
	}
}

// commentAt reports whether a # here starts a comment, and not $#x, s#a#b# or
// the like.
func (s *codeScanner) commentAt() bool {
	if s.kind == kindNode || s.kind == kindMongo || s.kind == kindLua {
		return false
	}
	return s.pos == 0 || strings.IndexByte(" \t\n;{}", s.src[s.pos-1]) >= 0
}

func (s *codeScanner) at(text string) bool { return strings.HasPrefix(s.src[s.pos:], text) }

func (s *codeScanner) line() {
	for s.pos < len(s.src) && s.src[s.pos] != '\n' {
		s.pos++
	}
}

// literal reads a quoted string and returns its content.
func (s *codeScanner) literal() string {
	quote := s.src[s.pos : s.pos+1]
	if triple := strings.Repeat(quote, 3); s.at(triple) && s.kind == kindPython {
		quote = triple
	}
	s.pos += len(quote)
	var b strings.Builder
	for s.pos < len(s.src) && !s.at(quote) {
		c := s.src[s.pos]
		if c == '\\' && s.pos+1 < len(s.src) {
			s.pos++
			c = s.src[s.pos]
			switch c {
			case 'n':
				c = '\n'
			case '0', '1', '2', '3', '4', '5', '6', '7':
				n, used := digits(s.src[s.pos:], 8, 3)
				s.pos += used - 1
				c = byte(n)
			case 't':
				c = '\t'
			case 'x':
				n, used := digits(s.src[s.pos+1:], 16, 2)
				if used > 0 {
					s.pos += used
					c = byte(n)
				}
			}
		}
		b.WriteByte(c)
		s.pos++
	}
	s.pos = min(s.pos+len(quote), len(s.src))
	return b.String()
}

// bracketed reads the text of %x(…), whatever its delimiter is.
func (s *codeScanner) bracketed() string {
	if s.pos >= len(s.src) {
		return ""
	}
	end := s.src[s.pos]
	if i := strings.IndexByte("([{<", end); i >= 0 {
		end = ")]}>"[i]
	}
	s.pos++
	text, _, _ := strings.Cut(s.src[s.pos:], string(rune(end)))
	s.pos = min(s.pos+len(text)+1, len(s.src))
	return text
}

func isNameStart(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// name reads a dotted name and looks it up.
func (s *codeScanner) name() {
	start := s.pos
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if isNameStart(c) || c >= '0' && c <= '9' || c == '-' && s.kind == kindPowerShell {
			s.pos++
			continue
		}
		if c == '.' && s.pos+1 < len(s.src) && isNameStart(s.src[s.pos+1]) {
			s.pos++
			continue
		}
		if s.at("::") || s.at("->") {
			s.pos += 2
			continue
		}
		break
	}
	name := strings.NewReplacer("::", ".", "->", ".").Replace(s.src[start:s.pos])
	if s.kind == kindPowerShell || s.kind == kindAppleScript {
		name = strings.ToLower(name)
	}
	for i := range *s.keys {
		e := &(*s.keys)[i]
		for _, pattern := range e.names {
			if matchWord(pattern, name) {
				s.hit(e)
				return
			}
		}
	}
}

// hit applies an entry of the table, with the literals of the call behind it.
func (s *codeScanner) hit(e *flag) {
	if e.do != nil {
		s.v.apply(e.do)
	}
	if e.kind == kindNone {
		if e.do != nil && e.do.does.Has(Writes) {
			s.targets()
		}
		return
	}
	words := s.arguments()
	switch {
	case e.kind == kindWrite && (len(words) == 0 || s.mixed): // open(name, …): as with a script in a file
		s.v.c.doubt(Moderate, "which files the program opens cannot be known")
	case len(words) == 0 || s.mixed && e.kind != kindShell:
		s.v.c.doubt(Dangerous, "what the program does cannot be known")
	case e.kind == kindShell && s.list:
		args := make([]Arg, len(words))
		for i, w := range words {
			args[i].Text = w
		}
		s.command(quoteArgs(args))
	case e.kind == kindShell:
		if s.mixed {
			s.v.c.doubt(Dangerous, "the command that the program runs cannot be known")
		}
		s.command(strings.Join(words, " "))
	case e.kind == kindWrite: // a file and the mode to open it in
		if len(words) > 1 && strings.ContainsAny(words[1], "wax+>") && len(words[1]) < 4 || e.do != nil {
			s.v.touch(s.path(words[0]), Write, false)
		} else {
			s.v.touch(s.path(words[0]), Read, false)
		}
	default:
		s.v.value(e.kind, nil, s.path(words[0]), true)
	}
}

// targets records the files that a call writes: every literal may be one.
func (s *codeScanner) targets() {
	words := s.arguments()
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
	depth, commas := 0, 0
	s.mixed, s.list = false, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ',':
			commas++
		case commas == 0 && isNameStart(c): // not a plain literal
			s.mixed = true
		case c == '\'' || c == '"' || c == '`':
			word := s.literal()
			words = append(words, word)
			s.inspect(word)
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
		case c == '/' && depth == 0 && s.kind != kindNode:
		}
		s.pos++
	}
	return words
}

// command analyses a literal that the program gives to a shell.
func (s *codeScanner) command(text string) {
	s.v.shell(Arg{Text: text, Span: s.v.c.Span})
	s.v.c.Risk = min(s.v.c.Risk, Moderate)
}

func (s *codeScanner) path(text string) Arg {
	if rest, ok := strings.CutPrefix(text, "~/"); ok && s.v.w.at.Home != "" {
		text = s.v.w.at.Home + "/" + rest
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
	if text == "" || len(text) > 4096 || strings.ContainsAny(text, " \n") {
		return
	}
	a := s.path(text)
	if s.v.w.secret(resolve(a.Text, s.v.st.dir), false) {
		s.v.touch(a, Read, false)
	}
}

// redis is a command of redis-cli: only its first word decides.
func (v *visit) redis(a Arg) {
	if len(v.r.args) == 0 || v.r.args[0].Span != a.Span || v.r.args[0].Text != a.Text {
		return
	}
	name := strings.ToUpper(a.Text)
	for i := range keysRedis {
		e := &keysRedis[i]
		for _, pattern := range e.names {
			if matchWord(pattern, name) {
				if e.do != nil {
					v.apply(e.do)
				}
				return
			}
		}
	}
	v.c.Effects |= Writes
	v.c.Risk = min(v.c.Risk, Moderate)
}
