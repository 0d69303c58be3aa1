package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
)

// kosmoDisk has the texts of files; links are folders that lead elsewhere.
type kosmoDisk struct {
	texts map[string]string
	links map[string]string
}

func (d kosmoDisk) Read(name string, limit int64) ([]byte, config.Info, error) {
	text, ok := d.texts[name]
	if !ok {
		return nil, config.Info{}, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
	info := config.Info{Mode: 0o644, Owner: 1000, Group: 1000, Self: 1000, Size: int64(len(text))}
	return []byte(text[:min(len(text), int(limit))]), info, nil
}

func (d kosmoDisk) Real(name string) (string, error) {
	if strings.HasSuffix(name, "missing") {
		return "", fs.ErrNotExist
	}
	if to, ok := d.links[name]; ok {
		return to, nil
	}
	return name, nil
}

const (
	kosmoGlobal  = "/work/proj/config/kosmokrator.yaml"
	kosmoUser    = "/home/u/.kosmokrator/config.yaml"
	kosmoProject = "/work/proj/.kosmokrator.yaml"
)

// kosmoSetup loads the files of a workspace.
func kosmoSetup(t *testing.T, texts map[string]string, trusted bool, p config.Policy) catalog.Setup {
	t.Helper()
	s, err := catalog.Find("kosmokrator")
	if err != nil {
		t.Fatal(err)
	}
	at := config.Places{Home: "/home/u", Root: "/work/proj", Disk: kosmoDisk{texts, map[string]string{"/mnt": "/srv/mnt"}}, Trusted: func(string, []byte) bool { return trusted }}
	setup, err := s.Load(at, p)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// kosmoSays decides one call: a tool, and a path or a command.
func kosmoSays(setup catalog.Setup, tool, arg string) sayso.Decision {
	key := map[string]string{"bash": "command", "shell_write": "input"}[tool]
	if key == "" {
		key = "path"
	}
	input, _ := json.Marshal(map[string]string{key: arg})
	e := setup.Engine(nil)
	return e.Check(context.Background(), sayso.Call{Tool: tool, Input: input, Root: "/work/proj", Home: "/home/u"}, sayso.Session{Mode: setup.Mode})
}

// TestKosmoKratorConfigVectors: the files, their order and what they may say are
// those of the vector.
func TestKosmoKratorConfigVectors(t *testing.T) {
	text, err := os.ReadFile("../../testdata/decisions/kosmokrator/conformance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		var v struct {
			Kind   string
			Layers []string
		}
		if len(line) == 0 || json.Unmarshal(line, &v) != nil || v.Kind != "config" {
			continue
		}
		found = true
		var files []string
		for _, name := range v.Layers {
			if rest, ok := strings.CutPrefix(name, "~/"); ok {
				files = append(files, "/home/u/"+rest)
			} else {
				files = append(files, "/work/proj/"+name)
			}
		}
		for i := 1; i < len(files); i++ { // a later file overrides every earlier one
			texts := map[string]string{}
			for _, name := range files[:i] {
				texts[name] = "tools: {guardian_safe_commands: ['first *'], default_permission_mode: argus}"
			}
			texts[files[i]] = "tools: {guardian_safe_commands: ['second *'], default_permission_mode: guardian}"
			setup := kosmoSetup(t, texts, true, config.Policy{})
			if d := kosmoSays(setup, "bash", "second x"); d.Effect != sayso.Allow {
				t.Errorf("%s: %+v", files[i], d)
			}
			if d := kosmoSays(setup, "bash", "first x"); d.Effect != sayso.Ask {
				t.Errorf("%s loses to an earlier file: %+v", files[i], d)
			}
		}
	}
	if !found {
		t.Error("no vector of the kind config")
	}
}

// TestKosmoKratorFiles: lists replace each other, but none loses a block.
func TestKosmoKratorFiles(t *testing.T) {
	texts := map[string]string{
		kosmoGlobal:  "tools:\n  blocked_paths: ['*.global']\n  denied_tools: [task_get]\n  bash: {blocked_commands: ['halt*']}\n  safe_tools: [task_list, task_create, task_get]\n",
		kosmoUser:    "ui: {theme: &x dark, again: *x}\ntools:\n  blocked_paths: ['*.user']\n  denied_tools: [shell_read]\n  bash: {blocked_commands: ['reboot']}\n  allowed_paths: [/mnt/data, /opt/x/missing, ~/notes]\n",
		kosmoProject: "tools:\n  blocked_paths: ['*.project']\n  denied_tools: [shell_kill]\n  bash:\n    blocked_commands: ['poweroff']\n  safe_tools: [file_read, task_list, shell_kill]\n",
	}
	setup := kosmoSetup(t, texts, true, config.Policy{})
	for _, test := range []struct {
		tool, arg string
		want      sayso.Effect
		stage     string
	}{
		{"file_read", "a.global", sayso.Deny, "blocked_path"},
		{"file_read", "a.user", sayso.Deny, "blocked_path"},
		{"file_read", "a.project", sayso.Deny, "blocked_path"},
		{"file_read", "a.pem", sayso.Deny, "blocked_path"}, // the default is the lowest layer
		{"task_get", "", sayso.Deny, "deny_pattern"},
		{"shell_read", "", sayso.Deny, "deny_pattern"},
		{"shell_kill", "", sayso.Deny, "deny_pattern"},
		{"bash", "halt -f", sayso.Deny, "deny_pattern"},
		{"bash", "sudo reboot", sayso.Deny, "deny_pattern"},
		{"bash", "poweroff", sayso.Deny, "deny_pattern"},
		{"bash", "rm -fr /", sayso.Deny, "deny_pattern"},
		{"task_list", "", sayso.Allow, "rule"},
		{"task_create", "", sayso.Deny, "default"}, // the project's list replaces the global one
		{"file_read", "/srv/mnt/data/x", sayso.Ask, "project_boundary"},
		{"file_read", "/opt/x/missing/y", sayso.Allow, "rule"},
		{"file_read", "~/notes/y", sayso.Allow, "rule"},
		{"file_read", "/tmp/y", sayso.Ask, "project_boundary"},
	} {
		if d := kosmoSays(setup, test.tool, test.arg); d.Effect != test.want || d.Stage != test.stage {
			t.Errorf("%s %s: %s by %s: %s", test.tool, test.arg, d.Effect, d.Stage, d.Reason)
		}
	}
	if len(setup.Dropped) > 0 {
		t.Errorf("%+v", setup.Dropped)
	}
}

// kosmoLoose is a file that opens and closes something in every list.
const kosmoLoose = `tools:
  default_permission_mode: prometheus
  safe_tools: [file_read, bash, deploy]
  approval_required: [file_write, shell_start, deploy, grep]
  allowed_paths: [/tmp, /etc]
  guardian_safe_commands: ["ls *", "rm *"]
  blocked_paths: ["*.secret"]
  denied_tools: [task_get]
  bash: {blocked_commands: ["npm publish*"]}
`

// TestKosmoKratorUntrusted: a file that came with the workspace only tightens, and
// what it may not say is told.
func TestKosmoKratorUntrusted(t *testing.T) {
	type answer struct {
		tool, arg string
		want      sayso.Effect
	}
	for _, test := range []struct {
		name    string
		trusted bool
		answers []answer
		dropped []string
	}{
		{"not trusted", false, []answer{
			{"file_read", "a", sayso.Allow},
			{"bash", "ls -l", sayso.Allow},
			{"bash", "rm x", sayso.Ask},
			{"bash", "git status", sayso.Ask},
			{"shell_write", "ls -l", sayso.Deny},
			{"deploy", "", sayso.Deny},
			{"grep", "a", sayso.Deny},
			{"task_list", "", sayso.Deny},
			{"file_read", "/etc/hosts", sayso.Ask},
			{"file_read", "/tmp/x", sayso.Allow},
			{"file_read", "x.secret", sayso.Deny},
			{"bash", "npm publish", sayso.Deny},
			{"file_write", "a", sayso.Allow},
			{"file_edit", "a", sayso.Deny},
		}, []string{
			kosmoProject + ":3:27 safe_tools bash", kosmoProject + ":3:33 safe_tools deploy", kosmoProject + ":4:48 approval_required deploy",
			kosmoProject + ":5:25 allowed_paths /etc", kosmoProject + ":6:36 guardian_safe_commands rm *", kosmoProject + ":2:28 default_permission_mode prometheus",
		}},
		{"trusted", true, []answer{
			{"file_read", "a", sayso.Allow},
			{"bash", "curl x", sayso.Allow},
			{"shell_write", "ls -l", sayso.Deny},
			{"deploy", "", sayso.Allow},
			{"file_read", "/etc/hosts", sayso.Allow},
			{"file_read", "x.secret", sayso.Deny},
			{"bash", "npm publish", sayso.Deny},
		}, nil},
	} {
		setup := kosmoSetup(t, map[string]string{kosmoProject: kosmoLoose}, test.trusted, config.Policy{})
		for _, a := range test.answers {
			if d := kosmoSays(setup, a.tool, a.arg); d.Effect != a.want {
				t.Errorf("%s: %s %s: %s by %s: %s", test.name, a.tool, a.arg, d.Effect, d.Stage, d.Reason)
			}
		}
		var dropped []string
		for _, d := range setup.Dropped {
			dropped = append(dropped, d.Source.String()+" "+d.What)
		}
		if !slices.Equal(dropped, test.dropped) {
			t.Errorf("%s: dropped %q", test.name, dropped)
		}
	}
}

// TestKosmoKratorTightens: without trust an answer is never looser than without
// the file, whatever the file says.
func TestKosmoKratorTightens(t *testing.T) {
	calls := []struct{ tool, arg string }{
		{"file_read", "a"},
		{"file_read", "/etc/hosts"},
		{"file_read", "/tmp/x"},
		{"file_read", ".env"},
		{"file_write", "a"},
		{"file_write", "/etc/hosts"},
		{"file_edit", "a"},
		{"bash", "git status"},
		{"bash", "rm x"},
		{"bash", "terraform plan"},
		{"bash", "rm -rf /"},
		{"shell_write", "ls -l"},
		{"task_list", ""},
		{"deploy", ""},
		{"execute_lua", ""},
	}
	users := []string{
		"", "tools: {default_permission_mode: argus}", "tools: {default_permission_mode: prometheus}",
		"tools: {default_permission_mode: prometheus, safe_tools: [], approval_required: [bash]}",
		"tools: {safe_tools: [deploy, bash], approval_required: [file_read]}", "tools: {guardian_safe_commands: ['terraform *'], allowed_paths: [/etc]}",
	}
	files := []string{
		"tools: {default_permission_mode: argus}", "tools: {default_permission_mode: guardian}", "tools: {default_permission_mode: prometheus}",
		"tools: {safe_tools: [bash, deploy, file_write]}", "tools: {safe_tools: []}", "tools: {approval_required: []}", "tools: {approval_required: [deploy, file_read, task_list]}",
		"tools: {approval_required: [file_read], safe_tools: []}", "tools: {allowed_paths: [/, /etc]}", "tools: {allowed_paths: []}",
		"tools: {guardian_safe_commands: ['*']}", "tools: {guardian_safe_commands: []}", "tools: {blocked_paths: []}", "tools: {blocked_paths: [a]}",
		"tools: {denied_tools: [bash]}", "tools: {denied_tools: []}", "tools: {bash: {blocked_commands: []}}", "tools: {bash: {blocked_commands: ['git *']}}", "tools:", "",
	}
	for _, user := range users {
		before := kosmoSetup(t, map[string]string{kosmoUser: user}, false, config.Policy{})
		for _, name := range []string{kosmoProject, kosmoGlobal} {
			for _, file := range files {
				after := kosmoSetup(t, map[string]string{kosmoUser: user, name: file}, false, config.Policy{})
				for _, c := range calls {
					was, is := kosmoSays(before, c.tool, c.arg), kosmoSays(after, c.tool, c.arg)
					if is.Effect > was.Effect {
						t.Errorf("%q, then %q in %s: %s %s: %s, then %s (%s)", user, file, name, c.tool, c.arg, was.Effect, is.Effect, is.Reason)
					}
				}
			}
		}
	}
}

// TestKosmoKratorMistakes: a file with a mistake denies everything, and says what
// is wrong and where.
func TestKosmoKratorMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"tools:\n  blocked_path: []":                        `:2:3: unknown key "blocked_path" in tools (did you mean "blocked_paths"?)`,
		"tools:\n  default_permission_mode: gaurdian":       `:2:28: tools.default_permission_mode: want guardian, argus or prometheus, not "gaurdian"`,
		"tools:\n  safe_tools: file_read":                   `:2:15: tools.safe_tools: want a list, not text (put it in brackets)`,
		"tools:\n  bash:\n    blocked_command: [x]":         `:3:5: unknown key "blocked_command" in tools.bash (did you mean "blocked_commands"?)`,
		"tools:\n  safe_tools: [a]\n  safe_tools: [b]":      `:3:3: the key "safe_tools" is given twice (first in line 2)`,
		"tools:\n  blocked_paths:\n    - *.env":             `:3:5: not YAML`,
		"tools: {safe_tools: &x [a], approval_required: 3}": `anchors are not used here`,
		"tool:\n  blocked_paths: [a]":                       `:1:1: unknown key "tool" (did you mean "tools"?)`,
		"- a":                                               `want keys and values, not a list`,
		"tools: {}\n---\nx: 1":                              `a second document`,
	} {
		setup := kosmoSetup(t, map[string]string{kosmoProject: text}, true, config.Policy{})
		d := kosmoSays(setup, "file_read", "a")
		if d.Effect != sayso.Deny || d.Code != sayso.CodePolicy || !strings.Contains(d.Reason, kosmoProject) || !strings.Contains(d.Reason, want) {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

// TestKosmoKratorWithPolicy: the rules of sayso's own policy that deny and ask
// hold in front of the preset.
func TestKosmoKratorWithPolicy(t *testing.T) {
	p := config.Policy{Rules: []sayso.Rule{{Effect: sayso.Deny, Text: "read(private/**)"}, {Effect: sayso.Ask, Text: "bash(git log *)"}, {Effect: sayso.Allow, Text: "bash(rm *)"}}}
	setup := kosmoSetup(t, nil, false, p)
	for _, test := range []struct {
		tool, arg string
		want      sayso.Effect
	}{
		{"file_read", "private/a", sayso.Deny}, {"file_read", "a", sayso.Allow}, {"bash", "git log -3", sayso.Ask}, {"bash", "git status", sayso.Allow}, {"bash", "rm x", sayso.Ask},
	} {
		if d := kosmoSays(setup, test.tool, test.arg); d.Effect != test.want {
			t.Errorf("%s %s: %+v", test.tool, test.arg, d)
		}
	}
}

// TestKosmoKratorJSON: a configuration as JSON is as strict as a file.
func TestKosmoKratorJSON(t *testing.T) {
	s, err := catalog.Find("kosmokrator")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"blocked_path":[]}`:                  "blocked_path",
		`{"safe_tools":"bash"}`:                "safe_tools",
		`{"default_permission_mode":"zeus"}`:   "want guardian, argus or prometheus",
		`{"bash.blocked_command":[]}`:          "blocked_command",
		`{"denied_tools":[""]}`:                "denied_tools: entry 1 is empty",
		`{"tools.guardian_safe_commands":[3]}`: "guardian_safe_commands",
	} {
		if _, err := s.FromJSON(json.RawMessage(text), catalog.Place{Root: "/w"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `{}`, `{"tools.blocked_paths":["a"]}`, `{"tools":{"bash":{"blocked_commands":["a"]}}}`, `{"safe_tools":null}`} {
		if _, err := s.FromJSON(json.RawMessage(text), catalog.Place{Root: "/w"}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, bad := range []string{`{}`, `{"tool":3}`, `{"rule":"bash"}`, `"bash"`, `{"tool":"bash","path":"x"}`} {
		if g, err := s.ReadGrant(json.RawMessage(bad)); err == nil {
			t.Errorf("%s is a grant: %+v", bad, g)
		}
	}
}
