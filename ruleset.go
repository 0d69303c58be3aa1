package sayso

import (
	"errors"
	"fmt"
	"time"
)

// A RuleSet is a set of rules, compiled and indexed: how long it takes to find
// those that match depends little on how many there are. Where a rule stands in
// it does not matter.
type RuleSet struct {
	rules  []*Rule
	lists  [3]ruleIndex // by effect
	broken error
}

// A compiledRule is a rule with its matchers.
type compiledRule struct {
	rule   *Rule
	order  int
	match  matcher
	except []matcher
}

// NewRuleSet compiles rules. Own are the tools that the program has added.
//
// The set can be used even if there is an error: it then has all rules that
// compile but allows nothing, so that a mistake in one rule drops no other that
// denies, and lets nothing through.
func NewRuleSet(rules []Rule, own ...Tool) (*RuleSet, error) {
	s := &RuleSet{}
	s.lists[Allow].exact = true
	var errs []error
	for i := range rules {
		r := rules[i]
		s.rules = append(s.rules, &r)
		c, err := compileRule(&r, i, own)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.lists[min(r.Effect, Allow)].add(c)
	}
	for i := range s.lists {
		s.lists[i].ready()
	}
	s.broken = errors.Join(errs...)
	return s, s.broken
}

func compileRule(r *Rule, order int, own []Tool) (*compiledRule, error) {
	m, err := compile(r.Text, own)
	if err != nil {
		return nil, at(r, err)
	}
	c := &compiledRule{rule: r, order: order, match: m}
	for _, text := range r.Except {
		e, err := compile(text, own)
		if err != nil {
			return nil, at(r, fmt.Errorf("except: %w", err))
		}
		c.except = append(c.except, e)
	}
	return c, nil
}

// at puts the place of the rule in front of an error.
func at(r *Rule, err error) error {
	if place := r.Source.String(); place != "" {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}

// Rules returns the rules of the set, in the order in which they were given.
func (s *RuleSet) Rules() []*Rule { return s.rules }

// Err says what is wrong with the rules, or is nil.
func (s *RuleSet) Err() error { return s.broken }

// Find returns the first rule with that effect that matches the part of the
// call, or nil. For the effects deny and ask any match counts; a rule that
// allows must cover all of the part. A broken set allows nothing.
func (s *RuleSet) Find(e Effect, c *Case, p *Part) *Rule {
	if s == nil || e > Allow || e == Allow && s.broken != nil {
		return nil
	}
	if r := s.find(e, c, p, nil); r != nil {
		return r.rule
	}
	return nil
}

// find is Find; the rules that over reports do not count any more.
func (s *RuleSet) find(e Effect, c *Case, p *Part, over func(*compiledRule) bool) *compiledRule {
	f := finder{c: c, part: p, allow: e == Allow, now: c.Session.Now, over: over}
	s.lists[e].search(&f)
	return f.best
}

// FindBelow returns the first rule that denies reading files which are not named
// but may be below a folder that the part reads as a whole: read(**/.env) and
// grep -r. Which files there are is not known, and so such a rule does not match.
func (s *RuleSet) FindBelow(c *Case, p *Part) *Rule {
	if s == nil {
		return nil
	}
	for i := range s.lists[Deny].folders {
		b := s.lists[Deny].folders[i].any
		if b == nil {
			continue
		}
		for _, r := range b.all {
			f := finder{c: c, part: p, now: c.Session.Now}
			if m, ok := r.match.(*pathPattern); ok && m.mayBeBelow(c, p) && !f.ended(r) && !exempt(r, c, p) {
				return r.rule
			}
		}
	}
	return nil
}

// A finder looks for the first rule that matches.
type finder struct {
	c     *Case
	part  *Part
	allow bool
	now   time.Time
	over  func(*compiledRule) bool // nil: none is
	best  *compiledRule
}

// try looks through rules in order.
func (f *finder) try(list []*compiledRule) {
	for _, r := range list {
		if f.best != nil && r.order >= f.best.order {
			return
		}
		if f.matches(r) {
			f.best = r
			return
		}
	}
}

func (f *finder) matches(r *compiledRule) bool {
	if f.ended(r) {
		return false
	}
	if f.over != nil && f.over(r) {
		return false
	}
	if f.allow {
		return r.match.covers(f.c, f.part) && !anyOf(r.except, f.c, f.part)
	}
	return r.match.any(f.c, f.part) && !exempt(r, f.c, f.part)
}

func (f *finder) ended(r *compiledRule) bool {
	return !r.rule.Until.IsZero() && !f.now.Before(r.rule.Until)
}

func anyOf(list []matcher, c *Case, p *Part) bool {
	for _, m := range list {
		if m.any(c, p) {
			return true
		}
	}
	return false
}

// exempt reports whether an exception takes the part out of a rule that denies
// or asks. For a rule about files or hosts it is enough that every file or host
// that the rule means is covered; what else the command does is not its matter.
func exempt(r *compiledRule, c *Case, p *Part) bool {
	for _, m := range r.except {
		if m.covers(c, p) || sameKind(r.match, m) && m.covers(c, meant(r.match, c, p)) {
			return true
		}
	}
	return false
}

// sameKind reports whether both are about files, or both about hosts.
func sameKind(rule, except matcher) bool {
	switch rule.(type) {
	case *pathPattern:
		_, ok := except.(*pathPattern)
		return ok
	case *hostPattern:
		_, ok := except.(*hostPattern)
		return ok
	}
	return false
}

// meant is the files and hosts of the part that a rule means, and nothing else.
func meant(m matcher, c *Case, p *Part) *Part {
	out := &Part{}
	for i := range p.Paths {
		if one := (&Part{Paths: p.Paths[i : i+1]}); m.any(c, one) {
			out.Paths = append(out.Paths, p.Paths[i])
		}
	}
	for i := range p.Hosts {
		if one := (&Part{Hosts: p.Hosts[i : i+1]}); m.any(c, one) {
			out.Hosts = append(out.Hosts, p.Hosts[i])
		}
	}
	return out
}
