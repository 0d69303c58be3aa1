package preset

import "github.com/sayso-dev/sayso"

// KodaFaults change the plan of KodaCode, for the test that the comparison with
// the second statement of its document notices them.
type KodaFaults struct {
	Stages    func([]sayso.Stage) []sayso.Stage
	Resources func([]*sayso.Case) []*sayso.Case
	Rules     func([]KodaCodeRule) []KodaCodeRule
	First     func(sayso.Plan) sayso.Plan // in front of the resources
}

// FaultyKodaCode is the plan of KodaCode with faults in it.
func FaultyKodaCode(cfg KodaCodeConfig, mode string, faults KodaFaults) sayso.Plan {
	if faults.Rules != nil {
		changed := map[string][]KodaCodeRule{}
		for subject, list := range cfg.Permissions {
			changed[subject] = faults.Rules(list)
		}
		cfg.Permissions = changed
	}
	k := newKoda(cfg)
	plan := k.plan(mode)
	first := plan[:len(plan)-1]
	if faults.First != nil {
		first = faults.First(first)
	}
	if mode == FullAccess {
		return append(first, plan[len(plan)-1])
	}
	stages, resources := k.stages(mode), kodaResources
	if faults.Stages != nil {
		stages = faults.Stages(stages)
	}
	if faults.Resources != nil {
		resources = func(c *sayso.Case) []*sayso.Case { return faults.Resources(kodaResources(c)) }
	}
	return append(first, sayso.Each("resources", resources, stages...))
}
