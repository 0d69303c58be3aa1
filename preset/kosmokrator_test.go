package preset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

// kosmoVectors calls test for each conformance vector of a kind.
func kosmoVectors(t *testing.T, kind string, test func(t *testing.T, raw []byte)) {
	t.Helper()
	text, err := os.ReadFile("../testdata/decisions/kosmokrator/conformance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		var v struct{ ID, Kind string }
		if len(line) == 0 || json.Unmarshal(line, &v) != nil || v.Kind != kind {
			continue
		}
		found = true
		t.Run(v.ID, func(t *testing.T) { test(t, line) })
	}
	if !found {
		t.Errorf("no vector of the kind %s", kind)
	}
}

// kosmoEngine decides with a store in memory; keys are what a person presses, one
// after the other.
func kosmoEngine(m *store.Memory, keys ...string) *sayso.Engine {
	next := 0
	return &sayso.Engine{
		Preset: preset.KosmoKrator(preset.KosmoKratorConfig{}), Sessions: m, Grants: m, Journal: m,
		Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			if next == len(keys) {
				return sayso.Answer{}, errors.New("nobody is there any more")
			}
			next++
			return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: keys[next-1]}, nil
		}),
	}
}

func kosmoBash(command string) sayso.Call {
	input, _ := json.Marshal(map[string]string{"command": command})
	return sayso.Call{Session: "s", Tool: "bash", Input: input, Root: "/work/proj", Home: "/home/u"}
}

func kosmoDecide(t *testing.T, e *sayso.Engine, call sayso.Call) sayso.Decision {
	t.Helper()
	_, d, err := e.Authorize(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestKosmoKratorGrantVectors: what clears grants.
func TestKosmoKratorGrantVectors(t *testing.T) {
	kosmoVectors(t, "grant", func(t *testing.T, raw []byte) {
		var v struct{ Event, Expect string }
		if err := json.Unmarshal(raw, &v); err != nil || v.Expect != "grants_cleared" {
			t.Fatalf("%s: %v", raw, err)
		}
		ctx, m := context.Background(), &store.Memory{}
		e := kosmoEngine(m, "s")
		if d := kosmoDecide(t, e, kosmoBash("rm x")); d.Effect != sayso.Allow || d.Scope != sayso.ForSession {
			t.Fatalf("granted: %+v", d)
		}
		if d := kosmoDecide(t, e, kosmoBash("mv a b")); d.Effect != sayso.Allow || d.Stage != "session_grant" {
			t.Fatalf("the grant does not count: %+v", d)
		}
		var err error
		switch v.Event {
		case "session_end":
			err = m.Remove(ctx, "s")
		case "conversation_reset", "explicit_reset":
			err = e.ClearGrants(ctx, "s", "/work/proj")
		default:
			t.Fatalf("unknown event %q", v.Event)
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := kosmoDecide(t, e, kosmoBash("mv a b")); d.Effect != sayso.Deny || d.Stage != "mode_override" {
			t.Errorf("after %s: %+v", v.Event, d)
		}
	})
}

// TestKosmoKratorSessionEnd: the end of the session is one of them.
func TestKosmoKratorSessionEnd(t *testing.T) {
	m := &store.Memory{}
	e := kosmoEngine(m, "s")
	kosmoDecide(t, e, kosmoBash("rm x"))
	if err := m.Remove(context.Background(), "s"); err != nil {
		t.Fatal(err)
	}
	if d := kosmoDecide(t, e, kosmoBash("rm x")); d.Effect != sayso.Deny {
		t.Errorf("%+v", d)
	}
	other := kosmoBash("rm x")
	other.Session = "another"
	if d := kosmoDecide(t, kosmoEngine(m), other); d.Effect != sayso.Deny {
		t.Errorf("another session: %+v", d)
	}
}

// TestKosmoKratorPromptVectors: what the keys do, to this call and to the next.
func TestKosmoKratorPromptVectors(t *testing.T) {
	kosmoVectors(t, "prompt", func(t *testing.T, raw []byte) {
		var v struct{ Key, Expect string }
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		if got := kosmoAnswered(t, v.Key); got != v.Expect {
			t.Errorf("%s does %s, want %s", v.Key, got, v.Expect)
		}
	})
	for key, want := range map[string]string{"y": "allow_once", "s": "allow_session", "n": "deny", "a": "deny", "Y": "deny"} {
		if got := kosmoAnswered(t, key); got != want {
			t.Errorf("%s does %s, want %s", key, got, want)
		}
	}
}

// kosmoAnswered says what pressing a key does to a call, and to a second one of
// the same tool when nobody is there any more.
func kosmoAnswered(t *testing.T, key string) string {
	t.Helper()
	e := kosmoEngine(&store.Memory{}, key)
	first := kosmoDecide(t, e, kosmoBash("rm x"))
	second := kosmoDecide(t, e, kosmoBash("curl https://x.test"))
	file := kosmoBash("")
	file.Tool, file.Input = "apply_patch", json.RawMessage(`{"patch":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`)
	if d := kosmoDecide(t, e, file); d.Effect != sayso.Deny {
		t.Errorf("%s counts for another tool: %+v", key, d)
	}
	switch {
	case first.Effect == sayso.Allow && second.Effect == sayso.Allow:
		return "allow_session"
	case first.Effect == sayso.Allow:
		return "allow_once"
	}
	return "deny"
}

// TestKosmoKratorChoices: the prompt offers y, s and n, in this order, for every
// call that asks.
func TestKosmoKratorChoices(t *testing.T) {
	e := kosmoEngine(&store.Memory{})
	for _, mode := range []string{preset.Guardian, preset.Argus} {
		d := e.Check(context.Background(), kosmoBash("rm x"), sayso.Session{Mode: mode})
		want := []sayso.Choice{
			{Key: "y", Label: "Allow once", Yes: true, Scope: sayso.Once},
			{Key: "s", Label: "Allow for session", Yes: true, Scope: sayso.ForSession, Rule: "bash"},
			{Key: "n", Label: "Deny"},
		}
		if fmt.Sprint(d.Choices) != fmt.Sprint(want) || len(d.Suggestions) != 1 || d.Suggestions[0].Rule != "bash" || fmt.Sprint(d.Suggestions[0].Keep) != "[session]" {
			t.Errorf("%s: %+v %+v", mode, d.Choices, d.Suggestions)
		}
	}
	check := e.Preset.CheckRule
	if check("bash") != nil || check("") == nil || check("bash rm") == nil || check("a\nb") == nil {
		t.Error("a grant is the name of a tool")
	}
}

// TestKosmoKratorBoundaryVectors: which paths are inside, with links followed.
func TestKosmoKratorBoundaryVectors(t *testing.T) {
	check := func(t *testing.T, raw []byte) {
		var v struct{ Expect string }
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		l, err := vector.Parse(bytes.Replace(raw, []byte(`"boundary"`), []byte(`"decision"`), 1))
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Decide(context.Background(), vector.Defaults{})
		got := map[bool]string{true: "outside", false: "inside"}[d.Stage == "project_boundary"]
		if err != nil || got != v.Expect {
			t.Errorf("%s: %+v, %v", got, d, err)
		}
	}
	kosmoVectors(t, "boundary", check)
	for _, more := range []string{
		`"args":{"path":"../x"},"expect":"outside"`,
		`"args":{"path":"/work/proj2/x"},"expect":"outside"`,
		`"args":{"path":"/work/proj"},"expect":"inside"`,
		`"args":{"path":"/tmpx"},"expect":"outside"`,
		`"args":{"path":"~/.kosmokrator/x"},"home":"/home/u","expect":"inside"`,
		`"args":{"path":"out/x"},"fs":{"symlinks":{"out":"/srv"}},"expect":"outside"`,
		`"args":{"path":"/srv/x"},"fs":{"symlinks":{"/srv":"/work/proj/src"}},"expect":"inside"`,
		`"args":{"path":"/data/x"},"config":{"allowed_paths":["/link"]},"fs":{"symlinks":{"/link":"/data"}},"expect":"inside"`,
	} {
		check(t, []byte(`{"system":"kosmokrator","kind":"boundary","cwd":"/work/proj","tool":"file_read",`+more+`}`))
	}
}

// A movingLink is a link that somebody changes.
type movingLink struct{ to string }

func (m *movingLink) Lstat(name string) (shell.Entry, error) {
	if name == "/mnt/shared" {
		return shell.Entry{Link: m.to}, nil
	}
	return shell.Entry{Dir: true}, nil
}

func (m *movingLink) ReadFile(string, int) ([]byte, error) { return nil, errors.New("not there") }

// TestKosmoKratorAllowedAtStart: allowed paths are resolved when the agent starts;
// a link that is changed afterwards opens nothing.
func TestKosmoKratorAllowedAtStart(t *testing.T) {
	disk := &movingLink{"/srv/data"}
	cfg := preset.KosmoKratorConfig{AllowedPaths: []string{"/mnt/shared", "../lib", "~/notes"}, At: shell.Place{Dir: "/work/proj", Home: "/home/u", Machine: disk}}
	e := sayso.Engine{Preset: preset.KosmoKrator(cfg), Analyzer: sayso.Analyzer{Machine: disk}}
	read := func(name string) sayso.Effect {
		input, _ := json.Marshal(map[string]string{"path": name})
		return e.Check(context.Background(), sayso.Call{Tool: "file_read", Input: input, Root: "/work/proj", Home: "/home/u"}, sayso.Session{}).Effect
	}
	for name, want := range map[string]sayso.Effect{
		"/mnt/shared/x": sayso.Allow, "/srv/data/x": sayso.Allow, "/work/lib/x": sayso.Allow, "/home/u/notes": sayso.Allow,
		"/srv/database": sayso.Ask, "/home/u/notes2": sayso.Ask, "/mnt/x": sayso.Ask, "/tmp/x": sayso.Ask,
	} {
		if got := read(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	disk.to = "/etc"
	if got := read("/mnt/shared/passwd"); got != sayso.Ask {
		t.Errorf("after the link was changed: %s", got)
	}
	if got := read("/srv/data/x"); got != sayso.Allow {
		t.Errorf("where it led at the start: %s", got)
	}
	e.Preset = preset.KosmoKrator(preset.KosmoKratorConfig{})
	if got := read("/home/u/.kosmokrator/x"); got != sayso.Ask {
		t.Errorf("~ without a home at the start: %s", got)
	}
}

// TestKosmoKratorModes: the symbols, the default, and the commands that switch at
// once.
func TestKosmoKratorModes(t *testing.T) {
	m := &store.Memory{}
	e := kosmoEngine(m)
	var got []string
	for _, mode := range e.Preset.Modes {
		got = append(got, mode.Name+mode.Symbol+mode.Command)
	}
	if strings.Join(got, " ") != "guardian◈/guardian argus◉/argus prometheus⚡/prometheus" {
		t.Errorf("%q", got)
	}
	for _, step := range []struct {
		typed, command string
		want           sayso.Effect
	}{
		{"", "rm x", sayso.Deny}, // nobody answers
		{"/prometheus", "rm x", sayso.Allow},
		{"/argus", "git status", sayso.Deny},
		{"/guardian", "git status", sayso.Allow},
	} {
		if step.typed != "" {
			mode, ok := e.Preset.ModeFor(step.typed + " ")
			if !ok {
				t.Fatalf("%s switches nothing", step.typed)
			}
			if err := m.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Mode = mode; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if d := kosmoDecide(t, e, kosmoBash(step.command)); d.Effect != step.want {
			t.Errorf("%s, then %s: %+v", step.typed, step.command, d)
		}
	}
	if mode, ok := e.Preset.ModeFor("/zeus"); ok {
		t.Errorf("/zeus is %s", mode)
	}
	for _, first := range []string{preset.Guardian, preset.Argus, preset.Prometheus} {
		if p := preset.KosmoKrator(preset.KosmoKratorConfig{DefaultMode: first}); p.Modes[0].Name != first || len(p.Modes) != 3 {
			t.Errorf("default %s: %+v", first, p.Modes)
		}
	}
}

// TestKosmoKratorHeadless: with nobody to ask, an ask is a denial in guardian and
// argus, of subagents too; prometheus goes on.
func TestKosmoKratorHeadless(t *testing.T) {
	m := &store.Memory{}
	e := kosmoEngine(m)
	e.Approver = nil
	for mode, want := range map[string]sayso.Effect{preset.Guardian: sayso.Deny, preset.Argus: sayso.Deny, preset.Prometheus: sayso.Allow} {
		if err := m.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Mode = mode; return nil }); err != nil {
			t.Fatal(err)
		}
		call := kosmoBash("rm x")
		call.Subagent = "general"
		if d := kosmoDecide(t, e, call); d.Effect != want || want == sayso.Deny && d.Code != sayso.CodeUnattended {
			t.Errorf("%s: %+v", mode, d)
		}
		if d := kosmoDecide(t, e, kosmoBash("rm -rf /")); d.Effect != sayso.Deny || d.Stage != "deny_pattern" {
			t.Errorf("%s: %+v", mode, d)
		}
	}
}

// TestKosmoKratorBadConfig: a configuration with a mistake denies everything, and
// says what is wrong.
func TestKosmoKratorBadConfig(t *testing.T) {
	for _, cfg := range []preset.KosmoKratorConfig{
		{DefaultMode: "zeus"},
		{SafeTools: []string{"file_read", " "}},
		{BlockedPaths: []string{""}},
		{BlockedCommands: []string{"\t"}},
		{SafeCommands: []string{""}},
	} {
		e := sayso.Engine{Preset: preset.KosmoKrator(cfg)}
		d := e.Check(context.Background(), kosmoBash("git status"), sayso.Session{})
		if d.Effect != sayso.Deny || d.Code != sayso.CodePolicy || cfg.Check() == nil || d.Reason != cfg.Check().Error() {
			t.Errorf("%+v: %+v", cfg, d)
		}
	}
	e := sayso.Engine{Preset: preset.KosmoKrator(preset.KosmoKratorConfig{})}
	if d := e.Check(context.Background(), kosmoBash("git status"), sayso.Session{Mode: "zeus"}); d.Effect != sayso.Deny {
		t.Errorf("a mode that does not exist: %+v", d)
	}
}

// TestKosmoKratorEmptyLists: a list that is empty is not one that is not given.
func TestKosmoKratorEmptyLists(t *testing.T) {
	none := []string{}
	for name, test := range map[string]struct {
		cfg  preset.KosmoKratorConfig
		call sayso.Call
		mode string
		want sayso.Effect
	}{
		"safe tools":       {preset.KosmoKratorConfig{SafeTools: none}, sayso.Call{Tool: "task_list"}, "", sayso.Deny},
		"approval":         {preset.KosmoKratorConfig{ApprovalRequired: none}, kosmoBash("git status"), preset.Prometheus, sayso.Deny},
		"blocked paths":    {preset.KosmoKratorConfig{BlockedPaths: none}, sayso.Call{Tool: "file_read", Input: []byte(`{"path":".env"}`)}, "", sayso.Allow},
		"allowed paths":    {preset.KosmoKratorConfig{AllowedPaths: none}, sayso.Call{Tool: "file_read", Input: []byte(`{"path":"/tmp/x"}`)}, "", sayso.Ask},
		"blocked commands": {preset.KosmoKratorConfig{BlockedCommands: none}, kosmoBash("rm -rf /"), preset.Prometheus, sayso.Allow},
		"safe commands":    {preset.KosmoKratorConfig{SafeCommands: none}, kosmoBash("git status"), "", sayso.Ask},
	} {
		test.call.Root, test.call.Home = "/work/proj", "/home/u"
		e := sayso.Engine{Preset: preset.KosmoKrator(test.cfg)}
		if d := e.Check(context.Background(), test.call, sayso.Session{Mode: test.mode}); d.Effect != test.want {
			t.Errorf("%s: %+v", name, d)
		}
		e.Preset = preset.KosmoKrator(preset.KosmoKratorConfig{})
		if d := e.Check(context.Background(), test.call, sayso.Session{Mode: test.mode}); d.Effect == test.want {
			t.Errorf("%s: the default is the same: %+v", name, d)
		}
	}
}
