package view_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/preset"
)

// careful asks about changes of files, too.
func careful(t *testing.T, tool string, input map[string]any) *sayso.Request {
	t.Helper()
	return request(t, native(t, sayso.Rule{Effect: sayso.Ask, Text: "edit(**)"}, sayso.Rule{Effect: sayso.Ask, Text: "mcp(*/*)"}), tool, input)
}

// native is sayso's own preset with rules.
func native(t *testing.T, rules ...sayso.Rule) sayso.Preset {
	t.Helper()
	set, err := sayso.NewRuleSet(rules)
	if err != nil {
		t.Fatal(err)
	}
	return preset.Native(preset.Policy{Rules: set})
}

// TestChange: changes of files are shown as what goes and what comes, and the
// rest of the input beside them.
func TestChange(t *testing.T) {
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, one := range []struct {
		tool       string
		input      map[string]any
		what, also string
	}{
		{
			"Edit",
			map[string]any{"file_path": "a.go", "old_string": "x\ny\nz", "new_string": "x\nY\u202e\nz", "replace_all": true},
			"<note write ><decisive a.go><note  (/home/dev/app/a.go)>\n  x\n<removed - y>\n<added + Y><hidden \\u{202e}>\n  z\n", "replace_all: true",
		},
		{
			"MultiEdit",
			map[string]any{"file_path": "a.go", "edits": []any{
				map[string]any{"old_string": "a", "new_string": "b"}, map[string]any{"old_string": "\tc", "new_string": ""},
			}},
			"<note write ><decisive a.go><note  (/home/dev/app/a.go)>\n<removed - a>\n<added + b>\n<note …>\n<removed -     c>\n", "",
		},
		{
			"Write",
			map[string]any{"file_path": "new.txt", "content": "one\ntwo\n"},
			"<note write ><decisive new.txt><note  (/home/dev/app/new.txt)>\n<added + one>\n<added + two>\n", "",
		},
		{
			"Write",
			map[string]any{"file_path": "old.txt", "content": strings.Replace(before, "9", "nine", 1)},
			"<note write ><decisive old.txt><note  (/home/dev/app/old.txt)>\n<note   [5 lines that stay]>\n  6\n  7\n  8\n<removed - 9>\n<added + nine>\n", "",
		},
		{
			"apply_patch",
			map[string]any{"patch": "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch\n"},
			"<note write ><decisive a.go><note  (/home/dev/app/a.go)>\n*** Begin Patch\n*** Update File: <decisive a.go>\n@@\n<removed -x>\n<added +y>\n*** End Patch\n", "",
		},
	} {
		v := view.Of(careful(t, one.tool, one.input), view.Options{Before: func(path string) (string, bool) { return before, strings.HasSuffix(path, "old.txt") }})
		var also []string
		for _, row := range v.Also {
			also = append(also, row.Name+": "+row.Text())
		}
		if got := marked(v.What); got != one.what || v.Kind != view.OfChange || strings.Join(also, "; ") != one.also {
			t.Errorf("%s:\n got %q\nwant %q\nalso %q", one.tool, got, one.what, also)
		}
	}
}

// TestInput: every argument of a tool is shown, in the order in which it came.
func TestInput(t *testing.T) {
	r := careful(t, "mcp__github__create_issue", map[string]any{"body": "one\ntwo", "labels": []any{"a", map[string]any{"b": nil}}, "n": 12345678901234567890.0, "none": map[string]any{}, "title": "t\u202e"})
	v := view.Of(r, view.Options{})
	want := "<note body: >\n  one\n  two\n<note labels[0]: >a\n<note labels[1].b: >null\n<note n: >12345678901234567000\n<note none: >{}\n<note title: >t<hidden \\u{202e}>\n"
	if got := marked(v.What); got != want || v.Kind != view.OfInput || v.Wants != "wants to use the tool mcp__github__create_issue" {
		t.Errorf("got %q\nwant %q\n%s", got, want, v.Wants)
	}
	r.Contract.Input = []byte("{\"a\": 1, \x1b")
	if got := marked(view.Of(r, view.Options{}).What); got != "<note input: >{\"a\": 1, <hidden \\x1b>\n" {
		t.Errorf("%q", got)
	}
}

// TestNewFirst: it does not matter in which order the two texts come.
func TestNewFirst(t *testing.T) {
	r := careful(t, "Edit", map[string]any{"file_path": "a.go", "old_string": "a", "new_string": "b"})
	for input, want := range map[string]string{
		`{"new_string": "b", "file_path": "a.go", "old_string": "a"}`: "<removed - a>\n<added + b>\n",
		`{"file_path": "a.go", "old_string": "a", "new_string": "b"}`: "<removed - a>\n<added + b>\n",
	} {
		r.Contract.Input = []byte(input)
		v := view.Of(r, view.Options{})
		if _, got, _ := strings.Cut(marked(v.What), "\n"); got != want || len(v.Also) > 0 {
			t.Errorf("%s: %q %+v", input, got, v.Also)
		}
	}
}

// TestLarge: much is shown, too, and does not take for ever.
func TestLarge(t *testing.T) {
	for _, command := range []string{
		"git push " + strings.Repeat("я", 200_000), "git push " + strings.Repeat("x\u200b", 100_000), strings.Repeat("git push;", 5_000), strings.Repeat("\n", 500_000) + "git push",
	} {
		r := bash(t, "git push")
		r.Contract.Input = nil
		r.Contract.Script = command
		if v := view.Of(r, view.Options{}); len(v.What) == 0 {
			t.Errorf("nothing is shown of %.20q", command)
		}
	}
	var edits []any
	for range 10_000 {
		edits = append(edits, map[string]any{"old_string": "a", "new_string": "b"})
	}
	r := careful(t, "MultiEdit", map[string]any{"file_path": "a.go", "edits": edits})
	if v := view.Of(r, view.Options{}); len(v.What) != 30_000 {
		t.Errorf("%d lines", len(v.What))
	}
}

// TestFurtherArguments: what else is sent with a command is not hidden.
func TestFurtherArguments(t *testing.T) {
	r := request(t, preset.Native(preset.Policy{}), "Bash", map[string]any{"command": "git push", "description": "List files", "run_in_background": true})
	v := view.Of(r, view.Options{})
	if len(v.Also) != 2 || v.Also[0].Name != "description" || v.Also[0].Text() != "List files" || v.Also[1].Text() != "true" {
		t.Errorf("%+v", v.Also)
	}
}

// TestWhatRuns: what the contract has is shown, and not what the call had.
func TestWhatRuns(t *testing.T) {
	r := bash(t, "git push")
	r.Contract.Script = "rm -rf /"
	r.Contract.Input = nil
	v := view.Of(r, view.Options{})
	if got := marked(v.What); got != "rm -rf /\n" || len(v.Also) != 1 || v.Also[0].Text() != "git push" { // what else was sent is not hidden
		t.Errorf("%q %+v", got, v.Also)
	}
	r.Contract.Script, r.Contract.Argv = "", []string{"rm", "-rf", "a b"}
	if got := marked(view.Of(r, view.Options{}).What); got != "rm -rf 'a b'\n" {
		t.Errorf("%q", got)
	}
}

// TestChoices: each preset offers what its document says, and each choice tells
// what it stores and allows.
func TestChoices(t *testing.T) {
	push := map[string]any{"command": "git push origin main"}
	for _, one := range []struct {
		name   string
		preset sayso.Preset
		tool   string
		want   []string
	}{
		{"native", preset.Native(preset.Policy{}), "Bash", []string{
			"y once | nothing | this call, once",
			"s this session: bash(git push *) | the rule bash(git push *), until the end of this session | every command that starts with git push",
			"a always: bash(git push *) | the rule bash(git push *), for this workspace, until you revoke it | every command that starts with git push",
			"n no | nothing | nothing: this call does not run",
		}},
		{"ask rule", native(t, sayso.Rule{Effect: sayso.Ask, Text: "bash(git push *)", Source: sayso.Source{File: "/home/dev/app/.sayso.yaml", Line: 7}}), "Bash", []string{
			"y once | nothing | this call, once",
			"n no | nothing | nothing: this call does not run",
		}},
		{"kosmokrator", preset.KosmoKrator(preset.KosmoKratorDefaults()), "bash", []string{
			"y Allow once | nothing | this call, once",
			"s Allow for session | the rule bash, until the end of this session | every call of bash in this session",
			"n Deny | nothing | nothing: this call does not run",
		}},
		{"agentscope", preset.AgentScope(preset.AgentScopeConfig{}), "Bash", []string{
			"y allow | nothing | this call, once",
			"1 allow, and accept the rule Bash(git push origin main) | the rule Bash(git push origin main), until the end of this session | exactly this command",
			"2 allow, and accept the rule Bash(git push:*) | the rule Bash(git push:*), until the end of this session | every command that starts with git push",
			"n deny | nothing | nothing: this call does not run",
		}},
		{"kodacode", preset.KodaCode(preset.KodaCodeConfig{}), "bash", []string{
			`1 Allow once | the rule {"execution":"972f3aa661ebe779c985ca3f3a2ed7f8748ca3c9e6eedef168c76507dd2d0504"}, until the end of this turn | exactly this call, also again`,
			`2 Allow for session duration | the rule {"execution_prefix":["git","push"],"hosts":["git remotes"]}, until the end of this session | commands that start with git push with access to git remotes`,
			"3 Deny | nothing | nothing: this call does not run",
			"4 Allow with network enabled | nothing | this call, once; it may reach: everything",
			`5 Allow with execution policy amendment: network_target "git remotes": allow | the rule {"rules":[{"subject":"network_target","pattern":"git remotes","action":"allow"}]}, until the end of this session | what the permission rules network_target "git remotes": allow match`,
		}},
		{"cowork", preset.CoWork(preset.CoWorkConfig{}), "run_command", []string{
			"y Allow once | nothing | this call, once",
			"s Allow for session: command_prefix git push origin main | the rule allow command_prefix git push origin main, until the end of this session | commands that start with git push origin main",
			"w Allow for workspace: command_prefix git push origin main | the rule allow command_prefix git push origin main, for this workspace, until you revoke it | commands that start with git push origin main",
			"p Allow for profile: command_prefix git push origin main | the rule allow command_prefix git push origin main, for you in every workspace, until you revoke it | commands that start with git push origin main",
			"n Deny once | nothing | nothing: this call does not run",
		}},
		{"cosmo", preset.Cosmo(), "bash", []string{
			"y Allow | nothing | this call, once",
			"n Deny | nothing | nothing: this call does not run",
		}},
	} {
		v := view.Of(request(t, one.preset, one.tool, push), view.Options{Home: "/home/dev"})
		var got []string
		for _, c := range v.Choices {
			got = append(got, c.Key+" "+c.Label+" | "+c.Stores+" | "+c.Allows)
		}
		if strings.Join(got, "\n") != strings.Join(one.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", one.name, strings.Join(got, "\n"), strings.Join(one.want, "\n"))
		}
		if one.name == "ask rule" && (v.Why.Place != "~/app/.sayso.yaml:7" || !strings.Contains(v.Why.Edit, v.Why.Place) || v.Why.Rule != "bash(git push *)") {
			t.Errorf("%+v", v.Why)
		}
	}
}

// TestDecisive: what decides is found by what the decision calls it: a host, a
// path, or nothing, which is the worst of it.
func TestDecisive(t *testing.T) {
	r := bash(t, "ls; git push origin main; cat a/../b")
	for part, want := range map[string]string{
		"git remotes":      "ls; <decisive git push origin main>; cat a/../b\n",
		"":                 "ls; <decisive git push origin main>; cat a/../b\n",
		"not to be found":  "ls; <decisive git push origin main>; cat a/../b\n",
		"/home/dev/app/b":  "ls; git push origin main; <decisive cat a/../b>\n",
		"a/../b":           "ls; git push origin main; <decisive cat a/../b>\n",
		"origin main; cat": "ls; git push <decisive origin main; cat> a/../b\n",
	} {
		r.Decision.Part = part
		if got := marked(view.Of(r, view.Options{}).What); got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

// TestWrap: a wide line is broken, and nothing of it is lost.
func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"one two three":  "one two|three",
		"abcdefghijklmn": "abcdefgh|ijklmn",
		"ab cdefghijklm": "ab cdefg|hijklm", // else the line would be half empty
		"日本語日本語":         "日本語日|本語",
		"":               "",
		"12345678 9":     "12345678|9",
	} {
		var got []string
		for _, l := range (view.Line{{Text: text, Role: view.Command}}).Wrap(8) {
			got = append(got, l.String())
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := view.Line{{Text: "a ", Role: view.Command}, {Text: strings.Repeat("x", 20), Role: view.Decisive}}
	n := 0
	for _, l := range long.Wrap(8) {
		for _, s := range l {
			if s.Role == view.Decisive {
				n += len(s.Text)
			}
		}
	}
	if n != 20 {
		t.Errorf("%d of 20 decisive characters are left", n)
	}
}

// TestPreview: what a preview has shown is shown, marked as what sayso has found, and
// nothing in it is anything but text.
func TestPreview(t *testing.T) {
	r := sayso.Request{Call: sayso.Call{Tool: "bash", Input: []byte(`{"command":"make"}`), Root: "/w"}, Contract: sayso.Contract{Tool: "bash", Dir: "/w", Changes: "hash"}}
	r.Shows = []string{"added    a\nremoved b", "+new\x1b[2J", "-old", "> \u202egnp"}
	r.Decision.Choices = []sayso.Choice{{Key: "y", Yes: true}, {Key: "r", Yes: true, Real: true}, {Key: "n"}}
	v := view.Of(&r, view.Options{})
	row := v.Also[len(v.Also)-1]
	if !row.Found || row.Title() != "what it would do, by a preview:" || row.Text() != `added    a\nremoved b, +new\x1b[2J, -old, > \u{202e}gnp` {
		t.Errorf("%+v", row)
	}
	if !row.Lines[1].Is(view.Added) || !row.Lines[2].Is(view.Removed) || len(v.Warnings) == 0 {
		t.Errorf("%+v %q", row.Lines, v.Warnings)
	}
	for i, want := range []string{"the changes that are shown, once; nothing is run", "run anew", "nothing"} {
		if !strings.Contains(v.Choices[i].Allows, want) {
			t.Errorf("%+v", v.Choices[i])
		}
	}
	if v.Choices[0].Contract == v.Choices[1].Contract {
		t.Error("both choices are for the same contract")
	}
}
