package wire

import (
	"path/filepath"
	"time"
)

// unseen is how the hooks of agents are wired that were not run: all of it is read from
// what is written about them.
func unseen(name string) *Agent {
	switch name {
	case "vscode":
		return &Agent{
			Program: "code", Open: true, Lost: "the shell that starts it blocks the call; what VS Code does when its time is over is not documented",
			answers: answers{start: inPreToolUse, reason: `","permissionDecisionReason":"`, end: `"}}`, quiet: true, hears: true, errs: true}, anyShell: true,
			form: flat, every: map[string]any{"type": "command"}, unit: 1, time: "timeout", usual: 30 * time.Second,
			places: func(at At) []Place {
				return under(at, ".github/hooks/sayso-vscode.json", filepath.Join(at.own("COPILOT_HOME", ".copilot"), "hooks", "sayso-vscode.json"), "")[1:]
			},
			off: []Setting{
				{[]string{"chat.useHooks"}, false},
				{[]string{"chat.hookFilesLocations", ".github/hooks"}, false},
				{[]string{"chat.hookFilesLocations", "~/.copilot/hooks"}, false},
			},
		}
	case "windsurf":
		return &Agent{
			Program: "windsurf", Open: true, Lost: "the shell that starts it blocks the call; how long Windsurf waits, and what it does then, is not documented",
			answers: answers{status: true, hears: true}, anyShell: true,
			form: flat, every: map[string]any{"show_output": true}, bare: true,
			places: func(at At) []Place {
				return under(at, ".windsurf/hooks.json", filepath.Join(at.Home, ".codeium", "windsurf", "hooks.json"), "/etc/windsurf/hooks.json")
			},
		}
	case "crush":
		return &Agent{
			Program: "crush", Open: true, Lost: "the shell that starts it blocks the call; when its time is over Crush goes on",
			answers: answers{start: `{"version":1,"decision":"`, reason: `","reason":"`, end: `"}`, hears: true, errs: true}, anyShell: true,
			form: flat, bare: true, every: map[string]any{"name": "sayso", "matcher": ".*"}, unit: 1, time: "timeout", usual: 30 * time.Second,
			places: func(at At) []Place {
				return under(at, "crush.json", filepath.Join(at.own("XDG_CONFIG_HOME", ".config"), "crush", "crush.json"), "")[1:]
			},
		}
	}
	return nil
}
