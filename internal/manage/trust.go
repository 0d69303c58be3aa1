package manage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// To trust a workspace is to trust its policy files as they are: each is kept
// under its own name, with the hash of its text. The workspace itself, which has
// no name, stands for the person's word that they know it.
const ofFile = "file:"

// PolicyFiles are the files in a workspace that may loosen once it is trusted.
var PolicyFiles = []string{".sayso.yaml", ".sayso/policy.star", ".kosmokrator.yaml", "config/kosmokrator.yaml", ".cowork/policy/permissions.json"}

// FileTrust is trust in a policy file of a workspace, as it is.
func FileTrust(root, file string, text []byte) sayso.Trust {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	sum := sha256.Sum256(text)
	return sayso.Trust{Root: root, Name: ofFile + filepath.ToSlash(file), Fingerprint: hex.EncodeToString(sum[:])}
}

// IsFile reports whether the trust is in a policy file, and which.
func IsFile(t sayso.Trust) (string, bool) { return strings.CutPrefix(t.Name, ofFile) }

// TrustsFile reports whether a person trusts a workspace with a policy file as it
// is. What cannot be read is not trusted.
func TrustsFile(ctx context.Context, kept sayso.TrustStore, root, file string, text []byte) bool {
	t := FileTrust(root, file, text)
	known, err := kept.Trusted(ctx, root, "", "")
	if err != nil || !known {
		return false
	}
	same, err := kept.Trusted(ctx, root, t.Name, t.Fingerprint)
	return err == nil && same
}

// Servers reads the MCP servers that a workspace configures, as .mcp.json has
// them.
func Servers(text []byte) ([]preset.MCPServer, error) {
	var file struct {
		Servers map[string]struct {
			Type    string            `json:"type"`
			Command string            `json:"command"`
			URL     string            `json:"url"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&file); err != nil {
		return nil, fmt.Errorf(".mcp.json: %w", err)
	}
	var out []preset.MCPServer
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		s := file.Servers[name]
		server := preset.MCPServer{Name: name, Type: s.Type, Command: s.Command, Args: s.Args, Env: s.Env}
		if server.Type == "" {
			server.Type = "stdio"
		}
		if server.Command == "" {
			server.Command = s.URL
		}
		if name == "" || strings.HasPrefix(name, ofFile) {
			return nil, fmt.Errorf(".mcp.json: a server cannot have the name %q", name)
		}
		out = append(out, server)
	}
	return out, nil
}
