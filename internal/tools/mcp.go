package tools

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MCP takes the name of an MCP tool apart. The agents write it as
//
//	mcp__server__tool   Claude Code, Codex
//	mcp_server_tool     Gemini CLI, Crush
//	server__tool        Gemini CLI, older
//	server/tool         Copilot, permissionRequest
//	server.tool         others
//	MCP:tool            Cursor; the server is not said
//	server-tool         Copilot, preToolUse
//	server_tool         opencode
//
// The last two look like any other name: they are recognised only for the
// servers given. A server in the list also settles where its name ends, as it
// may hold the separator itself; if two servers fit, ok is false. For a server
// that is not in the list, the name ends at the first separator.
func MCP(name string, servers []string) (server, tool string, ok bool) {
	if rest, is := strings.CutPrefix(name, "MCP:"); is {
		return "", rest, rest != ""
	}
	for _, f := range mcpForms {
		rest, is := strings.CutPrefix(name, f.prefix)
		if !is {
			continue
		}
		server, tool, fits := ofServer(rest, f.sep, servers)
		if fits == 1 {
			return server, tool, true
		}
		if fits > 1 {
			return "", "", false
		}
		if f.listed || f.prefix == "" && strings.HasPrefix(name, "mcp_") {
			continue
		}
		if server, tool, ok := strings.Cut(rest, f.sep); ok && server != "" && tool != "" {
			return server, tool, true
		}
	}
	return "", "", false
}

// mcpForms are tried in order.
var mcpForms = [...]struct {
	prefix, sep string
	listed      bool // only for servers that are known
}{
	{prefix: "mcp__", sep: "__"},
	{prefix: "mcp_", sep: "_"},
	{sep: "/"},
	{sep: "__"},
	{sep: "."},
	{sep: "-", listed: true},
	{sep: "_", listed: true},
}

// ofServer looks for the servers whose tool rest may be, and counts them.
func ofServer(rest, sep string, servers []string) (server, tool string, fits int) {
	for _, s := range servers {
		after, ok := afterName(rest, s)
		if !ok || s == server {
			continue
		}
		if t, ok := strings.CutPrefix(after, sep); ok && t != "" {
			server, tool = s, t
			fits++
		}
	}
	return server, tool, fits
}

// afterName returns what follows the name of the server in s. What an API does
// not take in the name of a tool, the agents write as an underscore.
func afterName(s, server string) (string, bool) {
	if server == "" {
		return "", false
	}
	for _, r := range server {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case n > 0 && c == r:
			s = s[n:]
		case plainRune(r):
			return "", false
		default:
			var ok bool
			// One for each half, where JavaScript counts two.
			if s, ok = strings.CutPrefix(s, "__"[:utf16.RuneLen(r)]); !ok {
				return "", false
			}
		}
	}
	return s, true
}

func plainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
