package catalog

import (
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// Scripts makes stages of policy scripts. One that cannot be read or does not
// load asks about every call; where nothing can run scripts, each of them denies.
func Scripts(files []config.Script, run func(name string, text []byte) (sayso.Stage, error)) []sayso.Stage {
	var out []sayso.Stage
	for _, f := range files {
		out = append(out, preset.Script(f.Name, f.Text, func(name string, text []byte) (sayso.Stage, error) {
			if f.Err != nil {
				return nil, f.Err
			}
			if run == nil {
				return NotRun(name, errors.New("this program does not run scripts")), nil
			}
			return run(name, text)
		}))
	}
	return out
}

// NotRun is the stage of a script that cannot be run here: it might deny
// anything.
func NotRun(name string, why error) sayso.Stage {
	return sayso.Func("script", func(*sayso.Case) sayso.Verdict {
		return sayso.Decide(sayso.Deny, "script.unavailable", fmt.Sprintf("there is a policy script, %s, and it cannot be run: %v", name, why))
	})
}
