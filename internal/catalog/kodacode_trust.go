package catalog

import (
	"maps"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// shadowed notes the rules that a later one makes useless. KodaCode's own sample
// has such rules: a "*" that stands last.
func (f *kodaFile) shadowed() {
	for _, s := range preset.ShadowedKodaCodeRules(f.cfg) {
		f.dropped = append(f.dropped, config.Dropped{
			What: s.Subject + " " + quotedRule(s.Rule), Source: s.Rule.Source,
			Why:    "the later rule " + quotedRule(s.By) + " matches everything that it matches, and the last match wins",
			Remedy: "write it below " + s.By.Source.String() + ", or take it out",
		})
	}
}

func quotedRule(r preset.KodaCodeRule) string { return `"` + r.Pattern + `": ` + r.Action.String() }

// tighten takes out what a file may not say that came with the workspace: what
// allows something, and modes that ask less.
func (f *kodaFile) tighten(marks config.Marks) {
	const why = "the workspace is not trusted, and its file may only tighten"
	for _, subject := range slices.Sorted(maps.Keys(f.cfg.Permissions)) {
		list := f.cfg.Permissions[subject]
		f.cfg.Permissions[subject] = slices.DeleteFunc(list, func(r preset.KodaCodeRule) bool {
			if r.Action == sayso.Allow {
				f.dropped = append(f.dropped, config.Dropped{What: subject + " " + quotedRule(r), Source: r.Source, Why: why})
			}
			return r.Action == sayso.Allow
		})
	}
	if f.cfg.Mode == preset.FullAccess {
		f.dropped = append(f.dropped, config.Dropped{What: "permission_mode " + f.cfg.Mode, Source: marks.Source("execution.permission_mode"), Why: why})
		f.cfg.Mode = ""
	}
	if f.cfg.Network == preset.NetworkEnabled {
		f.dropped = append(f.dropped, config.Dropped{What: "network " + f.cfg.Network, Source: marks.Source("execution.network"), Why: why})
		f.cfg.Network = ""
	}
}
