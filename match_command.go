package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A commandPattern matches a simple command by its words. Options stand
// anywhere in the command and in any of their spellings, the other words in
// order; a lone * stands for any number of words, of options too.
type commandPattern struct {
	name    wordGlob
	all     []wordGlob // the words behind the name, as written
	options []optionPattern
	words   []wordGlob // those that are no options
	open    bool       // it has a lone *: more may be given
	path    bool       // its name has a folder in it
}

type optionPattern struct {
	name  string    // with its dashes
	value *wordGlob // behind =
	next  int       // in words: what may be its value, or -1
}

// compileCommand compiles a pattern that is not blank; the text says what is
// wrong with it.
func compileCommand(pattern string) (*commandPattern, string) {
	words, closed := patternWords(pattern)
	if !closed {
		return nil, "a quote is not closed"
	}
	c := &commandPattern{name: compileWord(words[0])}
	c.path = strings.Contains(words[0], "/")
	options := true
	for i, w := range words[1:] {
		if i == 0 {
			w = subName(words[0], w)
		}
		g := compileWord(w)
		c.all = append(c.all, g)
		switch {
		case w == "--" && options:
			options = false
		case options && len(w) > 1 && w[0] == '-' && !g.any():
			c.options = append(c.options, compileOption(w, len(c.words)))
		default:
			c.open = c.open || g.any()
			c.words = append(c.words, g)
		}
	}
	if c.name.any() && len(words) == 1 {
		c.open = true
		c.words, c.all = []wordGlob{c.name}, []wordGlob{c.name}
	}
	return c, ""
}

func compileOption(w string, next int) optionPattern {
	name, value, ok := strings.Cut(w, "=")
	o := optionPattern{name: name, next: next}
	if ok {
		g := compileWord(value)
		o.value = &g
	}
	return o
}

// any reports whether the command may be meant; what cannot be known may.
func (m *commandPattern) any(k *Case, p *Part) bool {
	c := p.Command
	if c == nil || len(c.Args) == 0 {
		return false
	}
	if !m.named(programName(c.Args[0].Text)) && !m.named(c.Args[0].Text) && !c.Args[0].Unknown {
		return false
	}
	if matchWords(m.all, plainWords(c), true) {
		return true
	}
	words := k.words(p)
	rest, ok := m.withoutOptions(words)
	return ok && matchWords(rest, positional(words), true)
}

// covers reports whether all of the command is meant, whatever the parts are
// that cannot be known.
func (m *commandPattern) covers(k *Case, p *Part) bool {
	c := p.Command
	if c == nil || len(c.Args) == 0 || c.Args[0].Unknown || c.Args[0].Glob {
		return false
	}
	if strings.Contains(c.Args[0].Text, "/") && !m.path || !m.named(c.Args[0].Text) {
		return false // another program of that name
	}
	if len(c.Assigns) > 0 && !c.Suggest || wrappedWith(k, c) {
		return false // a variable changes what the program does
	}
	if matchWords(m.all, plainWords(c), false) {
		return true
	}
	if len(m.options) == 0 || m.behindOptions(c.Args[1:]) {
		return false // an option that the pattern has no place for
	}
	words := k.words(p)
	rest, ok := m.withoutOptions(words)
	if !ok || !words.Known || !m.open && len(words.Options) > len(m.options) {
		return false
	}
	return matchWords(rest, positional(words), false)
}

// behindOptions reports whether options stand in front of the first word of the
// command, such as git -c …, and the pattern does not have the first of them.
func (m *commandPattern) behindOptions(args []shell.Arg) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0].Text, "-") {
		return false
	}
	for i := range m.options {
		if name, _, _ := strings.Cut(args[0].Text, "="); m.options[i].name == name {
			return false
		}
	}
	return len(m.words) > 0 && !m.words[0].any()
}

// wrappedWith reports whether a wrapper such as env sets variables for it.
func wrappedWith(k *Case, c *shell.Command) bool {
	for parent := k.Facts.Parent(c); parent != nil; parent = k.Facts.Parent(parent) {
		if len(parent.Assigns) > 0 {
			return true
		}
	}
	return false
}

func (m *commandPattern) named(name string) bool {
	if m.path {
		return m.name.match(name)
	}
	base := name
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		base = base[i+1:]
	}
	return m.name.match(base)
}

func positional(w *shell.Words) []shell.Arg {
	out := make([]shell.Arg, 0, len(w.Subs)+len(w.Operands))
	for i, s := range w.Subs {
		if i == 0 {
			s = subName(w.Name, s)
		}
		out = append(out, shell.Arg{Text: s})
	}
	for _, a := range w.Operands {
		if !w.Known && len(a.Text) > 1 && a.Text[0] == '-' {
			continue
		}
		out = append(out, a)
	}
	return out
}

// withoutOptions reports whether each option of the pattern was given, and
// returns the other words of the pattern: those that are no values of them.
func (m *commandPattern) withoutOptions(w *shell.Words) ([]wordGlob, bool) {
	rest := m.words
	for i := len(m.options) - 1; i >= 0; i-- {
		o := &m.options[i]
		given, ok := o.given(w)
		if !ok {
			return nil, false
		}
		if given == nil || !given.Has || o.value != nil || o.next >= len(rest) || rest[o.next].any() {
			continue
		}
		if !rest[o.next].match(given.Value) { // -m VALUE
			return nil, false
		}
		rest = append(rest[:o.next:o.next], rest[o.next+1:]...)
	}
	return rest, true
}

// given finds the option; it is nil if only its name could be seen.
func (o *optionPattern) given(w *shell.Words) (*shell.Option, bool) {
	for i := range w.Options {
		if g := &w.Options[i]; g.Is(o.name) && (o.value == nil || o.value.match(g.Value)) {
			return g, true
		}
	}
	if !w.Known {
		for _, a := range w.Operands {
			name, value, _ := strings.Cut(a.Text, "=")
			if a.Unknown || name == o.name && (o.value == nil || o.value.match(value)) {
				return nil, true
			}
		}
	}
	return nil, o.bundled(w)
}

// bundled looks for -rf as -r and -f.
func (o *optionPattern) bundled(w *shell.Words) bool {
	if o.value != nil || len(o.name) < 3 || o.name[1] == '-' {
		return false
	}
	for i := 1; i < len(o.name); i++ {
		one := optionPattern{name: "-" + o.name[i:i+1]}
		if _, ok := one.given(w); !ok {
			return false
		}
	}
	return true
}

// matchWords matches words in order; loose says that a word that is not known
// may be any, and several.
//
// It goes back to the last lone * only, as wordGlob.match does.
func matchWords(pattern []wordGlob, args []shell.Arg, loose bool) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(args) {
		switch {
		case p < len(pattern) && pattern[p].any():
			star, mark = p, i
			p++
		case p < len(pattern) && wordMatches(&pattern[p], &args[i], loose):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p].any() {
		p++
	}
	return p == len(pattern) || loose && len(args) > 0 && args[len(args)-1].Unknown
}

func wordMatches(g *wordGlob, a *shell.Arg, loose bool) bool {
	if a.Unknown {
		return loose
	}
	return g.match(a.Text)
}
