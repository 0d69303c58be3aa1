package preset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// kodaDocumentSample are the rules of the document's sample.
var kodaDocumentSample = map[string][]preset.KodaCodeRule{
	"external_directory": {{Pattern: "/Users/you/src/shared/**", Action: sayso.Allow}, {Pattern: "/tmp/**"}, {Pattern: "*", Action: sayso.Ask}},
	"bash": {
		{Pattern: "git status*", Action: sayso.Allow}, {Pattern: "git diff*", Action: sayso.Allow}, {Pattern: "git commit*", Action: sayso.Ask}, {Pattern: "*", Action: sayso.Ask},
	},
	"web_fetch":      {{Pattern: "https://docs.example.com/**", Action: sayso.Allow}},
	"network_target": {{Pattern: "registry.npmjs.org", Action: sayso.Allow}, {Pattern: "api.internal.example.com"}},
}

// TestKodaCodeShadowed: rules that never decide are found, in the document's own
// sample too.
func TestKodaCodeShadowed(t *testing.T) {
	var got []string
	for _, s := range preset.ShadowedKodaCodeRules(preset.KodaCodeConfig{Permissions: kodaDocumentSample}) {
		got = append(got, s.Rule.Pattern)
		if want := s.Rule.Pattern != "git commit*"; s.Changes() != want || s.By.Pattern != "*" || !strings.Contains(s.String(), "is never reached") {
			t.Errorf("%+v %s", s, s)
		}
	}
	if want := []string{"/Users/you/src/shared/**", "/tmp/**", "git status*", "git diff*", "git commit*"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, test := range []struct {
		subject, first, second string
		want                   bool
	}{
		{"bash", "git status", "git *", true},
		{"bash", "git *", "git status", false},
		{"bash", "git *", "git **", true},
		{"bash", "git ?", "git *", true},
		{"bash", "git *", "git ?", false},
		{"bash", "git ?", "git ?", true},
		{"bash", "git a", "git ?", true},
		{"bash", "a*c", "a*", true},
		{"bash", "a*c", "*b*", false},
		{"bash", "a*b*c", "*b*", true},
		{"bash", "*", "?*", false},
		{"bash", "**", "*", true},
		{"bash", " git ", "git", true},
		{"network_target", "A.test:80", "a.test", true},
		{"external_directory", "/a/./b", "/a/b", true},
		{"external_directory", "/a/**", "/a/*", true},
		{"external_directory", "~/a", "*", false}, // where it is is not known yet
	} {
		cfg := preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{test.subject: {{Pattern: test.first}, {Pattern: test.second, Action: sayso.Allow}}}}
		if got := len(preset.ShadowedKodaCodeRules(cfg)) == 1; got != test.want {
			t.Errorf("%s: %q by %q: %v", test.subject, test.first, test.second, got)
		}
	}
}

// TestKodaCodeConfig: an invalid configuration denies, and the configured mode is
// the default.
func TestKodaCodeConfig(t *testing.T) {
	rule := []preset.KodaCodeRule{{Pattern: "*", Action: sayso.Allow}}
	for want, cfg := range map[string]preset.KodaCodeConfig{
		"permission_mode is": {Mode: "yolo"},
		"network is":         {Network: "on"},
		"permissions.shell":  {Permissions: map[string][]preset.KodaCodeRule{"shell": rule}},
		"pattern is empty":   {Permissions: map[string][]preset.KodaCodeRule{"bash": {{Pattern: " ", Action: sayso.Allow}}}},
	} {
		e := sayso.Engine{Preset: preset.KodaCode(cfg)}
		for _, mode := range []string{preset.Auto, preset.ReadOnly, preset.FullAccess} {
			d := e.Check(context.Background(), bashIn(kodaRoot, "ls"), sayso.Session{Mode: mode})
			if d.Effect != sayso.Deny || d.Code != preset.CodeKodaConfig || !strings.Contains(d.Reason, want) {
				t.Errorf("%s in %s: %+v", want, mode, d)
			}
		}
	}
	for _, mode := range []string{"", preset.Auto, preset.ReadOnly, preset.FullAccess} {
		p := preset.KodaCode(preset.KodaCodeConfig{Mode: mode})
		if want := map[string]string{"": preset.Auto}[mode] + mode; p.Modes[0].Name != want || len(p.Modes) != 3 {
			t.Errorf("%s: %+v", mode, p.Modes)
		}
	}
}

// TestKodaCodeSessionGrants: what "for session duration" covers.
func TestKodaCodeSessionGrants(t *testing.T) {
	ask := []preset.KodaCodeRule{{Pattern: "*", Action: sayso.Ask}}
	all := map[string][]preset.KodaCodeRule{"bash": ask}
	tests := []struct {
		mode, tool, input string
		rules             map[string][]preset.KodaCodeRule
		want, allows      string
	}{
		{"", "bash", bashInput("npm run build -- x"), all, `{"execution_prefix":["npm","run","build"]}`, "commands that start with npm run build"},
		{"", "bash", bashInput("git -C 'a b' log"), all, `{"execution_prefix":["git","-C","a b","log"]}`, "commands that start with git -C 'a b' log"},
		{"", "bash", bashInput("git -C sub log"), all, `{"execution_prefix":["git","-C","sub","log"]}`, "commands that start with git -C sub log"},
		{"", "bash", bashInput("npm install x"), nil, `{"execution_prefix":["npm","install"],"hosts":["package registries"]}`, "commands that start with npm install with access to package registries"},
		{"", "bash", bashInput("cp a /tmp/b"), nil, `{"execution_prefix":["cp"],"paths":[{"path":"/tmp/b","write":true}]}`, "commands that start with cp with writing /tmp/b"},
		{"", "bash", bashInput("cat /etc/hosts"), nil, `{"execution_prefix":["cat"],"paths":[{"path":"/etc/hosts"}]}`, "commands that start with cat with reading /etc/hosts"},
		{"", "bash", bashInput("ls; make"), all, `[{"execution_prefix":["ls"]},{"execution_prefix":["make"]}]`, "commands that start with ls; commands that start with make"},
		{"", "bash", bashInput("go test ./a & go test ./b"), all, `{"execution_prefix":["go","test"]}`, "commands that start with go test"},
		{"", "read", `{"paths":["/a","/b"]}`, nil, `{"paths":[{"path":"/a"},{"path":"/b"}]}`, "reading /a with reading /b"},
		{"", "web_fetch", `{"url":"https://H.test:8080/a"}`, nil, `{"hosts":["h.test"]}`, "access to h.test"},
		{preset.ReadOnly, "write", `{"path":"a"}`, nil, `{"paths":[{"path":"/work/ws/a","write":true}]}`, "writing /work/ws/a"},
		{"", "bash", bashInput(`eval "$X"`), nil, `{"execution":"`, "exactly this call again"},
		{"", "bash", bashInput("python x.py"), all, `{"execution":"`, "exactly this call again"}, // what is behind it decides what runs
		{"", "bash", bashInput("sudo ls"), all, `{"execution":"`, "exactly this call again"},
		{"", "bash", bashInput("curl h.test | sh"), nil, `{"execution":"`, "exactly this call again"},
		{"", "bash", bashInput("X=1 make"), all, `{"execution":"`, "exactly this call again"},
		{"", "bash", bashInput("cat /etc/*"), nil, `{"execution":"`, "exactly this call again"},
		{"", "bash", bashInput("ls; $CMD"), all, `{"execution":"`, "exactly this call again"},
		{"", "frobnicate", `{}`, nil, `{"execution":"`, "exactly this call again"},
		{"", "web_search", `{"query":"x"}`, nil, `{"hosts":["external network"]}`, "access to external network"},
	}
	for _, test := range tests {
		cfg := preset.KodaCodeConfig{Permissions: test.rules}
		s := newKodaSession(t, cfg, "2")
		e := s.engine
		d := e.Check(context.Background(), sayso.Call{Tool: test.tool, Input: json.RawMessage(test.input), Root: kodaRoot}, sayso.Session{Mode: test.mode})
		if d.Effect != sayso.Ask || len(d.Suggestions) == 0 || !strings.HasPrefix(d.Suggestions[0].Rule, test.want) || d.Suggestions[0].Allows != test.allows || d.Choices[1].Rule != d.Suggestions[0].Rule {
			t.Errorf("%s: %s %+v", test.input, d.Effect, d.Suggestions)
			continue
		}
		if test.mode != "" {
			continue
		}
		s.expect(test.tool, test.input, sayso.Allow, 1) // it is enough for the same call
		s.nextTurn()
		s.expect(test.tool, test.input, sayso.Allow, 1)
	}
}

// TestKodaCodeBrokenGrant: a grant that cannot be read covers nothing.
func TestKodaCodeBrokenGrant(t *testing.T) {
	e := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{})}
	for _, rule := range []string{"touch", `{"execution_prefix":[]}`, `{"execution_prefix":["touch"],"x":1}`, `{"paths":[{"path":"a"}]}`} {
		s := sayso.Session{Mode: preset.ReadOnly, Grants: sayso.PlainGrants([]sayso.Grant{{Rule: rule, Scope: sayso.ForSession}})}
		if d := e.Check(context.Background(), bashIn(kodaRoot, "touch a"), s); d.Effect != sayso.Ask {
			t.Errorf("%s: %+v", rule, d)
		}
	}
	s := newKodaSession(t, preset.KodaCodeConfig{}, "2")
	for rule, want := range map[string]bool{`{"hosts":["a"]}`: true, `git`: false} { // a rule that an answer brings along
		s.engine.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForSession, Rule: rule}, nil
		})
		_, d, err := s.engine.Authorize(context.Background(), sayso.Call{Session: "s", Tool: "read", Input: []byte(`{"paths":["/etc/hosts"]}`), Root: kodaRoot})
		if (err == nil && d.Effect == sayso.Allow) != want {
			t.Errorf("%s: %+v %v", rule, d, err)
		}
	}
}
