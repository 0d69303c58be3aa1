package sayso

import (
	"context"
	"fmt"
	"slices"
)

// A Stage looks at a call and says what it thinks of it.
//
// Check must not prompt, store, log, or change the case. An error denies the
// call.
type Stage interface {
	Name() string
	Check(ctx context.Context, c *Case) (Verdict, error)
}

// Func makes a stage of a function that cannot fail.
func Func(name string, check func(*Case) Verdict) Stage { return funcStage{name, check} }

type funcStage struct {
	name  string
	check func(*Case) Verdict
}

func (s funcStage) Name() string                                      { return s.name }
func (s funcStage) Check(_ context.Context, c *Case) (Verdict, error) { return s.check(c), nil }

// If is a stage that gives the verdict where the condition holds, and passes
// elsewhere.
func If(name string, holds func(*Case) bool, v Verdict) Stage {
	return Func(name, func(c *Case) Verdict {
		if holds(c) {
			return v
		}
		return Pass()
	})
}

// Otherwise decides where no stage before it has spoken. It stands last.
func Otherwise(e Effect, code Code, reason string) Stage {
	return Func("otherwise", func(c *Case) Verdict {
		if c.Leaning.Speaks() {
			return Pass()
		}
		return Decide(e, code, reason)
	})
}

// Floor lets a stage tighten what is leaned to, and not loosen it.
func Floor(s Stage) Stage { return floor{s} }

type floor struct{ Stage }

func (f floor) Check(ctx context.Context, c *Case) (Verdict, error) {
	v, err := f.Stage.Check(ctx, c)
	if err == nil && v.Speaks() && c.Leaning.Speaks() && v.effect > c.Leaning.effect {
		return Pass(), nil
	}
	return v, err
}

// Each puts every part of a call through stages of its own; the strictest
// answer wins. A part about which no stage speaks is denied, because nothing
// allows it. A call without parts passes.
func Each(name string, parts func(*Case) []*Case, stages ...Stage) Stage {
	return each{name, parts, Plan(stages)}
}

type each struct {
	name  string
	parts func(*Case) []*Case
	plan  Plan
}

func (e each) Name() string { return e.name }

func (e each) Check(ctx context.Context, c *Case) (Verdict, error) {
	worst, parts := Pass(), e.parts(c)
	c.inner = slices.Grow(c.inner, len(parts))
	for _, part := range parts {
		part.Leaning = Pass()
		v := e.plan.walk(ctx, part)
		if !v.Speaks() {
			v = Decide(Deny, CodeNobody, nobodySpoke)
		}
		c.inner = append(c.inner, Step{Stage: v.stage, Part: part.label(), Steps: part.steps}.of(v))
		if v == stricter(worst, v) && v != worst || v.effect == worst.effect && v.firmness == worst.firmness && v.soft == worst.soft && part.riskier(c.decisive) {
			worst, c.decisive = v, part
		}
	}
	return worst, nil
}

// Strictest asks stages independently of each other; the strictest answer of
// those that speak wins.
func Strictest(name string, stages ...Stage) Stage { return strictest{name, stages} }

type strictest struct {
	name   string
	stages []Stage
}

func (s strictest) Name() string { return s.name }

func (s strictest) Check(ctx context.Context, c *Case) (Verdict, error) {
	worst := Pass()
	var steps []Step
	decisive := c.decisive
	for _, stage := range s.stages {
		own := *c
		own.Leaning, own.steps, own.inner = Pass(), nil, nil
		v := Plan{stage}.walk(ctx, &own)
		steps = append(steps, own.steps...)
		if v == stricter(worst, v) && v != worst {
			worst, decisive = v, own.decisive
		}
	}
	c.inner, c.decisive = steps, decisive
	return worst, nil
}

// riskier reports whether a part has more at stake than another that got the
// same answer: its reason is the one to tell.
func (c *Case) riskier(other *Case) bool {
	return other != nil && c.part != nil && other.part != nil && c.part.Risk < other.part.Risk
}

// Unattended runs stages where nobody can be asked: an ask becomes a denial.
func Unattended(stages ...Stage) Stage {
	return wrapped{"unattended", Plan(stages), func(_ *Case, v Verdict) Verdict {
		if v.Speaks() && v.effect == Ask {
			v.effect, v.code, v.reason, v.stage = Deny, CodeUnattended, "nobody is there to ask: "+v.reason, ""
		}
		return v
	}}
}

// InOrder makes one stage of a whole plan: it denies if nobody in it speaks.
func InOrder(name string, stages ...Stage) Stage {
	return wrapped{name, Plan(stages), func(_ *Case, v Verdict) Verdict {
		if !v.Speaks() {
			return Decide(Deny, CodeNobody, nobodySpoke)
		}
		return v
	}}
}

// A wrapped stage is a plan of its own, whose answer is changed.
type wrapped struct {
	name   string
	plan   Plan
	change func(*Case, Verdict) Verdict
}

func (w wrapped) Name() string { return w.name }

func (w wrapped) Check(ctx context.Context, c *Case) (Verdict, error) {
	inner := *c
	inner.steps, inner.inner = nil, nil
	v := w.plan.walk(ctx, &inner)
	c.inner, c.decisive = inner.steps, inner.decisive
	return w.change(c, v), nil
}

// checked runs a stage; a panic in it is an error like any other.
func checked(ctx context.Context, s Stage, c *Case) (v Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = Verdict{}, fmt.Errorf("panic: %v", r)
		}
	}()
	return s.Check(ctx, c)
}
