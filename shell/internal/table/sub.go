package table

import (
	"strings"
	"sync/atomic"
)

// subs are the sub-commands of a tool. They stay in the data until they are asked
// for.
type subs struct {
	count int
	at    int // in the data
	data  string
	first atomic.Pointer[found]
	all   atomic.Pointer[[]sub]
}

// found is the sub-command that was asked for first: a hook asks for no other, and lives
// no longer.
type found struct {
	name string
	tool *Tool
}

// A sub is a sub-command, which is read when it is asked for.
type sub struct {
	names []string
	at    int // in the data
	tool  atomic.Pointer[Tool]
}

// list reads the names of all of them.
func (s *subs) list() []sub {
	if all := s.all.Load(); all != nil {
		return *all
	}
	r := reader{data: s.data, at: s.at}
	all := make([]sub, s.count)
	for i := range all {
		all[i].names, all[i].at = r.texts(), r.number()
	}
	s.all.CompareAndSwap(nil, &all)
	return *s.all.Load()
}

// find looks for a name in the data itself and returns the place of the tool, or 0.
func (s *subs) find(name string) int {
	r := reader{data: s.data, at: s.at}
	for range s.count {
		found := false
		for range r.number() - 1 {
			found = r.text() == name || found
		}
		if at := r.number(); found {
			return at
		}
	}
	return 0
}

// Subs is how many sub-commands there are.
func (t *Tool) Subs() int { return t.subs.count }

// SubNames returns the names of a sub-command.
func (t *Tool) SubNames(i int) []string { return t.subs.list()[i].names }

// SubAt returns a sub-command.
func (t *Tool) SubAt(i int) *Tool {
	s := &t.subs.list()[i]
	return kept(&s.tool, s.at)
}

// Sub finds a sub-command: an exact name first, then a pattern that matches.
func (t *Tool) Sub(name string, matches func(pattern, name string) bool) *Tool {
	first := t.subs.first.Load()
	if first == nil {
		first = &found{name: name}
		if at := t.subs.find(name); at > 0 {
			first.tool = ReadTool(t.subs.data, at)
		}
		t.subs.first.CompareAndSwap(nil, first)
	}
	if first.name == name && first.tool != nil {
		return first.tool
	}
	list := t.subs.list()
	for i := range list {
		for _, n := range list[i].names {
			if n == name {
				return t.SubAt(i)
			}
		}
	}
	for i := range list {
		for _, n := range list[i].names {
			if strings.IndexByte(n, '*') >= 0 && matches(n, name) {
				return t.SubAt(i)
			}
		}
	}
	return nil
}
