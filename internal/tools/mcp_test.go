package tools_test

import (
	"testing"

	"github.com/sayso-dev/sayso/internal/tools"
)

func TestMCP(t *testing.T) {
	known := []string{"fs", "git_hub", "a", "a__b", "my server", "docs.io", "größe", "😀", "apply"}
	for _, c := range []struct {
		name         string
		servers      []string
		server, tool string
	}{
		{"mcp__fs__write_file", nil, "fs", "write_file"},
		{"mcp__fs__write__file", nil, "fs", "write__file"},
		{"mcp__git_hub__x", nil, "git_hub", "x"},
		{"mcp__my_server__x", nil, "my_server", "x"},
		{"mcp__my_server__x", known, "my server", "x"},
		{"mcp__gr__e__x", nil, "gr", "e__x"},
		{"mcp__gr__e__x", []string{"größe"}, "größe", "x"},
		{"mcp_____x", []string{"ö"}, "ö", "x"},
		{"mcp______x", []string{"😀"}, "😀", "x"},
		{"mcp__a__b__c", known, "", ""}, // tool b__c of a, or c of a__b
		{"mcp__a__c", known, "a", "c"},
		{"mcp_fs_write_file", nil, "fs", "write_file"},
		{"mcp_git_hub_write_file", nil, "git", "hub_write_file"},
		{"mcp_git_hub_write_file", known, "git_hub", "write_file"},
		{"mcp_docs.io_read", known, "docs.io", "read"},
		{"mcp_docs_io_read", known, "docs.io", "read"},
		{"mcp_fetch_issue", nil, "fetch", "issue"},
		{"fs__write_file", nil, "fs", "write_file"},
		{"fs/write_file", nil, "fs", "write_file"},
		{"fs.write_file", nil, "fs", "write_file"},
		{"docs.io.read", known, "docs.io", "read"},
		{"fs-write_file", known, "fs", "write_file"},
		{"fs_write_file", known, "fs", "write_file"},
		{"git_hub_x", known, "git_hub", "x"},
		{"MCP:write_file", nil, "", "write_file"},
		{"fs-write_file", nil, "", ""},
		{"fs_write_file", nil, "", ""},
		{"fs_write_file", []string{""}, "", ""},
		{"fs_", known, "", ""},
		{"_x", known, "", ""},
		{"mcp__fs__", nil, "", ""},
		{"mcp____", nil, "", ""},
		{"mcp_fs", nil, "", ""},
		{"MCP:", nil, "", ""},
		{"/x", nil, "", ""},
		{"x.", nil, "", ""},
		{"", known, "", ""},
	} {
		server, tool, ok := tools.MCP(c.name, c.servers)
		if server != c.server || tool != c.tool || ok != (c.tool != "") {
			t.Errorf("%s: %q %q %v, want %q %q", c.name, server, tool, ok, c.server, c.tool)
		}
	}
}

// TestLookup: the agent's own tools come first, and those of others do not count
// where the agent is known.
func TestLookup(t *testing.T) {
	for _, c := range []struct {
		agent   tools.Agent
		name    string
		servers []string
		class   tools.Class
	}{
		{tools.Any, "Bash", nil, tools.Shell},
		{tools.Any, "bash", nil, tools.Shell},
		{tools.Any, "BASH", nil, tools.Unknown},
		{tools.Any, "", nil, tools.Unknown},
		{tools.Any, " ", nil, tools.Unknown},
		{tools.Any, "Bash PowerShell", nil, tools.Unknown},
		{tools.Any, "memory_save", nil, tools.Memory},
		{tools.OpenCode, "memory_save", nil, tools.Unknown},
		{tools.OpenCode, "memory_save", []string{"memory"}, tools.MCPTool},
		{tools.OpenCode, "apply_patch", []string{"apply"}, tools.Patch},
		{tools.Any, "mcp__memory__save", nil, tools.MCPTool},
		{tools.Gemini, "Bash", nil, tools.Unknown},
		{tools.Codex, "container.exec", nil, tools.Shell},
	} {
		s, ok := c.agent.Lookup(c.name, c.servers...)
		if s.Class != c.class || ok != (c.class != tools.Unknown) || s.Name != c.name {
			t.Errorf("%v %q: %v %v, want %v", c.agent, c.name, s.Class, ok, c.class)
		}
	}
}
