package preset

import (
	"fmt"
	"slices"

	"github.com/sayso-dev/sayso"
)

// A ShadowedRule is a rule that never decides anything, because a later one
// matches all that it matches, and the last match wins.
type ShadowedRule struct {
	Subject string
	Rule    KodaCodeRule
	By      KodaCodeRule
}

// Changes reports whether the two rules disagree, so that somebody expects
// something that does not happen.
func (s ShadowedRule) Changes() bool { return s.Rule.Action != s.By.Action }

// String says it in English.
func (s ShadowedRule) String() string {
	return fmt.Sprintf("%s: %q: %s is never reached: the later rule %q: %s matches everything that it matches, and the last match wins",
		s.Subject, s.Rule.Pattern, s.Rule.Action, s.By.Pattern, s.By.Action)
}

// ShadowedKodaCodeRules returns the rules of a configuration that never decide,
// in the order of the document's subjects.
func ShadowedKodaCodeRules(cfg KodaCodeConfig) []ShadowedRule {
	var out []ShadowedRule
	for _, subject := range kodaSubjects {
		list := cfg.Permissions[subject]
		for i, r := range list {
			one := compileKodaRule(subject, r)
			j := slices.IndexFunc(list[i+1:], func(later KodaCodeRule) bool {
				other := compileKodaRule(subject, later)
				return one.near == other.near && other.glob.covers(one.glob)
			})
			if j >= 0 {
				out = append(out, ShadowedRule{subject, r, list[i+1+j]})
			}
		}
	}
	return out
}

// MatchKodaCode returns the action of the last rule that matches a value of a
// subject; ok is false where no rule does, and the built-in defaults count.
func MatchKodaCode(subject, value string, rules []KodaCodeRule) (action sayso.Effect, ok bool) {
	var list kodaRules
	for _, r := range rules {
		list = append(list, compileKodaRule(subject, r))
	}
	r := list.last(kodaValue{texts: kodaNormal(subject, value)})
	if r == nil {
		return sayso.Deny, false
	}
	return r.rule.Effect, true
}
