package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A codeToken is a name, a literal, a number or one other byte of a program.
type codeToken struct {
	kind  byte // 'n', 's', '0', or the byte itself
	text  string
	first bool // of a statement, as far as lines and semicolons show it
	at    int  // where it starts
}

// tokens splits the program, leaving out blanks and comments.
func (s *codeScanner) tokens() []codeToken {
	t := codeScanner{v: s.v, src: s.src, keys: s.keys, kind: s.kind}
	var out []codeToken
	first := true
	for t.pos < len(t.src) {
		start, c, before := t.pos, t.src[t.pos], len(out)
		switch {
		case t.comment():
		case c == '\'' || c == '"' || c == '`':
			out = append(out, codeToken{kind: 's', text: t.literal()})
		case isNameStart(c) || c >= '0' && c <= '9':
			for t.pos < len(t.src) && (isNameStart(t.src[t.pos]) || t.src[t.pos] >= '0' && t.src[t.pos] <= '9') {
				t.pos++
			}
			kind := byte('n')
			if c >= '0' && c <= '9' {
				kind = '0'
			}
			out = append(out, codeToken{kind: kind, text: t.src[start:t.pos]})
		default:
			t.pos++
			if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				out = append(out, codeToken{kind: c})
			}
		}
		if len(out) > before {
			out[before].first, out[before].at, first = first, start, c == ';'
		} else if c == '\n' {
			first = true
		}
	}
	return out
}

// dynamic says why it cannot be known what the program calls: the name of a
// function or module is computed.
func (s *codeScanner) dynamic() string {
	switch s.kind {
	case table.KindPython, table.KindNode, table.KindPerl, table.KindRuby, table.KindPHP, table.KindLua:
	default:
		return ""
	}
	d := s.calls
	if d == nil {
		d = &codeCalls{s: s, tokens: s.tokens()}
		d.match()
	}
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
		case d.tokens[i].kind >= 0x80 && s.kind == table.KindPython, d.tokens[i].kind == '\\' && s.kind == table.KindNode && d.escapedLetter(i+1):
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
	php, node := d.s.kind == table.KindPHP, d.s.kind == table.KindNode
	switch d.kind(i - 1) {
	case 's':
		return php
	case 'n':
		return php && strings.HasPrefix(d.tokens[i-1].text, "$")
	case ']':
		open := d.opens[i-1]
		return open >= 0 && d.s.kind != table.KindRuby && (php || d.operandEnds(open-1))
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
	case table.KindPerl:
		if d.kind(i) == '&' || d.kind(i) == '*' {
			block := d.kind(i+1) == '{'
			return (block || variable && d.kind(i) == '&') && d.kind(i-1) != '&' && !d.operandEnds(i-1)
		}
		return arrow && (variable || d.kind(i+1) == '(' || d.kind(i+1) == '&') || d.substitutes(i)
	case table.KindPHP:
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
	case table.KindNode:
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
	case table.KindPython:
		switch name {
		case "setattr", "delattr":
			return !call || d.kind(i+3) != ',' || d.kind(i+4) != 's' || d.kind(i+5) != ','
		case "vars", "locals":
			return call && d.closes[i+1] > 0 && d.kind(d.closes[i+1]+1) == '['
		case "attrgetter", "methodcaller", "import_module", "__getattribute__", "__mro__", "__bases__", "__base__", "__self__", "__code__", "__closure__", "FunctionType", "CodeType", "find_spec", "exec_module", "load_module":
			return true
		}
	case table.KindRuby:
		switch name {
		case "send", "method", "instance_method", "public_method", "singleton_method", "define_method":
			return call || d.kind(i+1) == ':' || d.kind(i+1) == 's'
		case "__send__", "public_send", "const_get", "instance_exec", "class_exec", "module_exec", "to_proc", "ObjectSpace", "TOPLEVEL_BINDING":
			return true
		}
	case table.KindPHP:
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
	} else if d.s.kind != table.KindPHP && (d.kind(i-1) != '[' || !d.operandEnds(i-2) || d.kind(i+1) != ']' || text != "constructor") {
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
