package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clients installs programs of others, if they are not there, and returns where each
// is. Without npm the test fails.
func clients(t *testing.T, names ...string) []string {
	t.Helper()
	cmd := exec.Command("../../scripts/clients", names...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return strings.Fields(string(out))
}

// entryOf is a server as a file of them has it.
func entryOf(argv []string) any { return map[string]any{"command": argv[0], "args": argv[1:]} }

// TestMCPReal: servers of others behind the gateway, driven by a client of others:
// they are used as without it, and what is not allowed does not happen.
func TestMCPReal(t *testing.T) {
	t.Parallel()
	at := clients(t, "servers", "inspector")
	modules := filepath.Join(at[0], "node_modules/@modelcontextprotocol")
	d := newMCPDesk(t, `
allow: ["mcp(files/read_*)", "mcp(everything/echo)"]
ask: ["mcp(files/edit_file)"]
deny:
  - mcp(files/write_file)
  - rule: mcp(files/create_directory path=*)
    because: the folders are all there
`)
	work := d.root
	d.write(filepath.Join(work, "a.txt"), "hello\n")
	servers := map[string][]string{
		"files":      {"node", filepath.Join(modules, "server-filesystem/dist/index.js"), work},
		"everything": {"node", filepath.Join(modules, "server-everything/dist/index.js"), "stdio"},
	}
	for name, argv := range servers {
		d.must(append([]string{"sayso", "trust", "add", "--server", name, "--"}, argv...)...)
		for file, words := range map[string]string{name: "sayso mcp --name " + name + " -- " + strings.Join(argv, " "), name + "-direct": strings.Join(argv, " ")} {
			d.write(filepath.Join(work, file), "#!/bin/sh\nexec "+words+"\n") // the inspector takes -- for its own
			if err := os.Chmod(filepath.Join(work, file), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := d.several(map[string]any{"files": entryOf(servers["files"]), "everything": entryOf(servers["everything"])})
	d.write(filepath.Join(work, "both"), "#!/bin/sh\nexec sayso mcp --patience 1m --servers "+both+"\n")
	if err := os.Chmod(filepath.Join(work, "both"), 0o700); err != nil {
		t.Fatal(err)
	}
	inspect := func(server, method string, more ...string) string {
		t.Helper()
		words := append([]string{"node", filepath.Join(at[1], "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", filepath.Join(work, server), "--method", method}, more...)
		out, _ := d.run(words...) // a tool's error is its own
		return out
	}
	tool := func(server, name string, args ...string) string {
		t.Helper()
		words := []string{"--tool-name", name}
		for _, a := range args {
			words = append(words, "--tool-arg", a)
		}
		return inspect(server, "tools/call", words...)
	}
	a := "path=" + filepath.Join(work, "a.txt")

	if got, direct := inspect("everything", "tools/list"), inspect("everything-direct", "tools/list"); got != direct || !strings.Contains(got, `"echo"`) {
		t.Errorf("the tools of everything are listed as\n%s\nwant\n%s", got, direct)
	}
	if got := inspect("files", "tools/list"); strings.Contains(got, `"write_file"`) || !strings.Contains(got, `"edit_file"`) {
		t.Errorf("the tools of files are listed as\n%s", got)
	}
	if got := tool("everything", "echo", "message=hi"); !strings.Contains(got, "Echo: hi") {
		t.Errorf("echo: %s", got)
	}
	if got := tool("files", "read_text_file", a); !strings.Contains(got, "hello") {
		t.Errorf("read: %s", got)
	}
	if got := tool("files", "create_directory", "path="+filepath.Join(work, "new")); !strings.Contains(got, "sayso: not allowed") || !strings.Contains(got, "the folders are all there") {
		t.Errorf("make a folder: %s", got)
	}
	if _, err := os.Stat(filepath.Join(work, "new")); err == nil {
		t.Error("it was made")
	}
	if got := inspect("both", "tools/list"); !strings.Contains(got, `"everything__echo"`) || !strings.Contains(got, `"files__edit_file"`) || strings.Contains(got, `"files__write_file"`) {
		t.Errorf("the tools of both are listed as\n%s", got)
	}
	if got := tool("both", "everything__echo", "message=hi"); !strings.Contains(got, "Echo: hi") {
		t.Errorf("echo of both: %s", got)
	}
	if got := tool("both", "files__create_directory", "path="+filepath.Join(work, "new")); !strings.Contains(got, "the folders are all there") {
		t.Errorf("make a folder through both: %s", got)
	}
	edited := func() string { text, _ := os.ReadFile(filepath.Join(work, "a.txt")); return string(text) }
	for _, tt := range []struct{ verb, told, want string }{{"deny", "a person said no", "hello\n"}, {"approve", "bye", "bye\n"}} {
		got := make(chan string, 1)
		go func() { got <- tool("files", "edit_file", a, `edits=[{"oldText":"hello","newText":"bye"}]`) }()
		d.answer(tt.verb)
		if got := <-got; !strings.Contains(got, tt.told) || edited() != tt.want {
			t.Errorf("%s: %s\nthe file has %q", tt.verb, got, edited())
		}
	}
}
