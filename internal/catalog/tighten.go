package catalog

import (
	"errors"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// tighten puts the rules of a policy that deny and ask in front of a preset that
// knows nothing of them: whoever chooses another way of judging calls does not
// give up what was forbidden. Rules that allow do not count there. A policy
// that does not load denies everything.
func tighten(p sayso.Preset, policy config.Policy) sayso.Preset {
	set, err := sayso.NewRuleSet(policy.Rules)
	err = errors.Join(policy.Err, err)
	if err == nil && len(policy.Rules) == 0 {
		return p
	}
	inner := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		plan, failed := inner(mode)
		if failed != nil {
			return nil, failed
		}
		if err != nil {
			return sayso.Plan{sayso.Func("policy", func(*sayso.Case) sayso.Verdict {
				return preset.NotLoaded(err)
			})}, nil
		}
		own := sayso.InOrder(p.Name, plan...)
		return sayso.Plan{sayso.Readable(), sayso.Strictest("rules and "+p.Name, sayso.Rules("deny rules", set, sayso.Deny), sayso.Rules("ask rules", set, sayso.Ask), own)}, nil
	}
	return p
}
