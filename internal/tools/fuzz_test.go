package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRead: whatever the tool and the input, reading neither panics nor takes
// something for JSON that is none, and what it extracts is in the input.
func FuzzRead(f *testing.F) {
	for _, s := range []struct{ tool, input string }{
		{"Bash", `{"command": "ls", "timeout": 1e3, "run_in_background": true}`},
		{"shell", `{"command": ["bash", "-lc", "ls"], "sandbox_permissions": "require_escalated"}`},
		{"MultiEdit", `{"file_path": "a", "edits": [{"old_string": "\ud83d\ude00", "new_string": "b"}]}`},
		{"apply_patch", `{"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`},
		{"glob", `{"pattern": "{a,../b}/*", "paths": "[\"x\"]"}`},
		{"web_fetch", `{"prompt": "see https://a.example://b"}`},
		{"use_mcp_tool", `{"server": "a", "tool_name": "b", "arguments": "{\"path\":[\"x\"]}"}`},
		{"mcp__fs__x", `{"a": {"b": [[{"url": "file:///x%20y"}]]}, "A": 1}`},
		{"nobody", "\"{\\\"cmd\\\": \\\"ls\\\"}\""},
		{"Read", `{"file_path": "\u0000"}`},
	} {
		f.Add(s.tool, []byte(s.input))
	}
	f.Fuzz(func(t *testing.T, tool string, input []byte) {
		s, _ := Lookup(tool)
		in, err := s.Read(input)
		if err != nil {
			return
		}
		if len(input) > 0 && !json.Valid(input) || !utf8.Valid(input) {
			t.Fatalf("%q is no JSON", input)
		}
		again, _ := s.Read(slices.Clone(input))
		if !reflect.DeepEqual(in, again) {
			t.Fatal("read twice, not the same")
		}
		for _, p := range in.Paths {
			if p.Path == "" || strings.IndexByte(p.Path, 0) >= 0 {
				t.Fatalf("path %q", p.Path)
			}
		}
		for _, c := range slices.Concat(in.Commands, in.URLs) {
			if c == "" || strings.IndexByte(c, 0) >= 0 {
				t.Fatalf("command or URL %q", c)
			}
		}
		switch {
		case s.Class == Shell && s.Name != "Monitor" && len(in.Commands)+len(in.Argv) == 0,
			(s.Class == Write || s.Class == Edit || s.Class == Delete || s.Class == Move || s.Class == Patch || s.Class == Notebook ||
				s.Class == List || s.Class == Grep) && len(in.Paths) == 0:
			t.Fatalf("%s: nothing to judge in %q", tool, input)
		}
	})
}

// FuzzParse: what is read as JSON is what encoding/json reads.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, -0.5e+7, true, false, null, "x\u00e9\ud83d\ude00\/"]}`, `[[], {}, ""]`, `"\b\f\n\r\t\"\\"`, ` 0 `, `{"a":{"a":1},"b":[{"a":1}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := parse(src)
		if err != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(src))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if got := plain(n); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, not %v", src, got, want)
		}
	})
}

// plain turns a node into what encoding/json makes of it.
func plain(n node) any {
	switch n.kind {
	case '{':
		m := map[string]any{}
		for i, k := range n.keys {
			m[k] = plain(n.kids[i])
		}
		return m
	case '[':
		l := []any{}
		for _, kid := range n.kids {
			l = append(l, plain(kid))
		}
		return l
	case '"':
		return n.text
	case '0':
		return json.Number(n.text)
	case 't', 'f':
		return n.kind == 't'
	}
	return nil
}

// FuzzPatchPaths: no patch panics; each line that all programs take for a header is
// among the paths; and adding a file to a patch never hides one.
func FuzzPatchPaths(f *testing.F) {
	for _, s := range []string{
		"*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch\n",
		"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n--- /dev/null\n+++ y\n@@ -0,0 +1 @@\n+x\n",
		"diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
		"diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\nGIT binary patch\nliteral 3\nKcmZ\n\n",
		"Index: a\n====\n--- a\t1\n+++ a\t2\n@@ -1 +1 @@\n-a\r\n+b\n\\ No newline at end of file\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		paths, err := PatchPaths(text)
		if err != nil {
			return
		}
		var named []string
		for _, p := range paths {
			if p.Path == "" || (p.Op == PatchMove || p.Op == PatchCopy) != (p.MovedTo != "") {
				t.Fatalf("%q: %+v", text, p)
			}
			named = append(named, p.Path, p.MovedTo)
		}
		sections := strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch")
		for line := range strings.SplitSeq(text, "\n") {
			for _, h := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
				if name, ok := strings.CutPrefix(line, h); ok && sections && !slices.Contains(named, strings.TrimSpace(name)) {
					t.Fatalf("%q: %q is missed", text, line)
				}
			}
			if name, ok := strings.CutPrefix(line, "rename to "); ok && !sections && !strings.ContainsAny(name, "\"\t\r") && !slices.Contains(named, name) {
				t.Fatalf("%q: %q is missed", text, line)
			}
		}
		extra := "*** Add File: /etc/passwd\n*** End Patch"
		longer := strings.TrimSuffix(strings.TrimSpace(text), "*** End Patch") + extra
		if !sections {
			longer = strings.TrimRight(text, "\n") + "\n--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n"
		}
		more, err := PatchPaths(longer)
		if err == nil && (len(more) != len(paths)+1 || more[len(paths)].Path != "/etc/passwd") {
			t.Fatalf("%q: a file is hidden: %+v", longer, more)
		}
	})
}
