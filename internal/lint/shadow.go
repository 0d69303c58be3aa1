package lint

import (
	"fmt"

	"github.com/sayso-dev/sayso"
)

// shadow finds a rule because of which this one changes nothing.
func (s *subject) shadow(all []subject) *Finding {
	var same *subject
	for i := range all {
		other := &all[i]
		switch {
		case other == s || other.set == nil || !other.lasts(s):
		case other.rule.Effect < s.rule.Effect && s.within(other):
			return s.found(Shadowed, fmt.Sprintf("%s %s can never count: %s %s all that it matches", s.rule.Effect, s.rule.Text,
				other.called(), does(other.rule.Effect)), "remove it, or narrow the other one")
		case other.rule.Effect == s.rule.Effect && other.name == "" && same == nil && s.pointless(other):
			same = other
		}
	}
	if same == nil {
		return nil
	}
	if same.rule.Text == s.rule.Text {
		return s.found(Twice, fmt.Sprintf("%s %s stands in %s already", s.rule.Effect, s.rule.Text, placeOf(same.rule)), "remove it")
	}
	return s.found(Twice, fmt.Sprintf("%s %s changes nothing: %s %s all that it matches", s.rule.Effect, s.rule.Text, same.called(), does(same.rule.Effect)),
		"remove one of them")
}

// lasts reports whether a rule counts whenever the other one does: it has no
// exceptions, and does not end before.
func (s *subject) lasts(other *subject) bool {
	if s.over || len(s.rule.Except) > 0 {
		return false
	}
	until := s.rule.Until
	return until.IsZero() || !other.rule.Until.IsZero() && !until.Before(other.rule.Until)
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
