package sayso_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// machine is a file system of links.
type machine map[string]string

func (m machine) ReadFile(string, int) ([]byte, error) { return nil, errors.New("none") }

func (m machine) Lstat(name string) (shell.Entry, error) {
	link, ok := m[name]
	if !ok {
		return shell.Entry{}, errors.New("none")
	}
	return shell.Entry{Link: link, Dir: link == ""}, nil
}

// TestFacts: what a call amounts to, whatever tool it is of.
func TestFacts(t *testing.T) {
	trusted := tool("mcp__docs__find", map[string]any{"q": "x"})
	trusted.Server = &sayso.Server{Name: "docs", Trusted: true, ReadOnly: true}
	claimed := trusted
	claimed.Server = &sayso.Server{Name: "docs", ReadOnly: true}
	tests := []struct {
		name     string
		call     sayso.Call
		class    sayso.Class
		risk     shell.Risk
		readOnly bool
		sentence string
	}{
		{"command", bash("ls src && git push"), sayso.ClassShell, shell.Moderate, false, "List files in src; Push commits to the remote repository"},
		{"only a comment", bash("# nothing"), sayso.ClassShell, shell.Safe, true, "Do nothing"},
		{"argv", tool("shell", map[string]any{"command": []string{"rm", "-rf", "/"}}), sayso.ClassShell, shell.Blocked, false, "Delete folder and all its contents: /"},
		{"PowerShell", tool("PowerShell", map[string]any{"command": "git status"}), sayso.ClassShell, shell.Safe, true, "Show the state of the working tree"},
		{"PowerShell with code", tool("PowerShell", map[string]any{"command": "ls @x"}), sayso.ClassShell, shell.Dangerous, false, ""},
		{"read", tool("Read", map[string]any{"file_path": "a.go"}), sayso.ClassRead, shell.Safe, true, "Read a.go"},
		{"read a secret", tool("Read", map[string]any{"file_path": ".env"}), sayso.ClassRead, shell.Dangerous, false, "Read .env"},
		{"write", tool("Write", map[string]any{"file_path": "a.go", "content": ""}), sayso.ClassWrite, shell.Moderate, false, "Write to a.go"},
		{"write outside", tool("Write", map[string]any{"file_path": "/etc/x", "content": ""}), sayso.ClassWrite, shell.Dangerous, false, "Write to /etc/x"},
		{"grep", tool("Grep", map[string]any{"pattern": "x"}), sayso.ClassGrep, shell.Safe, true, ""},
		{"fetch", tool("WebFetch", map[string]any{"url": "https://example.com/x", "prompt": "p"}), sayso.ClassFetch, shell.Moderate, false, "Fetch data from: https://example.com/x"},
		{"search", tool("WebSearch", map[string]any{"query": "x"}), sayso.ClassSearch, shell.Safe, false, "Search the web: x"},
		{"trusted server", trusted, sayso.ClassMCP, shell.Safe, false, "Use the tool find of the MCP server docs"},
		{"a server that says so itself", claimed, sayso.ClassMCP, shell.Dangerous, false, "Use the tool find of the MCP server docs"},
		{"unknown", tool("nobody", map[string]any{"x": 1}), sayso.ClassUnknown, shell.Dangerous, false, "Use the tool nobody, which is not known"},
		{"tasks", tool("TodoWrite", map[string]any{"todos": []any{}}), sayso.ClassTask, shell.Safe, true, "Keep a list of things to do"},
	}
	for _, test := range tests {
		f := caseOf(test.call).Facts
		if f.Err != nil || f.Class != test.class || f.Risk != test.risk || f.ReadOnly != test.readOnly || test.sentence != "" && f.Sentence != test.sentence {
			t.Errorf("%s: %s %s read-only %v %q (%v)", test.name, f.Class, f.Risk, f.ReadOnly, f.Sentence, f.Err)
		}
	}
}

// TestUnreadable: a call that cannot be judged is denied, in every mode.
func TestUnreadable(t *testing.T) {
	long := strings.Repeat("x", shell.MaxLength+1)
	calls := map[string]sayso.Call{
		"no root":           {Tool: "bash", Input: object(map[string]string{"command": "ls"})},
		"relative home":     {Tool: "bash", Input: object(map[string]string{"command": "ls"}), Root: "/a", Home: "b"},
		"no command":        tool("bash", map[string]any{}),
		"not an object":     {Tool: "bash", Input: json.RawMessage(`[1]`), Root: "/a"},
		"unknown, not JSON": {Tool: "nobody", Input: json.RawMessage(`[1]`), Root: "/a"},
		"too long":          bash(long),
		"NUL":               tool("Read", map[string]any{"file_path": "a\x00b"}),
		"key given twice":   {Tool: "bash", Input: json.RawMessage(`{"command":"ls","command":"rm -rf /"}`), Root: "/a"},
	}
	for name, call := range calls {
		for _, mode := range []string{preset.Default, preset.Bypass, preset.Plan} {
			e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
			d := e.Check(context.Background(), call, sayso.Session{Mode: mode})
			if d.Effect != sayso.Deny || d.Code != sayso.CodeInput || d.Risk != shell.Blocked || d.Explanation == "" {
				t.Errorf("%s in %s: %+v", name, mode, d)
			}
		}
	}
	d := sayso.Plan{sayso.Readable()}.Evaluate(context.Background(), &sayso.Case{})
	if d.Code != sayso.CodeInput {
		t.Errorf("a call without facts: %+v", d)
	}
}

// TestLinks: a file is judged by where it leads.
func TestLinks(t *testing.T) {
	m := machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/notes": "/etc/passwd"}
	a := sayso.Analyzer{Machine: m, Also: []string{"~/shared", "../lib"}}
	f := a.Analyze(tool("Write", map[string]any{"file_path": "notes", "content": ""}))
	if f.Risk != shell.Dangerous || f.Parts[0].Paths[0].Real != "/etc/passwd" || f.Inside(&f.Parts[0]) {
		t.Errorf("%+v", f.Parts)
	}
	f = a.Analyze(tool("Write", map[string]any{"file_path": "/home/dev/shared/x", "content": ""}))
	if f.Risk != shell.Moderate || !f.Inside(&f.Parts[0]) {
		t.Errorf("%+v", f.Parts)
	}
	f = a.Analyze(tool("Write", map[string]any{"file_path": `src\..\..\x`, "content": ""}))
	if f.Inside(&f.Parts[0]) {
		t.Errorf("%+v", f.Parts)
	}
}

// TestDir: relative paths start in the folder of the call, and the workspace
// stays where it is.
func TestDir(t *testing.T) {
	call := bash("touch x")
	for dir, want := range map[string]string{"": "/home/dev/app/x", "sub": "/home/dev/app/sub/x", "/tmp/y": "/tmp/y/x"} {
		call.Dir = dir
		f := caseOf(call).Facts
		if got := f.Parts[0].Paths[0].Abs; got != want || f.Place.Workspace[0] != "/home/dev/app" {
			t.Errorf("in %q: %s", dir, got)
		}
	}
	f := caseOf(tool("run_shell_command", map[string]any{"command": "touch x", "directory": "pkg"})).Facts
	if got := f.Parts[0].Paths[0].Abs; got != "/home/dev/app/pkg/x" {
		t.Errorf("the tool's own folder: %s", got)
	}
}

// TestRequests: addresses that are no plain requests.
func TestRequests(t *testing.T) {
	for address, want := range map[string]shell.Risk{
		"https://example.com": shell.Moderate, "ftp://example.com/x": shell.Dangerous, "::": shell.Dangerous, "file:///etc/shadow": shell.Dangerous,
		"relative": shell.Dangerous, "connect://example.com:443": shell.Moderate, "connect://example.com": shell.Dangerous, "connect://169.254.169.254:80": shell.Dangerous,
	} {
		f := caseOf(sayso.Call{Tool: "get", Input: object(map[string]string{"u": address}), Root: "/a"}, sayso.Tool{Name: "get", Class: sayso.ClassFetch, URLs: []string{"u"}}).Facts
		if f.Risk != want {
			t.Errorf("%s: %s %+v", address, f.Risk, f.Parts)
		}
	}
}

// TestOwnToolFacts: the arguments of a program's own tool.
func TestOwnToolFacts(t *testing.T) {
	own := sayso.Tool{Name: "copy", Command: []string{"then"}, Reads: []string{"from"}, Writes: []string{"to"}, Deletes: []string{"gone"}}
	f := caseOf(tool("copy", map[string]any{"from": []string{"a", "b"}, "to": "c", "gone": "d", "then": "ls"}), own).Facts
	if f.Err != nil || len(f.Parts) != 5 || f.Class != sayso.ClassUnknown {
		t.Errorf("%+v", f)
	}
	for _, args := range []map[string]any{{"from": 1}, {"from": []any{1}}, {"to": map[string]any{}}} {
		if f := caseOf(tool("copy", args), own).Facts; f.Err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
	broken := sayso.Call{Tool: "copy", Input: json.RawMessage(`x`), Root: "/a"}
	if f := caseOf(broken, own).Facts; f.Err == nil {
		t.Error("no JSON is accepted")
	}
}

// TestToolSays: a tool's own opinion comes before the mode, after the rules.
func TestToolSays(t *testing.T) {
	own := sayso.Tool{Name: "deploy", Check: func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Allow, "tool.fine", "fine") }}
	a := sayso.Analyzer{Tools: []sayso.Tool{own}}
	set, _ := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Deny, Text: `deploy({"to":"prod"})`}}, own)
	e := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: set, Tools: []sayso.Tool{own}}), Analyzer: a}
	if d := e.Check(context.Background(), tool("deploy", nil), sayso.Session{}); d.Code != "tool.fine" {
		t.Errorf("%+v", d)
	}
	if d := e.Check(context.Background(), tool("deploy", map[string]any{"to": "prod"}), sayso.Session{}); d.Code != sayso.CodeDenyRule {
		t.Errorf("%+v", d)
	}
	if d := e.Check(context.Background(), tool("other", nil), sayso.Session{}); d.Effect != sayso.Ask {
		t.Errorf("%+v", d)
	}
}

// TestSuggestions: at most three, the narrowest first, none for what a rule
// should not be made of, and each covers the call.
func TestSuggestions(t *testing.T) {
	suggests := sayso.Tool{Name: "deploy", Suggest: func(*sayso.Case) []string { return []string{"deploy(a)", "deploy(b)", "deploy(c)", "deploy(d)"} }}
	mcp := tool("mcp__github__create_issue", map[string]any{})
	tests := []struct {
		call sayso.Call
		want []string
	}{
		{bash("git push origin main"), []string{"bash(git push origin main)", "bash(git push *)"}},
		{bash("gh release create 'v1 *'"), []string{`bash(gh release create "v1 \*")`}},
		{bash("git push && gh pr create"), nil},
		{bash("sudo ls"), []string{"bash(sudo ls)"}},
		{bash("$X y"), nil},
		{mcp, []string{"mcp(github/create_issue)"}},
		{tool("Write", map[string]any{"file_path": "/srv/a/b.txt", "content": ""}), []string{"edit(//srv/a/b.txt)", "edit(//srv/a/**)"}},
		{tool("deploy", nil), []string{"deploy(a)", "deploy(b)", "deploy(c)"}},
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Tools: []sayso.Tool{suggests}}}
	for _, test := range tests {
		d := e.Check(context.Background(), test.call, sayso.Session{})
		var got []string
		for _, s := range d.Suggestions {
			got = append(got, s.Rule)
			if s.Allows == "" || len(s.Keep) == 0 {
				t.Errorf("%+v", s)
			}
		}
		if d.Effect != sayso.Ask || strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("%s %s: %s suggests %q, want %q", test.call.Tool, test.call.Input, d.Effect, got, test.want)
		}
	}
}

// TestLines: the command lines of a call are kept as they were sent.
func TestLines(t *testing.T) {
	a := sayso.Analyzer{}
	for _, test := range []struct{ tool, input, want string }{
		{"bash", `{"command":"  ls -la ;  pwd # x"}`, "  ls -la ;  pwd # x"},
		{"shell_write", `{"input":"ls\n"}`, "ls\n"},
		{"file_read", `{"path":"a"}`, ""},
	} {
		f := a.Analyze(sayso.Call{Tool: test.tool, Input: json.RawMessage(test.input), Root: "/w"})
		if got := strings.Join(f.Lines, "|"); got != test.want || len(f.Lines) != len(f.Shell) {
			t.Errorf("%s %s: %q", test.tool, test.input, got)
		}
	}
}

// TestCommandRule: the rule means the words as they are, in whatever way they
// are written.
func TestCommandRule(t *testing.T) {
	tests := []struct {
		words   []string
		more    bool
		command string
		want    bool
	}{
		{[]string{"npm", "run"}, false, "npm run", true},
		{[]string{"npm", "run"}, false, "npm run build", false},
		{[]string{"npm", "run"}, true, "npm run build", true},
		{[]string{"npm", "run"}, true, "npm install", false},
		{[]string{"rm", "*"}, false, "rm '*'", true},
		{[]string{"rm", "*"}, false, "rm x", false},
		{[]string{"{a", "b}"}, true, "'{a' 'b}' c", true},
		{[]string{"say", "a b"}, false, "say 'a b'", true},
		{[]string{"say", "a b"}, false, "say a b", false},
	}
	for _, test := range tests {
		set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Deny, Text: sayso.CommandRule(test.words, test.more)}})
		if err != nil {
			t.Errorf("%q: %v", test.words, err)
			continue
		}
		a := sayso.Analyzer{}
		c := &sayso.Case{Call: bash(test.command), Facts: a.Analyze(bash(test.command))}
		if got := set.Find(sayso.Deny, c, &c.Facts.Parts[0]) != nil; got != test.want {
			t.Errorf("%q more=%v means %q: %v", test.words, test.more, test.command, got)
		}
	}
}

// TestSeems: what a tool that is not known seems to be given, and a program that it
// runs, add harm, and nothing else, to what is said of it.
func TestSeems(t *testing.T) {
	for _, test := range []struct {
		tool, input string
		harm        bool
	}{
		{"nobody", `{"command":"rm -rf /"}`, true},
		{"nobody", `{"command":"ls","path":"src/a.go"}`, false},
		{"nobody", `{"path":".sayso.yaml"}`, true},
		{"nobody", `{"code":"os.execute('rm -rf /')"}`, true},
		{"execute_lua", `{"code":"os.execute('rm -rf /')"}`, true},
		{"execute_lua", `{"code":"print(1)"}`, false},
		{"REPL", `{"code":"require('fs').writeFileSync('.sayso.yaml','')"}`, true},
	} {
		f := (&sayso.Analyzer{}).Analyze(sayso.Call{Tool: test.tool, Input: json.RawMessage(test.input), Root: "/home/dev/app", Home: "/home/dev"})
		if f.Err != nil || (len(f.Parts) > 1) != test.harm {
			t.Errorf("%s %s: harm is to be %v: %v, %v", test.tool, test.input, test.harm, f.Sentence, f.Err)
		}
	}
}
