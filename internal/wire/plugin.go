package wire

import (
	"bytes"
	_ "embed" // the plugin
	"encoding/json"
	"strings"
)

// pluginName is the file of the plugin for opencode.
const pluginName = "sayso.js"

// pluginSign is how the plugin begins.
const pluginSign = "// Written by sayso init."

//go:embed plugin.js
var pluginSource string

// hookLine is the line of the plugin that names the program.
const hookLine = "const hook = "

// pluginText is the plugin, with what it runs in it.
func pluginText(call Call) []byte {
	args := []string{call.Program, "opencode"}
	if call.Observe {
		args = append(args, "--observe")
	}
	text, _ := json.Marshal(args) // strings can be written
	return []byte(strings.Replace(pluginSource, hookLine+"[]", hookLine+string(text), 1))
}

// findPlugin is the hook in a plugin of ours. One that was changed is none.
func findPlugin(a *Agent, text []byte) []Hook {
	at := bytes.Index(text, []byte(hookLine))
	if at < 0 || !bytes.HasPrefix(text, []byte(pluginSign)) {
		return nil
	}
	line, _, _ := bytes.Cut(text[at+len(hookLine):], []byte("\n"))
	var args []string
	if json.Unmarshal(line, &args) != nil || len(args) < 2 {
		return nil
	}
	call := Call{Program: args[0], Agent: a.Name, Observe: len(args) > 2 && args[2] == "--observe"}
	if !bytes.Equal(pluginText(call), text) {
		return nil
	}
	var out []Hook
	for _, event := range a.Wired() {
		out = append(out, Hook{Event: event, Command: a.line(call, event), Line: bytes.Count(text[:at], []byte("\n")) + 1, Wait: a.Wait, Closed: true})
	}
	return out
}
