package hook_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/shell"
)

// fakeFiles are files by their names.
type fakeFiles map[string]string

func (f fakeFiles) ReadFile(name string, _ int) ([]byte, error) {
	if text, ok := f[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (f fakeFiles) Lstat(string) (shell.Entry, error) { return shell.Entry{}, fs.ErrNotExist }

// TestCopilotServers: where the name of a server ends in the name of a tool is known by
// the servers that are configured.
func TestCopilotServers(t *testing.T) {
	files := fakeFiles{
		"/home/me/.copilot/mcp-config.json": `{"mcpServers":{"my-notes":{"command":"x"},"fs":{}}}`,
		"/repo/.vscode/mcp.json":            `{"servers":{"fs-safe":{}}}`,
		"/repo/.github/mcp.json":            `{"mcpServers":`,
	}
	agent, _ := hook.Find("copilot")
	for _, tt := range []struct{ tool, server, of, class string }{
		{"my-notes-add", "my-notes", "add", "mcp"},
		{"my-notes-add-all", "my-notes", "add-all", "mcp"},
		{"other-notes-add", "other", "notes-add", "mcp"}, // configured where nobody looks
		{"fs-write_file", "fs", "write_file", "mcp"},
		{"fs-read-all", "fs", "read-all", "mcp"},
		{"fs-safe-write", "", "", "unknown"}, // either
	} {
		g, _ := guard(nil)
		g.Env = func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
		g.Root = func(string) string { return "/repo" }
		var call sayso.Call
		engine := fixed(func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Allow, "x", "x") }, &call)
		g.Engine = func(root, home string) (sayso.Engine, sayso.Surface, error) {
			e, surface, err := engine(root, home)
			e.Analyzer.Machine = files
			return e, surface, err
		}
		event := `{"sessionId":"s","cwd":"/repo","toolName":"` + tt.tool + `","toolArgs":{"a":1}}`
		if err := g.Answer(agent, "preToolUse", strings.NewReader(event), &strings.Builder{}); err != nil {
			t.Fatal(err)
		}
		facts := (&sayso.Analyzer{}).Analyze(call)
		if facts.Server != tt.server || facts.Tool != tt.of || string(facts.Class) != tt.class {
			t.Errorf("%s is %s of %s (%s)", tt.tool, facts.Tool, facts.Server, facts.Class)
		}
	}
}
