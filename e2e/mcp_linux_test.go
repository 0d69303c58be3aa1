package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// filesPolicy is about the tools of an MCP server.
const filesPolicy = `approve: {via: [tty], timeout: 2m}
deny:
  - rule: mcp(files/write_file path=**/denied.txt)
    because: this text is not wanted here
ask:
  - mcp(files/write_file path=**/asked*.txt)
allow:
  - mcp(files/write_file path=**/allowed.txt)
  - mcp(files/read_text_file)
`

// TestGateway: a client whose MCP server is behind the gateway, and that has no hooks,
// gets done what is allowed, is told why it may not do the rest, and waits for the
// answer that is given in another process.
func TestGateway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		server := []string{"node", installed(s, "servers", "@modelcontextprotocol/server-filesystem/dist/index.js"), s.repo}
		s.unwired, s.mcp = true, map[string][]string{"files": append([]string{s.bin + "/sayso", "mcp", "--name", "files", "--"}, server...)}
		s.write("home/.config/sayso/policy.yaml", filesPolicy)
		s.sayso("sayso", append([]string{"trust", "add", "--server", "files", "--"}, server...)...)
		write := func(name string) object { return object{"path": s.repo + "/" + name, "content": "x\n"} }
		tool := s.client.tool

		wait := s.start(
			tool("write_file", write("denied.txt")), tool("write_file", write("allowed.txt")), tool("read_text_file", object{"path": s.repo + "/README.md"}),
			tool("write_file", write("asked-yes.txt")), tool("write_file", write("asked-no.txt")),
		)
		yes := s.waiting()
		if s.has("asked-yes.txt") {
			t.Error("it ran before anybody has answered")
		}
		s.sayso("sayso", "approve", yes)
		s.sayso("sayso", "deny", s.waiting())
		wait()
		for name, want := range map[string]bool{"denied.txt": false, "allowed.txt": true, "asked-yes.txt": true, "asked-no.txt": false} {
			if s.has(name) != want {
				t.Errorf("%s: %v; the model was told %q", name, !want, s.told())
			}
		}
		toldOf(s, 0, "this text is not wanted here", "rule.deny")
		toldOf(s, 2, "hello")
		toldOf(s, 4, "not allowed")
		recorded(s)
	})
}

// recorded fails unless the journal has what became of each call.
func recorded(s *scene) {
	s.t.Helper()
	ran := 0
	log := s.sayso("sayso", "log", "--json")
	for line := range strings.Lines(log) {
		var r struct {
			Kind   string
			Result *struct {
				Ran   bool
				Error string
			}
		}
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind == "result" && r.Result != nil && r.Result.Ran && r.Result.Error == "" {
			ran++
		}
	}
	if ran != 3 {
		s.t.Errorf("%d calls have a result in the journal:\n%s", ran, log)
	}
}
