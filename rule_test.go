package sayso_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

func object(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func bash(command string) sayso.Call {
	return sayso.Call{Tool: "bash", Input: object(map[string]string{"command": command}), Root: "/home/dev/app", Home: "/home/dev"}
}

func tool(name string, args map[string]any) sayso.Call {
	return sayso.Call{Tool: name, Input: object(args), Root: "/home/dev/app", Home: "/home/dev"}
}

func caseOf(call sayso.Call, own ...sayso.Tool) *sayso.Case {
	a := sayso.Analyzer{Tools: own}
	return &sayso.Case{Call: call, Facts: a.Analyze(call), Session: sayso.Session{Now: someTime}}
}

// finds reports whether a rule matches some part of the call, and whether it
// covers all of them.
func finds(t *testing.T, rule sayso.Rule, c *sayso.Case, own ...sayso.Tool) (some, all bool) {
	t.Helper()
	set, err := sayso.NewRuleSet([]sayso.Rule{rule}, own...)
	if err != nil {
		t.Fatal(err)
	}
	all = true
	for i := range c.Facts.Parts {
		found := set.Find(rule.Effect, c, &c.Facts.Parts[i]) != nil
		some = some || found
		all = all && found
	}
	return some, all
}

// TestCommandRules: a rule that denies matches any part, a rule that allows
// covers all of it.
func TestCommandRules(t *testing.T) {
	tests := []struct {
		rule, command string
		deny, allow   bool
	}{
		{"bash(git status)", "git status", true, true},
		{"bash(git status)", "git status -s", true, false},
		{"bash(git status *)", "git status", true, true},
		{"bash(git status *)", "git status -s src", true, true},
		{"bash(git status *)", "git stash", false, false},
		{"bash(git push --force *)", "git push origin main --force", true, true},
		{"bash(git push --force *)", "git push -f origin main", true, true},
		{"bash(git push --force *)", "git push origin main", false, false},
		{"bash(git push --force *)", "git -C sub push --force origin x", true, false},
		{"bash(git push origin *)", "git push origin main", true, true},
		{"bash(git push origin *)", "git push origin main --tags", true, true},
		{"bash(git push origin *)", "git -c x=y push origin main", true, false},
		{"bash(git push origin *)", "git -C /other push origin main", true, false},
		{"bash(git push origin *)", "git push --repo=evil origin main", true, false},
		{"bash(git push origin *)", "git.exe push origin main", true, false},
		{"bash(git.exe push *)", "git.exe push origin", true, true},
		{"bash(git -C sub *)", "git -C sub status", true, true},
		{"bash(git commit -m *)", "git -c core.editor=x commit -m y", true, false},
		{"bash(npm install *)", "npm i left-pad", true, true},
		{"bash(npm i *)", "npm install left-pad", true, true},
		{"bash(npm install *)", "npm add left-pad", true, true},
		{"bash(npm install *)", "npm ci", false, false},
		{"bash(cargo test *)", "cargo t -q", true, true},
		{"bash(npm run build)", "npm run-script build", true, true},
		{"bash(rm -rf *)", "rm -fr build", true, true},
		{"bash(rm -rf *)", "rm -r -f build", true, true},
		{"bash(rm -rf *)", "rm --recursive --force build", true, true},
		{"bash(rm -rf *)", "rm -r build", false, false},
		{"bash(rm -rf *)", "sudo rm -rf build", true, false},
		{"bash(rm -rf *)", "/bin/rm -rf build", true, false},
		{"bash(rm -rf *)", `\rm -rf build`, true, true},
		{"bash(rm -rf *)", "sh -c 'rm -rf build'", true, false},
		{"bash(rm -rf *)", "ls && rm -rf build", true, false},
		{"bash(npm run *)", "npm run build && npm run lint", true, true},
		{"bash(npm run *)", "npm run build > out.txt", true, false},
		{"bash(npm run *)", "npm run $X", true, true},
		{"bash(npm run build)", "npm run $X", true, false},
		{"bash(npm run build)", "./npm run build", true, false},
		{"bash(./npm run build)", "./npm run build", true, true},
		{"bash(npm *)", "LD_PRELOAD=x npm test", true, false},
		{"bash(npm *)", "CI=1 npm test", true, true},
		{"bash(echo \\*)", "echo '*'", true, true},
		{"bash(echo \\*)", "echo x", false, false},
		{`bash(git commit -m "fix: *")`, "git commit -m 'fix: it'", true, true},
		{`bash(git commit -m "fix: *")`, "git commit -m 'feat: it'", false, false},
		{`bash(git commit -m "fix: *")`, "git commit -a -m 'fix: it'", true, false},
		{`bash(git commit -m "fix: *" *)`, "git commit -a -m 'fix: it'", true, true},
		{"bash(git * main)", "git push origin main", true, true},
		{"bash(git * main)", "git push origin dev", false, false},
		{"bash(make test-?)", "make test-1", true, true},
		{"bash(make test-?)", "make test-10", false, false},
		{"bash(*)", "anything at all", true, true},
		{"bash(* --version)", "go --version", true, true},
		{"bash(kubectl --context=prod *)", "kubectl get pods --context prod", true, true},
		{"bash(kubectl --context=prod *)", "kubectl get pods --context dev", false, false},
		{"bash(foo --bar *)", "foo x --bar", true, false},
		{"bash(foo --bar=1 *)", "foo --bar=1", true, true},
		{"bash(git push -- -x)", "git push -- -x", true, true},
		{"bash(rm *)", "$CMD x", true, false},
		{"fetch(h.example)", "lynx h.example/x", true, false},
		{"fetch(*.example)", "smbclient //h.example/x", true, false},
		{"fetch(h.example)", "apt-add-repository 'deb https://h.example/x main'", true, false},
		{"fetch(h.example)", "frobnicate h.example", true, false},
		{"fetch(*)", "frobnicate h.example", false, false},
		{"fetch(h.example)", "lynx i.example", false, false},
		{"fetch(h.example)", "curl https://i.example/h.example", false, false},
		{"fetch(h.example)", "echo h.example", false, false},
		{"bash", "ls > x", true, true},
		{"Bash(ls *)", "ls x", true, true},
		{"shell", "ls", true, true},
		{"read", "ls", false, false},
		{"*", "ls", true, true},
	}
	for _, test := range tests {
		c := caseOf(bash(test.command))
		deny, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: test.rule}, c)
		ask, _ := finds(t, sayso.Rule{Effect: sayso.Ask, Text: test.rule}, c)
		_, allow := finds(t, sayso.Rule{Effect: sayso.Allow, Text: test.rule}, c)
		if deny != test.deny || ask != test.deny || allow != test.allow {
			t.Errorf("%s on %q: deny %v, ask %v, allow %v; want %v, %v", test.rule, test.command, deny, ask, allow, test.deny, test.allow)
		}
	}
}

// TestPathRules: files, by whatever tool they are touched.
func TestPathRules(t *testing.T) {
	read := func(p string) sayso.Call { return tool("Read", map[string]any{"file_path": p}) }
	write := func(p string) sayso.Call { return tool("Write", map[string]any{"file_path": p, "content": "x"}) }
	tests := []struct {
		rule        string
		call        sayso.Call
		deny, allow bool
	}{
		{"read(**/.env)", read("/home/dev/app/.env"), true, true},
		{"read(**/.env)", read("a/b/.env"), true, true},
		{"read(**/.env)", read("/other/.env"), true, false},
		{"read(**/.env)", read("/home/dev/app/.ENV"), true, false},
		{"read(**/.env)", bash("cat .env"), true, false},
		{"read(**/.env)", bash("cat < .env"), true, false},
		{"read(**/.env)", write(".env"), false, false},
		{"edit(.git/**)", write(".git/config"), true, true},
		{"edit(.git/**)", bash("echo x > .git/config"), true, false},
		{"edit(.git/**)", bash("rm -rf .git"), true, false},
		{"edit(.git/**)", bash("rm -rf ."), true, false},
		{"edit(src/secret.txt)", bash("rm src/*"), true, false},
		{"edit(src/**)", write("src/a/b.go"), true, true},
		{"edit(src/**)", write("srcs/a"), false, false},
		{"edit({src,lib}/**)", write("lib/a"), true, true},
		{"edit({src,lib}/**)", write("x/a"), false, false},
		{"edit(src/**)", write("src/../x"), false, false},
		{"write(src/**)", tool("Edit", map[string]any{"file_path": "src/x.go", "old_string": "a", "new_string": "b"}), true, true},
		{"read(~/notes/**)", read("/home/dev/notes/a"), true, true},
		{"read(~/notes/**)", read("/home/dev/app/notes/a"), false, false},
		{"read(//etc/**)", read("/etc/hosts"), true, true},
		{"delete(*.log)", bash("rm x.log"), true, false},
		{"delete(*.log)", bash("cat x.log"), false, false},
		{"read(./a)", read("a"), true, true},
		{"read(**)", read("/home/dev/app"), true, true},
		{"glob(**)", tool("Glob", map[string]any{"pattern": "**/*.go"}), false, true},
		{"edit(src/**)", tool("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: src/a.go\n*** End Patch"}), true, false},
		{"edit(src/**)", tool("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: lib/a.go\n@@\n-a\n+b\n*** End Patch"}), false, false},
	}
	for _, test := range tests {
		c := caseOf(test.call)
		deny, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: test.rule}, c)
		_, allow := finds(t, sayso.Rule{Effect: sayso.Allow, Text: test.rule}, c)
		if deny != test.deny || allow != test.allow {
			t.Errorf("%s on %s %s: deny %v, allow %v; want %v, %v (%+v)", test.rule, test.call.Tool, test.call.Input, deny, allow, test.deny, test.allow, c.Facts.Parts)
		}
	}
}

// TestOtherRules: hosts, MCP tools, whole tools, exact input.
func TestOtherRules(t *testing.T) {
	fetch := func(u string) sayso.Call { return tool("WebFetch", map[string]any{"url": u, "prompt": "x"}) }
	mcp := tool("mcp__github__create_issue", map[string]any{"owner": "acme", "repo": map[string]any{"name": "x"}, "n": 3})
	tests := []struct {
		rule        string
		call        sayso.Call
		deny, allow bool
	}{
		{"fetch(example.com)", fetch("https://example.com/x"), true, true},
		{"fetch(example.com)", fetch("https://EXAMPLE.com:8443/"), true, true},
		{"fetch(example.com)", fetch("https://example.com.evil.net/"), false, false},
		{"fetch(*.example.com)", fetch("https://a.b.example.com/"), true, true},
		{"fetch(*.example.com)", fetch("https://example.com/"), false, false},
		{"fetch(*)", fetch("https://x.y/"), true, true},
		{"fetch(*)", bash("npm install x"), true, false},
		{"fetch(example.com)", bash("curl https://example.com/x"), true, false},
		{"fetch(https://example.com/x)", fetch("https://example.com/"), true, true},
		{"WebFetch(domain:example.com)", fetch("https://example.com/"), true, true},
		{"mcp(github/*)", mcp, true, true},
		{"mcp(github)", mcp, true, true},
		{"mcp(GitHub/create_*)", mcp, true, true},
		{"mcp(git*/create_*)", mcp, true, true},
		{"mcp(gitlab/*)", mcp, false, false},
		{"mcp(github/create_issue owner=acme)", mcp, true, true},
		{"mcp(github/create_issue owner=other)", mcp, false, false},
		{"mcp(github/create_issue repo.name=x n=3)", mcp, true, true},
		{"mcp(github/create_issue missing=x)", mcp, true, false},
		{"mcp(github/create_issue owner.x=1)", mcp, true, false},
		{"mcp", mcp, true, true},
		{"mcp(*)", mcp, true, true},
		{"mcp__github__create_issue", mcp, true, true},
		{"task", tool("TodoWrite", map[string]any{"todos": []any{}}), true, true},
		{`nobody({"a": [1, 2]})`, tool("nobody", map[string]any{"a": []int{1, 2}}), true, true},
		{`nobody({"a": [1, 2]})`, tool("nobody", map[string]any{"a": []int{2, 1}}), false, false},
		{"nobody(*)", tool("nobody", nil), true, true},
		{"nobody", tool("somebody", nil), false, false},
		{"bash", tool("BashOutput", map[string]any{"bash_id": "1"}), true, true},
	}
	for _, test := range tests {
		c := caseOf(test.call)
		deny, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: test.rule}, c)
		_, allow := finds(t, sayso.Rule{Effect: sayso.Allow, Text: test.rule}, c)
		if deny != test.deny || allow != test.allow {
			t.Errorf("%s on %s %s: deny %v, allow %v; want %v, %v (%+v)", test.rule, test.call.Tool, test.call.Input, deny, allow, test.deny, test.allow, c.Facts.Parts)
		}
	}
}

// TestRuleErrors: each says what and where, and what to write instead.
func TestRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "want tool or tool(pattern)",
		"two words":         "want tool or tool(pattern)",
		"(x)":               "want the name of a tool",
		"bash(x":            "the closing parenthesis is missing",
		"bash(":             "the closing parenthesis is missing",
		"bash()":            "the pattern is empty",
		"bash( )":           "the pattern is empty",
		`bash("x)`:          "a quote is not closed",
		"read(/etc/passwd)": "relative to the workspace",
		"read([)":           "",
		"fetch(a b)":        "want a host",
		"fetch(a.*.b)":      "a * stands at the start",
		"mcp(a/b c)":        "want name=value",
		`mcp("a)`:           "want server/tool",
		"task(x)":           "task has no patterns",
		"nobody({x)":        "the input is not JSON",
		"nobody(x)":         "nobody has no patterns",
	} {
		_, err := sayso.NewRuleSet([]sayso.Rule{{Text: text, Source: sayso.Source{File: "p.yaml", Line: 3, Column: 5}}})
		var rule *sayso.RuleError
		if !errors.As(err, &rule) || !strings.Contains(rule.Problem, want) || !strings.HasPrefix(err.Error(), "p.yaml:3:5: ") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	_, err := sayso.NewRuleSet([]sayso.Rule{{Text: "bash(x *)", Except: []string{"bash("}}})
	if err == nil || !strings.Contains(err.Error(), "except") {
		t.Errorf("%v", err)
	}
}

// TestBrokenSet: a mistake in one rule drops no other, and lets nothing through.
func TestBrokenSet(t *testing.T) {
	set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Allow, Text: "bash(ls)"}, {Effect: sayso.Deny, Text: "bash(rm *)"}, {Text: "bash("}})
	if err == nil || set.Err() == nil || len(set.Rules()) != 3 {
		t.Fatalf("%v %v", err, set)
	}
	ls, rm := caseOf(bash("ls")), caseOf(bash("rm x"))
	if set.Find(sayso.Allow, ls, &ls.Facts.Parts[0]) != nil {
		t.Error("a broken set allows")
	}
	if set.Find(sayso.Deny, rm, &rm.Facts.Parts[0]) == nil {
		t.Error("a broken set has lost a rule that denies")
	}
	var none *sayso.RuleSet
	if none.Find(sayso.Deny, rm, &rm.Facts.Parts[0]) != nil || set.Find(7, rm, &rm.Facts.Parts[0]) != nil {
		t.Error("a rule out of nowhere")
	}
}

// TestExceptAndUntil: calls that a rule leaves out, and the end of a rule.
func TestExceptAndUntil(t *testing.T) {
	deny := sayso.Rule{Effect: sayso.Deny, Text: "bash(git push --force *)", Except: []string{"bash(git push --force * sandbox/*)"}}
	allow := sayso.Rule{Effect: sayso.Allow, Text: "bash(git *)", Except: []string{"bash(git push *)"}}
	until := sayso.Rule{Effect: sayso.Deny, Text: "bash(git *)", Until: someTime.Add(time.Hour)}
	over := sayso.Rule{Effect: sayso.Deny, Text: "bash(git *)", Until: someTime}
	for _, test := range []struct {
		rule    sayso.Rule
		command string
		want    bool
	}{
		{deny, "git push --force origin main", true},
		{deny, "git push --force origin sandbox/x", false},
		{deny, "git push --force origin $X", true},
		{allow, "git status", true},
		{allow, "git push origin main", false},
		{until, "git status", true},
		{over, "git status", false},
	} {
		if got, _ := finds(t, test.rule, caseOf(bash(test.command))); got != test.want {
			t.Errorf("%s on %s: %v", test.rule.Text, test.command, got)
		}
	}
}

// TestFirstRule: the first rule that matches is reported, wherever the index
// has it.
func TestFirstRule(t *testing.T) {
	set, err := sayso.NewRuleSet([]sayso.Rule{
		{Effect: sayso.Deny, Text: "fetch(nothing.example)"},
		{Effect: sayso.Deny, Text: "fetch(*)"},
		{Effect: sayso.Deny, Text: "bash(c* *)"},
		{Effect: sayso.Deny, Text: "bash(curl *)"},
		{Effect: sayso.Deny, Text: "*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := caseOf(bash("curl https://example.com"))
	if r := set.Find(sayso.Deny, c, &c.Facts.Parts[0]); r == nil || r.String() != "fetch(*)" {
		t.Errorf("%v", r)
	}
}

func TestSource(t *testing.T) {
	for want, s := range map[string]sayso.Source{
		"f:2:3": {File: "f", Line: 2, Column: 3}, "f:2": {File: "f", Line: 2}, "f": {File: "f"}, "user": {Layer: sayso.User}, "": {},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %q", s, got)
		}
	}
}

// TestOwnTool: a program adds a tool with patterns of its own.
func TestOwnTool(t *testing.T) {
	own := sayso.Tool{
		Name: "deploy", Class: sayso.ClassExternal,
		Matches: func(pattern string, input json.RawMessage) bool { return strings.Contains(string(input), pattern) },
	}
	plain := sayso.Tool{Name: "plain"}
	call := tool("deploy", map[string]any{"to": "staging"})
	for rule, want := range map[string]bool{"deploy(staging)": true, "deploy(prod)": false, "deploy": true, "deploy(*)": true} {
		if got, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: rule}, caseOf(call, own), own); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
	for rule, want := range map[string]bool{`plain({"a":1})`: true, `plain({"a":2})`: false} {
		if got, _ := finds(t, sayso.Rule{Effect: sayso.Deny, Text: rule}, caseOf(tool("plain", map[string]any{"a": 1}), plain), plain); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
	for _, rule := range []string{"plain(x)", "plain({)"} {
		if _, err := sayso.NewRuleSet([]sayso.Rule{{Text: rule}}, plain); err == nil {
			t.Errorf("%s is accepted", rule)
		}
	}
}
