package catalog

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// cosmoConfig is where Cosmo's commands run; it has no other setting.
type cosmoConfig struct {
	WorkspaceDir string `json:"workspaceDir"`
	Home         string `json:"home"`
}

func cosmo() System {
	return System{
		Name: "cosmo",
		Forms: map[Kind]Form{
			Command:  {Tool: "run_command", Key: "command"},
			Reading:  {Tool: "read_file", Key: "path"},
			Writing:  {Tool: "write_file", Key: "path"},
			Deleting: {Tool: "delete_file", Key: "path"},
			Fetching: {Tool: "fetch", Key: "url"},
		},
		FromJSON: func(raw json.RawMessage, _ Place) (Setup, error) {
			var c cosmoConfig
			if err := decode(raw, &c); err != nil {
				return Setup{}, err
			}
			for key, dir := range map[string]string{"workspaceDir": c.WorkspaceDir, "home": c.Home} {
				if dir != "" && !path.IsAbs(dir) {
					return Setup{}, fmt.Errorf("config: %s is %q: want an absolute path", key, dir)
				}
			}
			return Setup{Preset: preset.Cosmo(), Root: c.WorkspaceDir, Home: c.Home}, nil
		},
		Load: func(_ config.Places, p config.Policy) (Setup, error) {
			return Setup{Preset: tighten(preset.Cosmo(), p)}, nil
		},
	}
}
