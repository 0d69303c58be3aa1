package sayso

import (
	"context"
	"fmt"
	"slices"
)

// A Plan is the list of stages that a call goes through, in order.
type Plan []Stage

// Codes that the evaluation itself gives.
const (
	CodeNobody     Code = "nobody"     // no stage had an opinion
	CodeError      Code = "error"      // a stage failed
	CodeTimeout    Code = "timeout"    // the time was up
	CodeUnattended Code = "unattended" // there is nobody to ask
)

const nobodySpoke = "nothing allows it"

// Evaluate decides one call. It has no side effects and always answers: a
// stage that fails, panics, or does not answer in time denies, and so does a
// plan in which nobody speaks.
func (p Plan) Evaluate(ctx context.Context, c *Case) Decision {
	own := *c
	own.Leaning, own.steps, own.inner, own.decisive, own.memo = Pass(), nil, nil, nil, &memo{}
	v := p.walk(ctx, &own)
	if !v.Speaks() {
		v = Decide(Deny, CodeNobody, nobodySpoke)
	}
	d := Decision{Effect: v.effect, Code: v.code, Reason: v.reason, Stage: v.stage, Rule: v.rule, Scope: v.scope, Subject: v.subject, Immune: v.immune, Soft: v.soft, Trace: own.steps}
	d.describe(&own)
	return d
}

// walk asks the stages one after the other and returns what stands at the end.
func (p Plan) walk(ctx context.Context, c *Case) Verdict {
	c.steps = slices.Grow(c.steps, len(p))
	for _, s := range p {
		c.inner = nil
		v, err := checked(ctx, s, c)
		switch {
		case ctx.Err() != nil:
			v = Decide(Deny, CodeTimeout, "the decision took too long")
		case err != nil:
			v = Decide(Deny, CodeError, fmt.Sprintf("the check %s failed: %v", s.Name(), err))
		}
		c.steps = append(c.steps, Step{Stage: s.Name(), Steps: c.inner}.of(v))
		if !v.Speaks() {
			continue
		}
		if v.stage == "" {
			v.stage = s.Name()
		}
		c.Leaning = v
		if v.Decides() {
			break
		}
	}
	return c.Leaning
}

// A Step is what one stage said, for the trace of a decision.
type Step struct {
	Stage  string `json:"stage"`
	Part   string `json:"part,omitempty"`   // which part of the call it was asked about
	Spoke  string `json:"spoke"`            // pass, lean or decide
	Effect Effect `json:"effect,omitempty"` // what it said, unless it passed
	Code   Code   `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	Rule   *Rule  `json:"rule,omitempty"`
	Steps  []Step `json:"steps,omitempty"` // of the stages inside it
}

var firmnessNames = [...]string{decides: "decide", leans: "lean", passes: "pass"}

// of returns the step with what a verdict says.
func (s Step) of(v Verdict) Step {
	s.Spoke, s.Effect, s.Code, s.Reason, s.Rule = firmnessNames[v.firmness], v.effect, v.code, v.reason, v.rule
	return s
}
