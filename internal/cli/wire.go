package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/jsontext"
)

// claudeGroup is how Claude Code's settings name the commands for an event.
type claudeGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []claudeEntry `json:"hooks"`
}

type claudeEntry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

// claudeEvents are the events of Claude Code that sayso is told of.
func claudeEvents() []string {
	agent, _ := hook.Find("claude") // it is known
	return agent.Events()
}

// wireClaude returns the settings of Claude Code with the hooks of sayso in
// them, and nothing else changed. The command is what Claude Code is to run.
func wireClaude(text []byte, command string) ([]byte, error) {
	for _, event := range claudeEvents() {
		wired, err := claudeWired(text, event, command)
		if wired {
			continue
		}
		if err == nil {
			text, err = unwireClaude(text, event)
		}
		if err != nil {
			return nil, err
		}
		group := claudeGroup{Hooks: []claudeEntry{{"command", command}}}
		if strings.Contains(event, "Tool") {
			group.Matcher = "*"
		}
		if text, err = jsontext.Append(text, group, "hooks", event); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// unwireClaude returns the settings without the hooks of sayso for the events,
// or for all of them. What becomes empty by that goes, too.
func unwireClaude(text []byte, events ...string) ([]byte, error) {
	for {
		root, err := jsontext.Parse(text)
		if err != nil {
			return nil, err
		}
		removed, ok := unwireOne(text, root, events)
		if !ok {
			return text, nil
		}
		text = removed
	}
}

// unwireOne removes the first entry of sayso that it finds, with the lists and
// objects that hold nothing else.
func unwireOne(text []byte, root *jsontext.Value, events []string) ([]byte, bool) {
	hooks := root.Get("hooks")
	if hooks == nil {
		return nil, false
	}
	for i, event := range hooks.Members {
		if len(events) > 0 && event.Key != events[0] {
			continue
		}
		for j, group := range event.Value.Items {
			entries := group.Get("hooks")
			if entries == nil {
				continue
			}
			for k, entry := range entries.Items {
				switch {
				case !ownHook(entry):
					continue
				case len(entries.Items) > 1:
					return jsontext.Remove(text, entries, k), true
				case len(event.Value.Items) > 1:
					return jsontext.Remove(text, event.Value, j), true
				case len(hooks.Members) > 1:
					return jsontext.Remove(text, hooks, i), true
				}
				return jsontext.Remove(text, root, indexOf(root, "hooks")), true
			}
		}
	}
	return nil, false
}

func indexOf(object *jsontext.Value, key string) int {
	for i, m := range object.Members {
		if m.Key == key {
			return i
		}
	}
	return -1
}

// ownHook reports whether an entry of the settings runs the hook of sayso,
// wherever that is.
func ownHook(entry *jsontext.Value) bool {
	command := entry.Get("command")
	return command != nil && runsHook(command.Text)
}

func runsHook(command string) bool {
	program, isHook := strings.CutSuffix(strings.TrimSpace(command), " claude")
	if !isHook {
		return false
	}
	if rest, ok := strings.CutSuffix(program, " hook"); ok {
		return programName(rest) == "sayso"
	}
	return programName(program) == "sayso-hook"
}

// programName is the last part of the path of a program, as a shell or a
// settings file writes it.
func programName(path string) string {
	path = strings.ReplaceAll(strings.Trim(strings.TrimSpace(path), `'"`), `\`, "/")
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".exe")
}

// claudeWired reports whether the command is run for every event of that name,
// and nothing else of sayso.
func claudeWired(text []byte, event, command string) (bool, error) {
	found, err := claudeHooks(text)
	if err != nil {
		return false, err
	}
	n := 0
	for _, h := range found {
		if h.event == event {
			n++
			if h.command != command || h.matcher != "" && h.matcher != "*" {
				return false, nil
			}
		}
	}
	return n == 1, nil
}

// A foundHook is a hook of sayso in the settings of Claude Code.
type foundHook struct {
	event, matcher, command string
	line                    int
}

// claudeHooks lists the hooks of sayso in settings.
func claudeHooks(text []byte) ([]foundHook, error) {
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	var out []foundHook
	hooks := root.Get("hooks")
	if hooks == nil {
		return nil, nil
	}
	for _, event := range hooks.Members {
		for _, group := range event.Value.Items {
			entries := group.Get("hooks")
			if entries == nil {
				continue
			}
			for _, entry := range entries.Items {
				if !ownHook(entry) {
					continue
				}
				h := foundHook{event: event.Key, command: entry.Get("command").Text, line: entry.Line(text)}
				if m := group.Get("matcher"); m != nil {
					h.matcher = m.Text
				}
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// hooksOff reports whether settings switch all hooks off, and in which line.
func hooksOff(text []byte) (line int, off bool) {
	var set struct {
		Off bool `json:"disableAllHooks"`
	}
	root, err := jsontext.Parse(text)
	if err != nil || json.Unmarshal(text, &set) != nil || !set.Off {
		return 0, false
	}
	return root.Get("disableAllHooks").Line(text), true
}

// inFile says in which file a mistake is.
func inFile(name string, err error) error {
	var mistake *jsontext.Error
	if errors.As(err, &mistake) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// shellWord writes a path so that a shell takes it for one word.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@%:", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// claudeFiles are the files in which Claude Code looks for hooks.
type claudeFiles struct {
	managed string // the administrator's
	local   string // of one person in one workspace, and not committed
	shared  string // of the workspace
	user    string // of one person, everywhere
}

const localSettings = "settings.local.json"

// all lists the files, the strongest first.
func (f *claudeFiles) all() []string { return []string{f.managed, f.local, f.shared, f.user} }

func claudeSettings(root, home, configDir string) claudeFiles {
	own := filepath.Join(home, ".claude")
	if filepath.IsAbs(configDir) {
		own = configDir
	}
	return claudeFiles{
		managed: "/etc/claude-code/managed-settings.json",
		local:   filepath.Join(root, ".claude", localSettings),
		shared:  filepath.Join(root, ".claude", "settings.json"),
		user:    filepath.Join(own, "settings.json"),
	}
}
