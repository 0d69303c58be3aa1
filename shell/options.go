package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A reading is one command read with its table.
type reading struct {
	name   string        // of the program, without its path
	chain  []*table.Tool // from the program to the sub-command
	subs   []Arg         // the words that named the sub-commands
	flags  []given
	args   []Arg    // operands
	rest   []Arg    // the wrapped command, from its first word on
	inner  bool     // there is a wrapped command
	piped  bool     // a pipe or a redirection feeds it
	stdin  *stream  // what feeds it, as far as that is known
	stray  []Arg    // their values
	others []string // options that no table has

	chainBuf [4]*table.Tool // where chain, flags and args start: most commands need no more
	flagBuf  [4]given
	argBuf   [4]Arg
	subBuf   [2]Arg

	settled bool   // all arguments are read: what the conditions say is in held
	held    uint64 // which of the first 64 conditions of the tool are true
	help    bool   // it only asks for help or the version
	hides   string // an option of a wrapper that is not known
	strange string // an option that is not known and sounds dangerous
	noSub   string // a sub-command that is not known
}

func (r *reading) tool() *table.Tool { return r.chain[len(r.chain)-1] }

// read understands the arguments of a program.
func (r *reading) read(t *table.Tool, args []Arg) {
	r.start(args[0].Text, t)
	p := optionParser{r: r, rest: args[1:], words: len(args)}
	if t.Is(table.IsBundled) && len(p.rest) > 0 && !strings.HasPrefix(p.rest[0].Text, "-") && !p.rest[0].Unknown {
		bundle := p.rest[0]
		p.rest = p.rest[1:]
		p.bundle(bundle)
	}
	for len(p.rest) > 0 && !r.inner {
		a := p.rest[0]
		p.rest = p.rest[1:]
		p.argument(a)
	}
	r.settle()
}

func (r *reading) start(name string, t *table.Tool) {
	r.name = name
	r.inner, r.settled, r.help = false, false, false
	if r.rest != nil || r.others != nil || r.stray != nil { // to write a pointer costs, even to clear it
		r.rest, r.others, r.stray = nil, nil, nil
	}
	if r.hides != "" || r.strange != "" || r.noSub != "" {
		r.hides, r.strange, r.noSub = "", "", ""
	}
	if cap(r.chain) != len(r.chainBuf) || cap(r.flags) != len(r.flagBuf) || cap(r.args) != len(r.argBuf) || cap(r.subs) != len(r.subBuf) {
		r.chain, r.flags, r.args, r.subs = r.chainBuf[:0], r.flagBuf[:0], r.argBuf[:0], r.subBuf[:0]
	}
	r.chain = append(r.chain[:0], t)
	r.flags, r.args, r.subs = r.flags[:0], r.args[:0], r.subs[:0]
}

type optionParser struct {
	r     *reading
	rest  []Arg
	words int  // of the whole command
	ended bool // no more options
}

func (p *optionParser) argument(a Arg) {
	text := a.Text
	switch {
	case text == "-" && !p.ended && p.find("-") != nil: // env -
		p.take(p.find("-"), a, "-", "", false)
	case text == "--" && p.wraps(): // kubectl exec POD -- CMD
		p.dashes()
	case p.ended || len(text) < 2 || a.Unknown && text[0] == '$' || p.r.chain[0].Use == table.UseEcho && strings.Trim(text[1:], "neE") != "":
		p.operand(a)
	case text == "--":
		p.dashes()
	case strings.HasPrefix(text, "--"):
		p.long(a)
	case text[0] == '-':
		p.short(a)
	case text[0] == '+' && p.find(text) != nil:
		p.take(p.find(text), a, text, "", false)
	case text[0] == '+' && p.find("+") != nil: // vim +COMMAND
		p.take(p.find("+"), a, "+", text[1:], true)
	case text[0] == '+' && p.r.chain[0].Use == table.UseSh && isName(text[1:]): // bash +xe: options, too
	default:
		p.operand(a)
	}
}

// wraps reports whether a wrapped command may start here.
func (p *optionParser) wraps() bool {
	need, _, ok := p.r.beforeCommand()
	return ok && p.r.plainArgs() >= need
}

// dashes handles "--": options end, or the wrapped command begins.
func (p *optionParser) dashes() {
	p.ended = true
	if f := p.find("--"); f != nil { // for the few that tell with it what follows
		p.r.flags = append(p.r.flags, given{flag: f, spelling: "--"})
	}
	need, _, ok := p.r.beforeCommand()
	for ok && len(p.rest) > 0 && p.r.slotAt(len(p.r.args)) == table.KindEnv && isAssignment(p.rest[0].Text) {
		p.r.args = append(p.r.args, p.rest[0]) // env -- X=1 ls
		p.rest = p.rest[1:]
	}
	if ok && p.r.plainArgs() >= need && len(p.rest) > 0 {
		p.r.rest, p.r.inner = p.rest, true
		p.rest = nil
	}
}

// operand takes a word that is not an option.
func (p *optionParser) operand(a Arg) {
	r := p.r
	t := r.tool()
	if t.Subs() > 0 && len(r.args) == 0 {
		if p.sub(t, a) {
			return
		}
	}
	if _, most, ok := r.beforeCommand(); ok && r.plainArgs() >= most {
		if slot := r.slotAt(len(r.args)); slot == table.KindEnv && (isAssignment(a.Text) || t.AnyNames() && strings.Contains(a.Text, "=")) {
			r.args = append(r.args, a)
			return
		}
		r.rest = append([]Arg{a}, p.rest...)
		r.inner = true
		p.rest = nil
		return
	}
	r.args = append(r.args, a)
	if t.Is(table.IsPosix) || t.Is(table.IsScripting) && r.slotAt(0) == table.KindScript {
		p.ended = true
	}
}

// sub descends to a sub-command.
func (p *optionParser) sub(t *table.Tool, a Arg) bool {
	r := p.r
	if s := subOf(t, a); s != nil {
		r.chain = append(r.chain, s)
		r.subs = append(r.subs, a)
		return true
	}
	switch {
	case a.Text == "help" && !a.Unknown:
		r.help = true
	case a.Text == "version" && !a.Unknown && len(r.subs) == 0:
		r.help = true
	case t.Do.Args == nil:
		r.noSub = a.Text
	}
	return false
}

// subOf finds a sub-command: an exact name first, then a pattern. An unknown
// word is none, not even for the pattern that takes everything.
func subOf(t *table.Tool, a Arg) *table.Tool {
	if a.Unknown || a.Glob && a.many {
		return nil
	}
	return t.Sub(a.Text, matchWord)
}

// find returns the option of that spelling, innermost sub-command first.
func (p *optionParser) find(spelling string) *table.Flag {
	for i := len(p.r.chain) - 1; i >= 0; i-- {
		flags := p.r.chain[i].Flags()
		for j := range flags {
			for _, name := range flags[j].Names {
				if name == spelling {
					return &flags[j]
				}
			}
		}
	}
	return nil
}

func (p *optionParser) long(a Arg) {
	name, value, attached := strings.Cut(a.Text, "=")
	if f := p.find(name); f != nil {
		p.take(f, a, name, value, attached)
		return
	}
	if p.help(name) {
		return
	}
	if f := p.find(name[1:]); f != nil && p.r.chain[0].Is(table.IsDashword) { // --x for -x
		p.take(f, a, name[1:], value, attached)
		return
	}
	if rest, ok := strings.CutPrefix(name, "--no-"); ok { // takes --x back
		if f := p.find("--" + rest); f != nil {
			p.r.flags = slices.DeleteFunc(p.r.flags, func(g given) bool { return g.flag == f })
			return
		}
	}
	if matches := p.abbreviated(name); len(matches) > 0 {
		for _, f := range matches {
			p.maybe(f, a, value, attached)
		}
		return
	}
	p.unknown(name)
	if attached {
		p.r.stray = append(p.r.stray, Arg{Text: value, Unknown: a.Unknown, Span: a.Span})
	}
	if p.r.tool().Subs() > 0 && !attached && len(p.r.args) == 0 && p.r.strange == "" {
		p.r.strange = name // it may take the next word, and then that is no sub-command
	}
}

// maybe counts an option that an abbreviation may stand for. Whether it is one
// is not certain, so a word that would be its value stays an operand as well.
func (p *optionParser) maybe(f *table.Flag, a Arg, value string, attached bool) {
	rest := p.rest
	p.take(f, a, f.Names[0], value, attached)
	if f.Kind != table.KindCmd {
		p.rest = rest
	}
}

// abbreviated returns the long options that name is the beginning of.
func (p *optionParser) abbreviated(name string) []*table.Flag {
	if len(name) < 3 {
		return nil
	}
	var out []*table.Flag
	for _, t := range p.r.chain {
		flags := t.Flags()
		for i := range flags {
			for _, n := range flags[i].Names {
				if strings.HasPrefix(n, name) {
					out = append(out, &flags[i])
					break
				}
			}
		}
	}
	return out
}

// help recognises the questions for help and version.
func (p *optionParser) help(name string) bool {
	if p.r.chain[0].Is(table.IsNoHelp) {
		return false
	}
	switch name {
	case "--help":
		if !p.alone() {
			return false
		}
		p.r.help = true
		return true
	case "--version", "-V", "-v", "-h", "-version", "-help", "-?":
		if name != "--version" && !p.shows() {
			return false
		}
		if p.words == 2 || name == "-h" && p.words == 2+len(p.r.subs) {
			p.r.help = true
			return true
		}
	}
	return false
}

// shows reports whether the command does nothing but show something anyway, so
// that -v may be the question for its version. For the others it is more likely
// "verbose".
func (p *optionParser) shows() bool {
	t := p.r.tool()
	return t.Use != table.UseSh && t.Do.Does&^(table.Reads|table.LongRunning|table.Network) == 0
}

// alone reports whether nothing was given so far that would be done before
// help is shown: an operand, or an option that runs something.
func (p *optionParser) alone() bool {
	for i := range p.r.flags {
		f := p.r.flags[i].flag
		if f.Kind >= table.KindScript && p.r.flags[i].hasValue || f.Do != nil && f.Do.Does&^(table.Reads|table.LongRunning) != 0 {
			return false
		}
	}
	return len(p.r.args) == 0
}

func (p *optionParser) short(a Arg) {
	name, value, attached := strings.Cut(a.Text, "=")
	words := p.r.chain[0].Is(table.IsDashword) || p.r.tool().Is(table.IsDashword)
	if f := p.find(name); f != nil && (len(name) > 2 || !attached || words) {
		p.take(f, a, name, value, attached)
		return
	}
	if p.help(a.Text) {
		return
	}
	if words {
		if f := p.find("-" + name); f != nil { // -x for --x
			p.take(f, a, "-"+name, value, attached)
			return
		}
		p.unknown(name)
		return
	}
	if len(a.Text) == 2 { // a bundle of one, which was looked for already
		if a.Text[1] < '0' || a.Text[1] > '9' {
			p.unknown(a.Text)
		}
		return
	}
	p.bundle(Arg{Text: a.Text[1:], Unknown: a.Unknown, Span: a.Span})
}

// bundle reads combined short options: -xzf FILE.
func (p *optionParser) bundle(a Arg) {
	for i := 0; i < len(a.Text); i++ {
		c := a.Text[i]
		if c >= '0' && c <= '9' {
			if f := p.find("-" + a.Text[i:i+1]); f == nil {
				continue
			}
		}
		name := "-" + a.Text[i:i+1]
		f := p.find(name)
		if f == nil {
			p.unknown(name)
			continue
		}
		if f.Kind == table.KindNone {
			p.r.flags = append(p.r.flags, given{flag: f, spelling: name})
			continue
		}
		rest := a.Text[i+1:]
		if p.r.chain[0].Use == table.UseSh { // bash -oc: the value is the next word, and more options follow
			p.take(f, a, name, "", false)
			continue
		}
		rest = strings.TrimPrefix(rest, "=")
		p.take(f, a, name, rest, a.Text[i+1:] != "")
		return
	}
}

// take records an option and, if it has one, its value.
func (p *optionParser) take(f *table.Flag, a Arg, spelling, value string, attached bool) {
	if f.Kind.IsCode() && p.r.chain[0].Use == table.UseInterpreter && p.r.has("-m") {
		p.unknown(spelling) // python -m tarfile -c: an option of the module
		return
	}
	g := given{flag: f, spelling: spelling}
	if attached && f.Kind == table.KindNone && isFalse(value) { // --flag=false takes back what came before
		p.r.flags = slices.DeleteFunc(p.r.flags, func(g given) bool { return g.flag == f })
		return
	}
	switch {
	case attached && f.Kind == table.KindCmd && value != "": // fd --exec=rm
		g.hasValue = true
		p.r.rest = append([]Arg{{Text: value, Unknown: a.Unknown, Span: a.Span}}, p.rest...)
		p.r.inner, p.rest = true, nil
	case attached && (f.Kind != table.KindNone || value != ""):
		g.hasValue = true
		g.value = Arg{Text: value, Unknown: a.Unknown, Glob: a.Glob, Span: a.Span, plain: a.plain, extra: a.extra}
	case f.Kind != table.KindNone && !f.Attached && len(p.rest) > int(f.Skip):
		g.hasValue = true
		p.rest = p.rest[f.Skip:]
		if f.Kind == table.KindCmd { // the value is a command, up to its end
			p.r.rest, p.r.inner = p.rest, true
			p.rest = nil
			break
		}
		g.value = p.rest[0]
		p.rest = p.rest[1:]
	}
	p.r.flags = append(p.r.flags, g)
}
