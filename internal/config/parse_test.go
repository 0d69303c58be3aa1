package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

var update = flag.Bool("update", false, "write what the files in testdata come to")

// show writes a file as text, line by line, without what is not set.
func show(f *File, err error) string {
	var b strings.Builder
	for line := range strings.SplitSeq(fmt.Sprint(err), "\n") {
		if err != nil {
			fmt.Fprintln(&b, "error:", line)
		}
	}
	add := func(name string, v any, is bool) {
		if is {
			fmt.Fprintf(&b, "%s: %v\n", name, v)
		}
	}
	add("preset", f.Preset, f.Preset != "")
	add("mode", f.Mode, f.Mode != "")
	for _, r := range f.Rules {
		fmt.Fprintf(&b, "%s: %s %s", r.Source, r.Effect, r.Text)
		for _, more := range []struct {
			name string
			v    any
			is   bool
		}{
			{"because", r.Because, r.Because != ""},
			{"except", r.Except, r.Except != nil},
			{"match", r.Match, r.Match != nil},
			{"not_match", r.NotMatch, r.NotMatch != nil},
			{"until", r.Until.Format(time.RFC3339), !r.Until.IsZero()},
		} {
			if more.is {
				fmt.Fprintf(&b, "; %s %q", more.name, more.v)
			}
		}
		b.WriteByte('\n')
	}
	add("workspace.also", f.Workspace.Also, f.Workspace.Also != nil)
	add("workspace off", f.Workspace.Off, f.Workspace.Off != nil)
	add("workspace ask", f.Workspace.Ask, f.Workspace.Ask != nil)
	add("sandbox.files", f.Sandbox.Files, f.Sandbox.Files != "")
	add("sandbox.hosts", f.Sandbox.Hosts, f.Sandbox.Hosts != nil)
	if f.Sandbox.Required != nil {
		add("sandbox.required", *f.Sandbox.Required, true)
	}
	if f.Sandbox.Keep != nil {
		add("sandbox.keep", *f.Sandbox.Keep, true)
	}
	add("sandbox.programs", f.Sandbox.Programs, f.Sandbox.Programs != "")
	add("approve.via", f.Approve.Via, f.Approve.Via != nil)
	add("approve.offer", f.Approve.Offer, f.Approve.Offer != nil)
	add("approve.timeout", f.Approve.Timeout, f.Approve.Timeout != 0)
	return b.String()
}

// files returns the policy files of a folder in testdata.
func files(t testing.TB, folder string) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/" + folder + "/*.yaml")
	if err != nil || len(list) < 5 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	return list
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFiles: each file in testdata comes to what is written beside it.
func TestFiles(t *testing.T) {
	for _, folder := range []string{"good", "bad"} {
		for _, file := range files(t, folder) {
			name := filepath.Base(file)
			t.Run(folder+"/"+name, func(t *testing.T) {
				f, err := Parse(name, read(t, file))
				if (err == nil) != (folder == "good") {
					t.Errorf("error is %v", err)
				}
				golden(t, strings.TrimSuffix(file, ".yaml")+".txt", show(f, err))
			})
		}
	}
}

// golden compares a text with a file, or writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(read(t, file)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestErrors: what each mistake is told, word for word.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"alow: []", `p:1:1: unknown key "alow" (did you mean "allow"?)`},
		{"x: 1", `p:1:1: unknown key "x" (want preset, mode, allow, ask, deny, workspace, mcp, sandbox or approve)`},
		{"<<: {mode: plan}", `p:1:1: unknown key "<<" (want preset, mode, allow, ask, deny, workspace, mcp, sandbox or approve)`},
		{"workspace: {Read: on}", `p:1:13: unknown key "Read" in workspace (did you mean "read"?)`},
		{"workspace.read: on", `p:1:1: unknown key "workspace.read" (write read below workspace)`},
		{"mode: plan\nmode: plan", `p:2:1: the key "mode" is given twice (first in line 1)`},
		{"mode: 5", `p:1:7: mode: want plan, careful, default, dont-ask or bypass, not "5"`},
		{"mode:", `p:1:6: mode: want plan, careful, default, dont-ask or bypass, not nothing`},
		{"mode: {}", `p:1:7: mode: want plan, careful, default, dont-ask or bypass, not keys and values`},
		{"preset: naitve", `p:1:9: preset: want native, kosmokrator, agentscope, cosmo, kodacode or cowork, not "naitve" (did you mean "native"?)`},
		{"deny: {}", `p:1:7: deny: want a list, not keys and values`},
		{"deny: bash(x)", `p:1:7: deny: want a list, not text (put it in brackets)`},
		{"deny: [2026-01-02]", `p:1:8: deny: want text, not a date (put it in quotes: "2026-01-02")`},
		{"deny: [true]", `p:1:8: deny: want text, not true (put it in quotes: "true")`},
		{"deny: ['']", `p:1:8: deny: the text is empty`},
		{"deny: [{}]", `p:1:8: deny: the long form needs a rule (rule: tool(pattern))`},
		{"deny: [{rule: read(a), unless: x}]", `p:1:24: unknown key "unless" in deny (want rule, because, except, match, not_match or until)`},
		{"deny: ['é bash(x)']", `p:1:9: rule "é bash(x)": want the name of a tool before the parenthesis`},
		{"deny: ['read(é']", `p:1:15: rule "read(é": the closing parenthesis is missing (write "read(é)")`},
		{"deny: [bash(a b #c)]", `p:1:1: not YAML: did not find expected ',' or ']' (a list in brackets is not closed, or a comma is missing)`},
		{"workspace: {network: maybe}", `p:1:22: workspace.network: want on, off or ask, not "maybe"`},
		{"workspace: {read: ask}", `p:1:19: workspace.read: want on or off, not "ask"`},
		{"workspace: {also: [1]}", `p:1:20: workspace.also: want text, not a number (put it in quotes: "1")`},
		{"sandbox: {programs: some}", `p:1:21: sandbox.programs: want open, decided or strict, not "some"`},
		{"sandbox: {required: 1}", `p:1:21: sandbox.required: want true or false, not a number`},
		{"sandbox: {hosts: ['http://a']}", `p:1:19: sandbox.hosts: want a host, such as example.com or *.example.com, not "http://a"`},
		{"approve: {timeout: 500ms}", `p:1:20: approve.timeout: want a second or more, not "500ms" (such as 90s, 5m or 1h30m)`},
		{"approve: {timeout: [1]}", `p:1:20: approve.timeout: want a second or more, not a list (such as 90s, 5m or 1h30m)`},
		{"mcp: {a: {ask: [{}]}}", `p:1:17: mcp.a.ask: want text, not keys and values`},
		{"a: !!str x", `p:1:1: unknown key "a" (want preset, mode, allow, ask, deny, workspace, mcp, sandbox or approve)` + "\np:1:4: tags are not used here (put text that starts with ! in quotes)"},
		{"ask: [*]", "p:1:1: not YAML: did not find expected alphabetic or numeric character (put text that starts with * or & in quotes)"},
		{"mode: plan\nask: [*x]", "p:2:1: not YAML: unknown anchor 'x' referenced (put text that starts with * in quotes)"},
		{"ask: [@x]", "p:1:1: not YAML: found character that cannot start any token (put text that starts with @, % or a backquote in quotes)"},
		{"ask:\n  - a: b: c", "p:2:3: not YAML: mapping values are not allowed in this context (check the indentation, and put text with a colon in quotes)"},
		{"ask:\n\n\t - x", "p:3:1: a tab in the indentation (indent with spaces)"},
		{"mode: plan\r\rask: []", `p:1:11: the character U+000D cannot be seen (remove it, or write it in double quotes as \u and its number)` + "\n" + `p:1:12: the character U+000D cannot be seen (remove it, or write it in double quotes as \u and its number)`},
		{strings.Repeat("#", maxSize+1), "p: the file is larger than 256 KiB"},
	} {
		_, err := Parse("p", []byte(c.text))
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestNoName: the place is told even where the text has no name.
func TestNoName(t *testing.T) {
	_, err := Parse("", []byte("mode: x"))
	if got, want := err.Error(), `1:7: mode: want plan, careful, default, dont-ask or bypass, not "x"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOwnTools: the tools of a program may have patterns of their own.
func TestOwnTools(t *testing.T) {
	const text = "deny: [deploy(prod)]"
	if _, err := Parse("p", []byte(text)); err == nil {
		t.Error("a tool that nobody knows has a pattern")
	}
	own := sayso.Tool{Name: "deploy", Matches: func(string, json.RawMessage) bool { return true }}
	if _, err := Parse("p", []byte(text), own); err != nil {
		t.Error(err)
	}
}

// TestTime: no text takes long; one that takes time with the square of its
// size would take minutes at the largest.
func TestTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, s := range []string{
		"[", "{a: ", "# a\n", "- ", "deny: [a]\n", "? ", "- &a x\n", "--- a\n", "\"a\n", "a\n", "!", "%a\n", "deny:\n", "deny:\n - \"\n", "\t\n", " \t", "\xff",
		"- *a\n", "mode: [\n", "mcp: {a: {ask: [(", "a: {", "[a,", "'", "é", "deny:\n- {\n",
	} {
		for _, head := range []string{"", "deny: [", "deny:\n"} {
			text := []byte(head + strings.Repeat(s, maxSize/8/len(s)))
			start := time.Now()
			_, _ = Parse("p", text)
			_, _ = FromJSON(text)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q after %q took %v", s, head, took)
			}
		}
	}
}

// TestStable: the errors of a file come in the same order each time.
func TestStable(t *testing.T) {
	text := read(t, "testdata/bad/everything.yaml")
	_, first := Parse("p", text)
	for range 20 {
		if _, err := Parse("p", text); err.Error() != first.Error() {
			t.Fatalf("%v\n%v", err, first)
		}
	}
}

// TestMistakeLosesNoDeny: whichever line of a good file is broken, the rules of
// the other keys that deny are still there, and none allows.
func TestMistakeLosesNoDeny(t *testing.T) {
	text := string(read(t, "testdata/good/sample.yaml"))
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		for _, mistake := range []string{"\"\n", "oops: 1\n", "\tx\n", "]\n", "a: b: c\n"} {
			broken := strings.Join(slices.Insert(slices.Clone(lines), i, mistake), "")
			f, err := Parse("p", []byte(broken))
			if err == nil {
				t.Fatalf("line %d: no error\n%s", i, broken)
			}
			if slices.ContainsFunc(f.Rules, func(r sayso.Rule) bool { return r.Effect == sayso.Allow }) {
				t.Fatalf("line %d: a rule allows", i)
			}
			want := 4
			if inList := strings.HasPrefix(lines[i], "  ") && i < 15; inList {
				want = 1
			}
			n := 0
			for _, r := range f.Rules {
				if r.Effect == sayso.Deny {
					n++
				}
			}
			if n < want {
				t.Errorf("%q in line %d: %d of the rules deny: %v", mistake, i+1, n, err)
			}
		}
	}
}
