package main

import (
	"strconv"
	"strings"
)

// actions reads actions separated by semicolons into a.
func (p *parser) actions(line int, text string, a *action) error {
	for _, part := range split(text) {
		if err := p.action(line, part, a); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) action(line int, text string, a *action) error {
	word, rest := cut(text)
	switch word {
	case "does":
		for _, e := range strings.Fields(rest) {
			if _, ok := effects[e]; !ok {
				return p.errorf(line, "unknown effect %q", e)
			}
			a.does = append(a.does, e)
		}
	case "risk":
		if _, ok := risks[rest]; !ok {
			return p.errorf(line, "unknown risk %q", rest)
		}
		a.risk = rest
	case "say":
		s, err := strconv.Unquote(rest)
		if err != nil {
			return p.errorf(line, "say wants a sentence in double quotes")
		}
		if err := p.sentence(line, s); err != nil {
			return err
		}
		if a.say != "" { // an option or a condition with several
			s = a.say + "\n" + s
		}
		a.say = s
	case "args":
		return p.slots(line, rest, a)
	case "is":
		for _, t := range strings.Fields(rest) {
			if _, ok := traits[t]; !ok {
				return p.errorf(line, "unknown trait %q", t)
			}
			a.is = append(a.is, t)
		}
	case "host":
		a.hosts = append(a.hosts, strings.Fields(rest)...)
	case "opaque":
		s, err := strconv.Unquote(rest)
		if err != nil || s == "" {
			return p.errorf(line, "opaque wants a reason in double quotes")
		}
		a.opaque = s
	case "prefix":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > 4 {
			return p.errorf(line, "prefix wants a number from 1 to 4")
		}
		a.prefix = n
	case "prints":
		if _, ok := outputs[rest]; !ok {
			return p.errorf(line, "unknown output %q", rest)
		}
		a.prints = rest
	case "stdin":
		return p.stdin(line, rest, a)
	case "instead":
		a.instead = true
	default:
		return p.errorf(line, "unknown line or action %q", word)
	}
	return nil
}

// stdin reads what a program finds on its standard input.
func (p *parser) stdin(line int, text string, a *action) error {
	kind, optional, ok := value(text)
	if !ok || optional || !validKind(kind) {
		return p.errorf(line, "stdin wants the kind of what it reads: <sql>")
	}
	a.stdin = kind
	return nil
}

// sentence checks the form of a template.
func (p *parser) sentence(line int, s string) error {
	if s == "" || strings.HasSuffix(s, ".") {
		return p.errorf(line, "a sentence is not empty and has no full stop: %q", s)
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		return p.errorf(line, "a sentence starts with a capital letter: %q", s)
	}
	for rest := s; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok {
			return p.errorf(line, "unclosed { in %q", s)
		}
		if !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "+") && !placeholders[name] {
			return p.errorf(line, "unknown placeholder {%s}", name)
		}
		rest = tail
	}
}

func (p *parser) slots(line int, text string, a *action) error {
	a.hasArgs = true
	repeats := 0
	for _, w := range strings.Fields(text) {
		var s slotSpec
		inner := w
		if rest, ok := strings.CutSuffix(inner, "..."); ok {
			s.repeat, inner = true, rest
			repeats++
		}
		kind, optional, ok := value(inner)
		if !ok {
			return p.errorf(line, "slot %q: want <kind>, <kind>... or [kind]", w)
		}
		s.kind, s.def, _ = strings.Cut(kind, "=")
		s.optional = optional
		if !validKind(s.kind) {
			return p.errorf(line, "unknown kind %q", s.kind)
		}
		a.args = append(a.args, s)
	}
	if repeats > 1 {
		return p.errorf(line, "only one slot may repeat")
	}
	return nil
}

// value reads <kind> or [kind].
func value(w string) (kind string, optional, ok bool) {
	switch {
	case len(w) > 2 && w[0] == '<' && w[len(w)-1] == '>':
		return w[1 : len(w)-1], false, true
	case len(w) > 2 && w[0] == '[' && w[len(w)-1] == ']':
		return w[1 : len(w)-1], true, true
	}
	return "", false, false
}

// cut splits a line into its first word and the rest.
func cut(s string) (word, rest string) {
	word, rest, _ = strings.Cut(s, " ")
	return word, strings.TrimSpace(rest)
}

// list reads names separated by commas.
func list(s string) []string {
	var out []string
	for _, n := range strings.Split(s, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// split separates actions at semicolons outside double quotes.
func split(s string) []string {
	var out []string
	quoted, start := false, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	out = append(out, s[start:])
	kept := out[:0]
	for _, a := range out {
		if a = strings.TrimSpace(a); a != "" {
			kept = append(kept, a)
		}
	}
	return kept
}
