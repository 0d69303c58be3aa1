package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

func TestAddRule(t *testing.T) {
	for _, c := range []struct{ before, rule, after string }{
		{"", "bash(a)", "allow:\n  - bash(a)\n"},
		{"# only a comment", "bash(a)", "# only a comment\nallow:\n  - bash(a)"},
		{"---\n", "bash(a)", "---\nallow:\n  - bash(a)\n"},
		{"mode: plan\n\n# end\n", "bash(a)", "mode: plan\n\n# end\nallow:\n  - bash(a)\n"},
		{"  mode: plan\n", "bash(a)", "  mode: plan\n  allow:\n    - bash(a)\n"},
		{"allow:\nmode: plan\n", "bash(a)", "allow:\n  - bash(a)\nmode: plan\n"},
		{"allow: # none yet\n  # - bash(x)\nmode: plan\n", "bash(a)", "allow: # none yet\n  - bash(a)\n  # - bash(x)\nmode: plan\n"},
		{"allow: null # none\n", "bash(a)", "allow: [bash(a)] # none\n"},
		{"allow: []\n", "bash(a)", "allow: [bash(a)]\n"},
		{"allow: [bash(b)] # x\n", "bash(a)", "allow: [bash(b), bash(a)] # x\n"},
		{"allow: [ bash(b) , ]\n", "bash(a)", "allow: [ bash(b), bash(a) , ]\n"},
		{"allow: [\n  'it''s', # one\n  \"a\\\"b\" # two\n]\n", "bash(a)", "allow: [\n  'it''s', # one\n  \"a\\\"b\", bash(a) # two\n]\n"},
		{"allow: [{rule: read(b), match: [x, y]}]\n", "bash(a)", "allow: [{rule: read(b), match: [x, y]}, bash(a)]\n"},
		{"allow: [read(é), read(b\n  c)]\n", "bash(a)", "allow: [read(é), read(b\n  c), bash(a)]\n"},
		{"allow:\n- bash(b)\n\n# the mode\nmode: plan\n", "bash(a)", "allow:\n- bash(b)\n- bash(a)\n\n# the mode\nmode: plan\n"},
		{"allow:\n    - bash(b) # why\n    # - bash(x)\n\nmode: plan\n", "bash(a)", "allow:\n    - bash(b) # why\n    # - bash(x)\n    - bash(a)\n\nmode: plan\n"},
		{"allow:\n  - rule: bash(b)\n    because: |\n      x\n\n      # y\n", "bash(a)", "allow:\n  - rule: bash(b)\n    because: |\n      x\n\n      # y\n  - bash(a)\n"},
		{"mode: plan\r\nallow:\r\n  - bash(b)", "bash(a)", "mode: plan\r\nallow:\r\n  - bash(b)\r\n  - bash(a)"},
		{"{}\n", "bash(a)", "{allow: [bash(a)]}\n"},
		{"{mode: plan, allow: }\n", "bash(a)", "{mode: plan, allow: [bash(a)]}\n"},
		{"{\"mode\": \"plan\"}\n", "bash(a)", "{\"allow\": [\"bash(a)\"], \"mode\": \"plan\"}\n"},
		{"{\"allow\": [\"bash(b)\"]}\n", "bash(a)", "{\"allow\": [\"bash(b)\", \"bash(a)\"]}\n"},
		// A rule is quoted where it must be.
		{"allow:\n", "bash(a: b)", "allow:\n  - 'bash(a: b)'\n"},
		{"allow:\n", "bash(echo 'a' #b)", "allow:\n  - 'bash(echo ''a'' #b)'\n"},
		{"allow:\n", "bash(a, b)", "allow:\n  - bash(a, b)\n"},
		{"allow: []\n", "bash(a, b)", "allow: ['bash(a, b)']\n"},
		{"allow:\n", "bash(a\nb)", "allow:\n  - \"bash(a\\nb)\"\n"},
		{"allow:\n", "*", "allow:\n  - '*'\n"},
		{"allow:\n", "bash(\u202ex)", "allow:\n  - \"bash(\\u202ex)\"\n"},
		// One that is there already.
		{"allow: [bash(a)]\n", "bash(a)", "allow: [bash(a)]\n"},
		{"allow: [{rule: bash(a), because: x}]\n", "bash(a)", "allow: [{rule: bash(a), because: x}]\n"},
		{"allow: [{rule: bash(a), until: 2026-01-01}]\n", "bash(a)", "allow: [{rule: bash(a), until: 2026-01-01}, bash(a)]\n"},
		{"ask: [bash(a)]\n", "bash(a)", "ask: [bash(a)]\nallow:\n  - bash(a)\n"},
	} {
		got, err := AddRule([]byte(c.before), sayso.Allow, c.rule)
		if string(got) != c.after || err != nil {
			t.Errorf("%q and %s\n got %q, %v\nwant %q", c.before, c.rule, got, err, c.after)
		}
	}
}

func TestAddRuleErrors(t *testing.T) {
	for _, c := range []struct{ text, rule, want string }{
		{"", "bash(a", `rule "bash(a": the closing parenthesis is missing`},
		{"mod: plan", "bash(a)", `1:1: unknown key "mod" (did you mean "mode"?)`},
		{"mode: plan\n...\n", "bash(a)", errByHand.Error()},
		{"? allow\n", "bash(a)", errByHand.Error()},
		{strings.Repeat("#", maxSize), "bash(a)", errByHand.Error()},
	} {
		got, err := AddRule([]byte(c.text), sayso.Allow, c.rule)
		if got != nil || fmt.Sprint(err) != c.want {
			t.Errorf("%.40q: %q, %v, want %s", c.text, got, err, c.want)
		}
	}
}

func TestRemoveRule(t *testing.T) {
	for _, c := range []struct{ before, rule, after string }{
		{"allow: [bash(a)]\n", "bash(a)", "allow: []\n"},
		{"allow: [bash(a),]\n", "bash(a)", "allow: []\n"},
		{"allow: [bash(b), bash(a) , ]\n", "bash(a)", "allow: [bash(b) ]\n"},
		{"allow: [bash(a), bash(b)] # x\n", "bash(a)", "allow: [bash(b)] # x\n"},
		{"allow: [bash(b), bash(a)] # x\n", "bash(a)", "allow: [bash(b)] # x\n"},
		{"allow: [bash(a), bash(b), bash(a), bash(a)]\n", "bash(a)", "allow: [bash(b)]\n"},
		{"allow: [bash(a), 'bash(a)']\n", "bash(a)", "allow: []\n"},
		{"allow: [\n  bash(b), # b\n  bash(a), # a\n  bash(c) # c\n]\n", "bash(a)", "allow: [\n  bash(b), # b\n  bash(c) # c\n]\n"},
		{"allow: [\n  bash(b), # b\n  bash(a) # a\n]\n", "bash(a)", "allow: [\n  bash(b), # b\n   # a\n]\n"},
		{"allow: [bash(b), {rule: bash(a), # it's ]\n  match: [], because: 'it''s }'}]\n", "bash(a)", "allow: [bash(b)]\n"},
		{"allow: [bash(b), {rule: bash(a), because: \"\\\"}\" # }\n }]\n", "bash(a)", "allow: [bash(b)]\n"},
		{"allow: [{rule: bash(a), match: ['x]']}, bash(b)]\n", "bash(a)", "allow: [bash(b)]\n"},
		{"allow:\n  - bash(a)\nmode: plan\n", "bash(a)", "allow:\nmode: plan\n"},
		{"allow:\n  # of a\n  - bash(a) # a\n  # of b\n  - bash(b)\n", "bash(a)", "allow:\n  # of a\n  # of b\n  - bash(b)\n"},
		{"allow:\n- bash(b)\n- rule: bash(a)\n  because: |\n    x\n    # y\n\n# the mode\nmode: plan\n", "bash(a)", "allow:\n- bash(b)\n\n# the mode\nmode: plan\n"},
		{"allow:\n  -\n    # why\n    rule: bash(a)\n  - bash(b)", "bash(a)", "allow:\n  - bash(b)"},
		{"allow:\r\n  - bash(b)\r\n  - bash(a)", "bash(a)", "allow:\r\n  - bash(b)\r\n"},
		{"deny: [bash(a)]\nallow: [bash(a)]\n", "bash(a)", "deny: [bash(a)]\nallow: []\n"},
		{"mcp: {g: {allow: [get, list], ask: ['*']}}\n", "mcp(g/get)", "mcp: {g: {allow: [list], ask: ['*']}}\n"},
		{"mcp:\n  g:\n    allow:\n      - get\n    ask:\n      - '*'\nallow: [mcp(g/get)]\n", "mcp(g/get)", "mcp:\n  g:\n    allow:\n    ask:\n      - '*'\nallow: []\n"},
	} {
		got, err := RemoveRule([]byte(c.before), sayso.Allow, c.rule)
		if string(got) != c.after || err != nil {
			t.Errorf("%q and %s\n got %q, %v\nwant %q", c.before, c.rule, got, err, c.after)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"deny: [bash(a)]", ErrNoRule.Error()},
		{"mod: x", `1:1: unknown key "mod" (did you mean "mode"?)`},
		{"? allow\n: - bash(a)\n", errByHand.Error()},
	} {
		if got, err := RemoveRule([]byte(c.text), sayso.Allow, "bash(a)"); got != nil || fmt.Sprint(err) != c.want {
			t.Errorf("%q: %q, %v, want %s", c.text, got, err, c.want)
		}
	}
	if _, err := RemoveRule(nil, sayso.Deny, "bash(a)"); !errors.Is(err, ErrNoRule) {
		t.Error(err)
	}
}
