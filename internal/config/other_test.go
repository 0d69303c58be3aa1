//go:build unix

package config

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// TestReadOther: a file of another program is read like a policy: one that
// somebody else could have written is refused, one in the workspace may loosen
// only if it is trusted.
func TestReadOther(t *testing.T) {
	const mine, theirs = "/home/ann/.other/config.yaml", "/home/ann/src/app/.other.yaml"
	yes, no := func(string, []byte) bool { return true }, func(string, []byte) bool { return false }
	open := Info{Mode: 0o666, Owner: 1000, Group: 1000, Self: 1000}
	for _, c := range []struct {
		name    string
		file    string
		disk    fakeDisk
		trusts  func(string, []byte) bool
		trusted bool
		want    string // in the error
	}{
		{"missing", mine, fakeDisk{}, nil, false, ""},
		{"the user's own", mine, fakeDisk{texts: map[string]string{mine: "a: 1"}}, no, true, ""},
		{"of the workspace", theirs, fakeDisk{texts: map[string]string{theirs: "a: 1"}}, no, false, ""},
		{"of the workspace, nobody to trust it", theirs, fakeDisk{texts: map[string]string{theirs: "a: 1"}}, nil, false, ""},
		{"of the workspace, trusted", theirs, fakeDisk{texts: map[string]string{theirs: "a: 1"}}, yes, true, ""},
		{"behind a link into the workspace", mine, fakeDisk{texts: map[string]string{mine: "a: 1"}, links: map[string]string{"/home/ann/.other": "/home/ann/src/app/x"}}, no, false, ""},
		{"everybody can write it", mine, fakeDisk{texts: map[string]string{mine: "a: 1"}, infos: map[string]Info{mine: open}}, no, false, mine + ": everybody can write it"},
		{"everybody can write that of the workspace", theirs, fakeDisk{texts: map[string]string{theirs: "a: 1"}, infos: map[string]Info{theirs: open}}, no, false, ""},
		{"a link", theirs, fakeDisk{texts: map[string]string{theirs: ""}, infos: map[string]Info{theirs: {Mode: fs.ModeSymlink}}}, yes, false, "it is a link"},
		{"not readable", mine, fakeDisk{errs: map[string]error{mine: errors.New("permission denied")}}, yes, false, "it cannot be read: permission denied"},
	} {
		at := ann
		at.Disk, at.Trusted = c.disk, c.trusts
		o, err := at.ReadOther(c.file)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || o.Trusted != c.trusted || o.Name != c.file {
			t.Errorf("%s: %+v, %v", c.name, o, err)
		}
		if there := o.Text != nil; there != (err == nil && c.name != "missing") {
			t.Errorf("%s: text %q", c.name, o.Text)
		}
	}
}

// TestSection: only what is below the key is read, and that strictly.
func TestSection(t *testing.T) {
	type section struct {
		List []string `json:"list"`
		Mode string   `json:"mode"`
	}
	for text, want := range map[string]string{
		"":          "",
		"tools:":    "",
		"tools: {}": "",
		"other: [1, {a: &x b, c: *x}]\ntools: {list: [a, b], mode: m}": "",
		"tools: [a]":                   "f:1:8: tools: want keys and values, not a list",
		"tools: {lists: [a]}":          `f:1:9: unknown key "lists" in tools (did you mean "list"?)`,
		"tools: {list: [3]}":           `f:1:16: tools.list: want text, not a number (put it in quotes: "3")`,
		"x: &a [b]\ntools: {list: *a}": "f:2:15: aliases are not used here",
		"tools: {}\ntools: {}":         `f:2:1: the key "tools" is given twice (first in line 1)`,
		"toolz: {}":                    `f:1:1: unknown key "toolz" (did you mean "tools"?)`,
		"3":                            "f:1:1: the file: want keys and values, not a number",
		"tools: {list: [a":             "f:1:",
		"tools: {list: [\"a\x01\"]}":   "cannot be seen",
		strings.Repeat("#", maxSize+1): "f: the file is larger than",
	} {
		var got section
		o := Other{Name: "f", Text: []byte(text)}
		marks, err := o.Section("tools", &got)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
		if strings.Contains(text, "[a, b]") && (len(got.List) != 2 || got.Mode != "m" || marks.Source("tools.list[1]").String() != "f:2:19" || marks.Error("tools.mode", "p", "").Error() != "f:2:29: p") {
			t.Errorf("%+v %v %v", got, marks.Source("tools.list[1]"), marks.Error("tools.mode", "p", ""))
		}
	}
}

// TestOtherJSON: YAML becomes the same JSON, its keys in order; what YAML could
// hide is a mistake.
func TestOtherJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"{\n\t\"b\": 1, \"a\": [2]}":            `{"b":1,"a":[2]}`,
		"b: 1\na: [x, 2.5, true, ~, \"y\\n\"]":  `{"b":1,"a":["x",2.5,true,null,"y\n"]}`,
		"z:\n  \"*\": ask\n  git: allow\na: {}": `{"z":{"*":"ask","git":"allow"},"a":{}}`,
		"a: 0x1f\nb: 2024-01-02\nc: .5":         `{"a":"0x1f","b":"2024-01-02","c":".5"}`,
	} {
		o := Other{Name: "f", Text: []byte(text)}
		if got, _, err := o.JSON(); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"a:\n  b:\n    - x\n    - c: 1\n", "{\"a\":\n {\n\"b\": [3,\n {\"c\": 1}]}}"} {
		o := Other{Name: "f", Text: []byte(text)}
		_, marks, err := o.JSON()
		for _, key := range []string{"a", "a.b", "a.b[1]", "a.b[1].c"} {
			if err != nil || !marks.Has(key) || marks.Source(key).Line == 0 {
				t.Errorf("%q: %s is at %s, %v", text, key, marks.Source(key), err)
			}
		}
		if marks.Source("a.b[1].c").Line != 4 || marks.Has("z") {
			t.Errorf("%q: %s", text, marks.Source("a.b[1].c"))
		}
	}
	for text, want := range map[string]string{
		"a: &x 1\nb: *x":               "anchors are not used here",
		"a: 1\na: 2":                   `the key "a" is given twice`,
		"a: 1\n---\nb: 2":              "a second document",
		"a: [":                         "f:1:",
		`{"a": 1, "a": 2}`:             "f:1:10: the key \"a\" is given twice",
		`{"a": 1} x`:                   "something behind the value",
		strings.Repeat("#", maxSize+1): "larger than",
	} {
		o := Other{Name: "f", Text: []byte(text)}
		if got, _, err := o.JSON(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %s, %v", text, got, err)
		}
	}
}
