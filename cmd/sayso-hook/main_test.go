package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLinks: an agent starts this program before every tool call, so it does not
// link what takes long to start and is seldom needed.
func TestLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "github.com/sayso-dev/sayso/preset\n") {
		t.Fatalf("go list lists %d bytes, and not what decides", len(out))
	}
	for pkg := range strings.Lines(string(out)) {
		for _, heavy := range []string{"go.starlark.net", "database/sql", "net/http\n", "net\n", "go.yaml.in/yaml", "github.com/google/jsonschema-go", "github.com/modelcontextprotocol/", "modernc.org", "filippo.io/age", "github.com/zalando/go-keyring", "github.com/godbus/dbus", "text/template", "charm.land/", "github.com/charmbracelet/", "github.com/sayso-dev/sayso/internal/approve/tui", "github.com/sayso-dev/sayso/internal/script", "github.com/sayso-dev/sayso/internal/config", "github.com/sayso-dev/sayso/internal/cli"} {
			if strings.HasPrefix(pkg, heavy) {
				t.Errorf("it links %s", pkg)
			}
		}
	}
}

// TestOnlyHere: what asks the resident process reads the standard input of any program that
// links it.
func TestOnlyHere(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../sayso", "../sayso-box").Output()
	if err != nil || !strings.Contains(string(out), "github.com/sayso-dev/sayso/internal/cli\n") || strings.Contains(string(out), "github.com/sayso-dev/sayso/internal/early\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestStart: no package of ours does anything before it is asked to, but the one that
// asks the resident process, which does so before nearly all others. Tables are
// lists that the compiler lays out; a map would be built at each start, for every
// call of an agent.
func TestStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hook")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "init mvdan.cc/sh") {
		t.Fatalf("it does not tell what it does at its start: %v\n%s", err, out)
	}
	const first = "init github.com/sayso-dev/sayso/internal/early "
	before, after, found := strings.Cut(string(out), first)
	for _, late := range []string{"init os ", "init unicode ", "init mvdan.cc/sh/"} {
		if runtime.GOOS == "linux" && (!found || strings.Contains(before, late) || !strings.Contains(after, late)) {
			t.Errorf("%sdoes not come before %s:\n%s", first, late, out)
		}
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "init github.com/sayso-dev/") && !strings.HasPrefix(line, first) && !strings.HasSuffix(line, " 0 allocs\n") {
			t.Errorf("work at the start: %s", line)
		}
	}
}

// TestStartsNothing: only an event is a reason to start the process that answers those that
// follow.
func TestStartsNothing(t *testing.T) {
	dir := t.TempDir()
	program, state := filepath.Join(dir, "sayso-hook"), filepath.Join(dir, "state", "sayso")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{"version", "--help"} {
		cmd := exec.Command(program, arg)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Dir(state), "SAYSO_RESIDENT=")
		out, err := cmd.CombinedOutput()
		left, failed := os.ReadDir(state)
		if err != nil || failed != nil || len(left) > 0 {
			t.Errorf("%s: %v %v, left %v\n%s", arg, err, failed, left, out)
		}
	}
}

// TestArchive: this program links nothing that unpacks; the rich one beside it tells
// what is in an archive.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sayso", "sayso-hook"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	repo := filepath.Join(dir, "repo")
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := errors.Join(os.MkdirAll(filepath.Join(repo, ".git"), 0o755), w.WriteHeader(&tar.Header{Name: ".claude/settings.json", Mode: 0o644}), w.Close(),
		os.WriteFile(filepath.Join(repo, "all.tar"), archive.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "sayso-hook"), "claude")
	cmd.Env = append(os.Environ(), "HOME="+dir, "CLAUDE_PROJECT_DIR="+repo, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "SAYSO_RESIDENT=off")
	cmd.Stdin = strings.NewReader(`{"session_id":"s","cwd":"` + filepath.ToSlash(repo) + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"tar xf all.tar"},"tool_use_id":"t"}`)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"deny"`) || !strings.Contains(string(out), "what guards this agent") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestScriptWithoutRich: where a policy script is in force and nothing beside
// this program can run it, the call is denied, with the remedy.
func TestScriptWithoutRich(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "bin", "sayso-hook")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.sayso/policy.star", "def decide(call):\n    pass\n", 0o644)
	ask := func() (decision, reason string) {
		t.Helper()
		cmd := exec.Command(program, "claude")
		cmd.Env = append(os.Environ(), "HOME="+dir, "CLAUDE_PROJECT_DIR="+filepath.Join(dir, "repo"), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "SAYSO_RESIDENT=off")
		cmd.Stdin = strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`)
		out, err := cmd.Output()
		var answer struct {
			Output struct {
				Decision string `json:"permissionDecision"`
				Reason   string `json:"permissionDecisionReason"`
			} `json:"hookSpecificOutput"`
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return answer.Output.Decision, answer.Output.Reason
	}
	if decision, reason := ask(); decision != "deny" || !strings.Contains(reason, "install sayso and sayso-hook into the same folder") {
		t.Errorf("without the rich program: %s, %s", decision, reason)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", "sayso"), "../sayso").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if decision, reason := ask(); decision != "allow" { // it leaves a snapshot that says that there is a script
		t.Errorf("with the rich program: %s, %s", decision, reason)
	}
	link := filepath.Join(dir, ".config", "sayso", "policy.yaml")
	write("shared.yaml", "deny: [bash]\n", 0o600)
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(filepath.Join(dir, "shared.yaml"), link)); err != nil {
		t.Fatal(err)
	}
	if decision, reason := ask(); decision != "deny" || !strings.Contains(reason, "policy.yaml: it is a link") { // no snapshot holds
		t.Errorf("with a policy that is a link: %s, %s", decision, reason)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	ask()
	for name, rich := range map[string]string{
		"that fails":             "#!/bin/sh\necho '{}'\nexit 1\n",
		"that says nothing":      "#!/bin/sh\n",
		"that is cut off":        "#!/bin/sh\necho '{\"hookSpecificOutput\":'\n",
		"that cannot be started": "no program",
	} {
		write("bin/sayso", rich, 0o755)
		if decision, reason := ask(); decision != "deny" || !strings.Contains(reason, "gave no answer") && !strings.Contains(reason, "the policy was not read") {
			t.Errorf("with one %s: %s, %s", name, decision, reason)
		}
	}
	write("bin/sayso", "#!/bin/sh\n[ \"$1\" = snapshot ] && exit\n[ \"$*\" = 'hook claude' ] && grep -q '\"command\":\"ls\"' && echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'\n", 0o755)
	if decision, _ := ask(); decision != "allow" {
		t.Errorf("with one that allows: %s", decision)
	}
}
