package catalog

import (
	"encoding/json"
	"errors"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

func native() System {
	return System{
		Name:   "native",
		Guards: true,
		Forms: map[Kind]Form{
			Command:  {Tool: "Bash", Key: "command"},
			Reading:  {Tool: "Read", Key: "file_path"},
			Writing:  {Tool: "Write", Key: "file_path"},
			Deleting: {Tool: "delete_file", Key: "path"},
			Fetching: {Tool: "fetch", Key: "url"},
		},
		FromJSON: func(raw json.RawMessage, at Place) (Setup, error) {
			f, _ := config.FromJSON(raw) // one with a mistake decides, too: the error is in it, and denies
			return nativeOf(config.Merge([]config.Layered{{File: f, Layer: sayso.User, Trusted: true}}), at.Scripts, at.Guarded), nil
		},
		Load: func(at config.Places, p config.Policy) (Setup, error) {
			return nativeOf(p, Scripts(p.Scripts, at.RunScript), at.Guarded), nil
		},
	}
}

// nativeOf makes the preset of a policy. One that does not load denies, and
// says why.
func nativeOf(p config.Policy, scripts []sayso.Stage, guarded []string) Setup {
	rules, err := sayso.NewRuleSet(p.Rules)
	native := preset.Policy{Rules: rules, Err: errors.Join(p.Err, err), Off: p.Off, Ask: p.Ask, Scripts: scripts, Guarded: guarded}
	return Setup{Preset: preset.Native(native), Mode: p.Mode, Also: p.Also}
}
