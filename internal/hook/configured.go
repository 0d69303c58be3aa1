package hook

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// copilotHere is where Copilot CLI finds MCP servers in a workspace, besides those of
// its user.
var copilotHere = [...]string{".mcp.json", ".github/mcp.json", ".vscode/mcp.json"}

// maxConfigured is the largest file that is read for that.
const maxConfigured = 1 << 20

// settled is the MCP server of a call. Copilot CLI writes server-tool, where either may
// have such a sign itself: then the servers that are configured tell. If several of
// them fit, it is nobody's, and nobody knows what it does.
func (g *Guard) settled(m shell.Machine, call sayso.Call, root string) *sayso.Server {
	if call.Agent != copilot.Name || m == nil || call.Server == nil || strings.Count(call.Tool, "-") < 2 {
		return call.Server
	}
	fits := ""
	for _, name := range g.copilotServers(m, root) {
		rest, ok := strings.CutPrefix(call.Tool, name+"-")
		switch {
		case !ok || rest == "" || name == fits:
		case fits != "":
			return nil
		default:
			fits = name
		}
	}
	if fits == "" { // it is configured where nobody looks
		return call.Server
	}
	return &sayso.Server{Name: fits}
}

// copilotServers are the names of the servers that are configured in a workspace. A
// file that cannot be read names none, to Copilot neither.
func (g *Guard) copilotServers(m shell.Machine, root string) []string {
	own := g.Env("COPILOT_HOME")
	if !filepath.IsAbs(own) {
		own = filepath.Join(g.Env("HOME"), ".copilot")
	}
	files := []string{filepath.Join(own, "mcp-config.json")}
	for _, name := range copilotHere {
		files = append(files, filepath.Join(root, filepath.FromSlash(name)))
	}
	var out []string
	for _, name := range files {
		var list struct {
			Servers map[string]json.RawMessage `json:"mcpServers"`
			Others  map[string]json.RawMessage `json:"servers"` // as VS Code has them
		}
		if text, err := m.ReadFile(name, maxConfigured); err != nil || json.Unmarshal(text, &list) != nil {
			continue
		}
		for name := range list.Servers {
			out = append(out, name)
		}
		for name := range list.Others {
			out = append(out, name)
		}
	}
	return out
}
