package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestSuiteErrors: a file with tests is read as strictly as a policy.
func TestSuiteErrors(t *testing.T) {
	const one = "cases: [{command: ls, expect: allow}]\n"
	for text, want := range map[string]string{
		"":                                  "t:1:1: there are no cases",
		"cases:":                            "t:1:1: there are no cases",
		"case: []":                          `t:1:1: unknown key "case" (did you mean "cases"?)`,
		"cases: [ls]":                       "t:1:9: cases: want keys and values, not text (such as {command: git status, expect: allow})",
		"cases: [{expect: allow}]":          "t:1:9: cases: want a command, or a tool with its input",
		"cases: [{command: ls}]":            "t:1:9: cases: want what is expected (expect: allow, ask or deny)",
		"cases: [{command: ls, tool: x}]":   "t:1:9: cases: want a command, or a tool with its input",
		"cases: [{command: ls, input: {}}]": "t:1:9: cases: a command has no input (for another tool write tool and input)",
		"cases: [{tool: x, input: [], expect: ask}]":           "t:1:26: cases.input: want keys and values, not a list",
		"cases: [{tool: x, input: {1: 2}, expect: ask}]":       "t:1:26: cases.input: it cannot be written as JSON: json: unsupported type",
		"cases: [{tool: x, input: {a: 1, a: 2}, expect: ask}]": "cases.input: it cannot be written as JSON",
		"cases: [{command: ls, expect: alow}]":                 `t:1:31: cases.expect: want allow, ask or deny, not "alow" (did you mean "allow"?)`,
		"cases: [{command: ls, expect: allow, mode: bypas}]":   `(did you mean "bypass"?)`,
		"cases: [{command: ls, expect: allow, command: x}]":    `t:1:38: the key "command" is given twice`,
		one + "---\n" + one:               "t:2:1: a second document",
		one + "policy: 3\n":               "t:2:9: policy: want text, not a number",
		one + "policy: {deny: [bash(]}\n": "t:2:",
		one + "policy: {denny: []}\n":     `t:2:10: unknown key "denny" (did you mean "deny"?)`,
		one + "policy: &a {deny: []}\n":   "t:2:9: anchors are not used here",
		"cases: [":                        "t:1:1: not YAML",
		strings.Repeat("#", maxSize+1):    "t: the file is larger than",
	} {
		if _, err := ParseSuite("t", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v\nwant %s", text, err, want)
		}
	}
}

// TestSuite: what a file with tests says.
func TestSuite(t *testing.T) {
	s, err := ParseSuite("t", []byte(`policy: {mode: plan, mcp: {github: {deny: [x]}}}
script: p.star
mode: careful
files: [a]
cases:
  - {command: ls, expect: allow}
  - {name: n, tool: Read, input: {file_path: a, limit: 3}, mode: plan, cwd: sub, expect: deny, code: c, stage: s, risk: safe, reason: r}
  - {tool: x, expect: ask}
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Policy.Mode != "plan" || len(s.Policy.Rules) != 1 || s.Policy.Rules[0].Source.Line != 1 || s.Script != "p.star" || s.File != "" {
		t.Errorf("%+v %+v", s, s.Policy)
	}
	var got []string
	for _, c := range s.Cases {
		got = append(got, fmt.Sprintf("%d %s|%s %s|%s %s %v|%s %s %s %s %s", c.Line, c.Name, c.Tool, c.Input, c.Mode, c.Dir, c.Files, c.Expect, c.Code, c.Stage, c.Risk, c.Reason))
	}
	want := []string{
		`6 ls|bash {"command":"ls"}|careful  [a]|allow    `,
		`7 n|Read {"file_path":"a","limit":3}|plan sub [a]|deny c s safe r`,
		`8 x {}|x {}|careful  [a]|ask    `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
