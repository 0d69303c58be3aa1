// Package catalog knows the presets by name: how each is configured, by a file
// of its own or as JSON, and what an engine needs to decide by it.
package catalog

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/shell"
)

// A System is a preset with the ways to configure it.
type System struct {
	Name string

	// FromJSON reads a configuration that was given explicitly, and so is
	// trusted. In it a dotted key is the nested key. One with a mistake in it
	// is an error, or denies.
	FromJSON func(raw json.RawMessage, at Place) (Setup, error)

	// Load makes the preset for a workspace, of its policy and of the files
	// that the system has of its own. Those that came with the workspace may
	// only tighten unless it is trusted.
	Load func(at config.Places, p config.Policy) (Setup, error)

	// FromFile reads a file of the system that was given explicitly. Nil: it
	// has the keys that FromJSON reads.
	FromFile func(file config.Other, at Place) (Setup, error)

	// Guards says that the preset keeps agents from deciding for themselves
	// and asks the policy scripts. Others are given that, see [preset.Guarded].
	Guards bool

	// Forms say how its tools for the usual kinds of calls are called.
	Forms map[Kind]Form

	// Grant reads a grant as the system writes it. Nil: a [sayso.Grant].
	Grant func(raw json.RawMessage) (sayso.Grant, error)
}

// A Place is where calls are made.
type Place struct {
	Root, Home string
	Machine    shell.Machine
	Scripts    []sayso.Stage // policy scripts that belong to the configuration
	Guarded    []string      // files that no agent may change, besides those that always count
}

// A Setup is a preset that is configured, with what belongs to it.
type Setup struct {
	Preset  sayso.Preset
	Mode    string        // that is configured; empty: the preset's default
	Tools   []sayso.Tool  // that the configuration describes
	Also    []string      // folders that belong to the workspace
	Servers []string      // MCP servers that are known by name
	Root    string        // the workspace that is configured; empty: that of the call
	Home    string        // the home folder likewise
	Surface sayso.Surface // tools that the configuration takes away

	// Contract says inside what calls would run. Nil: [sayso.PlainContract].
	Contract func(sayso.Call, *sayso.Facts) sayso.Contract

	// Dropped is what the files of the system said that they may not say.
	Dropped []config.Dropped
}

// Engine returns an engine that decides as configured.
func (s Setup) Engine(m shell.Machine) sayso.Engine {
	return sayso.Engine{
		Preset:   s.Preset,
		Contract: s.Contract,
		Analyzer: sayso.Analyzer{Machine: m, Tools: s.Tools, Also: s.Also, Servers: s.Servers},
	}
}

// Systems returns every preset that can be chosen, the first is the default.
func Systems() []System {
	return []System{native(), cosmo(), kosmokrator(), agentscope(), kodacode(), cowork()}
}

// ErrUnknown is the error for a preset that does not exist.
var ErrUnknown = errors.New("unknown preset")

// Find returns the system with the name; the empty name is the default.
func Find(name string) (System, error) {
	for i, s := range Systems() {
		if s.Name == name || name == "" && i == 0 {
			return s, nil
		}
	}
	var names []string
	for _, s := range Systems() {
		names = append(names, s.Name)
	}
	hint := config.DidYouMean(name, names)
	if hint == "" {
		hint = "sayso presets lists them"
	}
	return System{}, fmt.Errorf("%w %q: %s", ErrUnknown, name, hint)
}

// ReadGrant reads a grant as a line of JSON has it.
func (s System) ReadGrant(raw json.RawMessage) (sayso.Grant, error) {
	if s.Grant != nil {
		return s.Grant(raw)
	}
	var g sayso.Grant
	if err := json.Unmarshal(raw, &g); err != nil {
		return g, fmt.Errorf("grant: %w", err)
	}
	return g, nil
}

// Grants compiles grants in the language of the preset.
func (s Setup) Grants(list []sayso.Grant) (*sayso.Grants, error) {
	if s.Preset.CheckRule == nil {
		return sayso.NewGrants(list, s.Tools...)
	}
	for _, g := range list {
		if err := s.Preset.CheckRule(g.Rule); err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
	}
	return sayso.PlainGrants(list), nil
}
