package preset_test

import (
	"context"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// kosmoEffects decides calls by a configuration in a mode.
func kosmoEffects(t *testing.T, cfg preset.KosmoKratorConfig, mode string, cases []*sayso.Case) []sayso.Effect {
	t.Helper()
	plan, err := preset.KosmoKrator(cfg).For(mode)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]sayso.Effect, len(cases))
	for i, c := range cases {
		out[i] = plan.Evaluate(context.Background(), c).Effect
	}
	return out
}

// A kosmoChange is a configuration that was changed.
type kosmoChange struct {
	name string
	cfg  preset.KosmoKratorConfig
}

// kosmoTighter are configurations of which each blocks more, or opens less, in one
// place.
func kosmoTighter(defaults preset.KosmoKratorConfig) []kosmoChange {
	without := func(list []string, i int) []string { return slices.Delete(slices.Clone(list), i, i+1) }
	var changes []kosmoChange
	add := func(name string, set func(*preset.KosmoKratorConfig)) {
		cfg := defaults
		set(&cfg)
		changes = append(changes, kosmoChange{name, cfg})
	}
	for _, p := range []string{"src/*", "*", "?", "~/*", "/etc/*", "a.php"} {
		add("blocked path "+p, func(c *preset.KosmoKratorConfig) { c.BlockedPaths = append(slices.Clone(c.BlockedPaths), p) })
	}
	for _, p := range []string{"git *", "*", "mv a b", "docker*", "npm install"} {
		add("blocked command "+p, func(c *preset.KosmoKratorConfig) { c.BlockedCommands = append(slices.Clone(c.BlockedCommands), p) })
	}
	for i, tool := range append(slices.Clone(defaults.SafeTools), defaults.ApprovalRequired...) {
		add("denied tool "+tool, func(c *preset.KosmoKratorConfig) { c.DeniedTools = []string{tool} })
		if i < len(defaults.SafeTools) {
			add("not safe "+tool, func(c *preset.KosmoKratorConfig) { c.SafeTools = without(c.SafeTools, i) })
			add("asks "+tool, func(c *preset.KosmoKratorConfig) {
				c.SafeTools, c.ApprovalRequired = without(c.SafeTools, i), append(slices.Clone(c.ApprovalRequired), tool)
			})
		} else {
			add("no rule for "+tool, func(c *preset.KosmoKratorConfig) {
				c.ApprovalRequired = without(c.ApprovalRequired, i-len(c.SafeTools))
			})
		}
	}
	for i := range defaults.AllowedPaths {
		add("not allowed", func(c *preset.KosmoKratorConfig) { c.AllowedPaths = without(c.AllowedPaths, i) })
	}
	for i := range defaults.SafeCommands {
		add("not a safe command", func(c *preset.KosmoKratorConfig) { c.SafeCommands = without(c.SafeCommands, i) })
	}
	return changes
}

// TestKosmoKratorMonotone: what is added to a list that blocks, or taken from one
// that opens, lets no call through; and of the modes argus lets through no more
// than guardian, guardian no more than prometheus. Files that may only tighten
// rely on it. (A tool without a rule is another matter: outside of the project the
// boundary asks before it is denied, and Prometheus is exempt from that.)
func TestKosmoKratorMonotone(t *testing.T) {
	var cases []*sayso.Case
	calls := kosmoCalls()
	for i := range calls {
		cases = append(cases, calls[i].kosmoCase())
	}
	defaults := preset.KosmoKratorDefaults()
	defaults.At = shell.Place{Dir: "/work/proj", Home: "/home/u"}
	for _, one := range append(kosmoTighter(defaults), kosmoChange{"nothing", defaults}) {
		var stricter []sayso.Effect
		for _, mode := range []string{preset.Argus, preset.Guardian, preset.Prometheus} {
			before, after := kosmoEffects(t, defaults, mode, cases), kosmoEffects(t, one.cfg, mode, cases)
			for i := range cases {
				if after[i] > before[i] {
					t.Errorf("%s, %s: %s %v: %s, then %s", one.name, mode, calls[i].tool, calls[i].input, before[i], after[i])
				}
				ruled := slices.Contains(one.cfg.SafeTools, calls[i].tool) || slices.Contains(one.cfg.ApprovalRequired, calls[i].tool)
				if stricter != nil && ruled && stricter[i] > after[i] {
					t.Errorf("%s: %s is stricter for %s %v: %s, before it %s", one.name, mode, calls[i].tool, calls[i].input, after[i], stricter[i])
				}
			}
			stricter = after
		}
	}
}
