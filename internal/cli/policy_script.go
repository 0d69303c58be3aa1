package cli

import (
	"github.com/sayso-dev/sayso/internal/config"
)

// brokenScripts says why policy scripts do not load.
func brokenScripts(files []config.Script, std IO) []error {
	var out []error
	for _, f := range files {
		err := f.Err
		if err == nil && std.Script != nil {
			_, err = std.Script(f.Name, f.Text)
		}
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}
