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
	s.hiddenCalls()
	if k == kindPerl { // while (<>) runs a file name that ends in a pipe
		for i := range v.r.args {
			s.pipes(v.r.args[i].Text)
		}
	}
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

	mixed  bool   // the first argument of the last call is more than a literal
	depth  int    // interpolations around
	list   bool   // the arguments of the last call are a list of words
	hidden []Span // literals and comments
}

func (s *codeScanner) run() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case s.comment():
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
	if d := s.dynamic(); d != "" {
		s.v.c.doubt(Dangerous, d)
	}
}

// comment moves over a comment, if there is one here.
func (s *codeScanner) comment() bool {
	start := s.pos
	slashes := s.kind == kindNode || s.kind == kindPHP || s.kind == kindMongo
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
	case kindNode, kindMongo, kindLua:
		return false
	case kindPython:
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
	if s.kind == kindPython && s.pos < len(s.src) && (s.src[s.pos] == '"' || s.src[s.pos] == '\'') && len(name) < 3 && strings.ContainsAny(name, "fF") {
		s.formatted(s.literal())
		return
	}
	if e := s.lookup(name); e != nil {
		s.hit(e)
	}
}

// lookup finds the entry for a name.
func (s *codeScanner) lookup(name string) *flag {
	if s.kind == kindPowerShell || s.kind == kindAppleScript {
		name = strings.ToLower(name)
	}
	if e := s.entry(name); e != nil {
		return e
	}
	if s.kind == kindPHP { // names of functions have no case
		return s.entry(strings.ToLower(name))
	}
	if s.kind == kindPerl || s.kind == kindRuby { // where such functions stand by their full name
		for _, module := range [...]string{"CORE.GLOBAL.", "CORE.", "Kernel.", "Process.", "Object.", "self."} {
			if rest, ok := strings.CutPrefix(name, module); ok {
				return s.entry(rest)
			}
		}
	}
	return nil
}

func (s *codeScanner) entry(name string) *flag {
	for i := range *s.keys {
		if e := &(*s.keys)[i]; matchAny(e.names, name) {
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
	if e.kind == kindWrite && (s.kind == kindPerl || s.kind == kindRuby) && s.pipes(words...) {
		return
	}
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

// hiddenCalls looks for calls in what the scan took for literals and comments.
// A regular expression or a quoting operator with a quote in it makes code look
// like that, and only a parser of the language could tell.
func (s *codeScanner) hiddenCalls() {
	if s.kind == kindPython || s.kind == kindAppleScript || s.kind == kindPowerShell {
		return
	}
	if (s.kind == kindNode || s.kind == kindPHP || s.kind == kindMongo) && !s.ambiguous() {
		return
	}
	for _, region := range s.hidden {
		inner := codeScanner{src: s.src[:region.End], pos: region.Start, keys: s.keys, kind: s.kind}
		for inner.pos < region.End {
			if !isNameStart(inner.src[inner.pos]) {
				inner.pos++
				continue
			}
			start := inner.pos
			for inner.pos < region.End && (isNameStart(inner.src[inner.pos]) || strings.IndexByte(".0123456789", inner.src[inner.pos]) >= 0) {
				inner.pos++
			}
			if e := inner.lookup(inner.src[start:inner.pos]); e != nil && runsCode(e) && inner.called(start) {
				s.v.c.doubt(Dangerous, "the program may hide a call of "+short(inner.src[start:inner.pos]))
			}
		}
	}
}

// ambiguous reports whether something outside literals may quote in its own
// way: a regular expression, a here-document, the end of a PHP section.
func (s *codeScanner) ambiguous() bool {
	from := 0
	for _, region := range append(s.hidden, Span{len(s.src), len(s.src)}) {
		if region.Start > from {
			code := s.src[from:region.Start]
			if s.kind != kindPHP && strings.Contains(code, "/") || s.kind == kindPHP && (strings.Contains(code, "<<<") || strings.Contains(code, "?>") || strings.Contains(code, "#")) {
				return true
			}
		}
		from = max(from, region.End)
	}
	return false
}

// called reports whether the name that starts at start and ends here looks like
// a call.
func (s *codeScanner) called(start int) bool {
	if s.pos < len(s.src) && s.src[s.pos] == '(' {
		return true
	}
	before, after := strings.TrimRight(s.src[:start], " \t"), strings.TrimLeft(s.src[s.pos:], " \t")
	return before != "" && strings.IndexByte(";{}&|(\n", before[len(before)-1]) >= 0 && len(after) < len(s.src)-s.pos && after != "" && strings.IndexByte("\"'`", after[0]) >= 0
}

// runsCode reports whether an entry is about commands or code.
func runsCode(e *flag) bool {
	return e.kind == kindShell || e.do != nil && e.do.does.Has(Executes) && e.do.risk == levelDangerous
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

// A codeToken is a name, a literal, a number or one other byte of a program.
type codeToken struct {
	kind byte // 'n', 's', '0', or the byte itself
	text string
}

// tokens splits the program, leaving out blanks and comments.
func (s *codeScanner) tokens() []codeToken {
	t := codeScanner{v: s.v, src: s.src, keys: s.keys, kind: s.kind}
	var out []codeToken
	for t.pos < len(t.src) {
		start, c := t.pos, t.src[t.pos]
		switch {
		case t.comment():
		case c == '\'' || c == '"' || c == '`':
			out = append(out, codeToken{'s', t.literal()})
		case isNameStart(c) || c >= '0' && c <= '9':
			for t.pos < len(t.src) && (isNameStart(t.src[t.pos]) || t.src[t.pos] >= '0' && t.src[t.pos] <= '9') {
				t.pos++
			}
			kind := byte('n')
			if c >= '0' && c <= '9' {
				kind = '0'
			}
			out = append(out, codeToken{kind, t.src[start:t.pos]})
		default:
			t.pos++
			if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				out = append(out, codeToken{kind: c})
			}
		}
	}
	return out
}

// dynamic says why it cannot be known what the program calls: the name of a
// function or module is computed.
func (s *codeScanner) dynamic() string {
	switch s.kind {
	case kindPython, kindNode, kindPerl, kindRuby, kindPHP, kindLua:
	default:
		return ""
	}
	d := codeCalls{s: s, tokens: s.tokens()}
	d.match()
	for i := range d.tokens {
		switch {
		case d.tokens[i].kind == '(' && d.computed(i):
			return "the program calls something whose name is computed"
		case d.indirect(i):
			return "the program calls something through a variable"
		case d.tokens[i].kind == 'n' && d.reflects(i):
			return "the program looks up by name what it calls: " + short(d.tokens[i].text)
		case d.tokens[i].kind == 's' && d.assembled(i):
			return "the program puts the name of something together that runs code"
		case d.tokens[i].kind >= 0x80 && s.kind == kindPython, d.tokens[i].kind == '\\' && s.kind == kindNode && d.escapedLetter(i+1):
			return "the program spells names with other characters"
		}
	}
	return ""
}

// codeCalls looks for calls in the tokens of a program.
type codeCalls struct {
	s      *codeScanner
	tokens []codeToken
	opens  []int // by the position of a closing bracket: that of the opening one, or -1
	closes []int // the other way round
}

// match pairs the brackets.
func (d *codeCalls) match() {
	d.opens, d.closes = make([]int, len(d.tokens)), make([]int, len(d.tokens))
	var stack []int
	for i := range d.tokens {
		d.opens[i], d.closes[i] = -1, -1
		switch d.tokens[i].kind {
		case '(', '[', '{':
			stack = append(stack, i)
		case ')', ']', '}':
			if len(stack) > 0 {
				d.opens[i] = stack[len(stack)-1]
				d.closes[d.opens[i]] = i
				stack = stack[:len(stack)-1]
			}
		}
	}
}

// kind is the kind of a token, 0 if there is none.
func (d *codeCalls) kind(i int) byte {
	if i < 0 || i >= len(d.tokens) {
		return 0
	}
	return d.tokens[i].kind
}

func (d *codeCalls) name(i int, names ...string) bool {
	if d.kind(i) != 'n' {
		return false
	}
	for _, n := range names {
		if d.tokens[i].text == n {
			return true
		}
	}
	return false
}

// escapedLetter reports whether a name has a plain letter as \u0065 or \u{65},
// which has no honest reason.
func (d *codeCalls) escapedLetter(i int) bool {
	if d.kind(i) != 'n' {
		return false
	}
	text := d.tokens[i].text
	return text == "u" && d.kind(i+1) == '{' || len(text) >= 5 && strings.HasPrefix(text, "u00") && text[3] >= '4' && text[3] <= '7'
}

// operandEnds reports whether an operand ends with a token, so that a bracket
// behind it is a call or a subscript.
func (d *codeCalls) operandEnds(i int) bool {
	switch d.kind(i) {
	case 's', ')', ']':
		return true
	case 'n':
		return !d.name(i, "return", "typeof", "await", "in", "of", "print", "echo", "not", "and", "or", "if", "elif", "else", "while", "for", "yield", "new", "void", "delete", "case", "puts", "p", "lambda", "foreach", "unless", "until", "throw", "do", "then")
	}
	return false
}

// computed reports whether the ( at i calls what an expression with a literal,
// or a subscript, names: ("sys"."tem")(…), process["bin"+"ding"](…).
func (d *codeCalls) computed(i int) bool {
	php, node := d.s.kind == kindPHP, d.s.kind == kindNode
	switch d.kind(i - 1) {
	case 's':
		return php
	case 'n':
		return php && strings.HasPrefix(d.tokens[i-1].text, "$")
	case ']':
		open := d.opens[i-1]
		return open >= 0 && d.s.kind != kindRuby && (php || d.operandEnds(open-1))
	case '}': // PHP: ${"x"}(…), $o->{"x"}(…)
		open := d.opens[i-1]
		return php && open > 0 && (d.kind(open-1) == '>' || d.kind(open-1) == 'n' && strings.HasPrefix(d.tokens[open-1].text, "$"))
	case ')':
		open := d.opens[i-1]
		if open < 0 || d.operandEnds(open-1) || d.isFunction(open+1, i-1) || d.name(open-1, "if", "while", "for", "foreach", "elif", "unless", "until") {
			return false
		}
		for j := open + 1; j < i-1; j++ {
			if k := d.tokens[j].kind; k == 's' || k == ',' && node || j > open+256 {
				return true
			}
		}
		return php && !d.name(open-1, "print", "echo", "return", "and", "or")
	}
	return false
}

// isFunction reports whether the tokens are a function written out.
func (d *codeCalls) isFunction(from, to int) bool {
	if d.name(from, "function", "fn", "static", "async", "lambda", "class", "sub") {
		return true
	}
	if d.kind(from) == '(' && d.closes[from] > 0 {
		from = d.closes[from]
	}
	return from+2 < to && d.kind(from+1) == '=' && d.kind(from+2) == '>'
}

// indirect finds the calls through a variable that need no bracket behind it:
// &$f, &{"f"}, $f->(…), $o->$m, new $c.
func (d *codeCalls) indirect(i int) bool {
	variable := d.kind(i+1) == 'n' && strings.HasPrefix(d.tokens[i+1].text, "$")
	arrow := d.kind(i) == '>' && d.kind(i-1) == '-'
	switch d.s.kind {
	case kindPerl:
		if d.kind(i) == '&' || d.kind(i) == '*' {
			block := d.kind(i+1) == '{'
			return (block || variable && d.kind(i) == '&') && d.kind(i-1) != '&' && !d.operandEnds(i-1)
		}
		return arrow && (variable || d.kind(i+1) == '(' || d.kind(i+1) == '&') || d.substitutes(i)
	case kindPHP:
		return arrow && variable && d.kind(i+2) == '(' || d.name(i, "new") && (variable || d.kind(i+1) == '(')
	}
	return false
}

// substitutes reports whether the name at i is the flags of s///ee, which runs
// the text that it makes.
func (d *codeCalls) substitutes(i int) bool {
	if d.kind(i) != 'n' || len(d.tokens[i].text) > 5 || strings.Count(d.tokens[i].text, "e") != 2 || strings.Trim(d.tokens[i].text, "egimsxr") != "" {
		return false
	}
	before := d.kind(i - 1)
	return strings.IndexByte("/}])>|!,#~", before) >= 0 && before != 0 && (d.kind(i+1) == 0 || strings.IndexByte(";})", d.kind(i+1)) >= 0 || d.kind(i+1) == 'n')
}

// reflects reports whether the name at i looks something up by its name.
func (d *codeCalls) reflects(i int) bool {
	call := d.kind(i+1) == '('
	literal := call && d.kind(i+2) == 's' && d.kind(i+3) == ')'
	switch name := d.tokens[i].text; d.s.kind {
	case kindNode:
		switch name {
		case "require":
			return call && !literal || !call && d.kind(i+1) != '.' && d.kind(i-1) != '.'
		case "import":
			return call && !literal
		case "constructor":
			return d.kind(i+1) != '.' || !d.name(i+2, "name")
		case "process", "global", "globalThis", "module":
			return d.kind(i+1) == '['
		case "createRequire", "_load", "_compile", "runMain":
			return true
		}
	case kindPython:
		switch name {
		case "setattr", "delattr":
			return !call || d.kind(i+3) != ',' || d.kind(i+4) != 's' || d.kind(i+5) != ','
		case "vars", "locals":
			return call && d.closes[i+1] > 0 && d.kind(d.closes[i+1]+1) == '['
		case "attrgetter", "methodcaller", "import_module", "__getattribute__", "__mro__", "__bases__", "__base__", "__self__", "__code__", "__closure__", "FunctionType", "CodeType", "find_spec", "exec_module", "load_module":
			return true
		}
	case kindRuby:
		switch name {
		case "send", "method", "instance_method", "public_method", "singleton_method", "define_method":
			return call || d.kind(i+1) == ':' || d.kind(i+1) == 's'
		case "__send__", "public_send", "const_get", "instance_exec", "class_exec", "module_exec", "to_proc", "ObjectSpace", "TOPLEVEL_BINDING":
			return true
		}
	case kindPHP:
		return d.callback(i, strings.ToLower(name))
	}
	return false
}

// callback reports whether a PHP function gets the name of a function that is
// not written out.
func (d *codeCalls) callback(i int, name string) bool {
	at := 2
	switch name {
	case "reflectionmethod", "reflectionclass", "reflectionobject", "forward_static_call", "forward_static_call_array", "register_tick_function":
		return true
	case "array_map", "register_shutdown_function", "ob_start", "spl_autoload_register", "set_error_handler", "set_exception_handler":
		at = 1
	case "array_filter", "array_walk", "array_walk_recursive", "array_reduce", "usort", "uasort", "uksort", "preg_replace_callback", "iterator_apply":
	default:
		return false
	}
	if d.kind(i+1) != '(' || d.closes[i+1] < 0 {
		return false
	}
	j, end := i+2, d.closes[i+1]
	for ; at > 1 && j < end; j++ {
		if d.closes[j] > 0 {
			j = d.closes[j]
		} else if d.kind(j) == ',' {
			at--
		}
	}
	return j < end && (strings.HasPrefix(d.tokens[j].text, "$") && d.kind(j) == 'n' || d.kind(j) == 's' && d.kind(j+1) == '.' || d.kind(j) == '(')
}

// assembled reports whether the literal at i, with those that are joined to it,
// is the name of something that runs code. In PHP one literal is enough, since
// a function can be called by it, and so it is in a subscript of JavaScript.
func (d *codeCalls) assembled(i int) bool {
	text, parts := d.tokens[i].text, 1
	for j := i + 1; ; j++ {
		for joints := 0; joints < 2 && (d.kind(j) == '+' || d.kind(j) == '.'); joints++ { // Lua has two dots
			j++
		}
		if d.kind(j) != 's' || len(text) > 64 || parts > 16 {
			break
		}
		text += d.tokens[j].text
		parts++
	}
	if parts > 1 {
		d.s.named(text)
	} else if d.s.kind != kindPHP && (d.kind(i-1) != '[' || !d.operandEnds(i-2) || d.kind(i+1) != ']' || text != "constructor") {
		return false
	}
	if len(text) > 64 || text == "" {
		return false
	}
	switch text {
	case "child_process", "node:child_process", "os", "posix", "subprocess", "vm", "pty", "ctypes", "importlib", "builtins", "constructor", "Kernel", "Process":
		return parts > 1 || text == "constructor"
	}
	e := d.s.lookup(text)
	return e != nil && runsCode(e)
}
