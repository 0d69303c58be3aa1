package catalog_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/script"
	"github.com/sayso-dev/sayso/preset"
)

const coworkFile = "/work/proj/.cowork/policy/permissions.json"

// coworkSetup loads a workspace with that manifest; empty: it has none.
func coworkSetup(t *testing.T, manifest string, trusted bool, p config.Policy) catalog.Setup {
	t.Helper()
	s, err := catalog.Find("cowork")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	if manifest != "" {
		texts[coworkFile] = manifest
	}
	at := config.Places{Home: "/home/u", Root: "/work/proj", Disk: kosmoDisk{texts: texts}, Trusted: func(string, []byte) bool { return trusted }, RunScript: script.Stage, Guarded: []string{"/opt/judge/**"}}
	setup, err := s.In(at, p, nil, catalog.Place{})
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// coworkSays decides a call with a path or a command.
func coworkSays(setup catalog.Setup, mode, tool, arg string) sayso.Decision {
	key := map[string]string{"run_command": "command", "open_url": "url"}[tool]
	if key == "" {
		key = "path"
	}
	input, _ := json.Marshal(map[string]string{key: arg})
	e := setup.Engine(nil)
	if mode == "" {
		mode = setup.Mode
	}
	return e.Check(context.Background(), sayso.Call{Tool: tool, Input: input, Root: "/work/proj", Home: "/home/u"}, sayso.Session{Mode: mode})
}

const coworkRules = `{
  "version": 1,
  "rules": [
    {"id": "1", "source": "workspace_db", "effect": "allow", "scope": {"kind": "tool", "toolName": "open_url"}, "createdAt": 1, "metadata": {"by": ["a"]}},
    {"effect": "deny", "scope": {"kind": "path", "path": "secret"}},
    {"effect": "ask", "scope": {"kind": "command_prefix", "prefix": "git push"}}
  ]
}`

// TestCoWorkManifest: the manifest of a workspace counts, and until it is trusted
// only tightens.
func TestCoWorkManifest(t *testing.T) {
	tests := []struct {
		mode, tool, arg      string
		untrusted, trusted   sayso.Effect
		untrusted2, trusted2 string // the stages
	}{
		{"default", "open_url", "https://a.com", sayso.Ask, sayso.Allow, "mode", "rule"},
		{"dont_ask", "read_file", "secret/a", sayso.Deny, sayso.Deny, "rule", "rule"},
		{"dont_ask", "run_command", "git push", sayso.Ask, sayso.Ask, "rule", "rule"},
		{"plan", "run_command", "git push", sayso.Deny, sayso.Ask, "mode", "rule"},
	}
	for _, test := range tests {
		for _, trusted := range []bool{false, true} {
			setup := coworkSetup(t, coworkRules, trusted, config.Policy{})
			d := coworkSays(setup, test.mode, test.tool, test.arg)
			want, stage := test.untrusted, test.untrusted2
			if trusted {
				want, stage = test.trusted, test.trusted2
			}
			if d.Effect != want || d.Stage != stage {
				t.Errorf("%+v, trusted %v: %s by %s (%s)", test, trusted, d.Effect, d.Stage, d.Reason)
			}
			if d.Rule != nil && (d.Rule.Source.Layer != preset.FromManifest || d.Rule.Source.File != coworkFile || d.Rule.Source.Line < 4) {
				t.Errorf("%+v: %+v", test, d.Rule.Source)
			}
			if got := len(setup.Dropped); got != map[bool]int{false: 1, true: 0}[trusted] {
				t.Errorf("%d dropped", got)
			}
		}
	}
	setup := coworkSetup(t, coworkRules, false, config.Policy{})
	if d := setup.Dropped[0]; d.What != "allow tool open_url" || d.Source.String() != coworkFile+":4:5" {
		t.Errorf("%+v", d)
	}
}

// TestCoWorkManifestErrors: a mistake in the manifest denies everything, and is
// told with its place.
func TestCoWorkManifestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 2}`:                ":1:2: version: want 1",
		`{"version": 1, "rule": []}`:    `:1:16: rule: unknown key (did you mean "rules"?)`,
		`{"rules": {}}`:                 "rules: want a list, not keys and values",
		"{\n \"rules\": [\n  {}\n ]\n}": ":3:3: rules[0].effect: it is missing",
		`{"rules": [1]}`:                "rules[0]: want keys and values, not a number",
		`{"rules": [{"effect": "alow", "scope": {"kind": "tool", "toolName": "a"}}]}`:                        `rules[0].effect: "alow" is none of allow, ask, deny (did you mean "allow"?)`,
		`{"rules": [{"effect": "deny", "scope": {"kind": "tol", "toolName": "a"}}]}`:                         `rules[0].scope.kind: "tol" is none of`,
		`{"rules": [{"effect": "deny", "scope": {"kind": "tool", "path": "a"}}]}`:                            "rules[0].scope.path: unknown key",
		`{"rules": [{"effect": "deny", "scope": {"kind": "path", "toolName": "a"}}]}`:                        "rules[0].scope.path: it is missing or empty",
		`{"rules": [{"effect": "deny", "scope": {"kind": "command_prefix", "prefix": " "}}]}`:                "rules[0].scope.prefix: it is missing or empty",
		`{"rules": [{"effect": "deny", "scope": {"kind": "mcp_server", "serverName": 3}}]}`:                  "rules[0].scope.serverName: want text, not a number",
		`{"rules": [{"effect": "deny", "scope": {"kind": "mcp_server", "serverName": "a", "server": "b"}}]}`: "rules[0].scope.server",
		`{"rules": [{"effect": "deny"}]}`:                                                                    "rules[0].scope: it is missing",
		`{"rules": [{"effect": "deny", "scope": {}}]}`:                                                       "rules[0].scope.kind: it is missing",
		`{"rules": [{"source": "usr", "effect": "deny", "scope": {"kind": "tool", "toolName": "a"}}]}`:       `rules[0].source: "usr" is none of session`,
		`{"rules": [{"effect": "deny", "effect": "allow", "scope": {"kind": "tool", "toolName": "a"}}]}`:     "twice",
		`{"rules": [`: ":1:",
		`[]`:          "want a JSON object",
		`rules: []`:   "want a JSON object",
	} {
		d := coworkSays(coworkSetup(t, text, true, config.Policy{}), "bypass_permissions", "read_file", "a")
		if d.Effect != sayso.Deny || d.Code != sayso.CodePolicy || !strings.Contains(d.Reason, want) || !strings.Contains(d.Reason, coworkFile) {
			t.Errorf("%s: %s %s, want %s", text, d.Effect, d.Reason, want)
		}
	}
	for _, fine := range []string{"", `{}`, `{"version": 1}`, `{"version": 1, "rules": []}`, `{"rules": null}`} {
		if d := coworkSays(coworkSetup(t, fine, true, config.Policy{}), "default", "read_file", "a"); d.Effect != sayso.Allow {
			t.Errorf("%q: %+v", fine, d)
		}
	}
}

// TestCoWorkPolicy: what a policy file denies, asks, switches off or runs holds in
// front of the preset.
func TestCoWorkPolicy(t *testing.T) {
	rules := []sayso.Rule{{Effect: sayso.Deny, Text: "bash(make *)"}, {Effect: sayso.Ask, Text: "read(a)"}, {Effect: sayso.Allow, Text: "bash(ls)"}}
	p := config.Policy{
		Rules: rules, Off: []preset.Capability{preset.CanDelete, preset.CanMCP},
		Scripts: []config.Script{{Name: "policy.star", Text: []byte("def decide(call):\n  if call.tool == 'write_file': deny('frozen')\n")}},
	}
	setup := coworkSetup(t, "", false, p)
	tests := []struct {
		mode, tool, arg string
		want            sayso.Effect
		stage           string
	}{
		{"dont_ask", "run_command", "make all", sayso.Deny, "deny rules"},
		{"dont_ask", "read_file", "a", sayso.Ask, "ask rules"},
		{"default", "run_command", "ls", sayso.Ask, "mode"},
		{"dont_ask", "delete_file", "a", sayso.Deny, "workspace_capability"},
		{"dont_ask", "mcp_fetch_issue", "", sayso.Deny, "workspace_capability"},
		{"bypass_permissions", "write_file", "a", sayso.Deny, "policy_script"},
		{"bypass_permissions", "edit_file", "/opt/judge/x", sayso.Deny, "guardrail"},
		{"bypass_permissions", "edit_file", ".sayso.yaml", sayso.Deny, "guardrail"},
		{"bypass_permissions", "run_command", "sayso mode bypass", sayso.Deny, "guardrail"},
		{"dont_ask", "edit_file", "a", sayso.Allow, "mode"},
	}
	for _, test := range tests {
		if d := coworkSays(setup, test.mode, test.tool, test.arg); d.Effect != test.want || d.Stage != test.stage {
			t.Errorf("%+v: %s by %s (%s)", test, d.Effect, d.Stage, d.Reason)
		}
	}
	broken := coworkSetup(t, "", false, config.Policy{Err: context.Canceled})
	if d := coworkSays(broken, "bypass_permissions", "read_file", "a"); d.Effect != sayso.Deny || d.Code != sayso.CodePolicy {
		t.Errorf("%+v", d)
	}
}

// TestCoWorkModes: the modes of a policy file mean here what they mean there.
func TestCoWorkModes(t *testing.T) {
	tests := []struct {
		mode        string
		edit, fetch sayso.Effect
	}{
		{"", sayso.Ask, sayso.Ask},
		{"default", sayso.Ask, sayso.Ask},
		{"careful", sayso.Ask, sayso.Ask},
		{"plan", sayso.Deny, sayso.Deny},
		{"dont-ask", sayso.Deny, sayso.Deny},
		{"bypass", sayso.Allow, sayso.Allow},
		{"plan+careful", sayso.Deny, sayso.Deny},
		{"dont-ask+careful", sayso.Deny, sayso.Deny},
	}
	for _, test := range tests {
		setup := coworkSetup(t, "", false, config.Policy{Mode: test.mode})
		if d := coworkSays(setup, "", "edit_file", "a"); d.Effect != test.edit {
			t.Errorf("%s: edit %s (%s)", test.mode, d.Effect, d.Reason)
		}
		if d := coworkSays(setup, "", "open_url", "https://a.com"); d.Effect != test.fetch {
			t.Errorf("%s: fetch %s (%s)", test.mode, d.Effect, d.Reason)
		}
	}
}

// TestCoWorkConfig: a configuration is read strictly, by the names of its keys.
func TestCoWorkConfig(t *testing.T) {
	s, err := catalog.Find("cowork")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"rule": []}`:                                    `did you mean "rules"?`,
		`{"capabilities": {"shel": true}}`:                "capabilities.shel: unknown key",
		`{"capabilities": {"shell": "no"}}`:               "capabilities.shell: want true or false",
		`{"capabilities": {"shell": null}}`:               "capabilities.shell: want true or false",
		`{"capabilities.network": 1}`:                     "capabilities.network: want true or false",
		`{"mode": "dont-ask"}`:                            "dont_ask",
		`{"denied_tools": "a"}`:                           "denied_tools: want a list",
		`{"denied_tools": [""]}`:                          "denied_tools[0]: it is empty",
		`{"guardrails": [3]}`:                             "guardrails[0]: want text",
		`{"policy_script": {"decision":"ask"}}`:           "policy_script: want text",
		`{"trusted_commands": ["*"]}`:                     "would trust every command",
		`{"builtin_settings": {"off": []}}`:               "builtin_settings.off: unknown key",
		`{"builtin_settings": {"autoApprove": {"a": 1}}}`: "want true or false",
		`{"rules": [{"effect": "allow", "scope": {"kind": "tool", "toolName": "a"}}]}`: "rules[0].source: it is missing",
		`{"rules": [null]}`: "rules[0]: want a rule",
		`[]`:                "want a JSON object",
	} {
		if _, err := s.FromJSON(json.RawMessage(text), catalog.Place{Root: "/w"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestCoWorkGiven: a file that is given counts as trusted, be it a manifest or a
// configuration.
func TestCoWorkGiven(t *testing.T) {
	s, err := catalog.Find("cowork")
	if err != nil {
		t.Fatal(err)
	}
	given := func(text string) (catalog.Setup, error) {
		return s.In(config.Places{}, config.Policy{}, &config.Other{Name: "mine.json", Text: []byte(text), Trusted: true}, catalog.Place{Root: "/work/proj"})
	}
	for _, text := range []string{coworkRules, `{"rules": [{"source": "profile", "effect": "allow", "scope": {"kind": "tool", "toolName": "open_url"}}]}`} {
		setup, err := given(text)
		if err != nil {
			t.Fatal(err)
		}
		if d := coworkSays(setup, "default", "open_url", "https://a.com"); d.Effect != sayso.Allow || d.Stage != "rule" {
			t.Errorf("%s: %+v", text, d)
		}
	}
	for text, want := range map[string]string{
		`{"version": 1, "ruls": []}`: `mine.json:1:16: ruls: unknown key (did you mean "rules"?)`,
		"{\n \"mod\": 1}":            `mine.json:2:2: mod: unknown key (did you mean "mode"?)`,
	} {
		if _, err := given(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCoWorkGrants: a grant is text, a rule or what is kept; anything else is an
// error.
func TestCoWorkGrants(t *testing.T) {
	s, err := catalog.Find("cowork")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]sayso.Grant{
		`"allow tool a"`: {Rule: "allow tool a", Scope: sayso.ForSession},
		`{"rule": "deny tool a", "scope": "profile"}`:                                                     {Rule: "deny tool a", Scope: sayso.ForProfile},
		`{"effect": "allow", "scope": {"kind": "tool", "toolName": "a"}}`:                                 {Rule: "allow tool a", Scope: sayso.ForSession},
		`{"source": "workspace_db", "effect": "ask", "scope": {"kind": "mcp_server", "serverName": "A"}}`: {Rule: "ask mcp_server a", Scope: sayso.ForWorkspace},
		`{"source": "workspace_db", "effect": "ask", "scope": {"kind": "mcp_server", "server": "A"}}`:     {Rule: "ask mcp_server a", Scope: sayso.ForWorkspace},
	} {
		if g, err := s.ReadGrant(json.RawMessage(text)); err != nil || g != want {
			t.Errorf("%s: %+v, %v", text, g, err)
		}
	}
	for _, text := range []string{`3`, `{}`, `{"effect": "allow"}`, `{"source": "workspace_manifest", "effect": "allow", "scope": {"kind": "tool", "toolName": "a"}}`} {
		if g, err := s.ReadGrant(json.RawMessage(text)); err == nil {
			t.Errorf("%s: %+v", text, g)
		}
	}
	setup, err := s.FromJSON(nil, catalog.Place{Root: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Grants([]sayso.Grant{{Rule: "allow everything"}}); err == nil {
		t.Error("allow everything is a grant")
	}
}
