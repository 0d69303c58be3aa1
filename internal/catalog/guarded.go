package catalog

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/preset"
)

// In makes the preset for a workspace, guarded: whatever it is, an agent does not
// switch it off, and the policy scripts are asked. With a file that a person has
// given explicitly it is configured by that, and not by files of the workspace.
func (s System) In(at config.Places, p config.Policy, file *config.Other, here Place) (Setup, error) {
	var setup Setup
	var err error
	if file == nil {
		setup, err = s.Load(at, p)
	} else {
		here.Scripts, here.Guarded = Scripts(p.Scripts, at.RunScript), at.Guarded
		setup, err = s.Configured(*file, here, p)
	}
	if err != nil {
		return setup, err
	}
	if file == nil {
		setup.Mode = policyMode(setup, p)
	}
	setup.Preset.ToolName = s.toolName
	setup.Preset = offering(setup.Preset, p)
	if !s.Guards {
		setup.Preset = preset.Guarded(setup.Preset, at.Guarded, Scripts(p.Scripts, at.RunScript)...)
	}
	return setup, nil
}

// policyMode is the mode that a policy sets. One that comes from a file that may
// only tighten counts together with what the system is configured to.
func policyMode(setup Setup, p config.Policy) string {
	mode := setup.Mode
	if mode == "" {
		mode = p.Mode
	}
	if !p.ModeBeside || mode == "" || len(setup.Preset.Modes) == 0 {
		return mode
	}
	first := setup.Preset.Modes[0].Name
	if slices.Contains(strings.Split(mode, "+"), first) {
		return mode
	}
	return first + "+" + mode
}

// toolName returns the system's own name for a tool of another agent, so that
// what is written about read_file counts for an agent that calls it Read.
func (s System) toolName(tool string) string {
	system, ok := tools.ParseAgent(s.Name)
	spec, known := tools.Lookup(tool)
	if !ok || !known || spec.Class == tools.MCPTool {
		return ""
	}
	if _, own := system.Lookup(tool); own {
		return tool
	}
	for _, name := range system.Names() {
		if other, _ := system.Lookup(name); other.Class == spec.Class {
			return name
		}
	}
	return ""
}
