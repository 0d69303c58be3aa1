package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/preset"
)

func env(name string) string {
	return map[string]string{"CLAUDE_PROJECT_DIR": "/repo", "HOME": "/home/me"}[name]
}

func native(ctx context.Context, call sayso.Call, s sayso.Session) sayso.Decision {
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	return e.Check(ctx, call, s)
}

func event(mode, tool, input string) string {
	return `{"session_id":"s","transcript_path":"/x","cwd":"/repo","permission_mode":"` + mode + `","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"` +
		tool + `","tool_input":` + input + `,"tool_use_id":"t"}`
}

// TestClaude: every event gets an explicit decision with a reason.
func TestClaude(t *testing.T) {
	slow := func(ctx context.Context, _ sayso.Call, _ sayso.Session) sayso.Decision {
		<-ctx.Done()
		time.Sleep(10 * time.Millisecond)
		return sayso.Decision{Effect: sayso.Allow}
	}
	panics := func(context.Context, sayso.Call, sayso.Session) sayso.Decision { panic("oh") }
	long := func(context.Context, sayso.Call, sayso.Session) sayso.Decision {
		return sayso.Decision{Effect: sayso.Ask, Reason: strings.Repeat("x", 9000)}
	}
	tests := []struct {
		name, in   string
		decide     hook.Decider
		want, says string
		fails      bool
	}{
		{"read", event("default", "Read", `{"file_path":"/repo/a.go"}`), native, "allow", "it only reads", false},
		{"work", event("acceptEdits", "Bash", `{"command":"rm -rf build","description":"remove build"}`), native, "allow", "mode.work", false},
		{"push", event("default", "Bash", `{"command":"git push"}`), native, "ask", "It would: Push commits", false},
		{"destroy", event("bypassPermissions", "Bash", `{"command":"rm -rf ~"}`), native, "deny", "guard.destroy", false},
		{"plan", event("plan", "Write", `{"file_path":"/repo/a","content":""}`), native, "deny", "agent.plan", false},
		{"nobody there", event("dontAsk", "Bash", `{"command":"git push"}`), native, "deny", "unattended", false},
		{"mcp", event("default", "mcp__fs__write_file", `{"path":"x"}`), native, "ask", "", false},
		{"bad input of the tool", event("default", "Bash", `{"command":3}`), native, "deny", "input", false},
		{"not JSON", `{`, native, "deny", "read the event", true},
		{"another event", `{"hook_event_name":"Stop"}`, native, "deny", "want a PreToolUse event", true},
		{"nothing", ``, native, "deny", "read the event", true},
		{"too long", strings.Repeat(" ", 16<<20+1), native, "deny", "longer than", true},
		{"too slow", event("default", "Bash", `{"command":"ls"}`), slow, "deny", "took longer", true},
		{"panic", event("default", "Bash", `{"command":"ls"}`), panics, "deny", "panic", true},
		{"long reason", event("default", "Bash", `{"command":"ls"}`), long, "ask", "…", false},
	}
	for _, test := range tests {
		var out strings.Builder
		err := hook.Claude(strings.NewReader(test.in), &out, env, 50*time.Millisecond, test.decide)
		var got struct {
			Output struct{ HookEventName, PermissionDecision, PermissionDecisionReason string } `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(out.String()), &got) != nil || got.Output.HookEventName != "PreToolUse" || got.Output.PermissionDecision != test.want ||
			!strings.Contains(got.Output.PermissionDecisionReason, test.says) || (err != nil) != test.fails || len(out.String()) > 5000 {
			t.Errorf("%s: %s (%v)", test.name, out.String(), err)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("gone") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestClaudeBroken: an agent that is gone is an error.
func TestClaudeBroken(t *testing.T) {
	var out strings.Builder
	if err := hook.Claude(broken{}, &out, env, time.Second, native); err == nil || !strings.Contains(out.String(), `"deny"`) {
		t.Errorf("%s %v", out.String(), err)
	}
	if err := hook.Claude(strings.NewReader(event("default", "Read", `{"file_path":"/repo/a"}`)), broken{}, env, time.Second, native); err == nil {
		t.Error("an answer that nobody reads is no error")
	}
}
