package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// guard is a guard with the native preset and a session store in memory.
func guard(env map[string]string) (*hook.Guard, *store.Memory) {
	m := &store.Memory{}
	all := map[string]string{"CLAUDE_PROJECT_DIR": "/repo", "HOME": "/home/me", "PWD": "/repo"}
	for k, v := range env {
		all[k] = v
	}
	return &hook.Guard{
		Sessions: m,
		Root:     func(dir string) string { return dir },
		Engine: func(string, string) (sayso.Engine, sayso.Surface, error) {
			return sayso.Engine{Preset: preset.Native(preset.Policy{})}, sayso.Surface{Not: []string{"Secret"}}, nil
		},
		Env:      func(name string) string { return all[name] },
		Deadline: 5 * time.Second,
	}, m
}

func claude() *hook.Agent {
	a, _ := hook.Find("claude")
	return a
}

func event(mode, tool, input string) string { return named("PreToolUse", "t", mode, tool, input) }

func named(name, id, mode, tool, input string) string {
	return `{"session_id":"s","transcript_path":"/x","cwd":"/repo","permission_mode":"` + mode + `","effort":{"level":"medium"},"hook_event_name":"` + name +
		`","tool_name":"` + tool + `","tool_input":` + input + `,"tool_use_id":"` + id + `"}`
}

type answer struct {
	Output struct {
		HookEventName, PermissionDecision, PermissionDecisionReason string
		Decision                                                    struct{ Behavior, Message string }
	} `json:"hookSpecificOutput"`
	SystemMessage string
}

func tell(t *testing.T, g *hook.Guard, in string) (answer, error) {
	t.Helper()
	var out strings.Builder
	err := g.Answer(claude(), "", strings.NewReader(in), &out)
	var a answer
	if out.Len() == 0 {
		return a, err
	}
	if json.Unmarshal([]byte(out.String()), &a) != nil || !strings.HasSuffix(out.String(), "}\n") || out.Len() > 5000 {
		t.Errorf("%s: the answer is %q", in, out.String())
	}
	return a, err
}

// TestClaude: a call always gets an explicit decision with a reason.
func TestClaude(t *testing.T) {
	engine := func(e sayso.Engine, err error) func(*hook.Guard) {
		return func(g *hook.Guard) {
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) { return e, sayso.Surface{}, err }
		}
	}
	stage := func(f func(*sayso.Case) sayso.Verdict) func(*hook.Guard) {
		return engine(sayso.Engine{Preset: sayso.Preset{
			Name: "x", Modes: []sayso.Mode{{Name: "x"}},
			Plan: func(string) (sayso.Plan, error) { return sayso.Plan{sayso.Func("x", f)}, nil },
		}}, nil)
	}
	tests := []struct {
		name, in   string
		with       func(*hook.Guard)
		want, says string
		fails      bool
	}{
		{"read", event("default", "Read", `{"file_path":"/repo/a.go"}`), nil, "allow", "it only reads", false},
		{"work", event("acceptEdits", "Bash", `{"command":"rm -rf build","description":"remove build"}`), nil, "allow", "mode.work", false},
		{"push", event("default", "Bash", `{"command":"git push"}`), nil, "ask", "It would: Push commits", false},
		{"destroy", event("bypassPermissions", "Bash", `{"command":"rm -rf ~"}`), nil, "deny", "guard.destroy", false},
		{"plan", event("plan", "Write", `{"file_path":"/repo/a","content":""}`), nil, "deny", "agent.plan", false},
		{"nobody there", event("dontAsk", "Bash", `{"command":"git push"}`), nil, "deny", "unattended", false},
		{"mcp", event("default", "mcp__fs__write_file", `{"path":"x"}`), nil, "ask", "", false},
		{"mcp by name", strings.Replace(event("default", "mcp__a__b__c", `{}`), `"cwd"`, `"mcp_server":{"name":"a__b"},"cwd"`, 1), nil, "ask", "", false},
		{"a tool that is taken away", event("default", "Secret", `{}`), nil, "deny", "", false},
		{"bad input of the tool", event("default", "Bash", `{"command":3}`), nil, "deny", "input", false},
		{"not JSON", `{`, nil, "deny", "read the event", true},
		{"no name", `{"tool_name":"Bash"}`, nil, "deny", "the event has no name", true},
		{"no tool", `{"hook_event_name":"PreToolUse"}`, nil, "deny", "has no tool", true},
		{"an unknown event with a tool", named("PreToolUseToo", "t", "default", "Bash", `{}`), nil, "deny", "is not known", true},
		{"nothing", ``, nil, "deny", "read the event", true},
		{"too long", strings.Repeat(" ", 16<<20+1), nil, "deny", "longer than", true},
		{"no folder", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, func(g *hook.Guard) {
			g.Env = func(string) string { return "" }
		}, "deny", "is not absolute", false},
		{"too slow", event("default", "Bash", `{"command":"ls"}`), func(g *hook.Guard) {
			g.Deadline = time.Second // the event itself is to be read by then
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) { select {} }
		}, "deny", "took longer", true},
		{"panic", event("default", "Bash", `{"command":"ls"}`), func(g *hook.Guard) { g.Engine = nil }, "deny", "panic", true},
		{"panic at once", event("default", "Bash", `{"command":"ls"}`), func(g *hook.Guard) { g.Env = nil }, "deny", "panic", true},
		{"no policy", event("default", "Bash", `{"command":"ls"}`), engine(sayso.Engine{}, errors.New("no policy")), "deny", "no policy (error)", false},
		{"no engine", event("default", "Bash", `{"command":"ls"}`), engine(sayso.Engine{}, nil), "deny", "has no plan", false},
		{"no state", event("default", "Bash", `{"command":"ls"}`), func(g *hook.Guard) { g.Sessions = lost{} }, "deny", "state is lost", false},
		{"long reason", event("default", "Bash", `{"command":"ls"}`), stage(func(*sayso.Case) sayso.Verdict {
			return sayso.Decide(sayso.Ask, "x", strings.Repeat("é", 9000))
		}), "ask", "é…", false},
	}
	for _, test := range tests {
		g, _ := guard(nil)
		if test.with != nil {
			test.with(g)
		}
		got, err := tell(t, g, test.in)
		if got.Output.HookEventName != "PreToolUse" || got.Output.PermissionDecision != test.want ||
			!strings.Contains(got.Output.PermissionDecisionReason, test.says) || (err != nil) != test.fails {
			t.Errorf("%s: %+v (%v)", test.name, got, err)
		}
	}
}

// lost is a store that has nothing and keeps nothing.
type lost struct{ sayso.Sessions }

func (lost) Get(context.Context, string) (sayso.SessionState, error) {
	return sayso.SessionState{}, errors.New("state is lost")
}

func (lost) Update(_ context.Context, _ string, change func(*sayso.SessionState) error) error {
	_ = change(&sayso.SessionState{}) // what is decided does not count if it cannot be kept
	return errors.New("state is lost")
}
func (lost) Record(context.Context, ...sayso.Record) error { return errors.New("state is lost") }

// TestClaudeSession: what the events of a session leave behind.
func TestClaudeSession(t *testing.T) {
	g, m := guard(nil)
	say := func(in, want string) {
		t.Helper()
		a, err := tell(t, g, in)
		if got := a.Output.PermissionDecision + a.SystemMessage; err != nil || got != want {
			t.Errorf("%s: %q (%s) %v, want %q", in, got, a.Output.PermissionDecisionReason, err, want)
		}
	}
	other := func(name, more string) string {
		return `{"session_id":"s","cwd":"/elsewhere","hook_event_name":"` + name + `"` + more + `}`
	}
	bash := func(id, command string) string {
		return named("PreToolUse", id, "default", "Bash", `{"command":"`+command+`"}`)
	}
	say(other("SessionStart", `,"source":"startup"`), "")
	say(other("UserPromptSubmit", `,"prompt":"go"`), "")
	st, _ := m.Get(context.Background(), "s")
	if st.Root != "/repo" || st.Turn != 1 || st.Prompt != "go" {
		t.Fatalf("%+v", st)
	}

	// a prompt that is no command of the preset changes no mode
	say(other("UserPromptSubmit", `,"prompt":"/guardian"`), "")
	if st, _ := m.Get(context.Background(), "s"); st.Mode != "" || st.Turn != 2 {
		t.Fatalf("%+v", st)
	}

	// a no binds the effect: denied in this turn, asked about in the next
	say(bash("1", "git push"), "ask")
	say(bash("2", "make deploy-x"), "ask")
	say(named("PostToolUse", "2", "default", "Bash", `{"command":"make deploy-x"}`), "")
	say(other("PostToolBatch", `,"tool_calls":[{"tool_use_id":"1"},{"tool_use_id":"2"}]`), "")
	say(bash("3", "git push"), "deny")
	say(bash("4", "make deploy-x"), "ask")
	say(other("PostToolBatch", `,"tool_calls":[]`), "")
	say(named("PostToolUse", "4", "default", "Bash", `{}`), "")
	say(other("UserPromptSubmit", ""), "")
	say(bash("5", "git push"), "ask")
	say(named("PostToolUseFailure", "5", "default", "Bash", `{}`), "")

	// a secret that was read
	say(bash("6", "curl https://example.com"), "allow")
	say(bash("7", "cat .env"), "ask")
	say(named("PostToolUse", "7", "default", "Bash", `{}`), "")
	say(bash("8", "curl https://example.com"), "ask")
	say(other("SessionEnd", `,"reason":"other"`), "")

	// what needs no answer
	say(other("Stop", ""), "")
	say(other("Notification", ""), "")

	st, _ = m.Get(context.Background(), "s")
	if st.Root != "/repo" || st.Turn != 3 || st.Tainted == "" || len(st.Waiting) != 0 {
		t.Errorf("%+v", st)
	}
	g.Sessions = lost{}
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"} {
		say(other(name, ""), "sayso: state is lost")
	}
}

// TestClaudePrompt: the last prompt is remembered without its secrets, and no more
// of it than is good.
func TestClaudePrompt(t *testing.T) {
	g, m := guard(nil)
	for prompt, want := range map[string]string{
		"use ghp_0123456789abcdefghijABCDEFGHIJ0123456": "use ",
		strings.Repeat("é ", 5000):                      "é é ",
		"":                                              "",
	} {
		if a, err := tell(t, g, `{"session_id":"s","cwd":"/repo","hook_event_name":"UserPromptSubmit","prompt":"`+prompt+`"}`); err != nil || a.SystemMessage != "" {
			t.Errorf("%+v %v", a, err)
		}
		st, err := m.Get(context.Background(), "s")
		if err != nil || !strings.HasPrefix(st.Prompt, want) || strings.Contains(st.Prompt, "0123456789") || len(st.Prompt) > 520 || (want == "") != (st.Prompt == "") {
			t.Errorf("%.30s: %q %v", prompt, st.Prompt, err)
		}
	}
}

// TestClaudeClears: what was approved for a session ends with its conversation, and
// with a mode or a session for which the preset says so; what was approved for
// longer stays.
func TestClaudeClears(t *testing.T) {
	grants := []sayso.Grant{{ID: "1", Rule: "bash", Scope: sayso.ForSession}, {ID: "2", Rule: "bash", Scope: sayso.ForTurn}, {ID: "3", Rule: "bash", Scope: sayso.ForWorkspace}}
	kosmo := preset.KosmoKrator(preset.KosmoKratorConfig{})
	native := preset.Native(preset.Policy{})
	for i := range native.Modes {
		native.Modes[i].Command = "/" + native.Modes[i].Name
	}
	tests := []struct {
		name, more string
		preset     sayso.Preset
		left       int
	}{
		{"SessionStart", `,"source":"clear"`, native, 1},
		{"SessionStart", `,"source":"clear"`, kosmo, 1},
		{"SessionStart", `,"source":"compact"`, kosmo, 3},
		{"SessionStart", `,"source":"resume"`, kosmo, 3},
		{"SessionStart", "", native, 3},
		{"SessionEnd", `,"reason":"other"`, native, 3},
		{"SessionEnd", `,"reason":"clear"`, native, 1},
		{"SessionEnd", `,"reason":"other"`, kosmo, 1},
		{"UserPromptSubmit", `,"prompt":"/argus"`, kosmo, 3},
		{"UserPromptSubmit", `,"prompt":"/careful"`, native, 1},
		{"UserPromptSubmit", `,"prompt":"/default"`, native, 3},
		{"UserPromptSubmit", `,"prompt":"careful"`, native, 3},
	}
	for _, test := range tests {
		for _, own := range []bool{false, true} {
			g, _ := guard(nil)
			m := &store.Memory{} // not that of the sessions, which is locked meanwhile
			for _, grant := range grants {
				if err := m.AddGrant(context.Background(), "s", "/repo", grant); err != nil {
					t.Fatal(err)
				}
			}
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
				return sayso.Engine{Preset: test.preset, Grants: m}, sayso.Surface{}, nil
			}
			asked := ""
			if own {
				g.Clear = func(ctx context.Context, session, root, why string) error {
					asked = session + root + why
					e := sayso.Engine{Grants: m}
					return e.ClearGrants(ctx, session, root)
				}
			}
			in := `{"session_id":"s","cwd":"/repo","hook_event_name":"` + test.name + `"` + test.more + `}`
			a, err := tell(t, g, in)
			left, _ := m.AllGrants(context.Background())
			if err != nil || a.SystemMessage != "" || len(left) != test.left || own && (asked != "") != (test.left == 1) {
				t.Errorf("%s of %s: %d grants are left, %q, %+v %v", in, test.preset.Name, len(left), asked, a, err)
			}
			if own && test.left == 1 { // nothing is left to clear
				asked = ""
				if a, err := tell(t, g, in); err != nil || asked != "" {
					t.Errorf("again: %+v %v", a, err)
				}
			}
		}
	}
	g, m := guard(nil)
	given := &store.Memory{}
	_ = given.AddGrant(context.Background(), "s", "/repo", grants[0])
	g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
		return sayso.Engine{Preset: native, Grants: given}, sayso.Surface{}, nil
	}
	g.Clear = func(context.Context, string, string, string) error { return errors.New("the disk is full") }
	a, err := tell(t, g, `{"session_id":"s","cwd":"/repo","hook_event_name":"UserPromptSubmit","prompt":"/careful"}`)
	st, _ := m.Get(context.Background(), "s")
	if err != nil || a.SystemMessage != "sayso: the disk is full" || st.Mode != "" {
		t.Errorf("%+v %v %+v", a, err, st)
	}
}

// TestClaudeJournal: each call is recorded from request to result, with what its
// user said; a call that cannot be recorded is denied.
func TestClaudeJournal(t *testing.T) {
	g, m := guard(nil)
	g.Journal = m
	other := func(name, more string) string {
		return `{"session_id":"s","cwd":"/repo","hook_event_name":"` + name + `"` + more + `}`
	}
	bash := func(id, command string) string {
		return named("PreToolUse", id, "default", "Bash", `{"command":"`+command+`"}`)
	}
	for _, in := range []string{
		bash("1", "ls"), named("PostToolUse", "1", "default", "Bash", `{}`),
		bash("2", "git push"), named("PostToolUseFailure", "2", "default", "Bash", `{}`),
		bash("3", "git push origin x"), other("PostToolBatch", `,"tool_calls":[{"tool_use_id":"1"},{"tool_use_id":"3"}]`),
		bash("4", "rm -rf ~"),
		bash("5", "gh pr create"), other("UserPromptSubmit", ""), // not answered
	} {
		if _, err := tell(t, g, in); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, r := range m.Records() {
		text := string(r.Kind)
		switch {
		case r.Decision != nil:
			text += "=" + r.Decision.Effect.String()
		case r.Answer != nil:
			text += fmt.Sprintf("=%v,%s", r.Answer.Yes, r.Answer.Channel)
		case r.Result != nil:
			text += fmt.Sprintf("=%v%s", r.Result.Ran, r.Result.Error)
		}
		got[r.Call] += text + " "
		if r.Session != "s" {
			t.Errorf("%+v", r)
		}
	}
	for id, want := range map[string]string{
		"1": "request decision=allow result=true ",
		"2": "request decision=ask prompt answer=true,claude result=trueit failed ",
		"3": "request decision=ask prompt answer=false,claude result=false ",
		"4": "request decision=deny ",
		"5": "request decision=ask prompt answer=false,claude result=false ",
	} {
		if got[id] != want {
			t.Errorf("call %s: %s\nwant %s", id, got[id], want)
		}
	}
	whole := g.Engine
	g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
		return sayso.Engine{}, sayso.Surface{}, errors.New("no policy")
	}
	if _, err := tell(t, g, bash("7", "ls")); err != nil {
		t.Fatal(err)
	}
	last := m.Records()[len(m.Records())-2:]
	if last[0].Kind != sayso.RecordRequest || last[0].Request == nil || last[1].Decision == nil || last[1].Decision.Effect != sayso.Deny || last[1].Call != "7" {
		t.Errorf("a call that could not be decided: %+v", last)
	}
	g.Engine = whole
	g.Journal = lost{}
	if a, err := tell(t, g, bash("6", "ls")); err != nil || a.Output.PermissionDecision != "deny" || !strings.Contains(a.Output.PermissionDecisionReason, "journal: state is lost") {
		t.Errorf("%+v %v", a, err)
	}
	if a, _ := tell(t, g, named("PostToolUse", "6", "default", "Bash", `{}`)); a.SystemMessage != "sayso: state is lost" {
		t.Errorf("%+v", a)
	}
}

// TestClaudeUnattended: what nobody was asked, nobody has denied.
func TestClaudeUnattended(t *testing.T) {
	g, m := guard(map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0"})
	for _, in := range []string{
		named("PreToolUse", "1", "default", "Bash", `{"command":"git push"}`),
		`{"session_id":"s","cwd":"/repo","hook_event_name":"PostToolBatch","tool_calls":[{"tool_use_id":"1"}]}`,
		named("PreToolUse", "2", "default", "Bash", `{"command":"git push"}`),
		`{"session_id":"s","cwd":"/repo","hook_event_name":"UserPromptSubmit"}`,
	} {
		if _, err := tell(t, g, in); err != nil {
			t.Error(err)
		}
	}
	if st, _ := m.Get(context.Background(), "s"); len(st.Waiting) != 0 || len(st.Denied) != 0 || st.Turn != 1 {
		t.Errorf("%+v", st)
	}
}

// TestClaudePermission: a prompt is left to the user, unless sayso denies.
func TestClaudePermission(t *testing.T) {
	for command, want := range map[string]string{"ls": "", "git push": "", "rm -rf ~": "deny"} {
		g, m := guard(nil)
		a, err := tell(t, g, named("PermissionRequest", "", "default", "Bash", `{"command":"`+command+`"}`))
		if err != nil || a.Output.Decision.Behavior != want || (want != "") != strings.Contains(a.Output.Decision.Message, "sayso: ") {
			t.Errorf("%s: %+v %v", command, a, err)
		}
		if _, err := m.Get(context.Background(), "s"); !errors.Is(err, sayso.ErrNotFound) {
			t.Errorf("%s: something was kept", command)
		}
	}
	for _, spoil := range []func(*hook.Guard){func(g *hook.Guard) { g.Sessions = lost{} }, func(g *hook.Guard) { g.Engine = nil }} {
		g, _ := guard(nil)
		spoil(g)
		if a, err := tell(t, g, named("PermissionRequest", "", "default", "Bash", `{"command":"ls"}`)); err != nil || a.Output.Decision.Behavior != "deny" {
			t.Errorf("%+v %v", a, err)
		}
	}
}

// TestRoot: an agent that names no workspace is in that of its folder.
func TestRoot(t *testing.T) {
	for project, want := range map[string]string{"": "/repo", "relative": "/repo", "/project/": "/project"} {
		g, m := guard(map[string]string{"CLAUDE_PROJECT_DIR": project})
		if _, err := tell(t, g, event("default", "Read", `{"file_path":"/repo/a"}`)); err != nil {
			t.Error(err)
		}
		if st, _ := m.Get(context.Background(), "s"); st.Root != want {
			t.Errorf("%q: %q", project, st.Root)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("gone") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestClaudeBroken: an agent that is gone is an error.
func TestClaudeBroken(t *testing.T) {
	g, _ := guard(nil)
	var out strings.Builder
	if err := g.Answer(claude(), "", broken{}, &out); err == nil || !strings.Contains(out.String(), `"deny"`) {
		t.Errorf("%s %v", out.String(), err)
	}
	if err := g.Answer(claude(), "", strings.NewReader(event("default", "Read", `{"file_path":"/repo/a"}`)), broken{}); err == nil {
		t.Error("an answer that nobody reads is no error")
	}
}
