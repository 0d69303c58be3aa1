package hook

import "github.com/sayso-dev/sayso"

// codeTyped is the code of a denial of what would run what is typed.
const codeTyped sayso.Code = "guard.typed"

// untyped is a preset that denies what runs whatever is typed into its terminal, for
// agents whose hooks are not asked about that.
func untyped(p sayso.Preset) sayso.Preset {
	plan := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		stages, err := plan(mode)
		return append(sayso.Plan{sayso.Func("typed", typed)}, stages...), err
	}
	return p
}

func typed(c *sayso.Case) sayso.Verdict {
	if c.Facts == nil {
		return sayso.Pass()
	}
	for i := range c.Facts.Parts {
		if p := &c.Facts.Parts[i]; p.Command != nil && p.Command.Typed {
			return sayso.Decide(sayso.Deny, codeTyped, "it would run whatever is typed into it later, which no hook sees: "+p.Sentence)
		}
	}
	return sayso.Pass()
}
