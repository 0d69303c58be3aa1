package shell

import (
	"maps"
	"slices"
	"strings"
)

// awk reads an awk program for what leaves it: system(), pipes, redirections
// and getline.
func (v *visit) awk(a Arg) {
	if a.Unknown && !a.plain {
		v.c.Effects |= Executes
		v.c.doubt(Dangerous, "the awk program cannot be known: "+short(a.Text))
	}
	p := awkProgram{v: v, src: a.Text, work: 64*len(a.Text) + 4096}
	if !p.read(awkState{}) {
		v.c.Effects |= Executes
		v.c.doubt(Dangerous, "the awk program is not understood: "+short(a.Text))
	}
	for i := range v.r.args { // gawk reads from the network, too
		p.inet(v.r.args[i].Text)
	}
}

// An awkProgram is read token by token. The awks do not agree where a regular
// expression starts and ends, so the program splits into several readings
// there. What one of them does counts, if it gets to the end: a program with an
// error is not run by any awk.
type awkProgram struct {
	v     *visit
	src   string
	work  int               // how many bytes may still be looked at
	known map[awkState]bool // whether a reading from there gets to the end
	done  map[awkFinding]bool
}

// maxAwkStates is how many places a program may have where readings split.
const maxAwkStates = 4096

// An awkState is how far one reading is.
type awkState struct {
	pos    int
	prev   awkToken
	parens int
	boxes  int // square brackets
	braces int
	print  int // 1 + the depth at which print stands, if this is its statement
	get    int // 1 + the depth at which getline stands, if its file may follow
	head   int // 1 + the depth at which the ( of if, while or for stands
	text   int // 1 + where the literal starts that is all of the operand before
}

func (st *awkState) depth() int { return st.parens + st.boxes }

// An awkToken is what a token means for a slash behind it.
type awkToken uint8

const (
	awkOperator awkToken = iota // a regular expression starts
	awkOperand                  // it divides
	awkEither                   // the awks differ
	awkKeyword                  // like an operator, but a statement may end behind it
	awkHead                     // if, while, for: their ( follows
	awkHeadEnd                  // their ): the awks differ
)

// An awkFinding is something that leaves the program.
type awkFinding struct {
	kind awkKind
	text string
	odd  bool // the text has escapes that the awks read differently
}

type awkKind uint8

const (
	awkLiteral awkKind = iota // a text, which may be the name of a secret
	awkWrites
	awkWritesUnknown
	awkReads
	awkReadsUnknown
	awkRuns // a command
	awkFeeds
	awkRunsUnknown
	awkArguments
	awkEnvironment
)

// read follows all readings from st on and reports whether one gets to the end.
func (p *awkProgram) read(st awkState) bool {
	if ok, known := p.known[st]; known {
		return ok
	}
	if len(p.known) >= maxAwkStates || p.work < 0 {
		p.apply(awkFinding{kind: awkRunsUnknown})
		return true
	}
	r := awkReader{p: p, awkState: st}
	ok := r.run()
	for _, next := range r.next {
		if p.read(next) {
			ok = true
		}
	}
	if p.known == nil {
		p.known = map[awkState]bool{}
	}
	p.known[st] = ok
	if ok {
		for _, f := range r.found {
			p.apply(f)
		}
	}
	return ok
}

// apply records what a reading found, once.
func (p *awkProgram) apply(f awkFinding) {
	if p.done[f] {
		return
	}
	if p.done == nil {
		p.done = map[awkFinding]bool{}
	}
	p.done[f] = true
	c := p.v.c
	switch f.kind {
	case awkLiteral:
		s := codeScanner{v: p.v}
		s.named(f.text)
	case awkWrites:
		p.file(f.text, Write)
		if f.odd {
			p.apply(awkFinding{kind: awkWritesUnknown})
		}
	case awkWritesUnknown:
		c.Effects |= Writes
		c.doubt(Dangerous, "awk writes a file whose name cannot be known")
	case awkReads:
		p.file(f.text, Read)
		if f.odd {
			p.apply(awkFinding{kind: awkReadsUnknown})
		}
	case awkReadsUnknown:
		c.doubt(Moderate, "awk reads a file whose name cannot be known")
	case awkRuns, awkFeeds:
		p.command(f.text, f.kind == awkFeeds)
		if f.odd {
			p.apply(awkFinding{kind: awkRunsUnknown})
		}
	case awkRunsUnknown:
		c.Effects |= Executes
		c.doubt(Dangerous, "awk runs a command that cannot be known")
	case awkArguments:
		c.doubt(Moderate, "the awk program changes which files it reads")
	}
	if p.done[awkFinding{kind: awkEnvironment}] && (f.kind == awkRuns || f.kind == awkFeeds || f.kind == awkEnvironment && p.runs()) {
		c.doubt(Moderate, "the awk program may change the environment of a command that it runs")
	}
}

// runs reports whether a command was found.
func (p *awkProgram) runs() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.done)), func(f awkFinding) bool { return f.kind == awkRuns || f.kind == awkFeeds })
}

func (p *awkProgram) file(name string, access Access) {
	s := codeScanner{v: p.v}
	if !p.inet(name) {
		p.v.touch(s.path(name), access, false)
	}
}

// inet records the connection that gawk opens for /inet/tcp/0/HOST/PORT.
func (p *awkProgram) inet(name string) bool {
	parts := strings.Split(name, "/")
	if len(parts) < 5 || parts[0] != "" || !strings.HasPrefix(parts[1], "inet") {
		return false
	}
	p.v.c.host(parts[4])
	p.v.c.Risk = min(p.v.c.Risk, Dangerous)
	return true
}

// command analyses a literal that awk gives to a shell. It is judged by what it
// does; what awk prints into it cannot be known.
func (p *awkProgram) command(text string, fed bool) {
	v := p.v
	f := v.below()
	if fed {
		f.stdin = &stream{kind: streamUnknown}
	}
	before := len(v.w.commands)
	v.w.script(v.st.child(), f, text, v.c.Span, true)
	for _, c := range v.w.commands[before:] {
		v.c.Effects |= c.Effects & (LongRunning | Executes)
	}
}
