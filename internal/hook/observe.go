package hook

import (
	"context"
	"strings"

	"github.com/sayso-dev/sayso"
)

// observed is a journal in which every record says that nothing but guardrails is
// enforced. That something is put to a person is not recorded, for it is not.
type observed struct{ sayso.Journal }

func (o observed) Record(ctx context.Context, records ...sayso.Record) error {
	var out []sayso.Record
	for _, r := range records {
		if r.Kind != sayso.RecordPrompt {
			r.Observed = true
			out = append(out, r)
		}
	}
	return o.Journal.Record(ctx, out...)
}

// observe makes a guard that only looks, for people who want to see what sayso would
// decide before they let it.
func (g *Guard) observe() {
	if g.Observe && g.Journal != nil {
		g.Journal = observed{g.Journal}
	}
}

// enforced reports whether a decision counts although sayso only looks: a guardrail,
// and what could not be judged or recorded. A gate that is broken is not open.
func enforced(d sayso.Decision) bool {
	switch {
	case d.Effect != sayso.Deny:
		return false
	case d.Code == sayso.CodeInput, d.Code == sayso.CodeError, d.Immune:
		return true
	}
	return strings.HasPrefix(string(d.Code), "guard.") || strings.Contains(string(d.Code), ".guardrail")
}

// guardrails decides a call by guardrails alone, and records it if they deny it.
func (g *Guard) guardrails(ctx context.Context, e event) sayso.Decision {
	if g.Guardrails == nil {
		return sayso.Decision{Effect: sayso.Allow}
	}
	alone := *g
	alone.Engine = g.Guardrails
	d := alone.look(ctx, e)
	if !enforced(d) || g.Journal == nil {
		return d
	}
	if e.call.ID == "" { // as the engine names it
		e.call.ID = e.call.Fingerprint()
	}
	engine := sayso.Engine{Journal: g.Journal}
	if err := engine.Note(ctx, e.call, sayso.Record{Kind: sayso.RecordDecision, Decision: &d, Decider: &sayso.Decider{Kind: "stage", Name: d.Stage}}); err != nil {
		d.Reason += "; it could not be recorded: " + err.Error()
	}
	return d
}

// unheeded is the answer where sayso only looks and has nothing against a call: none,
// so that the agent does what it would do without sayso.
func (a *Agent) unheeded(e *told) []byte {
	if !a.mustHear {
		return nil
	}
	return a.decided(e, sayso.Decision{Effect: sayso.Allow, Code: "observed", Reason: "nothing is enforced but the guardrails"})
}
