package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// shadow finds a rule because of which this one changes nothing.
func (s *subject) shadow(all []subject) *Finding {
	var same *subject
	for i := range all {
		other := &all[i]
		switch {
		case !s.meets(other):
		case other.rule.Effect < s.rule.Effect && s.within(other):
			return s.found(Shadowed, fmt.Sprintf("%s %s can never count: %s %s all that it matches", s.rule.Effect, s.rule.Text,
				other.called(), does(other.rule.Effect)), "remove it, or narrow the other one")
		case other.rule.Effect == s.rule.Effect && other.name == "" && same == nil && s.pointless(other):
			same = other
		}
	}
	if same == nil {
		return s.shadowedTogether(all)
	}
	if same.rule.Text == s.rule.Text {
		return s.found(Twice, fmt.Sprintf("%s %s stands in %s already", s.rule.Effect, s.rule.Text, placeOf(same.rule)), "remove it")
	}
	return s.found(Twice, fmt.Sprintf("%s %s changes nothing: %s %s all that it matches", s.rule.Effect, s.rule.Text, same.called(), does(same.rule.Effect)),
		"remove one of them")
}

// meets reports whether another rule counts whenever this one does.
func (s *subject) meets(other *subject) bool {
	return other != s && other.set != nil && other.lasts(s) && !other.leavesOut(s)
}

// shadowedTogether finds several rules that decide all that this one matches,
// though none of them does alone.
func (s *subject) shadowedTogether(all []subject) *Finding {
	if !s.exact || len(s.calls) < 2 {
		return nil
	}
	var by []string
	for _, c := range s.calls {
		decider := s.deciderOf(all, c)
		if decider == nil {
			return nil
		}
		if name := decider.called(); !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	return s.found(Shadowed, fmt.Sprintf("%s %s can never count: %s decide all that it matches", s.rule.Effect, s.rule.Text, strings.Join(by, ", and ")),
		"remove it, or narrow one of the others")
}

// deciderOf is a stricter rule that counts in a call, or nil.
func (s *subject) deciderOf(all []subject, c *sayso.Case) *subject {
	for i := range all {
		if other := &all[i]; s.meets(other) && other.rule.Effect < s.rule.Effect && s.decidedBy(other, c) {
			return other
		}
	}
	return nil
}

// lasts reports whether a rule does not end before the other one.
func (s *subject) lasts(other *subject) bool {
	until := s.rule.Until
	return !s.over && (until.IsZero() || !other.rule.Until.IsZero() && !until.Before(other.rule.Until))
}

// leavesOut reports whether an exception of a rule may take calls of the other one
// out of it.
func (s *subject) leavesOut(other *subject) bool {
	return slices.ContainsFunc(s.except, func(e subject) bool { return !e.apart(other) })
}

// within reports whether another rule means all that this one means.
func (s *subject) within(other *subject) bool {
	if s.rule.Text == other.rule.Text {
		return true
	}
	if !s.exact || len(s.calls) == 0 {
		return false
	}
	for _, c := range s.calls {
		if !s.decidedBy(other, c) {
			return false
		}
	}
	return true
}

// decidedBy reports whether the other rule counts in a call. One that denies or
// asks does if it means any part; one that allows must mean every part that this
// one does.
func (s *subject) decidedBy(other *subject, c *sayso.Case) bool {
	if other.rule.Effect != sayso.Allow {
		return other.matches(c)
	}
	for i := range c.Facts.Parts {
		if s.has(c, i) && !other.has(c, i) {
			return false
		}
	}
	return true
}

// pointless reports whether another rule to the same effect says all of this
// one. Of two that say the same the first may stay, and one that gives a reason
// of its own is not pointless where it is found first. A committed file is read
// by others, who do not have one's own.
func (s *subject) pointless(other *subject) bool {
	if s.isPath() && other.isPath() && s.reads() != other.reads() {
		return false // whoever may edit may read, but that is not what people write
	}
	mine, theirs := s.rule.Source, other.rule.Source
	if mine.Layer == sayso.Committed && theirs.Layer != mine.Layer || !s.within(other) {
		return false
	}
	if s.order < other.order && (s.rule.Because != "" && s.rule.Because != other.rule.Because || len(s.rule.Except) == 0 && other.within(s)) {
		return false
	}
	return true
}

// called is how people know it.
func (s *subject) called() string {
	if s.name != "" {
		return s.name
	}
	return "the rule " + s.rule.Text + " in " + placeOf(s.rule)
}

func does(e sayso.Effect) string {
	return [...]string{sayso.Deny: "denies", sayso.Ask: "asks about", sayso.Allow: "allows"}[min(e, sayso.Allow)]
}

// reads reports whether the rule is about reading files.
func (s *subject) reads() bool {
	return s.class == sayso.ClassRead || s.class == sayso.ClassGrep || s.class == sayso.ClassList
}

func placeOf(r *sayso.Rule) string {
	if at := r.Source.String(); at != "" {
		return at
	}
	return "another place"
}
