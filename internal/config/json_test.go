package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFromJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"null", ""},
		{" {} ", ""},
		{`{"allow": ["read(**)"], "deny": [{"rule": "bash(x)", "because": "\ud83d\ude00"}]}`, "config:1:12: allow read(**)\nconfig:1:34: deny bash(x); because \"😀\"\n"},
		{`{"workspace.network": "ask", "workspace": {"read": "off"}, "workspace.shell": false}`, "workspace off: [read shell]\nworkspace ask: [network]\n"},
		{"{\n\"mcp.a.b.ask\": [\"*\"],\n\t\"mcp\": {\"a.b\": {\"allow\": [\"é\"]}}}", "config:2:17: ask mcp(a.b/*); except [\"mcp(a.b/é)\"]\nconfig:3:28: allow mcp(a.b/é)\n"},
		{`{"mcp.gh": {"deny": ["x"]}}`, "config:1:22: deny mcp(gh/x)\n"},
		{`{"sandbox.required": true, "approve.timeout": "90s"}`, "sandbox.required: true\napprove.timeout: 1m30s\n"},
		{`{"allow": ["x"], "deny": ["y"], "allow": ["z"]}`, "error: config:1:33: the key \"allow\" is given twice (first in line 1)\nconfig:1:27: deny y\n"},
		{`{"workspace.read": "on", "workspace.read": "off"}`, "error: config:1:26: the key \"read\" is given twice (first in line 1)\nworkspace off: [read]\n"},
		{`{"workspace": "on", "workspace.read": "off"}`, "error: config:1:15: workspace: want keys and values, not text\nerror: config:1:21: the key \"workspace\" is given twice (first in line 1)\nworkspace off: [read]\n"},
		{`{"workspace.netwrk": "on"}`, "error: config:1:2: unknown key \"netwrk\" in workspace (did you mean \"network\"?)\n"},
		{`{"mcp.a.oops": []}`, "error: config:1:16: mcp.a.oops: want keys and values, not a list\n"},
		{`{"allow": [5]}`, "error: config:1:12: allow: want text, not a number (put it in quotes: \"5\")\n"},
		{`{"allow": ["bash(x"]}`, "error: config:1:18: rule \"bash(x\": the closing parenthesis is missing (write \"bash(x)\")\n"},
		{`[]`, "error: config:1:1: the file: want keys and values, not a list\n"},
		{`{"allow": `, "error: config:1:11: not JSON: unexpected EOF\n"},
		{`{} {}`, "error: config:1:4: not JSON: there is something behind the value\n"},
		{`{} ,`, "error: config:1:5: not JSON: there is something behind the value\n"},
		{`{"allow": ["a",]}`, "error: config:1:16: not JSON: invalid character ']' looking for beginning of value\n"},
		{`{"allow" ["a"]}`, "error: config:1:10: not JSON: invalid character '[' after object key\n"},
		{"\"\xff\"", "error: config:1:1: the text is not UTF-8\n"},
		{strings.Repeat("[", 100), "error: config:1:66: not JSON: it is nested too deep\n"},
		{strings.Repeat(" ", maxSize+1), "error: config: the file is larger than 256 KiB\n"},
	} {
		f, err := FromJSON(json.RawMessage(c.text))
		if got := show(f, err); got != c.want {
			t.Errorf("%.60s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestJSONIsYAML: the same text says the same, read as a file or as JSON.
func TestJSONIsYAML(t *testing.T) {
	text := read(t, "testdata/good/json.yaml")
	a, err1 := Parse("config", text)
	b, err2 := FromJSON(text)
	if got, want := show(b, err2), show(a, err1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !reflect.DeepEqual(a.content(), b.content()) {
		t.Error("not the same")
	}
}
