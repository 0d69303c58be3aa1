package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrepare: the hook can be built so, has no regular expressions in it, and decides.
func TestPrepare(t *testing.T) {
	t.Chdir("../..")
	dir := t.TempDir()
	lean := filepath.Join(dir, "lean")
	if err := prepare(lean); err != nil {
		t.Fatal(err)
	}
	flag, hook := "-modfile="+filepath.Join(lean, "go.mod"), filepath.Join(dir, "sayso-hook")
	list, err := exec.Command("go", "list", flag, "-deps", "./cmd/sayso-hook").Output()
	if err != nil || !strings.Contains(string(list), module+"/fileutil\n") || strings.Contains(string(list), "regexp\n") {
		t.Fatalf("%v\n%s", err, list)
	}
	if out, err := exec.Command("go", "build", flag, "-o", hook, "./cmd/sayso-hook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for command, want := range map[string]string{"git status": "allow", "git push": "ask", "rm -rf /": "deny"} {
		cmd := exec.Command(hook, "claude")
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "SAYSO_RESIDENT=off")
		cmd.Stdin = strings.NewReader(`{"session_id":"s","cwd":"` + dir + `","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"` + command + `"},"tool_use_id":"` + want + `"}`)
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"permissionDecision":"`+want+`"`) {
			t.Errorf("%s: %v %s", command, err, out)
		}
	}
}
