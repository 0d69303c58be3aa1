package cli

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/store"
)

// loaded is the policy of a workspace, ready to decide.
type loaded struct {
	config.Policy
	mode    string
	surface sayso.Surface
	engine  sayso.Engine
	given   []sayso.GivenGrant // by people, in every workspace
	grants  *sayso.Grants      // those that count without a session
	trusts  sayso.TrustStore
}

// load reads the policy files of a workspace. A policy that does not load is no
// error here: it denies, and says why.
func load(root, home string, std IO) (loaded, error) { return loadAs(root, home, "", "", std) }

// loadAs is load with another preset than the policy has, and with a file that
// configures it instead of its own.
func loadAs(root, home, preset, file string, std IO) (loaded, error) {
	return loadWith(loading{preset: preset, file: file}, root, home, std)
}

// loading is how a policy is to be loaded otherwise than usual.
type loading struct {
	preset     string                 // empty: the one that the policy has
	file       string                 // that configures it; empty: its own
	passphrase func() (string, error) // of the profile; nil: its key is in a file
}

func loadWith(how loading, root, home string, std IO) (loaded, error) {
	at := places(root, home)
	at.RunScript, at.Preset = std.Script, how.preset
	kept, forgot := recall(at.Root, std.key(how.passphrase))
	at.Trusted = func(file string, text []byte) bool {
		return manage.TrustsFile(context.Background(), kept.trusts, at.Root, file, text)
	}
	p, _ := config.Load(at) // the error is in the policy
	p.Err = errors.Join(p.Err, forgot)
	system, err := catalog.Find(p.Preset)
	if err != nil && how.preset != "" {
		return loaded{}, &usageError{"--preset: " + err.Error(), ""}
	}
	if err != nil {
		return loaded{}, fmt.Errorf("%s: %w", p.PresetFrom, err)
	}
	given := kept.keepIn(system, how.file != "", &p)
	setup, err := setupOf(system, at, p, how.file)
	if err != nil {
		return loaded{}, err
	}
	given = fitting(given, setup, &p)
	p.Dropped = append(p.Dropped, setup.Dropped...)
	l := loaded{p, setup.Mode, setup.Surface, setup.Engine(machine{}), given, nil, kept.trusts}
	if len(given) > 0 {
		m := &store.Memory{}
		for _, g := range given {
			if err := m.AddGrant(context.Background(), g.Session, g.Root, g.Grant); err != nil {
				return loaded{}, err
			}
		}
		l.engine.Grants = m
		list, _ := m.Grants(context.Background(), "", at.Root) // of a memory, which does not fail
		if l.grants, err = setup.Grants(list); err != nil {
			return loaded{}, err
		}
	}
	l.engine.Policy = policyHash(p, kept.sources()...)
	l.engine.Mode = func(chosen string) string {
		if chosen == "" {
			return setup.Mode
		}
		return p.ModeFor(chosen)
	}
	return l, nil
}

// setupOf configures a preset: from its own files, or from the one that is given.
func setupOf(system catalog.System, at config.Places, p config.Policy, file string) (catalog.Setup, error) {
	here := catalog.Place{Root: at.Root, Home: at.Home, Machine: machine{}}
	if file == "" {
		return system.In(at, p, nil, here)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return catalog.Setup{}, err
	}
	setup, err := system.In(at, p, &config.Other{Name: file, Text: text, Trusted: true}, here)
	if err != nil {
		return setup, fmt.Errorf("configure %s: %w", system.Name, err)
	}
	return setup, nil
}

// places are where the policy files of a workspace are, which has one name
// whatever links lead to it.
func places(root, home string) config.Places {
	root = local.Real(root)
	at := config.Places{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: root, Disk: config.OS(), Matches: example}
	at.Guarded = local.Guarded(at.Files())
	return at
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

// policyHash identifies the policy in the journal.
func policyHash(p config.Policy, kept ...snapshot.Source) string {
	sources := make([]snapshot.Source, len(p.Sources))
	for i, stamp := range p.Sources {
		sources[i] = snapshot.Source{File: stamp.File, Missing: stamp.Missing, Sum: hex.EncodeToString(stamp.Sum[:])}
	}
	return snapshot.PolicyHash(p.Preset, append(sources, kept...))
}
