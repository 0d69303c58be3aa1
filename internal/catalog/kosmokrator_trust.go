package catalog

import (
	"fmt"
	"slices"

	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// kosmoStrict are the permission modes, the strictest first: what one of them
// lets through, those behind it do, too.
var kosmoStrict = []string{preset.Argus, preset.Guardian, preset.Prometheus}

// tighten lays a file over a configuration that it may only tighten: of what it
// says and of what was there before, the stricter counts.
func (f *kosmoFile) tighten(before preset.KosmoKratorConfig) preset.KosmoKratorConfig {
	after := f.over(before) // what is blocked and denied is united there
	after.SafeTools, after.ApprovalRequired = []string{}, []string{}
	said := f.over(before)
	for _, tool := range united(before.SafeTools, before.ApprovalRequired) {
		switch min(kosmoLevel(&before, tool), kosmoLevel(&said, tool)) {
		case kosmoAllows:
			after.SafeTools = append(after.SafeTools, tool)
		case kosmoAsks:
			after.ApprovalRequired = append(after.ApprovalRequired, tool)
		}
	}
	after.AllowedPaths = common(before.AllowedPaths, said.AllowedPaths)
	after.SafeCommands = common(before.SafeCommands, said.SafeCommands)
	if slices.Index(kosmoStrict, said.DefaultMode) > slices.Index(kosmoStrict, before.DefaultMode) {
		after.DefaultMode = before.DefaultMode
	}
	if after.DefaultMode != before.DefaultMode {
		after.DeniedTools = united(after.DeniedTools, kosmoUnruled(&before))
	}
	return after
}

// kosmoUnruled are the tools without a rule. They are denied, but outside of the
// project the boundary asks before it comes to that, unless the mode is
// Prometheus: where a file takes that mode away, they must stay denied.
func kosmoUnruled(cfg *preset.KosmoKratorConfig) []string {
	known := preset.KosmoKratorDefaults()
	var out []string
	for _, tool := range append(known.SafeTools, known.ApprovalRequired...) {
		if kosmoLevel(cfg, tool) == kosmoDenies {
			out = append(out, tool)
		}
	}
	return out
}

// What the rules of a configuration say about a tool.
const (
	kosmoDenies = iota
	kosmoAsks
	kosmoAllows
)

func kosmoLevel(cfg *preset.KosmoKratorConfig, tool string) int {
	switch {
	case slices.Contains(cfg.SafeTools, tool):
		return kosmoAllows
	case slices.Contains(cfg.ApprovalRequired, tool):
		return kosmoAsks
	}
	return kosmoDenies
}

func common(a, b []string) []string {
	out := []string{}
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// loosens lists what the file says and may not say.
func (f *kosmoFile) loosens(before preset.KosmoKratorConfig) []config.Dropped {
	const why = "the workspace is not trusted, and its file may only tighten"
	var out []config.Dropped
	drop := func(key, what string) {
		out = append(out, config.Dropped{What: what, Source: f.marks.Source("tools." + key), Why: why})
	}
	for _, list := range []struct {
		key        string
		now, given []string
	}{
		{"safe_tools", before.SafeTools, f.SafeTools},
		{"approval_required", united(before.SafeTools, before.ApprovalRequired), f.ApprovalRequired},
		{"allowed_paths", before.AllowedPaths, f.AllowedPaths},
		{"guardian_safe_commands", before.SafeCommands, f.SafeCommands},
	} {
		for i, entry := range list.given {
			if !slices.Contains(list.now, entry) {
				drop(fmt.Sprintf("%s[%d]", list.key, i), list.key+" "+entry)
			}
		}
	}
	if slices.Index(kosmoStrict, f.DefaultMode) > slices.Index(kosmoStrict, before.DefaultMode) {
		drop("default_permission_mode", "default_permission_mode "+f.DefaultMode)
	}
	return out
}
