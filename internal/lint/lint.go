// Package lint finds rules that do not do what their author thinks: that can
// never match, that others make pointless, and that allow more than it looks.
//
// It does not compare patterns by their texts. It makes calls that a rule is
// about, with made-up words in the place of each *, and asks the rules
// themselves: what matches a word that nobody has thought of matches any.
package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/tools"
)

// Kinds of findings.
const (
	Never    = "never"    // it can never match
	Shadowed = "shadowed" // a stricter rule decides all that it matches
	Twice    = "twice"    // another rule says all of it already
	Ended    = "ended"    // its time is over
	Unknown  = "unknown"  // no tool has that name
	Broad    = "broad"    // it allows more than it looks
)

// A Finding is something about one rule.
type Finding struct {
	Rule    *sayso.Rule
	Kind    string
	Problem string
	Remedy  string // what to do about it; may be empty
}

// Rules looks at rules, as they are in force together. What else denies or asks,
// such as a capability that is off, is given as rules, too, each with what it is
// in because; it is not looked at itself.
func Rules(rules []sayso.Rule, now time.Time, besides ...sayso.Rule) []Finding {
	all := make([]subject, len(rules)+len(besides))
	keys := mcpKeys(rules)
	for i := range rules {
		all[i] = newSubject(&rules[i], i, keys, now)
	}
	for i := range besides {
		s := &all[len(rules)+i]
		*s = newSubject(&besides[i], len(rules)+i, keys, now)
		s.name = besides[i].Because
	}
	stricter, _ := sayso.NewRuleSet(rules) // what is wrong with it is said elsewhere
	var out []Finding
	for i := range rules {
		s := &all[i]
		s.stricter = stricter
		if f := s.unknown(); f != nil {
			out = append(out, *f)
		}
		shadow := func() *Finding { return s.shadow(all) }
		for _, look := range []func() *Finding{s.ended, s.never, s.exceptions, shadow, s.broad} {
			if f := look(); f != nil { // the next would say the same in another way
				out = append(out, *f)
				break
			}
		}
	}
	return out
}

// A subject is a rule that is looked at.
type subject struct {
	rule          *sayso.Rule
	name          string // of what is no rule
	order         int
	tool, pattern string // as written; the pattern may be missing
	class         sayso.Class
	set           *sayso.RuleSet // the rule alone, without its exceptions
	stricter      *sayso.RuleSet // all rules, for those that deny or ask
	calls         []*sayso.Case  // calls that it matches
	exact         bool           // the calls stand for all that it matches
	tried         bool           // there were calls to try
	over          bool           // its time is over
	except        []subject      // its exceptions, as rules of their own
	now           time.Time
}

func newSubject(r *sayso.Rule, order int, keys []string, now time.Time) subject {
	s := subject{rule: r, order: order, now: now, over: !r.Until.IsZero() && r.Until.Before(now)}
	tool, rest, has := strings.Cut(r.Text, "(")
	s.tool = tool
	if has {
		s.pattern = strings.TrimSuffix(rest, ")")
	}
	s.class, _ = sayso.RuleClass(tool)
	alone := *r
	alone.Except, alone.Until = nil, time.Time{}
	set, err := sayso.NewRuleSet([]sayso.Rule{alone})
	if err != nil {
		return s // the policy says so
	}
	s.set = set
	var samples []sayso.Call
	samples, s.exact = s.samples(keys)
	s.tried = len(samples) > 0
	for _, call := range samples {
		if c := caseOf(call, now); c != nil && s.matches(c) {
			s.calls = append(s.calls, c)
		}
	}
	for _, text := range r.Except {
		s.except = append(s.except, newSubject(&sayso.Rule{Effect: sayso.Deny, Text: text, Source: r.Source}, order, keys, now))
	}
	return s
}

// caseOf is a call as rules see it, or nil if it cannot be read.
func caseOf(call sayso.Call, now time.Time) *sayso.Case {
	a := sayso.Analyzer{}
	call.Root, call.Dir, call.Home = root, root, home
	c := &sayso.Case{Call: call, Facts: a.Analyze(call), Session: sayso.Session{Now: now}}
	if c.Facts.Err != nil {
		return nil
	}
	return c
}

// Where the calls are made.
const (
	root = "/qzwhome/qzwuser/qzwork"
	home = "/qzwhome/qzwuser"
)

// matches reports whether the rule means some part of a call.
func (s *subject) matches(c *sayso.Case) bool {
	for i := range c.Facts.Parts {
		if s.has(c, i) {
			return true
		}
	}
	return false
}

// has reports whether the rule means one part of a call.
func (s *subject) has(c *sayso.Case, part int) bool {
	return s.set != nil && s.set.Find(s.rule.Effect, c, &c.Facts.Parts[part]) != nil
}

func (s *subject) found(kind, problem, remedy string) *Finding {
	return &Finding{s.rule, kind, problem, remedy}
}

// unknown finds typing errors in the names of tools.
func (s *subject) unknown() *Finding {
	if s.class != "" || s.tool == "*" || strings.HasPrefix(s.tool, "mcp__") {
		return nil
	}
	if _, known := tools.Lookup(s.tool); known {
		return nil
	}
	near := nearest(s.tool)
	if near == "" {
		return nil
	}
	return s.found(Unknown, fmt.Sprintf("%s: no tool is known as %s; did you mean %s?", s.rule.Text, s.tool, near),
		"write "+near+strings.TrimPrefix(s.rule.Text, s.tool))
}

// ruleWords are the words that rules have for kinds of tools.
var ruleWords = []string{
	"bash", "read", "write", "edit", "delete", "fetch", "mcp", "task", "glob", "grep", "list", "search", "memory", "question", "subagent", "agent",
	"code", "notebook", "patch", "move", "skill", "docs", "external", "output", "shell", "mode",
}

// nearest is the rule's word or the tool that is most like a name; empty: none.
func nearest(name string) string {
	if near := config.Nearest(name, ruleWords); near != "" {
		return near
	}
	if near, ok := tools.Nearest(name); ok && !strings.EqualFold(near, name) {
		return near
	}
	return ""
}

func (s *subject) ended() *Finding {
	if !s.over {
		return nil
	}
	return s.found(Ended, fmt.Sprintf("%s: it ended on %s", s.rule.Text, s.rule.Until.Add(-time.Second).Format(time.DateOnly)), "remove it, or give it a later until")
}
