package manage

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/preset"
)

// Servers reads the MCP servers that a workspace configures, as .mcp.json has
// them.
func Servers(text []byte) ([]preset.MCPServer, error) {
	file, err := fieldsOf(text)
	if err != nil {
		return nil, err
	}
	return file.servers()
}

// UserServers reads the MCP servers that a user configures for a workspace, or for
// all of them, as .claude.json has them. Same reports whether a project in it is in
// the workspace.
func UserServers(text []byte, same func(project string) bool) ([]preset.MCPServer, error) {
	file, err := fieldsOf(text)
	if err != nil {
		return nil, err
	}
	out, err := file.servers()
	if err != nil {
		return nil, err
	}
	var projects map[string]fields
	if err := file.get("projects", &projects); err != nil {
		return nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(projects)) {
		if !filepath.IsAbs(dir) || !same(dir) {
			continue
		}
		list, err := projects[dir].servers()
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// fields are those of an object, by their exact names: agents tell "command" from
// "Command", and what they start is what counts.
type fields map[string]json.RawMessage

func fieldsOf(text []byte) (out fields, err error) {
	err = json.Unmarshal(text, &out)
	return out, err
}

// get reads one field; without it the value stays as it is.
func (f fields) get(name string, to any) error {
	raw, ok := f[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (f fields) servers() ([]preset.MCPServer, error) {
	var list map[string]fields
	if err := f.get("mcpServers", &list); err != nil {
		return nil, err
	}
	var out []preset.MCPServer
	for _, name := range slices.Sorted(maps.Keys(list)) {
		s, err := list[name].server(name)
		if err != nil {
			return nil, fmt.Errorf("the MCP server %q: %w", name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (f fields) server(name string) (preset.MCPServer, error) {
	s := preset.MCPServer{Name: name, Type: "stdio"}
	if name == "" || strings.HasPrefix(name, ofFile) {
		return s, fmt.Errorf("a server cannot have this name")
	}
	var url string
	for _, field := range []struct {
		name string
		to   any
	}{{"type", &s.Type}, {"command", &s.Command}, {"args", &s.Args}, {"env", &s.Env}, {"url", &url}} {
		if err := f.get(field.name, field.to); err != nil {
			return s, err
		}
	}
	if s.Type == "" {
		s.Type = "stdio"
	}
	// Which of the two counts is for the agent to say, so both are fingerprinted.
	s.Command = strings.TrimSpace(s.Command + " " + url)
	return s, nil
}

// ByName is what is trusted of a server of which nothing is known but its name: it
// is configured where sayso does not look, such as in a plugin.
func ByName(name string) preset.MCPServer { return preset.MCPServer{Name: name, Type: "by name"} }
