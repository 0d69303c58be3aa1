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
		Name: "native",
		FromJSON: func(raw json.RawMessage, _ Place) (Setup, error) {
			f, _ := config.FromJSON(raw) // one with a mistake decides, too: the error is in it, and denies
			return nativeOf(config.Merge([]config.Layered{{File: f, Layer: sayso.User, Trusted: true}})), nil
		},
		Load: func(_ config.Places, p config.Policy) (Setup, error) { return nativeOf(p), nil },
	}
}

// nativeOf makes the preset of a policy. One that does not load denies, and
// says why.
func nativeOf(p config.Policy) Setup {
	rules, err := sayso.NewRuleSet(p.Rules)
	native := preset.Policy{Rules: rules, Err: errors.Join(p.Err, err), Off: p.Off, Ask: p.Ask}
	return Setup{Preset: preset.Native(native), Mode: p.Mode, Also: p.Also}
}
