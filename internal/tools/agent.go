package tools

import "strings"

// An Agent is a set of agents.
type Agent uint32

// The agents whose tools are known.
const (
	Claude Agent = 1 << iota
	Codex
	Gemini
	OpenCode
	Copilot
	VSCode
	Cursor
	Crush
	Cline
	Windsurf
	Antigravity
	KosmoKrator
	AgentScope
	Cosmo
	KodaCode
	CoWork

	// Any stands for all agents, known or not.
	Any Agent = 1<<32 - 1
)

var agentNames = [...]string{
	"claude", "codex", "gemini", "opencode", "copilot", "vscode", "cursor", "crush",
	"cline", "windsurf", "antigravity", "kosmokrator", "agentscope", "cosmo", "kodacode", "cowork",
}

// ParseAgent returns the agent of that name.
func ParseAgent(name string) (Agent, bool) {
	for i, n := range agentNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// String returns the names of the agents in a, with commas.
func (a Agent) String() string {
	if a == Any {
		return "any"
	}
	var names []string
	for i, n := range agentNames {
		if a&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}
