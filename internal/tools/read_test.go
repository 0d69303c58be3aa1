package tools_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/tools"
)

// TestReadRefuses: inputs that two programs could read differently.
func TestReadRefuses(t *testing.T) {
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, c := range []struct{ tool, input, key string }{
		// the same key twice, and in another case; crush reads either
		{"Bash", `{"command": "ls", "command": "rm -rf /"}`, "command"},
		{"Bash", `{"command": "ls", "Command": "rm -rf /"}`, "Command"},
		{"Bash", `{"command": "ls", "\u0063ommand": "rm -rf /"}`, "command"},
		{"Bash", "{\"command\": \"ls\", \"ti\u017fmeout\": 1, \"x\": {\"a\": 1, \"A\": 2}}", "A"},
		{"write", `{"file_path": "a", "Content": "x"}`, "Content"},
		{"write", "{\"file_path\": \"a\", \"content\": \"\", \"FILEPATH\": \"/etc/passwd\"}", "FILEPATH"},
		{"view", "{\"path\": \"a\", \"file_pat\u0068\": \"b\", \"FILE_PATH\": \"/etc/shadow\"}", "FILE_PATH"},
		{"MultiEdit", `{"file_path": "a", "edits": [{"NEW_STRING": "x"}]}`, "edits[].NEW_STRING"},
		{"MultiEdit", `{"file_path": "a", "Edits": []}`, "Edits"},
		{"Monitor", `{"description": "d", "WS": {"url": "ws://x"}}`, "WS"},
		// what must be there
		{"Bash", `{}`, "command"},
		{"Bash", `{"command": ""}`, "command"},
		{"Bash", `{"command": null}`, "command"},
		{"Bash", `{"cmd": "ls"}`, "command"},
		{"Read", `{"file_path": ""}`, "file_path"},
		{"Write", `{"content": "x"}`, "file_path"},
		{"multi_replace_string_in_file", `{"replacements": []}`, "replacements[].filePath"},
		{"multi_replace_string_in_file", `{"replacements": [{"filePath": "a"}, {"newString": "b"}]}`, "replacements[].filePath"},
		{"rename_file", `{"oldPath": "a"}`, "destination"},
		{"download", `{"url": "https://x"}`, "file_path"},
		{"web_fetch", `{"prompt": "no address"}`, "url"},
		{"read", `{"paths": []}`, "filePath"},
		{"request_permissions", `{"reason": "x"}`, "permissions"},
		// what must be one thing
		{"bash", `{"command": "ls", "cmd": "rm -rf /"}`, "cmd"},
		{"apply_patch", `{"patch": "a", "input": "b"}`, "input"},
		{"bash", `{"command": "ls", "cwd": "/a", "workdir": "/b"}`, "workdir"},
		{"shell_write", `{"input": "ls", "text": "rm"}`, "text"},
		{"run_command", `{"command": "npm test; rm -rf /", "args": []}`, "command"},
		{"run_command", `{"command": "rm -rf /", "args": ["x"]}`, "command"},
		// other types
		{"Bash", `{"command": ["ls"]}`, "command"},
		{"Bash", `{"command": {"x": 1}}`, "command"},
		{"Bash", `{"command": "ls", "run_in_background": "yes"}`, "run_in_background"},
		{"Bash", `{"command": "ls", "timeout": "soon"}`, "timeout"},
		{"Bash", `{"command": "ls", "timeout": -1}`, "timeout"},
		{"Bash", `{"command": "ls", "timeout": 1e400}`, "timeout"},
		{"Bash", `{"command": "ls", "timeout": true}`, "timeout"},
		{"shell", `{"command": []}`, "command"},
		{"shell", `{"command": ["ls", 1]}`, "command"},
		{"shell", `{"command": ["ls", null]}`, "command"},
		{"shell", `{"command": ["ls", "a\u0000b"]}`, "command"},
		{"Read", `{"file_path": ["a"]}`, "file_path"},
		{"Read", `{"file_path": 7}`, "file_path"},
		{"read", `{"paths": ["a", null]}`, "paths"},
		{"read", `{"paths": {"a": "b"}}`, "paths"},
		{"Grep", `{"pattern": "x", "path": null}`, "path"},
		{"MultiEdit", `{"file_path": "a", "edits": "x"}`, "edits"},
		{"MultiEdit", `{"file_path": "a", "edits": ["x"]}`, "edits"},
		{"Monitor", `{"ws": "ws://x"}`, "ws"},
		{"run_command", `{"command": "rm", "args": "-rf /"}`, "args"},
		{"use_mcp_tool", `{"server_name": "a", "tool_name": "b", "arguments": "{\"a\":1,\"a\":2}"}`, "arguments"},
		{"use_mcp_tool", `{"server_name": "a", "server": "c", "tool_name": "b"}`, "server"},
		// a NUL ends a string in C
		{"Read", `{"file_path": "ok.txt\u0000/../../etc/passwd"}`, "file_path"},
		{"Bash", `{"command": "ls\u0000; rm -rf /"}`, "command"},
		{"WebFetch", `{"url": "https://a\u0000.example"}`, "url"},
		{"mcp__a__b", `{"path": "a\u0000b"}`, "path"},
		{"mcp__a__b", `{"cmd": "a\u0000b"}`, "cmd"},
		{"WebFetch", `{"url": "file://elsewhere"}`, "url"},
		{"WebFetch", `{"url": "file:///%zz"}`, "url"},
		// not JSON, or not all of it
		{"Bash", ``, "command"},
		{"Bash", `null`, "command"},
		{"Bash", `""`, "command"},
		{"Bash", ` `, ""},
		{"Bash", `"\"x\""`, ""},
		{"Bash", `[]`, ""},
		{"Bash", `"ls"`, ""},
		{"Bash", `{"command": "ls"} {}`, "command"},
		{"Bash", `{"command": "ls",}`, "command"},
		{"Bash", `{"command": 'ls'}`, "command"},
		{"Bash", `{"command" "ls"}`, "command"},
		{"Bash", `{"command": "ls"`, "command"},
		{"Bash", `{"command": "l`, "command"},
		{"Bash", `{"command": "\ud800"}`, "command"},
		{"Bash", `{"command": "\ud800\u0041"}`, "command"},
		{"Bash", `{"command": "\x41"}`, "command"},
		{"Bash", `{"command": "\u00g0"}`, "command"},
		{"Bash", `{"command": "\u00`, "command"},
		{"Bash", `{"command": "\`, "command"},
		{"Bash", "{\"command\": \"a\nb\"}", "command"},
		{"Bash", "{\"command\": \"\\n\nb\"}", "command"},
		{"Bash", "{\"command\": \"\xff\"}", ""},
		{"Bash", "\ufeff{}", ""},
		{"Bash", `{"command": "ls", "x": 01}`, "x"},
		{"Bash", `{"command": "ls", "x": 1.}`, "x"},
		{"Bash", `{"command": "ls", "x": tru}`, "x"},
		{"Bash", `{"command": "ls", "x": [1 2]}`, "x"},
		{"Bash", `{"command": "ls", "x": ` + deep + `}`, "x"},
		{"Bash", `{"command": "ls", "x": "` + strings.Repeat("x", 1<<20) + `"}`, ""},
		{"Bash", `{"command": "ls", "x": [` + strings.Repeat("0,", 1<<16) + `0]}`, "x"},
	} {
		s, ok := tools.Lookup(c.tool)
		if !ok {
			t.Fatalf("%s is not known", c.tool)
		}
		in, err := s.Read(json.RawMessage(c.input))
		var e *tools.InputError
		if !errors.As(err, &e) {
			t.Errorf("%s %.200s: %s, %v", c.tool, c.input, show(in), err)
			continue
		}
		if e.Key != c.key {
			t.Errorf("%s %.200s: the key is %q, want %q (%v)", c.tool, c.input, e.Key, c.key, err)
		}
	}
}

// TestReadManyKeys: keys are compared in large objects, too.
func TestReadManyKeys(t *testing.T) {
	keys := strings.Split(strings.Repeat("x", 100), "")
	for i := range keys {
		keys[i] = strings.Repeat("x", i)
	}
	s, _ := tools.Lookup("Bash")
	input := `{"command": "ls", "K": 1, "` + strings.Join(keys, `": 1, "`) + `": 1`
	if _, err := s.Read([]byte(input + `}`)); err != nil {
		t.Error(err)
	}
	for _, again := range []string{"xxx", "XXX", "k", "\u212a"} { // a Kelvin is a k
		if _, err := s.Read([]byte(input + `, "` + again + `": 1}`)); err == nil {
			t.Errorf("%q is there twice", again)
		}
	}
}

// TestReadErrors: the sentences that people see.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"Edit", `{}`, `tool input: key "file_path": missing, or path`},
		{"Bash", `[]`, `tool input: not an object`},
		{"apply_patch", `{"patch": "x"}`, `patch: line 1: no header of a file`},
		{"apply_patch", `{"patch": ""}`, `patch: names no file`},
	} {
		s, _ := tools.Lookup(c.tool)
		if _, err := s.Read([]byte(c.input)); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v, want %s", c.tool, c.input, err, c.want)
		}
	}
}

// TestReadExtra: keys that are not known are reported, and what an unknown tool
// gets is looked at as far as its names tell.
func TestReadExtra(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"Bash", `{"command": "ls", "shell_path": "/tmp/evil", "x": null}`, `command="ls"; extra=[shell_path x]`},
		{"MultiEdit", `{"file_path": "a", "edits": [{"new_string": "x", "path": "/etc/passwd"}]}`, `writes=a; text="x"; extra=[edits[].path]`},
		{"Monitor", `{"ws.url": "ws://x", "command": "ls"}`, `command="ls"; extra=[ws.url]`},
		{
			"Nobody", `{"targetFile": "/a", "n": 1, "URL": "https://x", "files": [{"path": "b", "y": ""}], "run": {"cmd": "ls"}, "at": "file:/c"}`,
			`command="ls"; touches=/a; touches=b; touches=/c; urls=[https://x file:/c]; extra=[targetFile n URL files run run.cmd at]`,
		},
		{"mcp__fs__read_multiple_files", `{"paths": ["/a", "b"]}`, `touches=/a; touches=b; mcp=fs read_multiple_files; extra=[paths]`},
		{"gmail_action", `{"attachment_paths": ["/etc/passwd"]}`, `touches=/etc/passwd; extra=[attachment_paths]`},
		{"Bash", `{"command": "ls", "dangerouslyDisableSandbox": false}`, `command="ls"`},
		{"Bash", `{"command": "ls", "dangerouslyDisableSandbox": "true"}`, `command="ls"; escalated=true`},
		{"Bash", `{"command": "ls", "dangerouslyDisableSandbox": 1}`, `command="ls"; escalated=true`},
		{"exec_command", `{"cmd": "ls", "sandbox_permissions": "anything"}`, `command="ls"; escalated=true`},
		{"write_stdin", `{"session_id": 1, "chars": ""}`, ``},
		{"list_bash", ``, ``},
		{"get_goal", `null`, ``},
		{"Bash", ` {"command" : "caf\u00e9 \ud83d\ude00 \/\b\f\n\r\t\"\\" } `, `command="café 😀 /\b\f\n\r\t\"\\"`},
		{"WebFetch", `{"url": "FILE:///etc/hosts?x#y", "prompt": ""}`, `reads=/etc/hosts; urls=[FILE:///etc/hosts?x#y]`},
		{"web_fetch", `{"prompt": "(https://a.example,https://b.example) now"}`, `urls=[https://a.example,https://b.example) https://b.example)]`},
	} {
		s, _ := tools.Lookup(c.tool)
		in, err := s.Read([]byte(c.input))
		if got := show(in); err != nil || got != c.want {
			t.Errorf("%s %s:\n got %s, %v\nwant %s", c.tool, c.input, got, err, c.want)
		}
	}
}

// TestGlobs: a pattern may lead out of the folder it is used in.
func TestGlobs(t *testing.T) {
	for _, c := range []struct{ pattern, path, want string }{
		{"**/*.go", "", "."},
		{"**/*.go", "/p", "/p"},
		{"src/{a,b}/.{github,vscode}/[a-z]*.ts", "/p", "/p"},
		{"./a/*", "/p", "/p"},
		{".*", "/p", "/p"},
		{"a..b/*", "/p", "/p"},
		{"*.{js,.ts}", "/p", "/p"},
		{"/etc/*", "/p", "/p /etc/"},
		{"/etc/passwd", "/p", "/p /etc/passwd"},
		{"/*", "", "/"},
		{"~/.ssh/*", "/p", "/p ~/.ssh/"},
		{"C:/Windows/*", "/p", "/p C:/Windows/"},
		{"../*", "/p", "/p /p/../"},
		{"a/../../b", "/p/", "/p/ /p/a/../../b"},
		{"../*", "", "../"},
		{"*/../../etc/*", "/p", "/p /"},
		{"{/etc,x}/*", "/p", "/p /"},
		{"{x,/etc}/*", "/p", "/p /"},
		{"{x,~}/*", "/p", "/p /"},
		{"{.,x}{.,y}/etc/*", "/p", "/p /"},
		{"[.][.]/etc/*", "/p", "/p /"},
		{".[.]/etc/*", "/p", "/p /"},
		{".?/etc/*", "/p", "/p /"},
		{"..@(|x)/etc", "/p", "/p /"},
		{"@(..|x)/etc", "/p", "/p /"},
		{"@(x|/etc)/y", "/p", "/p /"},
		{`\../etc`, "/p", "/p /"},
		{"[", "/p", "/p /"},
	} {
		in := map[string]string{"pattern": c.pattern, "path": c.path}
		if c.path == "" {
			delete(in, "path")
		}
		b, _ := json.Marshal(in)
		s, _ := tools.Lookup("Glob")
		got, err := s.Read(b)
		var paths []string
		for _, p := range got.Paths {
			paths = append(paths, p.Path)
		}
		if strings.Join(paths, " ") != c.want || err != nil {
			t.Errorf("%s in %s: %s, %v, want %s", c.pattern, c.path, paths, err, c.want)
		}
	}
}

func TestSuspicious(t *testing.T) {
	for _, key := range []string{
		"path", "filePath", "file_path", "FILE-PATH", "target_file", "files", "paths2", "edits[].path", "workdir", "outputDir",
		"directory", "url", "imageUrl", "base_url", "uri", "command", "shellCommand", "cmd", "script", "CommandLine", "cwd", "a.b.source",
	} {
		if !tools.Suspicious(key) {
			t.Errorf("%s should be", key)
		}
	}
	for _, key := range []string{"", "_", "[]", "description", "transcript", "profile", "limit", "encoding", "pathological", "urlencoded"} {
		if tools.Suspicious(key) {
			t.Errorf("%s should not be", key)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"bsah": "bash", "BASH": "Bash", "Bash": "Bash", "wirte_file": "write_file", "Gerp": "Grep", "webfech": "webfetch",
		"file-read": "file_read", "edti": "edit", "x": "", "": "", "completely_different": "", strings.Repeat("a", 1000): "",
	} {
		if got, ok := tools.Nearest(name); got != want || ok != (want != "") {
			t.Errorf("%q is near %q, want %q", name, got, want)
		}
	}
	for _, name := range tools.Any.Names() {
		if got, _ := tools.Nearest(name); got != name {
			t.Errorf("%q is near %q", name, got)
		}
	}
}

func TestNames(t *testing.T) {
	if got := (tools.Claude | tools.CoWork).String(); got != "claude,cowork" {
		t.Error(got)
	}
	if tools.Any.String() != "any" || tools.Class(99).String() != "invalid" || tools.Touches.String() != "touches" ||
		tools.External.String() != "external" || tools.Runs.String() != "runs" || tools.PatchCopy.String() != "copy" {
		t.Error("a name is wrong")
	}
	if _, ok := tools.ParseAgent("nobody"); ok {
		t.Error("nobody is an agent")
	}
	if !slices.Contains(tools.Cosmo.Names(), "run_command") {
		t.Error("cosmo has no run_command")
	}
}
