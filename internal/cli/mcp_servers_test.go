package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// several writes a file of servers, and returns where it is.
func (d *mcpDesk) several(servers map[string]any) string {
	d.t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		d.t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(d.root), "servers.json")
	d.write(file, string(text))
	return file
}

// TestMCPServers: servers of a file are used through one gateway, each as trusted,
// decided and recorded as if it were alone; those that cannot be used are missing.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, "allow: [\"mcp(mail/send)\"]\ndeny:\n  - {rule: mcp(post/send to=bob), because: bob gets no post}\n")
	other := d.file + "-post"
	d.write(other, "Sends or looks.")
	file := d.several(map[string]any{
		"mail":    map[string]any{"command": "mcpserver", "args": []string{d.file}, "env": map[string]string{"X": "${HOME}/x"}},
		"post":    map[string]any{"type": "stdio", "command": "sayso", "args": []string{"mcp", "--name", "post", "--", "mcpserver", other}},
		"unknown": map[string]any{"command": "mcpserver", "args": []string{d.file}},
		"old":     map[string]any{"type": "sse", "url": "http://127.0.0.1:1/"},
		"off":     map[string]any{"command": "mcpserver", "disabled": true},
	})
	d.must("sayso", "trust", "add", "--server", "mail", "--env", "X", "--", "mcpserver", d.file)
	d.must("sayso", "trust", "add", "--server", "post", "--", "mcpserver", other)
	c, errs, err := d.connect(nil, "--servers", file, "--patience", "1m")
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	says := c.InitializeResult().Instructions
	for _, want := range []string{"sayso trust add --server unknown -- mcpserver " + d.file, "sayso speaks to no server of the type sse", "behind this one: mail, old, post, unknown."} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not in %s", want, says)
		}
	}
	var names []string
	for tool, err := range c.Tools(d.ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "mail__look mail__send mail__write post__look post__send post__write" {
		t.Errorf("the tools are %s", got)
	}
	if got := d.call(c, "mail__send"); !strings.HasPrefix(got, "done") {
		t.Error(got)
	}
	if got := d.call(c, "post__send"); !strings.Contains(got, "bob gets no post") {
		t.Error(got)
	}
	if _, err := os.Stat(other + ".ran"); err == nil || d.ran() != "send {\"to\":\"bob\"}\n" {
		t.Errorf("it ran; the other one has run %s", d.ran())
	}
	log := d.must("sayso", "log", "--json")
	for _, want := range []string{"mcp__mail__send", "mcp__post__send"} {
		if !strings.Contains(log, want) {
			t.Errorf("%s is not in %s", want, log)
		}
	}
}

// TestMCPServersListen: the same over HTTP.
func TestMCPServersListen(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, "allow: [\"mcp(mail/send)\"]\n")
	file := d.several(map[string]any{"mail": map[string]any{"command": "mcpserver", "args": []string{d.file}}})
	d.must("sayso", "trust", "add", "--server", "mail", "--", "mcpserver", d.file)
	cmd := d.command("sayso", "mcp", "--servers", file, "--patience", "1m", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	var at struct{ URL, Token string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(d.ctx, &mcp.StreamableClientTransport{Endpoint: at.URL, HTTPClient: &http.Client{Transport: bearer(at.Token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.call(c, "mail__send"); !strings.HasPrefix(got, "done") {
		t.Error(got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestMCPServersHeaders: a file says which variable each header sends, and trust is in
// that.
func TestMCPServersHeaders(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, "")
	file := d.several(map[string]any{"far": map[string]any{"type": "http", "url": "http://127.0.0.1:1/mcp", "headers": map[string]string{"authorization": "Bearer ${TOKEN}", "X-Team": "ants"}}})
	_, _, err := d.connect(nil, "--servers", file)
	want := "sayso trust add --server far --url http://127.0.0.1:1/mcp --header Authorization=TOKEN"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatal(err)
	}
	d.must(strings.Fields(want)...)
	if _, _, err := d.connect(nil, "--servers", file); err == nil || !strings.Contains(err.Error(), "the variable TOKEN is not set") {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d.write(file, strings.Replace(string(text), "TOKEN", "OTHER", 1))
	if _, _, err := d.connect(nil, "--servers", file); err == nil || !strings.Contains(err.Error(), "is not the one that you have trusted") {
		t.Error(fmt.Errorf("with another variable: %w", err))
	}
}
