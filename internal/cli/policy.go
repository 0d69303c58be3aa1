package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
)

// loaded is the policy of a workspace, ready to decide.
type loaded struct {
	config.Policy
	mode    string
	surface sayso.Surface
	engine  sayso.Engine
}

// load reads the policy files of a workspace. A policy that does not load is no
// error here: it denies, and says why.
func load(root, home string, std IO) (loaded, error) {
	at := places(root, home)
	at.RunScript = std.Script
	p, _ := config.Load(at) // the error is in the policy
	system, err := catalog.Find(p.Preset)
	if err != nil {
		return loaded{}, fmt.Errorf("%s: %w", p.PresetFrom, err)
	}
	setup, err := system.Load(at, p)
	if err != nil {
		return loaded{}, err
	}
	l := loaded{p, setup.Mode, setup.Surface, setup.Engine(machine{})}
	l.engine.Mode = func(chosen string) string {
		if chosen == "" {
			return setup.Mode
		}
		return p.ModeFor(chosen)
	}
	return l, nil
}

// places are where the policy files of a workspace are, which has one name
// whatever links lead to it.
func places(root, home string) config.Places {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
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
