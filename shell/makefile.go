package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// makefile follows what a Makefile runs that was just written: its recipes, and
// what it runs while it is read.
func (v *visit) makefile() {
	names := []string{"Makefile", "makefile", "GNUmakefile"}
	if g := v.r.given("-f"); g != nil && !g.value.Unknown {
		names = []string{g.value.Text}
	}
	m := makeReader{v: v, prefix: "\t", given: map[string]bool{}, vars: map[string]string{
		"MAKE": "make", "RM": "rm -f", "CC": "cc", "CXX": "c++", "AR": "ar", "CURDIR": v.st.dir, "SHELL": "/bin/sh",
	}}
	for _, a := range v.r.args {
		if name, value, ok := strings.Cut(a.Text, "="); ok && !a.Unknown {
			m.vars[name], m.given[name] = value, true
		}
	}
	for _, name := range names {
		m.file(name)
	}
}

// A makeReader reads Makefiles. It knows variables that hold plain text, and
// runs every recipe, whatever target was asked for.
type makeReader struct {
	v      *visit
	prefix string // in front of a line of a recipe
	vars   map[string]string
	given  map[string]bool // on the command line, which counts more
	files  int

	target, needs string // of the rule whose recipe is read
}

func (m *makeReader) file(name string) {
	if m.files++; m.files > maxUnrolled {
		m.v.c.doubt(Dangerous, "it includes too many files")
		return
	}
	for _, text := range m.v.w.textOfFile(resolve(name, m.v.st.dir)) {
		if text.kind != streamText {
			if m.v.w.unpackedAt(m.v.st.dir+"/x") == streamEmpty { // else it is said elsewhere
				m.v.c.foreign(text)
			}
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(text.text, "\\\n", " "), "\n") {
			m.line(line)
		}
	}
}

func (m *makeReader) line(line string) {
	m.functions(line)
	if recipe, ok := strings.CutPrefix(line, m.prefix); ok && m.prefix != "" {
		m.run(recipe)
		return
	}
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "include", "-include", "sinclude":
		for _, name := range strings.Fields(m.expand(rest)) {
			m.file(name)
		}
		return
	case "export", "override", "private":
		line = strings.TrimSpace(rest)
	}
	if m.assignment(line) {
		return
	}
	rule, recipe, runs := strings.Cut(line, ";")
	target, needs, ok := strings.Cut(rule, ":")
	if !ok {
		return
	}
	m.target = strings.ReplaceAll(m.expand(target), "%", "*")
	m.needs = strings.ReplaceAll(m.expand(strings.Trim(needs, ":|")), "%", "*")
	if runs { // TARGET: ; RECIPE
		m.run(recipe)
	}
}

// assignment reads NAME = VALUE in all its forms; NAME != COMMAND runs one.
func (m *makeReader) assignment(line string) bool {
	at := strings.IndexByte(line, '=')
	if at <= 0 {
		return false
	}
	name, value := line[:at], strings.TrimSpace(line[at+1:])
	runs := strings.HasSuffix(name, "!")
	name = strings.TrimSpace(strings.TrimRight(name, ":?+!"))
	if strings.ContainsAny(name, " \t:;") { // TARGET: NAME = VALUE, or no assignment at all
		_, name, _ = strings.Cut(name, ":")
		if name = strings.TrimSpace(name); name == "" || strings.ContainsAny(name, " \t;") {
			return false
		}
	}
	switch {
	case runs:
		m.run(value)
	case name == ".RECIPEPREFIX":
		m.prefix = "\t"
		if value != "" {
			m.prefix = value[:1]
		}
	case name == "SHELL" || name == ".SHELLFLAGS":
		m.v.w.setting(m.v.st, m.v.below(), m.v.c, &table.KeysMake, name, Arg{Text: m.expand(value)})
	case !m.given[name]:
		m.vars[name] = value
	}
	return true
}

// functions runs what stands in $(shell …), wherever that is.
func (m *makeReader) functions(line string) {
	for _, open := range [...]string{"$(shell ", "${shell ", "$(shell\t", "${shell\t"} {
		for rest := line; ; {
			at := strings.Index(rest, open)
			if at < 0 {
				break
			}
			rest = rest[at+len(open):]
			m.run(rest[:closing(rest, open[1])])
		}
	}
	for _, name := range [...]string{"eval", "file", "call", "guile", "load"} {
		if strings.Contains(line, "$("+name+" ") || strings.Contains(line, "${"+name+" ") {
			m.v.c.doubt(Moderate, "a Makefile makes up what it runs: "+short(line))
		}
	}
}

// closing is where the bracket ends that was opened before s.
func closing(s string, open byte) int {
	end := byte(')')
	if open == '{' {
		end = '}'
	}
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// run follows a line that make gives to a shell.
func (m *makeReader) run(recipe string) {
	recipe = strings.TrimLeft(m.expand(recipe), "@-+ \t")
	if recipe != "" {
		m.v.w.script(m.v.st.child(), m.v.below(), recipe, m.v.c.Span, true)
	}
}

// expand puts in the variables that are known, and what a shell takes for a
// variable for the others. $$ is a dollar sign.
func (m *makeReader) expand(s string) string {
	for range maxLinks { // the value of one may name another
		before := s
		for i := 0; i+1 < len(s); i++ {
			switch {
			case s[i] != '$':
			case s[i+1] == '$':
				i++
			case s[i+1] == '(' || s[i+1] == '{':
				s = s[:i] + m.reference(s[i:])
			case strings.IndexByte("@<^+?*%|", s[i+1]) >= 0:
				s = s[:i] + m.automatic(s[i+1]) + s[i+2:]
			}
		}
		if s == before || len(s) > MaxLength {
			break
		}
	}
	return strings.ReplaceAll(s, "$$", "$")
}

// reference replaces the reference in front of s, if it is a plain one.
func (m *makeReader) reference(s string) string {
	n := closing(s[2:], s[1])
	name := s[2 : 2+n]
	end := min(2+n+1, len(s))
	if value, ok := m.vars[name]; ok && !strings.Contains(value, "("+name+")") && !strings.Contains(value, "{"+name+"}") {
		return value + s[end:]
	}
	if len(name) == 2 && strings.IndexByte("@<^+?", name[0]) >= 0 && (name[1] == 'D' || name[1] == 'F') { // $(@D)
		return m.automatic(name[0]) + s[end:]
	}
	return "$${" + asVariable(name) + "}" + s[end:]
}

// automatic is what $@, $< and the like stand for.
func (m *makeReader) automatic(name byte) string {
	switch name {
	case '@':
		return strings.TrimSpace(m.target)
	case '<':
		first, _, _ := strings.Cut(strings.TrimSpace(m.needs), " ")
		return first
	case '*', '%':
		return "*"
	}
	return strings.TrimSpace(m.needs)
}

// asVariable is a name that a shell takes for a variable.
func asVariable(name string) string {
	if isName(name) {
		return name
	}
	return "MAKE_EXPRESSION"
}
