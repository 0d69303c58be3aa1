package main

import (
	"fmt"
	"strings"
)

// link checks what can only be seen across files and spreads the "all" lines.
func link(files []*file) error {
	names := map[string]string{}
	keys := map[string]bool{}
	for _, f := range files {
		for _, k := range f.keys {
			keys[k.name] = true
		}
	}
	for _, f := range files {
		for _, c := range f.commands {
			for _, name := range c.names {
				at := fmt.Sprintf("tables/%s:%d", c.file, c.line)
				if other, ok := names[name]; ok {
					return fmt.Errorf("%s: command %q stands at %s too", at, name, other)
				}
				names[name] = at
			}
			spread(c, nil)
			mark(c)
			if err := checkNode(c, nil, keys); err != nil {
				return err
			}
		}
		for _, k := range f.keys {
			for _, e := range k.entries {
				if err := checkKind(e.kind, keys); err != nil {
					return fmt.Errorf("tables/%s:%d: %w", f.name, e.line, err)
				}
			}
		}
	}
	return nil
}

// spread adds what "all" lines say to every sub-command below them.
func spread(n *node, inherited []action) {
	inherited = append(inherited[:len(inherited):len(inherited)], n.all...)
	for _, s := range n.subs {
		for _, a := range inherited {
			s.do.does = append(s.do.does, a.does...)
			s.do.is = append(s.do.is, a.is...)
			s.do.hosts = append(s.do.hosts, a.hosts...)
			if s.do.risk == "" {
				s.do.risk = a.risk
			}
		}
		spread(s, inherited)
	}
}

func checkNode(n *node, outer []*node, keys map[string]bool) error {
	fail := func(line int, format string, args ...any) error {
		return fmt.Errorf("tables/%s:%d: %s", n.file, line, fmt.Sprintf(format, args...))
	}
	if !hasPlainSentence(n) {
		return fail(n.line, "%s has no sentence that stands without a placeholder", strings.Join(n.names, ", "))
	}
	if _, ok := handlers[n.use]; n.use != "" && !ok {
		return fail(n.line, "unknown handler %q", n.use)
	}
	for _, s := range allSlots(n) {
		if err := checkKind(s.kind, keys); err != nil {
			return fail(n.line, "%v", err)
		}
	}
	chain := append(outer[:len(outer):len(outer)], n)
	known := map[string]bool{}
	for _, o := range chain {
		for _, f := range o.flags {
			for _, name := range f.names {
				if o == n && known[name] && !inOuter(outer, name) {
					return fail(f.line, "option %s stands twice", name)
				}
				known[name] = true
			}
		}
	}
	for _, f := range n.flags {
		if err := checkKind(f.kind, keys); err != nil {
			return fail(f.line, "%v", err)
		}
	}
	for _, w := range n.whens {
		for _, alt := range w.any {
			for _, t := range alt {
				if t.flag != "" && !known[t.flag] {
					return fail(w.line, "condition names the option %s, which has no flag line", t.flag)
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, s := range n.subs {
		for _, name := range s.names {
			if seen[name] {
				return fail(s.line, "sub-command %q stands twice", name)
			}
			seen[name] = true
		}
		if err := checkNode(s, chain, keys); err != nil {
			return err
		}
	}
	return nil
}

func inOuter(outer []*node, name string) bool {
	for _, o := range outer {
		for _, f := range o.flags {
			for _, n := range f.names {
				if n == name {
					return true
				}
			}
		}
	}
	return false
}

func hasPlainSentence(n *node) bool {
	for _, s := range n.says {
		plain := s
		for _, always := range []string{"{cmd}", "{sub}", "{subs}", "{inner}"} {
			plain = strings.ReplaceAll(plain, always, "")
		}
		if !strings.Contains(plain, "{") {
			return true
		}
	}
	return false
}

func checkKind(kind string, keys map[string]bool) error {
	if kind == "" {
		return nil
	}
	if _, block, ok := keyed(kind); ok {
		if !keys[block] {
			return fmt.Errorf("no block keys %s", block)
		}
		return nil
	}
	if !validKind(kind) {
		return fmt.Errorf("unknown kind %q", kind)
	}
	return nil
}

// slots are those of the operands, and one for what it reads.
func (a *action) slots() []slotSpec {
	if a.stdin == "" {
		return a.args
	}
	return append(a.args[:len(a.args):len(a.args)], slotSpec{kind: a.stdin})
}

// allSlots returns the slots of a node, of its options and conditions.
func allSlots(n *node) []slotSpec {
	slots := n.do.slots()
	for _, f := range n.flags {
		slots = append(slots[:len(slots):len(slots)], f.do.slots()...)
	}
	for _, w := range n.whens {
		slots = append(slots[:len(slots):len(slots)], w.do.slots()...)
	}
	return slots
}

// mark notes which nodes have a command or a script among their slots, so that
// the others need not be looked through for each operand.
func mark(n *node) {
	for _, s := range allSlots(n) {
		switch s.kind {
		case "cmd":
			n.do.is = append(n.do.is, "wrapping")
		case "script":
			n.do.is = append(n.do.is, "scripting")
		}
	}
	for _, s := range n.subs {
		mark(s)
	}
}
