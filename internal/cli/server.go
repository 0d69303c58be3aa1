package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/preset"
)

// server is what is known of the MCP server that a call goes to. One that the
// workspace configures is trusted if a person trusts it there as it is now; of
// others, which the user has configured, nothing is known. Native does not ask.
func (l *loaded) server(root string, call sayso.Call) *sayso.Server {
	if l.engine.Preset.Name == "native" || l.trusts == nil {
		return call.Server
	}
	root = local.Real(root)
	list, err := workspaceServers(root)
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	name, _, ok := tools.MCP(call.Tool, names)
	if call.Server != nil && call.Server.Name != "" {
		name, ok = call.Server.Name, true
	}
	if !ok {
		return call.Server
	}
	known := sayso.Server{Name: name}
	if call.Server != nil {
		known = *call.Server
	}
	known.Trusted = false
	if err != nil {
		return &known // it may be one of those that cannot be read
	}
	for _, s := range list {
		if s.Name == name {
			trusted, err := l.trusts.Trusted(context.Background(), root, name, s.Fingerprint())
			known.Trusted = trusted && err == nil
			return &known
		}
	}
	return call.Server
}

// workspaceServers are the servers that a workspace configures now.
func workspaceServers(root string) ([]preset.MCPServer, error) {
	text, err := local.Machine{}.ReadFile(filepath.Join(root, ".mcp.json"), maxPolicy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return manage.Servers(text)
}
