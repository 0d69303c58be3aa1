package sayso

// A Code names the reason of a decision for machines. It is stable: programs
// may branch on it, people may search for it. The part before the dot says
// what spoke (rule, mode, guard, grant, tool …).
type Code string

// A Verdict is what one stage says about a call: nothing, an opinion that a
// later stage may change, or the end of the matter. The zero value decides to
// deny.
type Verdict struct {
	firmness firmness
	effect   Effect
	code     Code
	reason   string
	stage    string // which said it, the innermost
	rule     *Rule
	scope    Scope // of the grant that it comes from
	subject  string
	immune   bool
	soft     bool
}

// firmness says how firmly something was said; the zero value is the firmest.
type firmness uint8

const (
	decides firmness = iota
	leans
	passes
)

// Pass says nothing: the next stage is asked.
func Pass() Verdict { return Verdict{firmness: passes} }

// Lean gives an opinion, which stands unless a later stage speaks.
func Lean(e Effect, code Code, reason string) Verdict {
	return Verdict{firmness: leans, effect: e, code: code, reason: reason}
}

// Decide ends the evaluation.
func Decide(e Effect, code Code, reason string) Verdict {
	return Verdict{effect: e, code: code, reason: reason}
}

// By returns the verdict with the rule that it comes from.
func (v Verdict) By(r *Rule) Verdict {
	v.rule = r
	return v
}

// About returns the verdict with what of the call it speaks about, in the
// preset's own terms.
func (v Verdict) About(subject string) Verdict {
	v.subject = subject
	return v
}

// Immune returns the verdict as one that no allow rule, grant or mode may
// silence. It says so to the person who is asked.
func (v Verdict) Immune() Verdict {
	v.immune = true
	return v
}

// IsImmune reports whether no allow rule, grant or mode may silence the verdict.
func (v Verdict) IsImmune() bool { return v.immune }

// Soft returns a denial that may turn into a question if it is repeated.
func (v Verdict) Soft() Verdict {
	v.soft = true
	return v
}

// Effect returns what the verdict says; a pass says nothing and so denies.
func (v Verdict) Effect() Effect {
	if v.firmness == passes {
		return Deny
	}
	return v.effect
}

// Speaks reports whether the verdict says anything at all.
func (v Verdict) Speaks() bool { return v.firmness != passes }

// Decides reports whether the verdict ends the evaluation.
func (v Verdict) Decides() bool { return v.firmness == decides }

// Code returns the reason for machines.
func (v Verdict) Code() Code { return v.code }

// Reason returns the reason for people.
func (v Verdict) Reason() string { return v.reason }

// Rule returns the rule that the verdict comes from, or nil.
func (v Verdict) Rule() *Rule { return v.rule }

// stricter returns the verdict that lets less through. At the same effect the
// one that decides, then the one that stays as it is however often it is
// repeated, then the first, is kept: its reason comes first in reading order.
func stricter(a, b Verdict) Verdict {
	switch {
	case !b.Speaks():
		return a
	case !a.Speaks() || b.effect < a.effect:
		return b
	case b.effect == a.effect && (!a.Decides() && b.Decides() || a.soft && !b.soft):
		return b
	}
	return a
}
