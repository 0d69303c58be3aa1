package shell

import "strings"

// deepest scans src before it is parsed and returns how deeply its constructs
// are nested, and where. The parser recurses, and running out of stack cannot
// be caught, so the bound must hold before it starts.
//
// The scan knows quotes, comments and here-documents well enough not to count
// plain text, and errs on the side of counting.
func deepest(src string) (at, depth int) {
	if len(src) <= MaxDepth || openers(src) <= MaxDepth {
		return 0, 0 // a level takes a byte at least, and one of those that open something
	}
	s := scanner{src: src}
	var stack [16]byte
	s.stack = stack[:0]
	s.run()
	return s.at, s.max
}

// Words and bytes that open a level, wherever they stand. Of each word one letter
// counts as well, in the second place.
var (
	openWords = [...]string{"if", "while", "until", "for", "select", "case", "time", "coproc", "function", "exec"}
	openBytes = [256]uint64{
		'(': 1, '{': 1, '[': 1, '`': 1, '"': 1, '-': 1, '+': 1, '~': 1, '!': 1,
		'f': 1 << 32, 'w': 1 << 32, 'u': 1 << 32, 'c': 1 << 32, 'm': 1 << 32,
	}
)

// openers is how deep src can be at most, whatever its structure. It is far
// quicker than the scan, and enough for nearly all command lines.
func openers(src string) int {
	sum := uint64(0)
	for i := 0; i < len(src); i++ {
		sum += openBytes[src[i]]
	}
	n, letters := int(uint32(sum)), int(sum>>32)
	if n+letters <= MaxDepth {
		return n + letters
	}
	for _, word := range openWords {
		n += strings.Count(src, word)
	}
	return n
}

type scanner struct {
	src   string
	pos   int
	stack []byte // closers awaited
	cmd   bool   // a command starts here
	maybe bool   // one may start here: enough to open something, not to close it
	words int    // open keywords: if, while, for, case, select, until
	chain int    // prefixes that nest without a closer: ! time - +
	max   int
	at    int
	docs  []heredoc
}

type heredoc struct {
	delim string
	raw   bool // the delimiter was quoted: nothing inside is expanded
	tabs  bool
}

func (s *scanner) note() {
	if d := len(s.stack) + s.words + s.chain; d > s.max {
		s.max, s.at = d, s.pos
	}
}

func (s *scanner) push(closer byte) {
	s.stack = append(s.stack, closer)
	s.note()
}

// pop closes the innermost construct that c closes.
func (s *scanner) pop(c byte) {
	if n := len(s.stack); n > 0 && s.stack[n-1] == c {
		s.stack = s.stack[:n-1]
	}
}

func (s *scanner) top() byte {
	if n := len(s.stack); n > 0 {
		return s.stack[n-1]
	}
	return 0
}

func (s *scanner) run() {
	start := true // at the start of a word
	s.cmd = true
	for s.pos < len(s.src) && s.max <= MaxDepth {
		c := s.src[s.pos]
		if s.top() == '"' {
			s.inDouble(c)
			start = s.top() == ')' || s.top() == '`' // a substitution starts
			s.cmd = start
			continue
		}
		switch {
		case c == '\\' && s.next('\n'): // the line goes on
			s.pos += 2
			continue
		case c == '\\':
			s.pos++
		case c == '\'':
			s.single()
		case c == '"':
			s.push('"')
		case c == '`':
			s.backquote()
		case c == '#' && start && s.top() != '}':
			s.skipTo('\n')
			continue
		case c == '(':
			s.push(')')
		case c == ')' || c == '}' || c == ']':
			s.pop(c)
		case c == '{':
			s.push('}')
		case c == '[':
			s.push(']')
		case c == '<' && s.next('<') && !s.arithmetic():
			s.redirect()
		case c == '\n':
			s.bodies()
		case start && (isLower(c) || c == '!'):
			s.keyword()
			start = false
			continue
		case c == '-' || c == '+' || c == '~':
			if s.arithmetic() {
				s.chain++
				s.note()
			}
		}
		if c == ';' || c == '&' || c == '|' || c == '(' || c == '\n' || c == '{' || c == '`' || c == ')' {
			s.cmd = true
		} else if !isBlank(c) {
			s.cmd, s.maybe = false, false
		}
		start = isBlank(c) || c == ';' || c == '&' || c == '|' || c == '(' || c == '\n' || c == '{' || c == '`'
		if !start && c != '-' && c != '+' && c != '~' && s.arithmetic() {
			s.chain = 0
		}
		s.pos++
	}
}

// arithmetic reports whether the scan is inside (( )) or [ ].
func (s *scanner) arithmetic() bool {
	n := len(s.stack)
	return n > 0 && s.stack[n-1] == ']' || n > 1 && s.stack[n-1] == ')' && s.stack[n-2] == ')'
}

func (s *scanner) next(c byte) bool { return s.pos+1 < len(s.src) && s.src[s.pos+1] == c }

func (s *scanner) inDouble(c byte) {
	switch c {
	case '\\':
		s.pos++
	case '"':
		s.pop('"')
	case '`':
		s.backquote()
	case '$':
		if s.next('(') {
			s.pos++
			s.push(')')
		} else if s.next('{') {
			s.pos++
			s.push('}')
		}
	}
	s.pos++
}

func (s *scanner) backquote() {
	if s.top() == '`' {
		s.pop('`')
	} else {
		s.push('`')
	}
}

// single moves to the closing quote of '…' or $'…'.
func (s *scanner) single() {
	ansi := s.pos > 0 && s.src[s.pos-1] == '$'
	for s.pos++; s.pos < len(s.src) && s.src[s.pos] != '\''; s.pos++ {
		if ansi && s.src[s.pos] == '\\' {
			s.pos++
		}
	}
}

func (s *scanner) skipTo(c byte) {
	for s.pos < len(s.src) && s.src[s.pos] != c {
		s.pos++
	}
}

// keyword counts the words that open and close compound commands where a
// command may start: elsewhere they are plain words.
func (s *scanner) keyword() {
	start := s.pos
	for s.pos < len(s.src) && (isLower(s.src[s.pos]) || s.src[s.pos] == '!') {
		s.pos++
	}
	at, opens := s.cmd, s.cmd || s.maybe || s.chain > 0
	s.cmd, s.maybe = false, false
	switch s.src[start:s.pos] {
	case "if", "while", "until", "for", "select", "case":
		if opens {
			s.words++
			s.cmd = true
			s.note()
		}
	case "fi", "done", "esac":
		if at {
			s.words = max(0, s.words-1)
		}
		s.chain = 0
	case "!", "time", "coproc", "function", "exec":
		if opens {
			s.chain++
			s.cmd = true
			s.note()
		}
	case "then", "do", "else", "elif", "in":
		s.cmd, s.maybe = at, true
	default:
		s.maybe = s.chain > 0 // behind the name of function or coproc
		s.chain = 0
	}
}

// redirect reads << and, for a here-document, its delimiter.
func (s *scanner) redirect() {
	s.pos += 2
	if s.pos < len(s.src) && s.src[s.pos] == '<' { // <<<
		return
	}
	doc := heredoc{}
	if s.pos < len(s.src) && s.src[s.pos] == '-' {
		doc.tabs = true
		s.pos++
	}
	for s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
	}
	start := s.pos
	for ; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		if c == '\'' || c == '"' || c == '\\' {
			doc.raw = true
			continue
		}
		if isBlank(c) || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == ')' || c == '(' {
			break
		}
	}
	doc.delim = withoutQuotes(s.src[start:s.pos])
	s.pos--
	if doc.delim != "" {
		s.docs = append(s.docs, doc)
	}
}

func withoutQuotes(s string) string {
	const quotes = `'"\`
	s = strings.Trim(s, quotes)
	if !strings.ContainsAny(s, quotes) {
		return s
	}
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(s)
}

// bodies moves over the here-documents that start on the next line. In one
// whose delimiter was not quoted, substitutions count.
func (s *scanner) bodies() {
	for _, doc := range s.docs {
		for s.pos+1 < len(s.src) {
			start := s.pos + 1
			end := start
			for end < len(s.src) && s.src[end] != '\n' {
				end++
			}
			line := s.src[start:end]
			s.pos = end
			for doc.tabs && line != "" && line[0] == '\t' {
				line = line[1:]
			}
			if line == doc.delim {
				break
			}
			if !doc.raw {
				s.expandable(start, line)
			}
		}
	}
	s.docs = s.docs[:0]
}

// expandable counts the substitutions of one line of a here-document.
func (s *scanner) expandable(start int, line string) {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '(', '{', '`', '[':
			depth++
			if d := depth + len(s.stack) + s.words; d > s.max {
				s.max, s.at = d, start+i
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
