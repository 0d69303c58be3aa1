package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// exceptions finds those that leave nothing of their rule, and those that take
// nothing out of it.
func (s *subject) exceptions() *Finding {
	if s.set == nil || len(s.calls) == 0 {
		return nil
	}
	for i := range s.except {
		e := &s.except[i]
		if e.set == nil || e.tool == "*" {
			continue
		}
		if s.exact && !slices.ContainsFunc(s.calls, func(c *sayso.Case) bool { return !e.matches(c) }) {
			return s.found(Never, fmt.Sprintf("%s can never match: its exception %s leaves nothing of it", s.rule.Text, e.rule.Text), "narrow the exception, or remove the rule")
		}
		if e.apart(s) {
			return s.found(Never, fmt.Sprintf("the exception %s of %s takes nothing out of it: the rule does not match that", e.rule.Text, s.rule.Text), "remove it, or write it like the rule")
		}
	}
	return nil
}

// apart reports whether two rules can have no call in common: they are about the
// same kind of thing, and begin with different names. What their calls have in
// common does not tell: git push -f * and git push * x meet in git push -f x.
func (s *subject) apart(other *subject) bool {
	if s.set == nil || other.set == nil || s.class != other.class || slices.ContainsFunc(s.calls, other.matches) || slices.ContainsFunc(other.calls, s.matches) {
		return false
	}
	mine, theirs := s.names(), other.names()
	for i := range min(len(mine), len(theirs)) {
		if mine[i] != theirs[i] {
			return true
		}
	}
	return false
}

// names are what the pattern begins with, as far as it is written out: a program
// and its sub-command, folders, a server, or a host from its end on.
func (s *subject) names() []string {
	var parts []string
	switch {
	case s.class == sayso.ClassShell:
		words, _ := splitWords(s.pattern)
		for i := range words[:min(2, len(words))] {
			parts = append(parts, words[i].written())
		}
	case s.class == sayso.ClassFetch:
		parts = strings.Split(s.pattern, ".")
		slices.Reverse(parts)
	default:
		parts = strings.Split(s.pattern, "/")
	}
	for i, part := range parts {
		if part == "" || strings.ContainsAny(part, "*?[{\\-~$ ") {
			return parts[:i]
		}
	}
	return parts
}
