package preset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// coworkCall is a call in the workspace /w.
func coworkCall(tool, input string) sayso.Call {
	return sayso.Call{Session: "s", Tool: tool, Input: []byte(input), Root: "/w", Home: "/home/u"}
}

// TestCoWorkSequence: the sequences of the conformance file, each by its name.
func TestCoWorkSequence(t *testing.T) {
	known := map[string]func(*testing.T){
		"cw-seq-total-accumulates":     coworkTotal,
		"cw-seq-remove-workspace-rule": coworkRemoval,
	}
	for _, s := range statements(t, "cowork", "sequence") {
		run := known[s.ID]
		if run == nil {
			t.Errorf("%s is not tested", s.ID)
			continue
		}
		t.Run(s.ID, run)
	}
}

// coworkTotal: soft denials add up though the call succeeds in between.
func coworkTotal(t *testing.T) {
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{})}
	call := coworkCall("edit_file", `{"path":"a"}`)
	var st sayso.SessionState
	step := func(mode string) sayso.Decision {
		st.Mode = mode
		return e.Step(context.Background(), call, &st)
	}
	for i := range 20 {
		if d := step(preset.Plan); d.Effect != sayso.Deny || d.Stage != "mode" || !d.Soft {
			t.Fatalf("denial %d: %+v", i+1, d)
		}
		if i%2 == 1 {
			if d := step(preset.DontAskOS); d.Effect != sayso.Allow {
				t.Fatalf("success after denial %d: %+v", i+1, d)
			}
		}
	}
	if n := st.Soft[call.Fingerprint()]; n.Consecutive != 0 || n.Total != 20 {
		t.Fatalf("%+v", n)
	}
	if d := step(preset.Plan); d.Effect != sayso.Ask || d.Code != preset.CodeCoWorkFallback {
		t.Errorf("%+v", d)
	}
}

// TestCoWorkInRow: three denials in a row are enough, each call counts by itself,
// and a person's denial does not count.
func TestCoWorkInRow(t *testing.T) {
	memory := &store.Memory{}
	asked := 0
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{Mode: preset.Plan}), Sessions: memory, Grants: memory}
	e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		asked++
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: "n"}, nil
	})
	authorize := func(path string) sayso.Decision {
		_, d, err := e.Authorize(context.Background(), coworkCall("edit_file", `{"path":"`+path+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for range 3 {
		if d := authorize("a"); d.Stage != "mode" || asked != 0 {
			t.Fatalf("%+v, asked %d times", d, asked)
		}
	}
	authorize("b") // another fingerprint
	if asked != 0 {
		t.Error("another call was asked about")
	}
	for i := range 2 {
		if d := authorize("a"); d.Code != sayso.CodePersonNo || asked != i+1 {
			t.Errorf("%+v, asked %d times", d, asked)
		}
	}
	if n := coworkState(t, memory).Soft[(&sayso.Call{Tool: "edit_file", Input: []byte(`{"path":"a"}`)}).Fingerprint()]; n.Total != 3 {
		t.Errorf("a person's denials count: %+v", n)
	}
}

func coworkState(t *testing.T, memory *store.Memory) sayso.SessionState {
	st, err := memory.Get(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// noManifest is a store in which nothing can be written.
type noManifest struct{}

func (noManifest) RemoveRule(context.Context, string, string) error { return errors.New("disk full") }

// coworkRemoval: removing a rule of a workspace removes it from the database and
// from the manifest, or says where it still stands.
func coworkRemoval(t *testing.T) {
	ctx := context.Background()
	rule, err := preset.ParseCoWorkRule("deny tool open_url")
	if err != nil {
		t.Fatal(err)
	}
	rule.Source = preset.FromWorkspaceDB
	filled := func() *store.Memory {
		m := &store.Memory{}
		if err := m.AddRule(ctx, "/w", sayso.Rule{Effect: rule.Effect, Text: rule.String()}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	left := func(m *store.Memory) int {
		list, err := m.Rules(ctx, "/w")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	db, manifest := filled(), filled()
	if r, err := preset.RemoveWorkspaceRule(ctx, db, manifest, "/w", rule); err != nil || r.Partial() || left(db) != 0 || left(manifest) != 0 || r.String() != "removed deny tool open_url" {
		t.Errorf("both: %s, %v", r, err)
	}
	db = filled()
	r, err := preset.RemoveWorkspaceRule(ctx, db, noManifest{}, "/w", rule)
	if err != nil || !r.Partial() || left(db) != 0 || !strings.Contains(r.String(), "still stands in the manifest: disk full") {
		t.Errorf("the manifest fails: %s, %v", r, err)
	}
	manifest = filled()
	if r, err := preset.RemoveWorkspaceRule(ctx, noManifest{}, manifest, "/w", rule); err == nil || r.Rule != "" || left(manifest) != 1 {
		t.Errorf("the database fails: %+v, %v", r, err)
	}
	if r, err := preset.RemoveWorkspaceRule(ctx, filled(), &store.Memory{}, "/w", rule); err != nil || r.Partial() {
		t.Errorf("it was not in the manifest: %s, %v", r, err)
	}
}

// TestCoWorkDecision: a decision says why, by which rule or mode, for which scope,
// and where a rule about it can be kept.
func TestCoWorkDecision(t *testing.T) {
	targets := []sayso.Scope{sayso.ForSession, sayso.ForWorkspace, sayso.ForProfile}
	ask, _ := preset.ParseCoWorkRule("ask path edit_file /w/src")
	ask.Source = preset.FromProfile
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{Rules: []preset.CoWorkRule{ask}, Off: []preset.Capability{preset.CanDelete}, DeniedTools: []string{"glob"}})}
	tests := []struct {
		tool, input   string
		code, subject string
		keep          []sayso.Scope
	}{
		{"edit_file", `{"path":"src/a"}`, "cowork.rule.ask", "path edit_file /w/src", targets},
		{"edit_file", `{"path":"b"}`, "cowork.mode.default", "path edit_file /w/b", targets},
		{"read_file", `{"path":"b"}`, "cowork.mode.default", "path read_file /w/b", targets},
		{"run_command", `{"command":"make  all"}`, "cowork.mode.default", "command_prefix make all", targets},
		{"mcp_fetch_issue", `{}`, "cowork.mode.default", "tool mcp_fetch_issue", targets},
		{"run_command", `{"command":"mkfs /dev/sda"}`, "cowork.guardrail.device", "mkfs /dev/sda", nil},
		{"delete_file", `{"path":"b"}`, "cowork.workspace_capability.delete", "delete", nil},
		{"glob", `{"pattern":"*"}`, "cowork.task_restriction", "tool glob", nil},
	}
	for _, test := range tests {
		d := e.Check(context.Background(), coworkCall(test.tool, test.input), sayso.Session{})
		if string(d.Code) != test.code || d.Subject != test.subject || !slices.Equal(d.Keep, test.keep) {
			t.Errorf("%s %s: code %s, subject %q, keep %v (%s)", test.tool, test.input, d.Code, d.Subject, d.Keep, d.Reason)
		}
	}
}

// TestCoWorkPrompt: a person can allow once, for the session, for the workspace
// and for the profile, with a rule that then counts; and deny.
func TestCoWorkPrompt(t *testing.T) {
	sources := map[string]sayso.Layer{"s": preset.FromSession, "w": preset.FromWorkspaceDB, "p": preset.FromProfile}
	calls := map[string]sayso.Call{
		"command_prefix make all":  coworkCall("run_command", `{"command":"make   all"}`),
		"path edit_file /w/src/a":  coworkCall("edit_file", `{"path":"src/a"}`),
		"tool open_url":            coworkCall("open_url", `{"url":"https://a.com"}`),
		"tool mcp__github__create": coworkCall("mcp__github__create", `{}`),
		"tool copy_file":           coworkCall("copy_file", `{"source":"a","destination":"b"}`),
	}
	for scope, call := range calls {
		for _, key := range []string{"y", "s", "w", "p", "n"} {
			memory := &store.Memory{}
			e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{}), Sessions: memory, Grants: memory}
			var labels []string
			e.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
				for _, c := range r.Decision.Choices {
					labels = append(labels, c.Key+" "+c.Label)
				}
				return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: key}, nil
			})
			_, d, err := e.Authorize(context.Background(), call)
			if want := []string{"y Allow once", "s Allow for session: " + scope, "w Allow for workspace: " + scope, "p Allow for profile: " + scope, "n Deny once"}; err != nil || !slices.Equal(labels, want) {
				t.Fatalf("%s: %q, %v", scope, labels, err)
			}
			if (d.Effect == sayso.Allow) != (key != "n") {
				t.Errorf("%s: %s: %+v", scope, key, d)
			}
			labels = nil
			_, d, _ = e.Authorize(context.Background(), call)
			kept := sources[key] != ""
			if kept != (len(labels) == 0) || kept && (d.Rule == nil || d.Rule.Source.Layer != sources[key] || d.Subject != scope) {
				t.Errorf("%s: after %s: asked %d times, %+v", scope, key, len(labels), d.Rule)
			}
		}
	}
}

// TestCoWorkSuggest: only rules that would allow the call are suggested, and only
// where they would win.
func TestCoWorkSuggest(t *testing.T) {
	parse := func(source sayso.Layer, text string) preset.CoWorkRule {
		r, err := preset.ParseCoWorkRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = source
		return r
	}
	result := `{"decision":"ask"}`
	tests := []struct {
		name  string
		cfg   preset.CoWorkConfig
		input string
		want  string
	}{
		{"no rule", preset.CoWorkConfig{}, `{"command":"npm run build -- -x"}`, "[allow command_prefix npm run build -- -x [session workspace profile]] [allow command_prefix npm run build [session workspace profile]]"},
		{"a rule of the workspace", preset.CoWorkConfig{Rules: []preset.CoWorkRule{parse(preset.FromWorkspaceDB, "ask command_prefix make all")}}, `{"command":"make all"}`, "[allow command_prefix make all [session]]"},
		{"a rule that is more specific", preset.CoWorkConfig{Rules: []preset.CoWorkRule{parse(preset.FromProfile, "ask path /w/a")}}, `{"command":"touch a"}`, ""},
		{"a compound", preset.CoWorkConfig{}, `{"command":"cd x && make"}`, "[allow command_prefix cd x && make [session workspace profile]]"},
		{"quotes that say nothing", preset.CoWorkConfig{}, `{"command":"ma'ke'   \"all\""}`, "[allow command_prefix make all [session workspace profile]]"},
		{"quotes that matter", preset.CoWorkConfig{}, `{"command":"frob 'a;b'"}`, "[allow command_prefix frob 'a;b' [session workspace profile]]"},
		{"arguments that would be commands", preset.CoWorkConfig{}, `{"command":"frob","args":["a;b"]}`, "[allow command_prefix 'frob' 'a;b' [session workspace profile]]"},
		{"two lines", preset.CoWorkConfig{}, `{"command":"cd x\nmake"}`, ""},
		{"a script", preset.CoWorkConfig{ScriptResult: &result}, `{"command":"make"}`, ""},
		{"a rule that nobody trusts", preset.CoWorkConfig{Untrusted: []preset.CoWorkRule{parse(preset.FromManifest, "ask command_prefix make")}}, `{"command":"make"}`, ""},
	}
	for _, test := range tests {
		e := sayso.Engine{Preset: preset.CoWork(test.cfg)}
		d := e.Check(context.Background(), coworkCall("run_command", test.input), sayso.Session{})
		var got []string
		for _, s := range d.Suggestions {
			if s.Allows == "" {
				t.Errorf("%s: %s does not say what it allows", test.name, s.Rule)
			}
			got = append(got, fmt.Sprintf("[%s %v]", s.Rule, s.Keep))
		}
		if d.Effect != sayso.Ask || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s %s, want %s", test.name, d.Effect, strings.Join(got, " "), test.want)
		}
	}
}

// TestCoWorkUntrusted: rules that nobody trusts only tighten, whatever they say.
func TestCoWorkUntrusted(t *testing.T) {
	parse := func(source sayso.Layer, text string) []preset.CoWorkRule {
		if text == "" {
			return nil
		}
		r, err := preset.ParseCoWorkRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = source
		return []preset.CoWorkRule{r}
	}
	tests := []struct {
		mode               string
		trusted, untrusted string
		want               sayso.Effect
	}{
		{"default", "", "allow tool edit_file", sayso.Ask},
		{"plan", "", "ask tool edit_file", sayso.Deny},
		{"default", "deny tool edit_file", "ask path /w/src", sayso.Deny},
		{"default", "deny tool edit_file", "allow path /w/src", sayso.Deny},
		{"default", "allow path /w/src", "ask tool edit_file", sayso.Ask},
		{"default", "allow path /w/src", "deny tool edit_file", sayso.Deny},
		{"dont_ask", "", "ask tool edit_file", sayso.Ask},
		{"dont_ask", "", "deny tool edit_file", sayso.Deny},
		{"bypass_permissions", "", "ask tool edit_file", sayso.Allow},
		{"bypass_permissions", "", "deny tool edit_file", sayso.Deny},
	}
	for _, test := range tests {
		cfg := preset.CoWorkConfig{Rules: parse(preset.FromProfile, test.trusted), Untrusted: parse(preset.FromManifest, test.untrusted)}
		e := sayso.Engine{Preset: preset.CoWork(cfg)}
		if d := e.Check(context.Background(), coworkCall("edit_file", `{"path":"src/a"}`), sayso.Session{Mode: test.mode}); d.Effect != test.want {
			t.Errorf("%+v: %s (%s)", test, d.Effect, d.Reason)
		}
	}
}

// TestCoWorkRuleText: a rule reads back as it was written.
func TestCoWorkRuleText(t *testing.T) {
	for _, text := range []string{"allow tool open_url", "ask path /w/a b", "deny path edit_file /w/a b", "allow command_prefix git status", "deny mcp_server github"} {
		if r, err := preset.ParseCoWorkRule(text); err != nil || r.String() != text {
			t.Errorf("%s: %s, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "allow", "allow tool", "allow tool  ", "alow tool x", "allow file x", "allow path", "deny command_prefix \t", "tool x", "allow tool a\x00b"} {
		if r, err := preset.ParseCoWorkRule(text); err == nil {
			t.Errorf("%q is a rule: %s", text, r)
		}
	}
}

// TestCoWorkCheck: a configuration with a mistake is an error, and denies.
func TestCoWorkCheck(t *testing.T) {
	for name, cfg := range map[string]preset.CoWorkConfig{
		"a rule without anything": {Rules: []preset.CoWorkRule{{}}},
		"a source":                {Rules: []preset.CoWorkRule{{Source: "user", Scope: preset.CoWorkScope{Kind: "tool", Tool: "a"}}}},
		"a scope":                 {Untrusted: []preset.CoWorkRule{{Source: preset.FromManifest, Scope: preset.CoWorkScope{Kind: "tol", Tool: "a"}}}},
		"a capability":            {Off: []preset.Capability{"mcp"}},
		"a mode":                  {Mode: "dont-ask"},
		"a guardrail":             {BlockedCommands: []string{" "}},
	} {
		e := sayso.Engine{Preset: preset.CoWork(cfg)}
		if d := e.Check(context.Background(), coworkCall("read_file", `{"path":"a"}`), sayso.Session{}); cfg.Check() == nil || d.Effect != sayso.Deny || d.Code != sayso.CodePolicy {
			t.Errorf("%s: %v, %+v", name, cfg.Check(), d)
		}
	}
}

// TestCoWorkTrustedCommands: what no rule can say is an error, and the rest counts.
func TestCoWorkTrustedCommands(t *testing.T) {
	rules, err := preset.CoWorkTrustedCommands([]string{"npm  test*", "*", "git * --stat", "ls"})
	if len(rules) != 2 || err == nil || !strings.Contains(err.Error(), `"*"`) || !strings.Contains(err.Error(), `"git * --stat"`) {
		t.Errorf("%v, %v", rules, err)
	}
	for _, r := range rules {
		if r.Effect != sayso.Allow || r.Source != preset.FromLegacyCommands || r.Scope.Kind != preset.ScopeCommand {
			t.Errorf("%+v", r)
		}
	}
	settings := preset.CoWorkOldSettings{Disabled: []string{"a"}, AutoApprove: map[string]bool{"b": true, "c": false}}
	if got := fmt.Sprint(settings.Rules()); got != "[deny tool a allow tool b ask tool c]" {
		t.Error(got)
	}
}

// TestCoWorkJSON: a decision tells programs all of it.
func TestCoWorkJSON(t *testing.T) {
	e := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{})}
	text, err := json.Marshal(e.Check(context.Background(), coworkCall("open_url", `{"url":"https://a.com"}`), sayso.Session{}))
	for _, want := range []string{`"code":"cowork.mode.default"`, `"subject":"tool open_url"`, `"keep":["session","workspace","profile"]`, `"rule":"allow tool open_url"`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
