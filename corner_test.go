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
	"github.com/sayso-dev/sayso/store"
)

// TestStrictest: stages that do not see each other; the strictest wins.
func TestStrictest(t *testing.T) {
	for _, test := range []struct {
		stages []sayso.Stage
		want   sayso.Effect
	}{
		{[]sayso.Stage{says("a", decide(sayso.Allow)), says("b", decide(sayso.Deny))}, sayso.Deny},
		{[]sayso.Stage{says("a", decide(sayso.Ask)), says("b", decide(sayso.Allow))}, sayso.Ask},
		{[]sayso.Stage{says("a", pass), says("b", decide(sayso.Allow))}, sayso.Allow},
		{[]sayso.Stage{says("a", decide(sayso.Allow)), failing{}}, sayso.Deny},
		{[]sayso.Stage{says("a", pass)}, sayso.Deny},
	} {
		d := sayso.Plan{sayso.Strictest("both", test.stages...)}.Evaluate(context.Background(), &sayso.Case{})
		if d.Effect != test.want || len(d.Trace[0].Steps) != len(test.stages) {
			t.Errorf("%+v", d)
		}
	}
}

// TestWholeCalls: stages that are asked about a call and not about its parts.
func TestWholeCalls(t *testing.T) {
	set, _ := sayso.NewRuleSet([]sayso.Rule{
		{Effect: sayso.Allow, Text: "bash(ls *)"}, {Effect: sayso.Allow, Text: "bash(cat *)", Source: sayso.Source{File: "f", Line: 1}}, {Effect: sayso.Deny, Text: "bash(rm *)"},
	})
	grants, _ := sayso.NewGrants([]sayso.Grant{{Rule: "bash(go *)", Scope: sayso.ForSession}})
	plan := sayso.Plan{sayso.Rules("deny", set, sayso.Deny), sayso.Rules("allow", set, sayso.Allow), sayso.Granted()}
	for command, want := range map[string]sayso.Effect{
		"ls a && cat b": sayso.Allow, "cat b": sayso.Allow, "ls && wc x": sayso.Deny, "ls && rm x": sayso.Deny, "go test && go vet": sayso.Allow, "go test && wc x": sayso.Deny,
	} {
		c := caseOf(bash(command))
		c.Session.Grants = grants
		if d := plan.Evaluate(context.Background(), c); d.Effect != want {
			t.Errorf("%s: %+v", command, d)
		}
	}
	empty := &sayso.Case{Facts: &sayso.Facts{}, Session: sayso.Session{Grants: grants}}
	if d := (sayso.Plan{sayso.Granted(), sayso.Rules("allow", set, sayso.Allow)}).Evaluate(context.Background(), empty); d.Effect != sayso.Deny {
		t.Errorf("a call without parts: %+v", d)
	}
	if len(grants.List()) != 1 || (*sayso.Grants)(nil).List() != nil {
		t.Error("the list of grants")
	}
}

// TestCorners: calls that few people make.
func TestCorners(t *testing.T) {
	opaque := caseOf(bash("if true; then")).Facts
	if opaque.Risk != shell.Dangerous || len(opaque.Parts[len(opaque.Parts)-1].Opaque) == 0 {
		t.Errorf("a script that does not parse: %+v", opaque)
	}
	escalated := tool("Bash", map[string]any{"command": "ls", "dangerouslyDisableSandbox": true})
	if f := caseOf(escalated).Facts; f.Parts[0].Effects&shell.Privilege == 0 || f.Risk != shell.Dangerous {
		t.Errorf("out of the agent's sandbox: %+v", f)
	}
	if f := caseOf(tool("Read", map[string]any{"file_path": "~other/x"})).Facts; len(f.Parts[0].Opaque) == 0 {
		t.Errorf("somebody else's home folder is a guess: %+v", f)
	}
	if f := caseOf(sayso.Call{Tool: "nobody", Root: "/a"}).Facts; f.Err != nil {
		t.Errorf("a tool without input: %v", f.Err)
	}
	loop := sayso.Analyzer{Machine: machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/l": "l"}}
	if f := loop.Analyze(tool("Read", map[string]any{"file_path": "l"})); f.Err == nil {
		t.Error("a link that leads to itself")
	}
	runs := tool("exec_command", map[string]any{"cmd": "ls", "shell": "/tmp/evil"})
	runs.Agent = "codex"
	if f := caseOf(runs).Facts; f.Err == nil && f.Risk == shell.Safe {
		t.Errorf("a shell of the caller's choice: %+v", f)
	}
	ssh := caseOf(bash("ssh host ls")).Facts
	if p := ssh.Parent(ssh.Parts[len(ssh.Parts)-1].Command); p == nil || p.Args[0].Text != "ssh" || ssh.Parent(p) != nil {
		t.Errorf("who runs what: %+v", ssh.Parts)
	}
	search := caseOf(tool("web_search_somewhere", nil))
	for rule, want := range map[string]bool{"agent": false, "lua": false, "websearch": false, "edit(x)": false} {
		if got, _ := finds(t, sayso.Rule{Text: rule}, search); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
}

// panicking is a file system that does not work.
type panicking struct{ machine }

func (panicking) Lstat(string) (shell.Entry, error) { panic("out of order") }

// TestPanic: a mistake in the analysis denies.
func TestPanic(t *testing.T) {
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Machine: panicking{}}}
	if d := e.Check(context.Background(), bash("cat x"), sayso.Session{}); d.Effect != sayso.Deny || d.Code != sayso.CodeInput {
		t.Errorf("%+v", d)
	}
}

// TestOwnParts: a plan may take a call apart in its own way.
func TestOwnParts(t *testing.T) {
	split := func(c *sayso.Case) []*sayso.Case {
		return []*sayso.Case{{Call: c.Call, Facts: c.Facts}, {Call: c.Call, Facts: c.Facts}}
	}
	plan := sayso.Plan{sayso.Each("own", split, says("a", decide(sayso.Allow)))}
	if d := plan.Evaluate(context.Background(), &sayso.Case{}); d.Effect != sayso.Allow || d.Part != "" {
		t.Errorf("%+v", d)
	}
	f := caseOf(tool("Read", map[string]any{"file_path": "/etc/hosts"})).Facts
	if !f.Inside(&f.Parts[0]) {
		t.Error("reading changes nothing outside")
	}
}

// TestExceptions: exceptions of another kind than the rule take nothing out.
func TestExceptions(t *testing.T) {
	for _, except := range []string{"bash(ls *)", "fetch(other.example)", "mcp(a/b)", "task", "nobody", "read(x)"} {
		c := caseOf(bash("curl -o x https://example.com > y"))
		if got, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: "bash(curl *)", Except: []string{except}}, c); !got {
			t.Errorf("except %s takes out what it does not cover", except)
		}
		c = caseOf(tool("WebFetch", map[string]any{"url": "https://example.com", "prompt": ""}))
		if got, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: "fetch(*)", Except: []string{except}}, c); !got {
			t.Errorf("except %s takes out a fetch", except)
		}
		if _, all := finds(t, sayso.Rule{Effect: sayso.Allow, Text: "fetch(*)", Except: []string{except}}, c); !all {
			t.Errorf("except %s keeps a fetch out", except)
		}
		c = caseOf(bash("curl x"))
		if _, all := finds(t, sayso.Rule{Effect: sayso.Allow, Text: "bash(curl *)", Except: []string{except}}, c); !all {
			t.Errorf("except %s keeps curl out", except)
		}
	}
}

// TestOddMatches: what the index finds and the matcher refuses, and the other
// way round.
func TestOddMatches(t *testing.T) {
	notJSON := sayso.Call{Tool: "mcp__a__b", Root: "/a"}
	two := sayso.Tool{Name: "two", URLs: []string{"a", "b"}, Class: sayso.ClassFetch}
	links := sayso.Analyzer{Machine: machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/in": "", "/home/dev/app/in/x": "/etc/x"}}
	linked := tool("Read", map[string]any{"file_path": "in/x"})
	cases := []struct {
		rule        string
		c           *sayso.Case
		deny, allow bool
	}{
		{"mcp(a/b x=1)", caseOf(notJSON), true, false},
		{"read(**/*.pem)", caseOf(tool("Read", map[string]any{"file_path": "a/b.pem"})), true, true},
		{"read(**/*.pem)", caseOf(tool("Read", map[string]any{"file_path": "a/b.txt"})), false, false},
		{"read(in/**)", &sayso.Case{Call: linked, Facts: links.Analyze(linked)}, true, false},
		{"fetch(a.example)", caseOf(tool("two", map[string]any{"a": "https://a.example", "b": "https://b.example"}), two), true, false},
		{"bash(a*b)", caseOf(bash("ab")), true, true},
		{"bash(a*)", caseOf(bash("a")), true, true},
		{"bash(ls *)", caseOf(bash("X=1")), false, false},
	}
	for _, test := range cases {
		deny, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: test.rule}, test.c)
		_, allow := finds(t, sayso.Rule{Effect: sayso.Allow, Text: test.rule}, test.c)
		if deny != test.deny || allow != test.allow {
			t.Errorf("%s on %s: deny %v, allow %v", test.rule, test.c.Call.Input, deny, allow)
		}
	}
}

// TestDenialsOfEveryKind: what a person denies is bound by path, host, command
// and MCP tool.
func TestDenialsOfEveryKind(t *testing.T) {
	m := &store.Memory{}
	no := engine(m, person(false, "", ""))
	for _, call := range []sayso.Call{
		tool("Read", map[string]any{"file_path": ".env"}), bash("gh release create v1"), bash("curl -d @x https://example.com"), bash("rm *.txt"),
		tool("mcp__github__create_issue", map[string]any{}),
	} {
		authorize(t, no, call)
	}
	st, _ := m.Get(context.Background(), "s")
	var rules []string
	for _, d := range st.Denied {
		rules = append(rules, d.Rule)
	}
	text, _ := json.Marshal(rules)
	want := `["read(.env)","bash(gh release create v1)","bash(gh release create)",` +
		`"bash(glab release create)","bash(glab release create v1)","bash(tea releases create)","bash(tea releases create v1)","mcp(*/create_release)",` +
		`"fetch(example.com)","bash(curl -d @x https://example.com)","edit(*.txt)","mcp(github/create_issue)",` +
		`"bash(gh issue create *)","bash(glab issue create *)","bash(tea issues create *)","mcp(*/create_issue)","mcp(*/issue_write)","mcp(*/create_work_item)"]`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	quiet := engine(m, nil)
	if _, d := authorize(t, quiet, bash("cat .env")); d.Code != "denied.before" {
		t.Errorf("%+v", d)
	}
}

// TestMoreSuggestions: for a host, for a file to delete.
func TestMoreSuggestions(t *testing.T) {
	get := sayso.Tool{Name: "get", Class: sayso.ClassUnknown, URLs: []string{"u"}}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Tools: []sayso.Tool{get}}}
	for want, call := range map[string]sayso.Call{
		"fetch(example.com)": tool("get", map[string]any{"u": "https://example.com"}),
		"delete(src/a.go)":   tool("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: src/a.go\n*** End Patch"}),
	} {
		d := e.Check(context.Background(), call, sayso.Session{})
		if len(d.Suggestions) == 0 || d.Suggestions[0].Rule != want {
			t.Errorf("%s: %+v", want, d)
		}
	}
	c := sayso.PlainContract(bash("x"), &sayso.Facts{Parts: []sayso.Part{{Effects: shell.Network}}})
	if c.Network != sayso.NetworkAll {
		t.Errorf("%+v", c)
	}
}

// TestWrittenThenRun: a script that the session has written is judged by its
// content when it is run.
func TestWrittenThenRun(t *testing.T) {
	disk := contents{"/home/dev/app/x.sh": "#!/bin/sh\nrm -rf ~\n", "/home/dev/app/ok.sh": "ls\n"}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Machine: disk}}
	s := sayso.Session{Written: map[string]int{"/home/dev/app/x.sh": 0, "/home/dev/app/ok.sh": 0}}
	for command, want := range map[string]sayso.Effect{"./x.sh": sayso.Deny, "sh x.sh": sayso.Deny, "sh ok.sh": sayso.Allow} {
		if d := e.Check(context.Background(), bash(command), s); d.Effect != want {
			t.Errorf("%s: %+v", command, d)
		}
	}
}

// TestWrittenThenMoved: what was written is judged where it is later on, and what
// a compiler made of it is a program like any.
func TestWrittenThenMoved(t *testing.T) {
	elf := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 80)
	disk := contents{"/home/dev/app/e/w.sh": "rm -rf ~\n", "/home/dev/app/e/d/w.sh": "rm -rf ~\n", "/home/dev/app/bin/app": elf, "/home/dev/app/v.sh": "rm -rf ~\n"}
	for _, test := range []struct {
		calls []string
		want  sayso.Effect
	}{
		{[]string{"echo x > d/w.sh", "cp -r d e", "sh e/w.sh"}, sayso.Deny},
		{[]string{"echo x > d/w.sh", "mv d e", "sh e/d/w.sh"}, sayso.Deny},
		{[]string{"echo x > w.sh", "cp w.sh v.sh", "sh v.sh"}, sayso.Deny},
		{[]string{"cp -r d e", "sh e/w.sh"}, sayso.Allow}, // it was there before
		{[]string{"go build -o bin/app .", "./bin/app --help"}, sayso.Allow},
		{[]string{"go build -o bin/app .", "sh bin/app"}, sayso.Ask},
		{[]string{"go build -o bin/other .", "./bin/other"}, sayso.Ask}, // it cannot be read
	} {
		e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Machine: disk}}
		var st sayso.SessionState
		var d sayso.Decision
		for _, command := range test.calls {
			d = e.Step(context.Background(), bash(command), &st)
		}
		if d.Effect != test.want {
			t.Errorf("%q: %s %s (%s)", test.calls, d.Effect, d.Code, d.Reason)
		}
	}
}

// TestWrittenThroughLink: a file counts as written where it is, too.
func TestWrittenThroughLink(t *testing.T) {
	disk := machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/l": "/home/dev/app/real", "/home/dev/app/real": ""}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Analyzer: sayso.Analyzer{Machine: disk}}
	var st sayso.SessionState
	e.Step(context.Background(), bash("echo ls > l/x.sh"), &st)
	for _, abs := range []string{"/home/dev/app/l/x.sh", "/home/dev/app/real/x.sh"} {
		if _, ok := st.Written[abs]; !ok {
			t.Errorf("%s is not among %v", abs, st.Written)
		}
	}
}

// contents is a file system of texts.
type contents map[string]string

func (c contents) ReadFile(name string, _ int) ([]byte, error) {
	text, ok := c[name]
	if !ok {
		return nil, errors.New("none")
	}
	return []byte(text), nil
}

func (c contents) Start(name string, n int) ([]byte, error) {
	text, err := c.ReadFile(name, 0)
	return text[:min(n, len(text))], err
}

func (c contents) Lstat(name string) (shell.Entry, error) {
	_, err := c.ReadFile(name, 0)
	return shell.Entry{}, err
}

// TestPlaces: a workspace that is a link is one workspace, and what runs in a
// container changes nothing here.
func TestPlaces(t *testing.T) {
	linked := sayso.Analyzer{Machine: machine{"/w": "/data/w", "/data": "", "/data/w": ""}}
	f := linked.Analyze(sayso.Call{Tool: "Write", Input: object(map[string]string{"file_path": "a", "content": ""}), Root: "/w"})
	if !f.Inside(&f.Parts[0]) || f.Risk != shell.Moderate {
		t.Errorf("%+v", f)
	}
	f = caseOf(bash("docker exec web rm -rf /app/tmp")).Facts
	if last := &f.Parts[len(f.Parts)-1]; !f.Inside(last) {
		t.Errorf("%+v", last)
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	d := e.Check(context.Background(), bash("git push && $X"), sayso.Session{})
	if d.Effect != sayso.Ask || len(d.Suggestions) > 0 {
		t.Errorf("%+v", d)
	}
}

// TestDeep: what find reaches at any depth is meant, and an exception must cover
// all of it.
func TestDeep(t *testing.T) {
	rule := sayso.Rule{Effect: sayso.Deny, Text: "edit(**)", Except: []string{"edit(src/**)"}}
	for command, want := range map[string]bool{"find src -name a -exec sed -i s/a/b/ {} +": false, "find . -name a -exec sed -i s/a/b/ {} +": true} {
		if got, _ := finds(t, rule, caseOf(bash(command))); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
	if got, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: "edit(secret/**)"}, caseOf(bash("find . -name a -exec rm {} +"))); !got {
		t.Error("find reaches below secret")
	}
	if _, all := finds(t, sayso.Rule{Effect: sayso.Allow, Text: "bash(npm publish)"}, caseOf(bash("env PATH=. npm publish"))); all {
		t.Error("a wrapper has changed what npm is")
	}
	unknown := tool("mcp__files__frobnicate", map[string]any{"path": ".env"})
	if f := caseOf(unknown).Facts; !f.Reveals(&f.Parts[0]) {
		t.Errorf("it may be read: %+v", f)
	}
}
