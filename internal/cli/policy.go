package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// loaded is the policy of a workspace, ready to decide.
type loaded struct {
	config.Policy
	engine sayso.Engine
}

// load reads the policy files of a workspace. A policy that does not load is no
// error here: it denies, and says why.
func load(root, home string) (loaded, error) {
	p, _ := config.Load(places(root, home)) // the error is in the policy
	if p.Preset != "" && p.Preset != "native" {
		return loaded{}, fmt.Errorf("%s: preset %s is not there yet: only native is", p.PresetFrom, p.Preset)
	}
	set, err := sayso.NewRuleSet(p.Rules)
	native := preset.Policy{Rules: set, Err: errors.Join(p.Err, err), Off: p.Off, Ask: p.Ask}
	return loaded{p, sayso.Engine{
		Preset:   preset.Native(native),
		Analyzer: sayso.Analyzer{Machine: machine{}, Also: p.Also},
	}}, nil
}

func places(root, home string) config.Places {
	return config.Places{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: root, Disk: config.OS(), Matches: example}
}

// example reports whether a rule matches a call as the examples of rules have
// it: a command line for rules about commands, or tool(input).
func example(r sayso.Rule, text string) (bool, error) {
	call := sayso.Call{Tool: "bash", Root: "/workspace", Home: "/home/user"}
	call.Input, _ = json.Marshal(map[string]string{"command": text}) // a string can be written
	a := sayso.Analyzer{}
	c := &sayso.Case{Call: call, Facts: a.Analyze(call), Session: sayso.Session{Now: time.Now()}}
	if c.Facts.Err != nil {
		return false, c.Facts.Err
	}
	r.Until = time.Time{}
	set, err := sayso.NewRuleSet([]sayso.Rule{r})
	if err != nil {
		return false, err
	}
	for i := range c.Facts.Parts {
		if set.Find(r.Effect, c, &c.Facts.Parts[i]) != nil {
			return true, nil
		}
	}
	return false, nil
}
