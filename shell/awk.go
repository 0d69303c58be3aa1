package shell

import "strings"

// awk reads an awk program for what leaves it: system(), pipes, redirections
// and getline.
func (v *visit) awk(a Arg) {
	if a.Unknown && !a.plain {
		v.c.Effects |= Executes
		v.c.doubt(Dangerous, "the awk program cannot be known: "+short(a.Text))
	}
	s := awkScanner{codeScanner: codeScanner{v: v, src: a.Text, keys: &keysCode, kind: kindAwk}}
	s.run()
	if strings.Contains(a.Text, "system") && !s.systems {
		s.unknownCommand() // it stands where the scan took it for something else
	}
}

type awkScanner struct {
	codeScanner
	printing bool   // inside the arguments of print or printf
	parens   int    // parentheses open since then
	last     string // the string literal just before, if any
	hasLast  bool
	systems  bool // system() was seen
}

func (s *awkScanner) run() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '"':
			s.last, s.hasLast = s.literal(), true
			s.inspect(s.last)
			continue
		case c == '#':
			s.line()
			continue
		case c == '/' && s.regexpAllowed():
			s.regexp()
			continue
		case isNameStart(c) && c != '$':
			s.word()
			continue
		case c == '(':
			s.parens++
		case c == ')':
			s.parens--
		case c == '\n' && s.continues(): // the statement goes on
		case c == ';' || c == '}' || c == '{' || c == '\n':
			s.printing, s.parens, s.hasLast = false, 0, false
		case c == '@': // gawk: @include, @load, indirect calls
			s.unknownCommand()
		case c == '|':
			s.pipe()
			continue
		case c == '>' && s.printing && s.parens <= 0:
			s.redirect()
			continue
		}
		if c != ' ' && c != '\t' {
			s.hasLast = false
		}
		s.pos++
	}
}

// continues reports whether a newline here does not end the statement.
func (s *awkScanner) continues() bool {
	before := strings.TrimRight(s.src[:s.pos], " \t")
	return strings.HasSuffix(before, `\`) || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "&&") || strings.HasSuffix(before, "||")
}

// ends reports whether nothing is added to the literal that was just read.
func (s *awkScanner) ends() bool {
	s.blanks()
	return s.pos >= len(s.src) || strings.IndexByte(";})\n,", s.src[s.pos]) >= 0
}

// regexpAllowed reports whether a slash here starts a regular expression.
func (s *awkScanner) regexpAllowed() bool {
	before := strings.TrimRight(s.src[:s.pos], " \t")
	if before == "" || strings.IndexByte("({,;!~&|\n}=?:+-*%<>^[", before[len(before)-1]) >= 0 {
		return true
	}
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') })+1:]
	switch word {
	case "print", "printf", "return", "in", "case", "do", "else", "getline", "delete":
		return true
	}
	return false
}

func (s *awkScanner) regexp() {
	for s.pos++; s.pos < len(s.src) && s.src[s.pos] != '/'; s.pos++ {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	s.hasLast = false
}

func (s *awkScanner) word() {
	start := s.pos
	for s.pos < len(s.src) && (isNameStart(s.src[s.pos]) && s.src[s.pos] != '$' || s.src[s.pos] >= '0' && s.src[s.pos] <= '9') {
		s.pos++
	}
	switch s.src[start:s.pos] {
	case "print", "printf":
		s.printing, s.parens = true, 0
	case "system":
		s.systems = true
		if words := s.arguments(); len(words) == 1 {
			s.command(words[0])
		} else {
			s.unknownCommand()
		}
	case "ARGV":
		s.v.c.doubt(Moderate, "the awk program changes which files it reads")
	case "getline":
		s.getline()
	}
	s.hasLast = false
}

func (s *awkScanner) unknownCommand() {
	s.v.c.Effects |= Executes
	s.v.c.doubt(Dangerous, "awk runs a command that cannot be known")
}

// pipe is | or |& : a command on one of its sides. || is not.
func (s *awkScanner) pipe() {
	if s.at("||") {
		s.pos += 2
		return
	}
	s.pos++
	if s.pos < len(s.src) && s.src[s.pos] == '&' {
		s.pos++
	}
	s.blanks()
	if s.at("getline") {
		if s.hasLast {
			s.command(s.last)
		} else {
			s.unknownCommand()
		}
		return
	}
	if s.pos < len(s.src) && s.src[s.pos] == '"' {
		text := s.literal()
		s.command(text)
		if s.ends() {
			return
		}
	}
	s.unknownCommand()
}

func (s *awkScanner) redirect() {
	for s.pos < len(s.src) && s.src[s.pos] == '>' {
		s.pos++
	}
	s.blanks()
	if s.pos < len(s.src) && s.src[s.pos] == '"' {
		s.v.touch(s.path(s.literal()), Write, false)
		if s.ends() {
			return
		}
	}
	s.v.c.Effects |= Writes
	s.v.c.doubt(Dangerous, "awk writes a file whose name cannot be known")
}

func (s *awkScanner) getline() {
	rest := s.src[s.pos:]
	end := strings.IndexAny(rest, ";}\n)")
	if end < 0 {
		end = len(rest)
	}
	from := strings.IndexByte(rest[:end], '<')
	if from < 0 {
		return
	}
	s.pos += from + 1
	s.blanks()
	if s.pos < len(s.src) && s.src[s.pos] == '"' {
		s.v.touch(s.path(s.literal()), Read, false)
		if s.ends() || s.src[s.pos] == '>' {
			return
		}
	}
	s.v.c.doubt(Moderate, "awk reads a file whose name cannot be known")
}

func (s *awkScanner) blanks() {
	for s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
	}
}
