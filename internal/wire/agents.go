// Package wire writes the hooks of sayso into the settings of agents, finds them
// there, and takes them out again. It changes nothing else in these files.
package wire

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/sayso-dev/sayso/internal/hook"
)

// A Scope is for whom hooks are wired.
type Scope string

// The scopes of hooks.
const (
	Managed Scope = "managed" // for everybody on this machine, by its administrator
	Local   Scope = "local"   // for one person in one workspace
	Shared  Scope = "shared"  // for everybody who works in a workspace
	User    Scope = "user"    // for one person, everywhere
)

// An Agent is how the hooks of an agent are wired.
type Agent struct {
	*hook.Agent

	// Program is what the agent is called on the search path.
	Program string

	// Lost says what happens if the hook cannot be run, or is killed, as it is wired.
	Lost string

	// Open says that the agent itself goes on in that case; then the shell that starts
	// the hook blocks the call.
	Open bool

	stops    bool // it stops altogether if a hook that only tells something is lost
	answers  answers
	anyShell bool // the shell of its user runs the hook
	form     form
	every    map[string]any           // the keys of each entry besides its command
	decides  map[string]any           // those of entries for events at which a call is decided
	command  string                   // the key of the command; empty: command
	brief    map[string]time.Duration // events that are waited for only so long
	usual    time.Duration            // how long it waits if nothing is written
	unit     int                      // how many of its time units a second has; 0: time is not written
	time     string                   // the key of the time
	named    bool                     // the event is named behind the command
	bare     bool                     // the file has no version

	places func(at At) []Place
	more   []Setting // what else a managed file must say
	off    []Setting // what switches the hook off
	skips  []string  // events that need not be wired
}

// A form is how the hooks stand in a file.
type form uint8

const (
	nested form = iota // events have groups with a matcher, and these have entries
	flat               // events have entries
	plugin             // the file is a program of ours
)

// A Setting is a value of a settings file.
type Setting struct {
	Path  []string
	Value any
}

// A Place is a file in which hooks may stand.
type Place struct {
	Scope Scope
	File  string
}

// At is where settings are looked for.
type At struct {
	Root, Home string
	Env        func(string) string
}

// own is the folder of an agent in the home folder, or where a variable says.
func (at At) own(variable, folder string) string {
	if dir := at.Env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(at.Home, folder)
}

// under are the places of an agent with one file in a workspace, one of the user and
// one of the administrator.
func under(at At, shared, user, managed string) []Place {
	return []Place{{Managed, managed}, {Shared, filepath.Join(at.Root, filepath.FromSlash(shared))}, {User, user}}
}

// Agents lists all agents.
func Agents() []*Agent {
	var out []*Agent
	for _, a := range hook.Agents() {
		if w := settings(a.Name); w != nil {
			w.Agent = a
			out = append(out, w)
		}
	}
	return out
}

// Find returns the agent of that name.
func Find(name string) (*Agent, bool) {
	for _, a := range Agents() {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// inPreToolUse is how the answers of agents begin that take after Claude Code.
const inPreToolUse = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"`

// settings is how the hooks of an agent are wired.
func settings(name string) *Agent {
	switch name {
	case "claude":
		return &Agent{
			Program: "claude", Open: true, Lost: "the shell that starts it blocks the call; when its time is over Claude Code goes on",
			answers: answers{start: inPreToolUse, reason: `","permissionDecisionReason":"`, end: `"}}`},
			every:   map[string]any{"type": "command"}, time: "timeout", usual: 10 * time.Minute,
			places: func(at At) []Place {
				all := under(at, ".claude/settings.json", filepath.Join(at.own("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), "/etc/claude-code/managed-settings.json")
				return slices.Insert(all, 1, Place{Local, filepath.Join(at.Root, ".claude", LocalSettings)})
			},
			off: []Setting{{[]string{"disableAllHooks"}, true}},
		}
	case "codex":
		return &Agent{
			Program: "codex", Open: true, Lost: "the shell that starts it blocks the call; when its time is over Codex goes on",
			answers: answers{start: inPreToolUse, reason: `","permissionDecisionReason":"`, end: `"}}`, quiet: true, hears: true, errs: true}, anyShell: true,
			every: map[string]any{"type": "command"}, unit: 1, time: "timeout", usual: 10 * time.Minute, brief: map[string]time.Duration{"SessionEnd": 3 * time.Second},
			places: func(at At) []Place {
				return under(at, ".codex/hooks.json", filepath.Join(at.own("CODEX_HOME", ".codex"), "hooks.json"), requirements)
			},
		}
	case "gemini":
		return &Agent{
			Program: "gemini", Open: true, Lost: "the shell that starts it blocks the call; when its time is over Gemini CLI goes on",
			answers: answers{start: `{"decision":"`, reason: `","reason":"`, end: `"}`, hears: true},
			every:   map[string]any{"type": "command", "name": "sayso"}, stops: true, unit: 1000, time: "timeout", usual: time.Minute,
			places: func(at At) []Place {
				return under(at, ".gemini/settings.json", filepath.Join(at.own("GEMINI_CLI_HOME", ""), ".gemini", "settings.json"), "/etc/gemini-cli/settings.json")
			},
			more: []Setting{{[]string{"hooksConfig", "enabled"}, true}},
			off:  []Setting{{[]string{"hooksConfig", "enabled"}, false}, {[]string{"hooksConfig", "disabled"}, "sayso"}},
		}
	case "opencode":
		return &Agent{
			Program: "opencode", Lost: "the plugin blocks the call; without the plugin opencode asks nobody", form: plugin, usual: 10 * time.Minute,
			places: func(at At) []Place {
				own := filepath.Join(at.own("XDG_CONFIG_HOME", ".config"), "opencode", "plugins", pluginName)
				return under(at, ".opencode/plugins/"+pluginName, own, "")[1:]
			},
		}
	case "copilot":
		return &Agent{
			Program: "copilot", Open: true, Lost: "Copilot CLI, or the shell that starts it, blocks the call; when its time is over Copilot CLI goes on",
			answers: answers{start: `{"permissionDecision":"`, reason: `","permissionDecisionReason":"`, end: `"}`, quiet: true},
			form:    flat, every: map[string]any{"type": "command"}, command: "bash", unit: 1, time: "timeoutSec", usual: 30 * time.Second, named: true,
			places: func(at At) []Place {
				return under(at, ".github/hooks/sayso.json", filepath.Join(at.own("COPILOT_HOME", ".copilot"), "hooks", "sayso.json"), "/etc/github-copilot/policy.d/sayso.json")
			},
			off: []Setting{{[]string{"disableAllHooks"}, true}},
		}
	case "cursor":
		return &Agent{
			Program: "cursor-agent", Lost: "Cursor blocks the call, as failClosed says",
			form: flat, decides: map[string]any{"failClosed": true}, unit: 1, time: "timeout", usual: 30 * time.Second,
			places: func(at At) []Place {
				return under(at, ".cursor/hooks.json", filepath.Join(at.Home, ".cursor", "hooks.json"), "/etc/cursor/hooks.json")
			},
			skips: []string{"subagentStart"}, // preToolUse tells of it
		}
	}
	return unseen(name)
}

// LocalSettings is the file of Claude Code for one person in one workspace.
const LocalSettings = "settings.local.json"

// Places are the files in which hooks of the agent may stand, the strongest first.
func (a *Agent) Places(at At) []Place { return a.places(at) }

// Place is the file of a scope.
func (a *Agent) Place(at At, scope Scope) (Place, bool) {
	for _, p := range a.places(at) {
		if p.Scope == scope {
			return p, true
		}
	}
	return Place{}, false
}

// Switches are files that can switch the hooks off, though they need not have any.
func (a *Agent) Switches(at At) []string {
	switch a.Name {
	case "claude", "gemini":
		return []string{filepath.Join(at.Root, "."+a.Name, "settings.json")}
	case "codex":
		return []string{filepath.Join(at.Root, ".codex", "config.toml"), filepath.Join(at.own("CODEX_HOME", ".codex"), "config.toml")}
	case "vscode":
		return []string{filepath.Join(at.Root, ".vscode", "settings.json"), filepath.Join(at.own("XDG_CONFIG_HOME", ".config"), "Code", "User", "settings.json")}
	case "copilot":
		return []string{filepath.Join(at.Root, ".github", "copilot", "settings.json"), filepath.Join(at.Root, ".github", "copilot", "settings.local.json")}
	}
	return nil
}

// Wired are the events of the agent that are wired.
func (a *Agent) Wired() []string {
	return slices.DeleteFunc(a.Events(), func(event string) bool { return slices.Contains(a.skips, event) })
}
