package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/preset"
)

// server is what is known of the MCP server that a call goes to. One that the
// workspace or the user configures is trusted if a person trusts it there as it is
// now; one that is configured where nobody looks, by its name alone. Native does
// not ask.
func (l *loaded) server(root string, call sayso.Call) *sayso.Server {
	if l.engine.Preset.Name == "native" || l.trusts == nil {
		return call.Server
	}
	named := call.Server != nil && call.Server.Name != ""
	if !named && !strings.ContainsAny(call.Tool, "_/.-:") {
		return call.Server // a tool of the agent
	}
	root = local.Real(root)
	list, err := workspaceServers(root)
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	name, _, ok := tools.MCP(call.Tool, names)
	if named {
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
	s, err := oneServer(list, name)
	switch {
	case errors.Is(err, errTwice):
		return &known
	case err != nil && !named: // of others nothing is known
		return call.Server
	case err != nil:
		s = manage.ByName(name)
	}
	trusted, err := l.trusts.Trusted(context.Background(), root, name, s.Fingerprint())
	known.Trusted = trusted && err == nil
	return &known
}

var (
	errNoServer = errors.New("no such MCP server is configured")
	errTwice    = errors.New("it is configured twice, and differently")
)

// oneServer is the server with a name. Which of two counts is for the agent to say,
// so they must be the same.
func oneServer(list []preset.MCPServer, name string) (preset.MCPServer, error) {
	found, err := preset.MCPServer{}, errNoServer
	for _, s := range list {
		if s.Name != name {
			continue
		}
		if err == nil && s.Fingerprint() != found.Fingerprint() {
			return s, errTwice
		}
		found, err = s, nil
	}
	return found, err
}

// maxUserFile is the largest file of the user's that is looked at: an agent keeps
// much else in it.
const maxUserFile = 32 << 20

// workspaceServers are the servers that are configured now for a workspace, by
// itself or by the user.
func workspaceServers(root string) ([]preset.MCPServer, error) {
	var out []preset.MCPServer
	read := func(file string, most int, parse func([]byte) ([]preset.MCPServer, error)) error {
		text, err := local.Machine{}.ReadFile(file, most)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		var list []preset.MCPServer
		if err == nil {
			list, err = parse(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, list...)
		return nil
	}
	if err := read(filepath.Join(root, ".mcp.json"), maxPolicy, manage.Servers); err != nil {
		return nil, err
	}
	within := func(project string) bool {
		rel, err := filepath.Rel(root, local.Real(project))
		return err == nil && filepath.IsLocal(rel)
	}
	home, _ := os.UserHomeDir() // without one there is no such file
	for _, dir := range []string{home, os.Getenv("CLAUDE_CONFIG_DIR")} {
		if dir == "" {
			continue
		}
		own := func(text []byte) ([]preset.MCPServer, error) { return manage.UserServers(text, within) }
		if err := read(local.Real(filepath.Join(dir, ".claude.json")), maxUserFile, own); err != nil {
			return nil, err
		}
	}
	for i := range out {
		if inner, ok := behindGateway(out[i]); ok {
			out[i] = inner
		}
	}
	return out, nil
}

// behindGateway is the server that a configuration has behind sayso mcp: trust is in
// what is started in the end.
func behindGateway(s preset.MCPServer) (preset.MCPServer, bool) {
	o, ok := gatewayOptions(s)
	if !ok {
		return s, false
	}
	return o.server(), true
}

// isGateway reports whether a server is sayso mcp. Another program that is only called
// sayso is one of its own.
func isGateway(s preset.MCPServer) bool {
	own, err := os.Executable()
	return s.Type == "stdio" && len(s.Args) > 0 && s.Args[0] == "mcp" && (s.Command == "sayso" || err == nil && s.Command == own)
}

// gatewayOptions are those of a gateway for one server, under the name that it is
// configured with.
func gatewayOptions(s preset.MCPServer) (*mcpOptions, bool) {
	if !isGateway(s) {
		return nil, false
	}
	o, flags := mcpFlags()
	flags.SetOutput(io.Discard)
	if flags.Parse(s.Args[1:]) != nil {
		return nil, false
	}
	o.argv = flags.Args()
	if o.check() != nil || o.servers != "" || o.name != s.Name {
		return nil, false
	}
	return o, true
}

// serverOf is a server of a workspace as it is configured now; if it is not, what
// can be trusted of it is its name.
func serverOf(root, name string) (preset.MCPServer, error) {
	list, err := workspaceServers(root)
	if err != nil {
		return preset.MCPServer{}, err
	}
	s, err := oneServer(list, name)
	if errors.Is(err, errNoServer) {
		return manage.ByName(name), nil
	}
	if err != nil {
		return s, fmt.Errorf("the MCP server %s: %w", name, err)
	}
	return s, nil
}
