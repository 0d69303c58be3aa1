package preset

import (
	"slices"
	"strings"
)

// A KosmoFault is an entry that is missing in a list of KosmoKrator. Plant takes it
// away, and returns what puts it back.
type KosmoFault struct {
	Name  string
	Plant func() (undo func())
}

// KosmoFaults are the lists with each entry missing.
func KosmoFaults() []KosmoFault {
	var out []KosmoFault
	for name, list := range map[string]*[]string{
		"safe_tools": &kosmoSafeTools, "approval_required": &kosmoApprovalRequired, "blocked_paths": &kosmoBlockedPaths,
		"allowed_paths": &kosmoAllowedPaths, "blocked_commands": &kosmoBlockedCommands, "guardian_safe_commands": &kosmoSafeCommands,
		"shell tools": &kosmoShellTools, "file tools": &kosmoFileTools, "project writes": &kosmoProjectWrites, "always safe": &kosmoAlwaysSafe,
	} {
		for i, entry := range *list {
			out = append(out, KosmoFault{name + " without " + entry, func() func() {
				was := *list
				*list = slices.Delete(slices.Clone(was), i, i+1)
				return func() { *list = was }
			}})
		}
	}
	for _, sign := range kosmoMetacharacters {
		out = append(out, KosmoFault{"metacharacters without " + string(sign), func() func() {
			was := kosmoMetacharacters
			kosmoMetacharacters = strings.ReplaceAll(was, string(sign), "")
			return func() { kosmoMetacharacters = was }
		}})
	}
	for i := range kosmoRiskyCommands() {
		out = append(out, KosmoFault{"risky without " + kosmoRiskyCommands()[i].text, func() func() {
			was := kosmoRiskyCommands
			kosmoRiskyCommands = func() []kosmoCommand { return slices.Delete(slices.Clone(was()), i, i+1) }
			return func() { kosmoRiskyCommands = was }
		}})
	}
	return out
}
