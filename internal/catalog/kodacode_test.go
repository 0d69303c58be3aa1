package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
)

func kodaSystem(t *testing.T) catalog.System {
	t.Helper()
	s, err := catalog.Find("kodacode")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kodaSays decides a command.
func kodaSays(setup catalog.Setup, command string) sayso.Decision {
	input, _ := json.Marshal(map[string]string{"cmd": command})
	e := setup.Engine(nil)
	return e.Check(context.Background(), sayso.Call{Tool: "bash", Input: input, Root: "/work/proj", Home: "/home/u"}, sayso.Session{Mode: setup.Mode})
}

// TestKodaCodeFromJSON: what is wrong with a configuration is said with its key.
func TestKodaCodeFromJSON(t *testing.T) {
	s := kodaSystem(t)
	for text, want := range map[string]string{
		`{"permissions":{"bash":{"*":"ask","git *":"allow"}}}`:                  "allow", // the order of the keys counts
		`{"permissions":{"bash":{"git *":"allow","*":"ask"}}}`:                  "ask",
		`{"permissions.bash":[["*","deny"]],"execution.network":"enabled"}`:     "deny",
		`{"permissions":{"bash":null},"execution":{"permission_mode":"auto"}}`:  "allow",
		`{"permissions":{},"execution":{"permission_mode":"read_only"}}`:        "ask",
		`{"permissions":{"bash":[]},"execution.permission_mode":"full_access"}`: "allow",
	} {
		setup, err := s.FromJSON(json.RawMessage(text), catalog.Place{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := kodaSays(setup, "git commit -m x"); d.Effect.String() != want {
			t.Errorf("%s: %s (%s)", text, d.Effect, d.Reason)
		}
	}
	for text, want := range map[string]string{
		`{"permission":{}}`:                                 `permission`,
		`{"permissions":{"shell":[]}}`:                      `shell`,
		`{"permissions":{"bash":3}}`:                        `permissions.bash: want pairs`,
		`{"permissions":{"bash":["git *"]}}`:                `want pairs`,
		`{"permissions":{"bash":[["git *"]]}}`:              `want pairs`,
		`{"permissions":{"bash":[["git *","allow","x"]]}}`:  `want pairs`,
		`{"permissions":{"bash":[[3,"allow"]]}}`:            `want pairs`,
		`{"permissions":{"bash":[["git *","alow"]]}}`:       `want allow, ask or deny`,
		`{"permissions":{"bash":[["git *",null]]}}`:         `git *: want allow, ask or deny`,
		`{"permissions":{"bash":{"git *":"never"}}}`:        `want allow, ask or deny`,
		`{"permissions":{"bash":[["  ","allow"]]}}`:         `permissions.bash: a pattern is empty`,
		`{"execution.permission_mode":"yolo"}`:              `execution.permission_mode is "yolo": want auto, read_only or full_access`,
		`{"execution.network":"on"}`:                        `execution.network is "on": want disabled or enabled`,
		`{"execution":{"networks":"enabled"}}`:              `networks`,
		`{"permissions":{"bash":[],"bash":[["*","deny"]]}}`: `permissions.bash is given twice`,
		`{"permissions":[]}`:                                `permissions: want an object`,
		`[]`:                                                `want a JSON object`,
	} {
		if _, err := s.FromJSON(json.RawMessage(text), catalog.Place{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestKodaCodeGrant: grants as KodaCode writes them.
func TestKodaCodeGrant(t *testing.T) {
	s := kodaSystem(t)
	for text, want := range map[string]string{
		`{"execution_prefix":["git","diff"]}`: `{"execution_prefix":["git","diff"]}`,
		`{"path":"/etc/hosts"}`:               `{"paths":[{"path":"/etc/hosts","write":true}]}`,
		`{"host":"Example.com"}`:              `{"hosts":["example.com"]}`,
	} {
		if g, err := s.ReadGrant(json.RawMessage(text)); err != nil || g.Rule != want || g.Scope != sayso.ForSession {
			t.Errorf("%s: %+v %v", text, g, err)
		}
	}
	setup, err := s.FromJSON(nil, catalog.Place{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		``, `{}`, `[]`, `git diff`, `{"execution_prefix":[]}`, `{"execution_prefix":[""]}`, `{"execution_prefix":["git"]} x`, `{"prefix":["git"]}`, `{"paths":[{"path":"a"}]}`, `{"paths":[{"path":"/a/../b"}]}`,
		`{"hosts":[" "]}`, `{"rules":[{"subject":"shell","pattern":"*"}]}`, `{"rules":[{"subject":"bash","pattern":""}]}`, `{"rules":[{"subject":"bash","pattern":"*","action":"yes"}]}`, `[{"hosts":["a"]},{}]`,
	} {
		if _, err := setup.Grants([]sayso.Grant{{Rule: bad}}); err == nil {
			t.Errorf("%s is a grant", bad)
		}
	}
	if _, err := setup.Grants([]sayso.Grant{{Rule: `[{"hosts":["a"]},{"execution_prefix":["git"],"paths":[{"path":"/a"}]}]`}}); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadGrant(json.RawMessage(`{"tool":"bash"}`)); err == nil || !strings.Contains(err.Error(), "execution_prefix") {
		t.Errorf("%v", err)
	}
}

const kodaUser = "/home/u/.config/kodacode/config.yaml"

func kodaSetup(t *testing.T, texts map[string]string, at config.Places, p config.Policy) catalog.Setup {
	t.Helper()
	at.Home, at.Root, at.Disk = "/home/u", "/work/proj", kosmoDisk{texts: texts}
	setup, err := kodaSystem(t).Load(at, p)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// kodaSample is the sample of the document.
const kodaSample = `theme: dark
permissions:
  external_directory:
    "/Users/you/src/shared/**": allow
    "/tmp/**": deny
    "*": ask
  bash:
    "git status*": allow
    "git diff*": allow
    "git commit*": ask
    "*": ask
  web_fetch:
    "https://docs.example.com/**": allow
  network_target:
    "registry.npmjs.org": allow
    "api.internal.example.com": deny
execution:
  permission_mode: auto
  network: disabled
`

// TestKodaCodeFile: config.yaml is read as it is, the order in it is the order of
// the rules, and rules that never decide are noted with their place.
func TestKodaCodeFile(t *testing.T) {
	setup := kodaSetup(t, map[string]string{kodaUser: kodaSample}, config.Places{}, config.Policy{})
	if d := kodaSays(setup, "git status"); d.Effect != sayso.Ask || d.Rule == nil || d.Rule.Source.String() != kodaUser+":11:5" || !strings.Contains(d.Reason, kodaUser+":11:5") {
		t.Errorf("%+v", d)
	}
	var notes []string
	for _, d := range setup.Dropped {
		notes = append(notes, d.Source.String()+" "+d.What)
	}
	want := []string{
		kodaUser + `:4:5 external_directory "/Users/you/src/shared/**": allow`, kodaUser + `:5:5 external_directory "/tmp/**": deny`,
		kodaUser + `:8:5 bash "git status*": allow`, kodaUser + `:9:5 bash "git diff*": allow`, kodaUser + `:10:5 bash "git commit*": ask`,
	}
	if strings.Join(notes, "\n") != strings.Join(want, "\n") || !strings.Contains(setup.Dropped[0].Why, `"*": ask matches everything`) {
		t.Errorf("%q", notes)
	}
	turned := strings.Replace(strings.Replace(kodaSample, "    \"*\": ask\n  web", "  web", 1), "  bash:\n", "  bash:\n    \"*\": ask\n", 1)
	setup = kodaSetup(t, map[string]string{kodaUser: turned}, config.Places{}, config.Policy{})
	if d := kodaSays(setup, "git status"); d.Effect != sayso.Allow {
		t.Errorf("%+v", d)
	}
	elsewhere := kodaSetup(t, map[string]string{"/cfg/kodacode/config.yaml": "execution: {permission_mode: full_access}"}, config.Places{ConfigHome: "/cfg"}, config.Policy{})
	if d := kodaSays(elsewhere, "rm -rf /"); d.Effect != sayso.Allow {
		t.Errorf("%+v", d)
	}
	for _, none := range []map[string]string{nil, {kodaUser: ""}, {kodaUser: "theme: dark"}, {kodaUser: "permissions:\nexecution:\n"}, {kodaUser: "permissions: {bash: }"}} {
		if d := kodaSays(kodaSetup(t, none, config.Places{}, config.Policy{}), "touch a"); d.Effect != sayso.Allow || d.Stage != "default" {
			t.Errorf("%v: %+v", none, d)
		}
	}
}

// TestKodaCodeFileMistakes: a mistake denies, and says where it is.
func TestKodaCodeFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"permission:\n  bash: {}\n":                      `:1:1: unknown key "permission" (did you mean "permissions"?)`,
		"permissions:\n  bahs: {}\n":                     `:2:3: unknown key "bahs" in permissions (did you mean "bash"?)`,
		"permissions:\n  bash: [a]\n":                    `:2:9: permissions.bash: want keys and values, not a list`,
		"permissions:\n  bash:\n    'git *': alow\n":     `:3:5: permissions.bash: "git *": want allow, ask or deny, not "alow"`,
		"permissions:\n  bash:\n    'git *': [allow]\n":  `want text, not a list`,
		"permissions:\n  bash:\n    a: ask\n    a: deny": `:4:5: the key "a" is given twice`,
		"execution:\n  permission_mode: yolo\n":          `:2:20: execution.permission_mode is "yolo": want auto, read_only or full_access`,
		"execution:\n  network: maybe\n":                 `:2:12: execution.network is "maybe"`,
		"execution:\n  netwrok: enabled\n":               `(did you mean "network"?)`,
		"permissions: *x\n":                              `:1`,
		"permissions:\n\tbash: {}\n":                     `a tab in the indentation`,
	} {
		d := kodaSays(kodaSetup(t, map[string]string{kodaUser: text}, config.Places{}, config.Policy{}), "ls")
		if d.Effect != sayso.Deny || d.Code != sayso.CodePolicy || !strings.Contains(d.Reason, want) || !strings.Contains(d.Reason, kodaUser) {
			t.Errorf("%q: %s %s", text, d.Effect, d.Reason)
		}
		if strings.Count(d.Reason, "tab") > 1 {
			t.Errorf("%q is told twice: %s", text, d.Reason)
		}
	}
}

// TestKodaCodeTrusted: a file in the workspace only tightens until a person
// trusts it.
func TestKodaCodeTrusted(t *testing.T) {
	const inside = "/work/proj/.config/kodacode/config.yaml"
	text := `permissions:
  bash: {"make *": deny, "touch *": ask, "curl *": allow}
  network_target: {"*": allow}
execution: {permission_mode: full_access, network: enabled}
`
	for _, trusted := range []bool{false, true} {
		at := config.Places{ConfigHome: "/work/proj/.config", Trusted: func(string, []byte) bool { return trusted }}
		setup := kodaSetup(t, map[string]string{inside: text}, at, config.Policy{})
		for command, want := range map[string]sayso.Effect{"make all": sayso.Deny, "touch a": sayso.Ask, "curl h.test": sayso.Ask, "ls": sayso.Allow} {
			if trusted {
				want = sayso.Allow // full_access
			}
			if d := kodaSays(setup, command); d.Effect != want {
				t.Errorf("trusted %v: %s: %s (%s)", trusted, command, d.Effect, d.Reason)
			}
		}
		if dropped := map[bool]int{false: 4, true: 0}[trusted]; len(setup.Dropped) != dropped {
			t.Errorf("trusted %v: %v", trusted, setup.Dropped)
		}
	}
	tightens := kodaSetup(t, map[string]string{inside: "execution: {permission_mode: read_only, network: disabled}"}, config.Places{ConfigHome: "/work/proj/.config"}, config.Policy{})
	if d := kodaSays(tightens, "touch a"); d.Effect != sayso.Ask || len(tightens.Dropped) != 0 {
		t.Errorf("%+v %v", d, tightens.Dropped)
	}
}

// TestKodaCodePolicy: what a policy of sayso denies and asks still holds, and one
// that does not load denies.
func TestKodaCodePolicy(t *testing.T) {
	texts := map[string]string{kodaUser: "execution: {permission_mode: full_access}"}
	policy := config.Policy{Rules: []sayso.Rule{{Effect: sayso.Deny, Text: "bash(make *)"}, {Effect: sayso.Ask, Text: "bash(touch *)"}, {Effect: sayso.Ask, Text: "fetch(ask.test)"}, {Effect: sayso.Allow, Text: "bash(*)"}}}
	setup := kodaSetup(t, texts, config.Places{}, policy)
	for command, want := range map[string]sayso.Effect{"make all": sayso.Deny, "touch a": sayso.Ask, "ls": sayso.Allow, "curl h.test": sayso.Allow} {
		if d := kodaSays(setup, command); d.Effect != want {
			t.Errorf("%s: %s (%s)", command, d.Effect, d.Reason)
		}
	}
	for _, command := range []string{"touch a", "curl ask.test"} {
		if d := kodaSays(setup, command); d.Effect != sayso.Ask || len(d.Suggestions) != 0 || len(d.Choices) != 3 {
			t.Errorf("%s: a grant is suggested that changes nothing: %+v", command, d)
		}
	}
	broken := kodaSetup(t, texts, config.Places{}, config.Policy{Err: errors.New("a mistake")})
	if d := kodaSays(broken, "ls"); d.Effect != sayso.Deny {
		t.Errorf("%+v", d)
	}
}

// TestKodaCodeGiven: a file that was given is trusted; it may be JSON.
func TestKodaCodeGiven(t *testing.T) {
	s := kodaSystem(t)
	for text, want := range map[string]sayso.Effect{
		"permissions: {bash: {'*': ask, 'ls*': allow}}": sayso.Allow, `{"permissions": {"bash": {"*": "deny"}}}`: sayso.Deny, "execution: {permission_mode: read_only}": sayso.Allow,
	} {
		setup, err := s.Configured(config.Other{Name: "mine", Text: []byte(text), Trusted: true}, catalog.Place{}, config.Policy{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := kodaSays(setup, "ls"); d.Effect != want {
			t.Errorf("%s: %+v", text, d)
		}
	}
	if _, err := s.Configured(config.Other{Name: "mine", Text: []byte("permissions: 3"), Trusted: true}, catalog.Place{}, config.Policy{}); err == nil {
		t.Error("3 are permissions")
	}
}
