package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// code looks at the text of a program in another language. It is not
// understood, only searched for what starts programs, touches files or talks
// to the network; the names come from the tables.
func (v *visit) code(k table.Kind, a Arg) {
	switch k {
	case table.KindSed:
		v.sed(a)
		return
	case table.KindAwk:
		v.awk(a)
		return
	case table.KindSQL:
		v.sql(a)
		return
	case table.KindRedis:
		v.redis(a)
		return
	case table.KindJq:
		v.jqFiles(a.Text)
		return
	}
	v.c.Effects |= Executes
	v.c.Risk = min(v.c.Risk, Moderate)
	if a.Unknown {
		v.c.Runs = max(v.c.Runs, a.from.origin())
		v.c.doubt(Dangerous, "the program it runs cannot be known: "+short(a.Text))
	}
	if len(a.Text) > MaxLength {
		v.c.doubt(Dangerous, "the program it runs is too long")
		return
	}
	s := codeScanner{v: v, src: a.Text, keys: codeKeys(k), kind: k}
	s.run()
	s.talks()
	s.hiddenCalls()
	v.imports(k, a.Text)
	if k == table.KindPowerShell {
		v.powershell(a)
	}
	if k == table.KindPerl { // while (<>) runs a file name that ends in a pipe
		for i := range v.r.args {
			s.pipes(v.r.args[i].Text)
		}
	}
}

func codeKeys(k table.Kind) *table.KeyTable {
	switch k {
	case table.KindPython:
		return &table.KeysPython
	case table.KindNode:
		return &table.KeysNode
	case table.KindPerl:
		return &table.KeysPerl
	case table.KindRuby:
		return &table.KeysRuby
	case table.KindPHP:
		return &table.KeysPhp
	case table.KindMongo:
		return &table.KeysMongo
	case table.KindAppleScript:
		return &table.KeysApplescript
	case table.KindPowerShell:
		return &table.KeysPowershell
	case table.KindLisp:
		return &table.KeysLisp
	case table.KindCompiled:
		return &table.KeysCompiled
	}
	return &table.KeysCode
}

// A codeScanner finds names and string literals in a program.
type codeScanner struct {
	v    *visit
	src  string
	pos  int
	keys *table.KeyTable
	kind table.Kind

	consts  codeConstants
	objects map[string]bool // names of constants that have the methods of a path
	calls   *codeCalls
	known   []int  // methods of files that were judged, by their place
	dir     string // the folder that it went to

	also   []string // what else the first argument of the last call may be
	mixed  bool     // it is more than a literal
	depth  int      // interpolations around
	list   bool     // the arguments of the last call are a list of words
	hidden []Span   // literals and comments
	hosts  codeHosts
}

func (s *codeScanner) run() {
	if s.consts == nil && s.depth == 0 {
		s.calls = &codeCalls{s: s, tokens: s.tokens()}
		s.calls.match()
		s.consts = s.constants()
		s.fileMethods()
	}
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case s.comment():
		case c == '`' && (s.kind == table.KindPerl || s.kind == table.KindRuby || s.kind == table.KindPHP):
			s.command(s.literal())
		case c == '%' && s.at("%x") && s.kind == table.KindRuby:
			s.pos += 2
			s.command(s.bracketed())
		case s.quote(c):
			start := s.pos
			text := s.literal()
			s.inspect(text)
			s.address(start, text)
			s.behind(text)
		case isNameStart(c):
			s.name()
		default:
			s.pos++
		}
	}
	if d := s.dynamic(); d != "" {
		s.v.c.doubt(Dangerous, d)
	}
}

// quote reports whether a literal starts with c. In Lisp, ' and ` stand in front
// of a list.
func (s *codeScanner) quote(c byte) bool {
	return c == '"' || (c == '\'' || c == '`') && s.kind != table.KindLisp
}

// behind runs a literal that is told to run itself: "cmd".execute()
func (s *codeScanner) behind(text string) {
	if s.kind != table.KindOtherCode || !s.at(".") {
		return
	}
	end := s.pos + 1
	for end < len(s.src) && (isNameStart(s.src[end]) || s.src[end] == '!') {
		end++
	}
	if e := s.entry(s.src[s.pos:end]); e != nil && e.Kind == table.KindShell {
		s.command(text)
	}
}

// comment moves over a comment, if there is one here.
func (s *codeScanner) comment() bool {
	start := s.pos
	slashes := s.kind == table.KindNode || s.kind == table.KindPHP || s.kind == table.KindMongo || s.kind == table.KindCompiled
	switch {
	case s.src[s.pos] == '#' && s.commentAt() || slashes && s.at("//"):
		s.line()
	case slashes && s.at("/*"):
		end := strings.Index(s.src[s.pos+2:], "*/")
		if end < 0 {
			end = len(s.src)
		}
		s.pos = min(s.pos+end+4, len(s.src))
	default:
		return false
	}
	s.hidden = append(s.hidden, Span{start, s.pos})
	return true
}

// commentAt reports whether a # here starts a comment, and not $#x, s#a#b# or
// the like.
func (s *codeScanner) commentAt() bool {
	switch s.kind {
	case table.KindNode, table.KindMongo, table.KindLua:
		return false
	case table.KindPython:
		return true
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
	start, quote := s.pos, s.src[s.pos:s.pos+1]
	if triple := strings.Repeat(quote, 3); s.at(triple) && s.kind == table.KindPython {
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
	s.hidden = append(s.hidden, Span{start, s.pos})
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
		if isNameStart(c) || c >= '0' && c <= '9' || c == '-' && s.kind == table.KindPowerShell || s.kind == table.KindLisp && strings.IndexByte("-/*+!?:", c) >= 0 {
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
	if s.kind == table.KindPython && s.pos < len(s.src) && (s.src[s.pos] == '"' || s.src[s.pos] == '\'') && len(name) < 3 && strings.ContainsAny(name, "fF") {
		s.formatted(s.literal())
		return
	}
	if s.evaluates(name) {
		s.hosts.runs++
	}
	if decodes(name) {
		s.hosts.decodes++
	}
	if last := start + strings.LastIndexByte(s.src[start:s.pos], '.') + 1; slices.Contains(s.known, last) {
		return
	}
	if e := s.lookup(name); e != nil {
		if receiver, _, ok := strings.Cut(name, "."); ok && s.method(e, receiver) {
			return
		}
		s.hit(e)
	}
}

// lookup finds the entry for a name.
func (s *codeScanner) lookup(name string) *table.Flag {
	if s.kind == table.KindPowerShell || s.kind == table.KindAppleScript {
		name = strings.ToLower(name)
	}
	if e := s.entry(name); e != nil {
		return e
	}
	if s.kind == table.KindPHP { // names of functions have no case
		return s.entry(strings.ToLower(name))
	}
	if s.kind == table.KindPerl || s.kind == table.KindRuby { // where such functions stand by their full name
		for _, module := range [...]string{"CORE.GLOBAL.", "CORE.", "Kernel.", "Process.", "Object.", "self."} {
			if rest, ok := strings.CutPrefix(name, module); ok {
				return s.entry(rest)
			}
		}
	}
	return nil
}

func (s *codeScanner) entry(name string) *table.Flag {
	for i := range s.keys.All() {
		if e := &s.keys.All()[i]; matchAny(e.Names, name) {
			return e
		}
	}
	return nil
}

// formatted looks at the code in the braces of a Python f-string.
func (s *codeScanner) formatted(text string) {
	s.inspect(text)
	var code []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			break
		}
		inner, after, _ := strings.Cut(rest, "}")
		code, text = append(code, inner), after
	}
	if len(code) > 0 && s.depth < 4 {
		deeper := codeScanner{v: s.v, src: strings.Join(code, "\n"), keys: s.keys, kind: s.kind, depth: s.depth + 1}
		deeper.run()
	}
}

// redis is a command of redis-cli: only its first word decides.
func (v *visit) redis(a Arg) {
	if len(v.r.args) == 0 || v.r.args[0].Span != a.Span || v.r.args[0].Text != a.Text {
		return
	}
	name := strings.ToUpper(a.Text)
	for i := range table.KeysRedis.All() {
		e := &table.KeysRedis.All()[i]
		for _, pattern := range e.Names {
			if matchWord(pattern, name) {
				if e.Do != nil {
					v.apply(e.Do)
				}
				return
			}
		}
	}
	v.c.Effects |= Writes
	v.c.Risk = min(v.c.Risk, Moderate)
}
