package sayso_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// TestSearches: a search that names files by a pattern is about those files.
func TestSearches(t *testing.T) {
	grep := func(names string) sayso.Call {
		return tool("Grep", map[string]any{"pattern": "KEY", "glob": names})
	}
	tests := []struct {
		call   sayso.Call
		paths  string
		secret bool
	}{
		{grep(".env*"), "/home/dev/app/.env* deep", true},
		{grep("*.{ts,tsx}"), "/home/dev/app/*.ts deep, /home/dev/app/*.tsx deep", false},
		{grep("src/**/*.go"), "/home/dev/app/src/*.go deep", false},
		{grep("config/*"), "/home/dev/app/config all", false},
		{grep("!*.md"), "/home/dev/app all", false},
		{tool("read_many_files", map[string]any{"paths": []string{"**/.env", "*.pem"}}), "/home/dev/app/.env deep, /home/dev/app/*.pem deep", true},
	}
	for _, test := range tests {
		f := caseOf(test.call).Facts
		var got []string
		secret := false
		for i := range f.Parts {
			secret = secret || f.Reveals(&f.Parts[i])
			for _, p := range f.Parts[i].Paths {
				how := "one"
				switch {
				case p.Deep:
					how = "deep"
				case p.Recursive:
					how = "all"
				}
				got = append(got, p.Abs+" "+how)
			}
		}
		if text := strings.Join(got, ", "); text != test.paths || secret != test.secret {
			t.Errorf("%s: %s, secret %v; want %s, %v", test.call.Input, text, secret, test.paths, test.secret)
		}
	}
	a := sayso.Analyzer{Machine: machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/l": "/home/dev/far"}}
	f := a.Analyze(tool("Grep", map[string]any{"pattern": "x", "path": "l", "glob": "*.go"}))
	if got := f.Parts[0].Paths[0].Real; got != "/home/dev/far/*.go" {
		t.Error("behind a link:", got)
	}
}

// TestMoves: what a patch moves is read, and gone, and elsewhere.
func TestMoves(t *testing.T) {
	f := caseOf(tool("apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"})).Facts
	var got []string
	for _, p := range f.Parts[0].Paths {
		got = append(got, fmt.Sprint(p.Abs, " ", p.Access))
	}
	want := fmt.Sprint([]string{fmt.Sprint("/home/dev/app/a ", shell.Delete), fmt.Sprint("/home/dev/app/a ", shell.Read)})
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestMetadata: the service that hands out a machine's credentials is a secret.
func TestMetadata(t *testing.T) {
	for _, call := range []sayso.Call{
		tool("WebFetch", map[string]any{"url": "http://169.254.169.254/latest", "prompt": ""}),
		bash("curl http://metadata.google.internal/x"),
	} {
		if f := caseOf(call).Facts; !f.Reveals(&f.Parts[0]) {
			t.Errorf("%s is no secret", call.Input)
		}
	}
}

// TestFindBelow: rules for files that a whole folder may hold.
func TestFindBelow(t *testing.T) {
	ended := sayso.Rule{Text: "read(**/.env)", Until: someTime}
	for _, test := range []struct {
		rule    sayso.Rule
		command string
		found   bool
	}{
		{sayso.Rule{Text: "read(**/.env)"}, "grep -r x .", true},
		{sayso.Rule{Text: "read(**/.env)"}, "grep -r x src", true},
		{sayso.Rule{Text: "read(**/.env)"}, "grep -r x /srv", true},
		{sayso.Rule{Text: "read(*.pem)"}, "grep -r x .", true},
		{sayso.Rule{Text: "read(*.pem)"}, "grep -r x src", false},
		{sayso.Rule{Text: "read(**/.env)"}, "grep x a", false},
		{sayso.Rule{Text: "read(**/.env)"}, "cat src/*", false},
		{sayso.Rule{Text: "edit(**/.env)"}, "grep -r x .", false},
		{sayso.Rule{Text: "read(//srv/**)"}, "grep -r x .", false},
		{ended, "grep -r x .", false},
	} {
		set, err := sayso.NewRuleSet([]sayso.Rule{test.rule})
		if err != nil {
			t.Fatal(err)
		}
		c := caseOf(bash(test.command))
		if got := set.FindBelow(c, &c.Facts.Parts[0]) != nil; got != test.found {
			t.Errorf("%s on %q: %v", test.rule.Text, test.command, got)
		}
	}
	if (*sayso.RuleSet)(nil).FindBelow(nil, nil) != nil {
		t.Error("no rules")
	}
}

// TestRuleClass: rules have words of their own, and those of the agents.
func TestRuleClass(t *testing.T) {
	for word, want := range map[string]sayso.Class{"bash": sayso.ClassShell, "Write": sayso.ClassWrite, "output": sayso.ClassOutput, "nobody": ""} {
		if class, known := sayso.RuleClass(word); class != want || known != (want != "") {
			t.Errorf("%s: %s, %v", word, class, known)
		}
	}
}

// TestManyRulesForAliases: a rule is found by another name of the sub-command
// also where there are enough rules for an index.
func TestManyRulesForAliases(t *testing.T) {
	rules := []sayso.Rule{{Text: "bash(npm install left-pad)"}}
	for i := range 20 {
		rules = append(rules, sayso.Rule{Text: fmt.Sprintf("bash(npm run task%d)", i)})
	}
	rules = append(rules, sayso.Rule{Text: "bash(npm update *)"})
	set, err := sayso.NewRuleSet(rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"npm i left-pad", "npm up", "npm.exe up", "/usr/bin/npm upgrade x"} {
		c := caseOf(bash(command))
		if set.Find(sayso.Deny, c, &c.Facts.Parts[0]) == nil {
			t.Errorf("%s is not found", command)
		}
	}
}
