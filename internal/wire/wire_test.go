package wire_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/internal/wire"
)

var call = wire.Call{Program: "/opt/it's here/sayso-hook"}

func at(t *testing.T) wire.At {
	t.Helper()
	return wire.At{Root: "/repo", Home: "/home/me", Env: func(string) string { return "" }}
}

// TestWire: whatever stands in the settings stays, the hooks are found again, wiring
// twice is wiring once, and taken out nothing of them is left.
func TestWire(t *testing.T) {
	files := map[string]string{
		"none":  "",
		"blank": " \n",
		"other": "{\n    \"zeta\":  1,\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"other-hook\"}]}\n        ],\n        \"preToolUse\": [{\"bash\": \"other-hook\"}]\n    },\n    \"last\": [ ]\n}\n",
	}
	commented := "{\n  // mine\n  \"a\": 1, // one\n  \"hooks\": {\n    /* theirs */\n    \"BeforeTool\": [{\"hooks\": [{\"command\": \"other-hook\"}]}], // y\n  },\n}\n"
	for _, a := range wire.Agents() {
		for name, text := range files {
			check(t, a, name, text)
		}
		if a.Name != "claude" && a.Name != "opencode" {
			check(t, a, "commented", commented)
		}
	}
}

func check(t *testing.T, a *wire.Agent, name, text string) {
	t.Helper()
	wired, err := a.Wire([]byte(text), wire.User, call)
	if err != nil {
		t.Fatalf("%s, %s: %v", a.Name, name, err)
	}
	again, err := a.Wire(wired, wire.User, call)
	if err != nil || !bytes.Equal(again, wired) {
		t.Errorf("%s, %s: wired again: %v\n%s", a.Name, name, err, again)
	}
	found, err := a.Find(wired, wire.User)
	var events []string
	for _, h := range found {
		events = append(events, h.Event)
		c, ok := wire.ParseCall(h.Command)
		if !ok || c.Program != call.Program || c.Agent != a.Name || h.Line == 0 || h.Wait != 0 && h.Wait != 10*time.Minute && h.Event != "SessionEnd" || h.Wait == 0 && a.Name != "claude" && a.Name != "windsurf" || slices.Contains(a.Decisive(), h.Event) && !h.Closed {
			t.Errorf("%s, %s: %+v %+v", a.Name, name, h, c)
		}
	}
	slices.Sort(events)
	want := a.Wired()
	slices.Sort(want)
	if err != nil || !slices.Equal(events, want) {
		t.Errorf("%s, %s: %v %v", a.Name, name, events, err)
	}
	if a.Name == "opencode" {
		return
	}
	for _, keep := range []string{"// mine", "// one", "/* theirs */", "// y", `"zeta":  1`, "other-hook", `"last": [ ]`} {
		if strings.Contains(text, keep) && !strings.Contains(string(wired), keep) {
			t.Errorf("%s, %s: %s is lost\n%s", a.Name, name, keep, wired)
		}
	}
	other, err := a.Wire(wired, wire.User, wire.Call{Program: "/new/sayso-hook", Observe: true})
	if err != nil || bytes.Contains(other, []byte("it's here")) || bytes.Count(other, []byte("--observe")) != len(want) {
		t.Errorf("%s, %s: wired anew: %v\n%s", a.Name, name, err, other)
	}
	without, err := a.Unwire(wired, wire.User)
	if err != nil || bytes.Contains(without, []byte("sayso")) {
		t.Errorf("%s, %s: %v\n%s", a.Name, name, err, without)
	}
	switch {
	case strings.TrimSpace(text) == "":
		if without != nil {
			t.Errorf("%s, %s: left is %q", a.Name, name, without)
		}
	case name == "other":
		if string(without) != text {
			t.Errorf("%s, %s: left is\n%s", a.Name, name, without)
		}
	default:
		if _, err := jsontext.ParseCommented(without); err != nil {
			t.Errorf("%s, %s: %v\n%s", a.Name, name, err, without)
		}
	}
}

// TestForms: each agent gets its own form.
func TestForms(t *testing.T) {
	for name, want := range map[string][]string{
		"claude":   {`"PostToolUse":[{"hooks":[{"command":"/x/sayso-hook claude","type":"command"}],"matcher":"*"}]`, `"PreToolUse":[{"hooks":[{"command":"s='{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"'; a=$(GOMAXPROCS=1 /x/sayso-hook claude); case `, `"SessionStart":[{"hooks":[{"command":`},
		"codex":    {`"PostToolUse":[{"hooks":[{"command":"/x/sayso-hook codex","timeout":600,"type":"command"}],"matcher":"*"}]`, `"PreToolUse":[{"hooks":[{"command":"/bin/sh -c 's='\\''{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"'\\''; a=$(GOMAXPROCS=1 /x/sayso-hook codex); case `, `"SessionEnd":[{"hooks":[{"command":"/x/sayso-hook codex","timeout":3,`},
		"gemini":   {`"AfterTool":[{"hooks":[{"command":"/x/sayso-hook gemini || :","name":"sayso","timeout":600000,"type":"command"}],"matcher":"*"}]`, `"BeforeTool":[{"hooks":[{"command":"s='{\"decision\":\"'; a=$(GOMAXPROCS=1 /x/sayso-hook gemini); case `},
		"copilot":  {`"version":1`, `"postToolUse":[{"bash":"/x/sayso-hook copilot postToolUse","timeoutSec":600,"type":"command"}]`, `"preToolUse":[{"bash":"s='{\"permissionDecision\":\"'; a=$(GOMAXPROCS=1 /x/sayso-hook copilot preToolUse); case `},
		"vscode":   {`"PostToolUse":[{"command":"/x/sayso-hook vscode","timeout":600,"type":"command"}]`, `"PreToolUse":[{"command":"/bin/sh -c 's='\\''{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"'\\''; a=$(GOMAXPROCS=1 /x/sayso-hook vscode); case `},
		"crush":    {`{"hooks":{"PreToolUse":[{"command":"/bin/sh -c 's='\\''{\"version\":1,\"decision\":\"'\\''; a=$(GOMAXPROCS=1 /x/sayso-hook crush); case `, `"matcher":".*","name":"sayso","timeout":600}]`},
		"windsurf": {`{"hooks":{"pre_run_command":[{"command":"/bin/sh -c 'a=$(GOMAXPROCS=1 /x/sayso-hook windsurf); case $?$a in 0) ;; 2) exit 2;; *) `, `"post_run_command":[{"command":"/x/sayso-hook windsurf","show_output":true}]`},
		"cursor":   {`"version":1`, `"beforeShellExecution":[{"command":"/x/sayso-hook cursor","failClosed":true,"timeout":600}]`},
	} {
		a, _ := wire.Find(name)
		text, err := a.Wire(nil, wire.User, wire.Call{Program: "/x/sayso-hook"})
		var plain bytes.Buffer
		if err != nil || json.Compact(&plain, text) != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(plain.String(), part) {
				t.Errorf("%s: no %s in\n%s", name, part, plain.String())
			}
		}
	}
}

// TestManaged: the administrator's files also say that nobody switches hooks off.
func TestManaged(t *testing.T) {
	gemini, _ := wire.Find("gemini")
	for _, text := range []string{"", "{\"hooksConfig\": {\"enabled\": false, \"disabled\": []}}", "{\"hooksConfig\": {}}"} {
		got, err := gemini.Wire([]byte(text), wire.Managed, call)
		if err != nil || !bytes.Contains(got, []byte(`"enabled": true`)) {
			t.Errorf("%v %s", err, got)
		}
		if _, _, off := gemini.Off(got); off {
			t.Errorf("off: %s", got)
		}
	}
	codex, _ := wire.Find("codex")
	for _, text := range []string{"", "# mine\n[features] # x\nother = 1\n\n[else]\na = 1\n", "a = \"\"\"\n[hooks]\n\"\"\"\n", "[features]\nhooks = true\n", "a = \"it\\\"''' # no [hooks]\" # '''\nb = '#\"'\n"} {
		got, err := codex.Wire([]byte(text), wire.Managed, call)
		if err != nil || bytes.Count(got, []byte("hooks = true")) != 1 || !strings.Contains(string(got), strings.TrimSpace(strings.Split(text, "\n")[0])) {
			t.Errorf("%v\n%s", err, got)
		}
		again, err := codex.Wire(got, wire.Managed, call)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("again: %v\n%s", err, again)
		}
		found, _ := codex.Find(got, wire.Managed)
		var events []string
		for _, h := range found {
			events = append(events, h.Event)
			if h.Closed != (h.Event == "PreToolUse") {
				t.Errorf("%+v", h)
			}
		}
		if !slices.Equal(events, codex.Wired()) || found[0].Wait != 10*time.Minute {
			t.Errorf("%+v\n%s", found, got)
		}
		back, err := codex.Unwire(got, wire.Managed)
		if err != nil || string(back) != text {
			t.Errorf("back: %v %q, want %q", err, back, text)
		}
	}
	for _, text := range []string{"[hooks]\nmanaged_dir = \"/x\"\n", "[[hooks.PreToolUse]]\nmatcher = \"*\"\n", "[features]\nhooks = false\n"} {
		if got, err := codex.Wire([]byte(text), wire.Managed, call); err == nil {
			t.Errorf("%s", got)
		}
	}
}

// TestTrust: hooks of Codex are trusted as Codex itself writes it, once.
func TestTrust(t *testing.T) {
	codex, _ := wire.Find("codex")
	hooks, err := codex.Wire([]byte(`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "other"}]}]}}`), wire.User, wire.Call{Program: "/x/sayso-hook"})
	if err != nil {
		t.Fatal(err)
	}
	const file = "/home/me/.codex/hooks.json"
	for _, text := range []string{"", "model = \"x\" # mine\n[tools]\na = 1", "[hooks.state.\"" + file + ":pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:old\"\nenabled = true\n"} {
		before, err := wire.Untrusted([]byte(text), file, hooks)
		if err != nil || len(before) != len(codex.Wired()) {
			t.Errorf("%v %v", before, err)
		}
		got, err := wire.Trusts([]byte(text), file, hooks)
		if err != nil || bytes.Contains(got, []byte("sha256:old")) || bytes.Count(got, []byte(":pre_tool_use:1:0\"]")) != 1 {
			t.Errorf("%v\n%s", err, got)
		}
		if left, err := wire.Untrusted(got, file, hooks); err != nil || len(left) > 0 {
			t.Errorf("%v %v\n%s", left, err, got)
		}
		if again, err := wire.Trusts(got, file, hooks); err != nil || !bytes.Equal(again, got) {
			t.Errorf("again: %v\n%s", err, again)
		}
		if !bytes.Contains(got, []byte(strings.Split(text, "\n")[0])) {
			t.Errorf("lost: %s", got)
		}
		changed := bytes.Replace(hooks, []byte("/x/sayso-hook"), []byte("/y/sayso-hook"), 1)
		if left, err := wire.Untrusted(got, file, changed); err != nil || len(left) != 1 {
			t.Errorf("changed: %v %v", left, err)
		}
	}
	// the hash that Codex 0.166 takes for this entry
	one := []byte(`{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/sayso-hook codex","timeout":600}]}]}}`)
	got, err := wire.Trusts(nil, file, one)
	if err != nil || !bytes.Contains(got, []byte("[hooks.state.\""+file+":pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:ce2408a5b055a7af1229b90eb6a49d4f6370ba5da5181318319805ee157a0c12\"\n")) {
		t.Errorf("%v %s", err, got)
	}
	for text, want := range map[string]bool{"[features]\nhooks = false\n": true, "features.hooks = false\n": true, "[features]\nhooks = true\n": false, "# [features]\n# hooks = false\n": false, "": false} {
		if wire.HooksOff([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestOff: what switches hooks off is found, with its line.
func TestOff(t *testing.T) {
	for _, test := range []struct {
		agent, text string
		line        int
	}{
		{"claude", "{\n\"disableAllHooks\": true}", 2},
		{"claude", "{\"disableAllHooks\": false}", 0},
		{"gemini", "{\n// x\n\"hooksConfig\": {\"enabled\": false}}", 3},
		{"gemini", "{\"hooksConfig\": {\"disabled\": [\"other\", \"sayso\"]}}", 1},
		{"gemini", "{\"hooksConfig\": {\"disabled\": [\"other\"]}}", 0},
		{"copilot", "{\"disableAllHooks\": true}", 1},
		{"cursor", "{}", 0},
		{"vscode", "{\n// x\n\"chat.useHooks\": false}", 3},
		{"vscode", "{\"chat.useHooks\": true, \"chat.hookFilesLocations\": {\"~/.copilot/hooks\": true}}", 0},
		{"vscode", "{\"chat.hookFilesLocations\": {\"x\": true,\n\".github/hooks\": false}}", 2},
	} {
		a, _ := wire.Find(test.agent)
		if line, how, off := a.Off([]byte(test.text)); line != test.line || off != (line > 0) || off != (how != "") {
			t.Errorf("%+v: %d %q %v", test, line, how, off)
		}
	}
}

// TestPlaces: every agent has a place for each person and for each workspace.
func TestPlaces(t *testing.T) {
	for _, a := range wire.Agents() {
		for _, scope := range []wire.Scope{wire.User, wire.Shared} {
			if p, ok := a.Place(at(t), scope); !ok || !filepath.IsAbs(p.File) || strings.HasPrefix(p.File, "/repo/") != (scope == wire.Shared) {
				t.Errorf("%s, %s: %+v", a.Name, scope, p)
			}
		}
		if p, ok := a.Place(at(t), wire.Managed); ok == slices.Contains([]string{"opencode", "vscode", "crush"}, a.Name) || ok && !strings.HasPrefix(p.File, "/etc/") {
			t.Errorf("%s: %+v", a.Name, p)
		}
	}
}

// TestPlugin: the plugin lets a call through for a whole and clear yes only.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("%v: scripts/setup installs it", err)
	}
	dir := t.TempDir()
	a, _ := wire.Find("opencode")
	for name, test := range map[string]struct{ script, want string }{
		"allow":      {`cat >/dev/null; echo '{"decision":"allow","reason":"fine"}'`, "ran"},
		"deny":       {`cat >/dev/null; echo '{"decision":"deny","reason":"sayso: no"}'`, "sayso: no"},
		"stop":       {`cat >/dev/null; echo '{"decision":"deny","reason":"sayso: no","stop":true}'`, "aborted top"},
		"nothing":    {`cat >/dev/null`, "it is not whole"},
		"garbage":    {`cat >/dev/null; echo 'x{'`, "it is not whole"},
		"ask":        {`cat >/dev/null; echo '{"decision":"ask"}'`, "it is not understood"},
		"status":     {`cat >/dev/null; echo '{"decision":"allow"}'; echo why >&2; exit 2`, "why"},
		"killed":     {`kill -9 $$`, "gave no answer"},
		"reads none": {`echo '{"decision":"allow"}'`, "ran"},
		"event":      {`cat >` + filepath.Join(dir, "event") + `; echo '{"decision":"allow"}'`, "ran"},
	} {
		hook := filepath.Join(dir, "hook-"+strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := runPlugin(t, node, a, hook); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := runPlugin(t, node, a, filepath.Join(dir, "none")); !strings.Contains(got, "gave no answer") {
		t.Errorf("missing: %s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "event"))
	var event map[string]any
	if err != nil || json.Unmarshal(text, &event) != nil || event["sessionID"] != "top" || event["subagent"] != "explore" || event["tool"] != "bash" || event["servers"].([]any)[0] != "fs" {
		t.Errorf("%v: %s", err, text)
	}
}

// runPlugin calls a tool in the session of a subagent, under the plugin.
func runPlugin(t *testing.T, node string, a *wire.Agent, hook string) string {
	t.Helper()
	text, err := a.Wire(nil, wire.User, wire.Call{Program: hook})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	main := `import { Sayso } from "./sayso.mjs"
const client = { session: { abort: async ({ path }) => console.log("aborted", path.id) } }
const p = await Sayso({ client, directory: "/repo", worktree: "/repo" })
await p.config({ mcp: { fs: {} } })
await p.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "top" } } } })
await p["chat.message"]({ sessionID: "child" }, { message: { agent: "explore" }, parts: [] })
try {
  await p["tool.execute.before"]({ tool: "bash", sessionID: process.argv[2], callID: "1" }, { args: { command: "ls" } })
  console.log("ran")
} catch (e) { console.log("threw", e.message) }
`
	for name, text := range map[string]string{"sayso.mjs": string(text), "main.mjs": main} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	session := "child"
	if strings.HasSuffix(hook, "stop") {
		session = "top"
	}
	out, err := exec.Command(node, filepath.Join(dir, "main.mjs"), session).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return string(out)
}

// TestFolderTrusted: it is known whether an agent runs what a workspace brings.
func TestFolderTrusted(t *testing.T) {
	for text, want := range map[string]bool{
		`{"/repo": "TRUST_FOLDER"}`:                             true,
		`{"/": "TRUST_FOLDER"}`:                                 true,
		`{"/other/x": "TRUST_PARENT", "/repo": "DO_NOT_TRUST"}`: false,
		`{"/repo/x": "TRUST_PARENT"}`:                           true,
		`{`:                                                     false,
		``:                                                      false,
		`{"trusted_folders": ["/other", "/repo"]}`: true,
		`{"trustedFolders": ["/rep"]}`:             false,
	} {
		if got := wire.FolderTrusted([]byte(text), "/repo"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, a := range wire.Agents() {
		if got := a.FolderTrust(at(t)) != ""; got != (a.Name == "gemini" || a.Name == "copilot") {
			t.Errorf("%s: %v", a.Name, got)
		}
	}
}
