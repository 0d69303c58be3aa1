package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A file is one table as it was read.
type file struct {
	name     string // base name
	commands []*node
	keys     []*keyBlock
	paths    []*pathBlock
	groups   map[string][]rawLine
}

// A node is a command or a sub-command.
type node struct {
	file  string
	line  int
	names []string
	do    action
	says  []string
	flags []*flagSpec
	whens []*whenSpec
	subs  []*node
	all   []action
	use   string
}

// An action is what a command, an option or a condition brings with it.
type action struct {
	does    []string
	risk    string
	say     string
	args    []slotSpec
	hasArgs bool
	is      []string
	hosts   []string
	opaque  string
	prefix  int
	prints  string
	stdin   string
	instead bool
}

func (a *action) empty() bool {
	return len(a.does) == 0 && a.risk == "" && a.say == "" && !a.hasArgs && len(a.is) == 0 &&
		len(a.hosts) == 0 && a.opaque == "" && a.prefix == 0 && a.prints == "" && a.stdin == "" && !a.instead
}

type slotSpec struct {
	kind     string
	repeat   bool
	optional bool
	def      string
}

type flagSpec struct {
	line     int
	names    []string
	kind     string // "" for a flag without a value
	optional bool
	skip     int // values in front of the one that counts
	do       action
}

type whenSpec struct {
	line int
	any  [][]term
	do   action
}

// A term is one part of a condition.
type term struct {
	not   bool
	flag  string
	op    string // for operands: "=", "<", ">" on the count, "arg", "item", "any"
	n     int
	globs []string
}

type keyBlock struct {
	name    string
	line    int
	entries []*flagSpec
}

type pathBlock struct {
	class    string
	patterns []string
}

type rawLine struct {
	no     int
	indent int
	text   string
}

type parser struct {
	file  *file
	lines []rawLine
	pos   int
}

func (p *parser) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("tables/%s:%d: %s", p.file.name, line, fmt.Sprintf(format, args...))
}

func parseFile(name, text string) (*file, error) {
	p := &parser{file: &file{name: name, groups: map[string][]rawLine{}}}
	for i, line := range strings.Split(text, "\n") {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		body = strings.TrimRight(body, " \r")
		if body == "" || strings.HasPrefix(body, "#") {
			continue
		}
		if strings.Contains(line, "\t") {
			return nil, p.errorf(i+1, "tab: indent with two spaces a level")
		}
		if indent%2 != 0 {
			return nil, p.errorf(i+1, "odd indentation: two spaces a level")
		}
		p.lines = append(p.lines, rawLine{i + 1, indent / 2, body})
	}
	for p.pos < len(p.lines) {
		if err := p.block(); err != nil {
			return nil, err
		}
	}
	return p.file, nil
}

// block reads one top-level block.
func (p *parser) block() error {
	head := p.lines[p.pos]
	if head.indent != 0 {
		return p.errorf(head.no, "indented line outside a block")
	}
	word, rest := cut(head.text)
	body := p.body(0)
	if word != "command" && !plainName(rest) {
		return p.errorf(head.no, "%s wants a name of small letters, digits and dashes, not %q", word, rest)
	}
	switch word {
	case "command":
		n := &node{file: p.file.name, line: head.no, names: list(rest)}
		if len(n.names) == 0 {
			return p.errorf(head.no, "command without a name")
		}
		p.file.commands = append(p.file.commands, n)
		return p.node(n, body, 1)
	case "keys":
		return p.keyBlock(head, rest, body)
	case "paths":
		b := &pathBlock{class: rest}
		for _, l := range body {
			b.patterns = append(b.patterns, strings.Fields(l.text)...)
		}
		p.file.paths = append(p.file.paths, b)
		return nil
	case "group":
		p.file.groups[rest] = body
		return nil
	}
	return p.errorf(head.no, "unknown block %q: want command, keys, paths or group", word)
}

// body returns the lines indented deeper than the current one and moves past
// them.
func (p *parser) body(indent int) []rawLine {
	start := p.pos + 1
	end := start
	for end < len(p.lines) && p.lines[end].indent > indent {
		end++
	}
	p.pos = end
	return p.lines[start:end]
}

func (p *parser) keyBlock(head rawLine, name string, body []rawLine) error {
	b := &keyBlock{name: name, line: head.no}
	for _, l := range body {
		word, rest := cut(l.text)
		if word != "entry" {
			return p.errorf(l.no, "want entry, not %q", word)
		}
		spec, acts, _ := strings.Cut(rest, " : ")
		e := &flagSpec{line: l.no}
		var names []string
		for _, w := range strings.Fields(spec) {
			if kind, optional, ok := value(w); ok {
				e.kind, e.optional = kind, optional
			} else {
				names = append(names, w)
			}
		}
		e.names = list(strings.Join(names, " "))
		if err := p.actions(l.no, acts, &e.do); err != nil {
			return err
		}
		b.entries = append(b.entries, e)
	}
	p.file.keys = append(p.file.keys, b)
	return nil
}

// node reads the lines of a command or sub-command.
func (p *parser) node(n *node, body []rawLine, indent int) error {
	for i := 0; i < len(body); i++ {
		l := body[i]
		if l.indent != indent {
			return p.errorf(l.no, "wrong indentation")
		}
		end := i + 1
		for end < len(body) && body[end].indent > indent {
			end++
		}
		if err := p.line(n, l, body[i+1:end], indent); err != nil {
			return err
		}
		i = end - 1
	}
	return nil
}

func (p *parser) line(n *node, l rawLine, below []rawLine, indent int) error {
	word, rest := cut(l.text)
	if word != "sub" && len(below) > 0 {
		return p.errorf(below[0].no, "only a sub-command has lines of its own")
	}
	switch word {
	case "sub":
		return p.sub(n, l, rest, below, indent)
	case "flag":
		return p.flag(n, l, rest)
	case "when":
		return p.when(n, l, rest)
	case "all":
		var a action
		if err := p.actions(l.no, rest, &a); err != nil {
			return err
		}
		n.all = append(n.all, a)
		return nil
	case "use":
		n.use = rest
		return nil
	case "include":
		return p.include(n, l, rest, indent)
	}
	return p.own(n, l.no, l.text)
}

// own reads an action that stands on a line of its own.
func (p *parser) own(n *node, line int, text string) error {
	say := n.do.say
	n.do.say = ""
	if err := p.actions(line, text, &n.do); err != nil {
		return err
	}
	if n.do.say != "" {
		n.says = append(n.says, strings.Split(n.do.say, "\n")...)
	}
	n.do.say = say
	return nil
}

func (p *parser) include(n *node, l rawLine, name string, indent int) error {
	lines, ok := p.file.groups[name]
	if !ok {
		return p.errorf(l.no, "no group %q above in this file", name)
	}
	moved := make([]rawLine, len(lines))
	for i, g := range lines {
		moved[i] = rawLine{g.no, g.indent - 1 + indent, g.text}
	}
	return p.node(n, moved, indent)
}

func (p *parser) sub(n *node, l rawLine, rest string, below []rawLine, indent int) error {
	names, acts, _ := strings.Cut(rest, " : ")
	s := &node{file: p.file.name, line: l.no, names: list(names)}
	if len(s.names) == 0 {
		return p.errorf(l.no, "sub without a name")
	}
	for _, a := range split(acts) {
		if err := p.own(s, l.no, a); err != nil {
			return err
		}
	}
	n.subs = append(n.subs, s)
	return p.node(s, below, indent+1)
}

func (p *parser) flag(n *node, l rawLine, rest string) error {
	spec, acts, _ := strings.Cut(rest, " : ")
	f := &flagSpec{line: l.no}
	for _, w := range strings.Fields(strings.ReplaceAll(spec, ",", " ")) {
		if kind, optional, ok := value(w); ok {
			if f.kind != "" {
				f.skip++
			}
			f.kind, f.optional = kind, optional
			continue
		}
		if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") {
			return p.errorf(l.no, "an option starts with - or +, not %q", w)
		}
		f.names = append(f.names, w)
	}
	if len(f.names) == 0 {
		return p.errorf(l.no, "flag without a spelling")
	}
	n.flags = append(n.flags, f)
	return p.actions(l.no, acts, &f.do)
}

func (p *parser) when(n *node, l rawLine, rest string) error {
	cond, acts, ok := strings.Cut(rest, " : ")
	if !ok {
		return p.errorf(l.no, "when needs a condition, ' : ' and actions")
	}
	w := &whenSpec{line: l.no}
	for _, alt := range strings.Split(cond, ",") {
		var terms []term
		for _, t := range strings.Split(alt, "&") {
			got, err := parseTerm(strings.TrimSpace(t))
			if err != nil {
				return p.errorf(l.no, "%v", err)
			}
			terms = append(terms, got)
		}
		w.any = append(w.any, terms)
	}
	n.whens = append(n.whens, w)
	return p.actions(l.no, acts, &w.do)
}

func parseTerm(text string) (term, error) {
	var t term
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		t.not, text = true, rest
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		name, globs, ok := strings.Cut(text, "=")
		t.flag = name
		if ok {
			t.globs = strings.Split(globs, "|")
		}
		return t, nil
	}
	if text == "inner" || text == "piped" || text == "asks" {
		t.op = text
		return t, nil
	}
	i := strings.IndexAny(text, "=<>")
	if i < 0 {
		return t, fmt.Errorf("condition %q: want an option, args=N, argN=GLOB or any=GLOB", text)
	}
	name, op, rest := text[:i], text[i:i+1], text[i+1:]
	switch {
	case name == "args":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return t, fmt.Errorf("condition %q: not a number", text)
		}
		t.op, t.n = op, n
	case name == "any" && op == "=":
		t.op, t.globs = "any", strings.Split(rest, "|")
	case strings.HasPrefix(name, "arg") && op == "=":
		n, err := strconv.Atoi(name[3:])
		if err != nil || n < 1 {
			return t, fmt.Errorf("condition %q: want arg1, arg2 …", text)
		}
		t.op, t.n, t.globs = "arg", n, strings.Split(rest, "|")
	case strings.HasPrefix(name, "item") && op == "=":
		n, err := strconv.Atoi(name[4:])
		if err != nil || n < 1 {
			return t, fmt.Errorf("condition %q: want item1, item2 …", text)
		}
		t.op, t.n, t.globs = "item", n, strings.Split(rest, "|")
	default:
		return t, fmt.Errorf("condition %q: want an option, args=N, argN=GLOB or any=GLOB", text)
	}
	return t, nil
}

// plainName reports whether a name can become part of a Go identifier.
func plainName(s string) bool {
	for i, c := range s {
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '-') {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '-'
}
