package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/store"
)

// befores are events before a tool runs, one for each agent.
var befores = map[string]string{
	"claude": "PreToolUse.Bash", "codex": "PreToolUse.Bash", "gemini": "BeforeTool.run_shell_command",
	"opencode": "tool.execute.before.bash", "copilot": "preToolUse.bash", "cursor": "beforeShellExecution",
	"vscode": "PreToolUse.runTerminalCommand", "windsurf": "pre_run_command", "crush": "PreToolUse.bash",
}

func sample(t *testing.T, agent *hook.Agent) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", agent.Name, befores[agent.Name]+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// denies reports whether an agent takes an answer for a denial: what is on standard
// output in its own form, or nothing there and the exit status that blocks, for which
// there must be a sentence.
func denies(agent *hook.Agent, out string, err error) bool {
	if err != nil && out == "" {
		return strings.TrimSpace(err.Error()) != ""
	}
	if !strings.HasSuffix(out, "}\n") || strings.Count(out, "\n") != 1 {
		return false
	}
	var a struct {
		Decision, Permission, Reason, UserMessage, PermissionDecision, PermissionDecisionReason string
		HookSpecificOutput                                                                      struct{ HookEventName, PermissionDecision, PermissionDecisionReason string }
	}
	if json.Unmarshal([]byte(out), &a) != nil {
		return false
	}
	nested := a.HookSpecificOutput
	switch agent.Name {
	case "claude", "codex", "vscode":
		return nested.HookEventName == "PreToolUse" && nested.PermissionDecision == "deny" && nested.PermissionDecisionReason != ""
	case "copilot":
		return a.PermissionDecision == "deny" && a.PermissionDecisionReason != ""
	case "cursor":
		return a.Permission == "deny" && strings.Contains(out, `"user_message":"sayso: `)
	}
	return a.Decision == "deny" && a.Reason != ""
}

// TestNeverOpen: no agent lets a call through because of what it has sent.
func TestNeverOpen(t *testing.T) {
	for _, agent := range hook.Agents() {
		whole := string(sample(t, agent))
		var fields map[string]any
		if err := json.Unmarshal([]byte(whole), &fields); err != nil {
			t.Fatal(err)
		}
		with := func(value any, keys ...string) string {
			out := map[string]any{}
			for k, v := range fields {
				out[k] = v
			}
			for _, key := range keys {
				if _, ok := out[key]; ok {
					out[key] = value
				}
				if info, ok := out["tool_info"].(map[string]any); ok && info[key] != nil { // where Windsurf has them
					info = maps.Clone(info)
					info[key], out["tool_info"] = value, info
				}
			}
			text, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		inputs := []string{"tool_input", "toolArgs", "args", "command", "tool_info"}
		names := []string{"tool_name", "toolName", "tool", "command", "agent_action_name"}
		command := `"command": `
		if agent.Name == "windsurf" {
			command = `"command_line": `
		}
		for what, in := range map[string]string{
			"empty":                 "",
			"blank":                 " \n\t",
			"null":                  "null",
			"a number":              "3",
			"a list":                "[" + whole + "]",
			"a string":              `"` + strings.ReplaceAll(agent.Name, `"`, "") + `"`,
			"an empty object":       "{}",
			"two":                   whole + whole,
			"text behind":           whole + "x",
			"text before":           "log line\n" + whole,
			"garbage":               "\x00\xff\xfe\x01garbage",
			"huge":                  `{"x":"` + strings.Repeat("a", 17<<20) + `"}`,
			"deep":                  strings.Repeat(`{"a":`, 200000) + "1" + strings.Repeat("}", 200000),
			"deep lists":            strings.Repeat("[", 1<<20),
			"the tool is a number":  with(7, names...),
			"the tool is empty":     with("", names...),
			"the tool is null":      with(nil, names...),
			"not UTF-8":             strings.Replace(whole, command+`"`, command+"\"\xff", 1),
			"the command twice":     strings.Replace(whole, command, command+`"ls", `+command, 1),
			"the folder twice":      strings.Replace(strings.Replace(whole, `"cwd":`, `"cwd": "/", "cwd":`, 1), `"directory":`, `"directory": "/", "directory":`, 1),
			"the tool is a list":    with([]string{"bash"}, names...),
			"the input is a number": with(7, inputs...),
			"the input is a list":   with([]string{"rm -rf ~"}, inputs...),
			"the input is text":     with("rm -rf ~ {", inputs...),
			"the input is deep":     with(json.RawMessage(strings.Repeat(`{"command":`, 9000)+`"ls"`+strings.Repeat("}", 9000)), inputs...),
			"the session is true":   with(true, "session_id", "sessionId", "sessionID", "conversation_id", "trajectory_id"),
			"no such event":         with("NoSuchEvent", "hook_event_name", "hookName", "agent_action_name", "event"),
			"the event is a number": with(1, "hook_event_name", "hookName", "agent_action_name", "event"),
			"the folder is a list":  with([]string{"/"}, "cwd", "directory"),
		} {
			if agent.Name == "copilot" && (what == "no such event" || what == "the event is a number") {
				continue // it has none
			}
			if agent.Name == "cursor" && what == "the input is text" {
				continue // there it is the command
			}
			g, _ := guard(map[string]string{"COPILOT_PROJECT_DIR": "/repo"})
			var out strings.Builder
			err := g.Answer(agent, "", strings.NewReader(in), &out)
			if !denies(agent, out.String(), err) {
				t.Errorf("%s, %s: %q %v", agent.Name, what, out.String(), err)
			}
		}
		for n := range len(whole) - 1 { // cut off anywhere
			if strings.TrimSpace(whole[n:]) == "" {
				continue
			}
			g, _ := guard(nil)
			var out strings.Builder
			if err := g.Answer(agent, "", strings.NewReader(whole[:n]), &out); !denies(agent, out.String(), err) {
				t.Errorf("%s, cut off at %d: %q %v", agent.Name, n, out.String(), err)
			}
		}
	}
}

// TestNeverOpenInside: nor because of what goes wrong inside.
func TestNeverOpenInside(t *testing.T) {
	for _, agent := range hook.Agents() {
		for what, spoil := range map[string]func(*hook.Guard){
			"it takes too long": func(g *hook.Guard) {
				g.Deadline = time.Millisecond
				g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) { select {} }
			},
			"the event never ends": func(g *hook.Guard) { g.Deadline = time.Millisecond },
			"it panics":            func(g *hook.Guard) { g.Engine = nil },
			"it panics at once":    func(g *hook.Guard) { g.Env = nil },
			"there is no policy": func(g *hook.Guard) {
				g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
					return sayso.Engine{}, sayso.Surface{}, errors.New("no policy")
				}
			},
			"there is no plan": func(g *hook.Guard) {
				g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
					return sayso.Engine{}, sayso.Surface{}, nil
				}
			},
			"the state is lost":   func(g *hook.Guard) { g.Sessions = lost{} },
			"the journal is lost": func(g *hook.Guard) { g.Journal = lost{} },
		} {
			g, _ := guard(nil)
			spoil(g)
			var out strings.Builder
			var in io.Reader = bytes.NewReader(sample(t, agent))
			if what == "the event never ends" {
				pipe, _ := io.Pipe()
				in = io.MultiReader(in, pipe)
			}
			if err := g.Answer(agent, "", in, &out); !denies(agent, out.String(), err) {
				t.Errorf("%s, %s: %q %v", agent.Name, what, out.String(), err)
			}
		}
		g, _ := guard(nil)
		if err := g.Answer(agent, "", broken{}, &strings.Builder{}); err == nil {
			t.Errorf("%s: an event that cannot be read is no error", agent.Name)
		}
		if err := g.Answer(agent, "", strings.NewReader("{"), broken{}); err == nil {
			t.Errorf("%s: an answer that nobody reads is no error", agent.Name)
		}
	}
}

// TestUnknownFields: what nobody here knows of an event changes nothing.
func TestUnknownFields(t *testing.T) {
	for _, agent := range hook.Agents() {
		g, _ := guard(nil)
		var before, after strings.Builder
		text := sample(t, agent)
		more := append([]byte(`{"new_field":{"deep":[1,2,{"x":null}]},"another":1e300,`), bytes.TrimPrefix(bytes.TrimSpace(text), []byte("{"))...)
		err := errors.Join(g.Answer(agent, "", bytes.NewReader(text), &before), g.Answer(agent, "", bytes.NewReader(more), &after))
		if err != nil || before.String() != after.String() {
			t.Errorf("%s: %q, and with more fields %q %v", agent.Name, before.String(), after.String(), err)
		}
	}
}

// TestCursorOnce: a call that Cursor tells of in two ways is recorded once.
func TestCursorOnce(t *testing.T) {
	cursor, _ := hook.Find("cursor")
	g, m := guard(nil)
	g.Journal = m
	for _, name := range []string{"preToolUse.Shell", "beforeShellExecution", "afterShellExecution", "postToolUse.Shell"} {
		text, err := os.ReadFile(filepath.Join("testdata", "cursor", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Answer(cursor, "", bytes.NewReader(text), &strings.Builder{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	kinds := ""
	for _, r := range m.Records() {
		kinds += string(r.Kind) + " "
		if r.Call != m.Records()[0].Call {
			t.Errorf("%+v", r)
		}
	}
	if kinds != "request decision result " {
		t.Error(kinds)
	}
}

// TestRan: what an agent asked its user about and then ran was approved, also where
// its events name no call; what it did not run by the next turn was refused.
func TestRan(t *testing.T) {
	for agent, events := range map[string][3]string{
		"gemini":  {"BeforeTool.run_shell_command", "AfterTool.run_shell_command", "BeforeAgent"},
		"copilot": {"preToolUse.bash", "postToolUse.bash", "userPromptSubmitted"},
		"cursor":  {"beforeShellExecution", "afterShellExecution", "beforeSubmitPrompt"},
		"vscode":  {"PreToolUse.runTerminalCommand", "PostToolUse.runTerminalCommand", "UserPromptSubmit"},
	} {
		a, _ := hook.Find(agent)
		for _, runs := range []bool{true, false} {
			m := &store.Memory{}
			g, _ := guard(nil)
			var call sayso.Call
			g.Sessions, g.Journal, g.Engine = m, m, fixed(func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Ask, "rule.ask", "a rule asks") }, &call)
			for i, name := range events {
				if i == 1 && !runs {
					continue
				}
				text, err := os.ReadFile(filepath.Join("testdata", agent, name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				var out strings.Builder
				if err := g.Answer(a, "", bytes.NewReader(text), &out); err != nil || (i == 0) != strings.Contains(out.String(), `"ask"`) {
					t.Errorf("%s, %s: %q %v", agent, name, out.String(), err)
				}
			}
			said := map[bool]int{}
			for _, r := range m.Records() {
				if r.Answer != nil && r.Answer.Channel == agent {
					said[r.Answer.Yes]++
				}
			}
			if len(said) != 1 || said[runs] != 1 {
				t.Errorf("%s, ran %v: %v", agent, runs, said)
			}
		}
	}
}
