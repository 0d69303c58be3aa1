package preset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
)

// An MCPServer is a server as it is configured in a workspace.
type MCPServer struct {
	Name    string
	Type    string            // such as stdio or http
	Command string            // what is started; for a server elsewhere its address
	Args    []string          //
	Env     map[string]string // only the names are shown and fingerprinted
}

// Fingerprint is the SHA-256 of what the server is: its type, its command, its
// arguments in order, and the names of its environment variables. The values of
// these, which are often secret and change, and the server's own name are not in
// it.
func (s MCPServer) Fingerprint() string {
	args := append([]string{}, s.Args...)
	text, _ := json.Marshal([]any{s.Type, s.Command, args, s.keys()}) // texts can be written
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// keys are the names of the environment variables, in order; never nil.
func (s MCPServer) keys() []string {
	return append([]string{}, slices.Sorted(maps.Keys(s.Env))...)
}

// A TrustPrompt is what KodaCode asks before it opens: which of the workspace and
// its MCP servers are trusted. It is a value that keys change; whoever draws it
// calls [TrustPrompt.Press] and, once there is an answer, [TrustAnswer.Keep].
type TrustPrompt struct {
	root    string
	servers []MCPServer
	on      []bool // which entries are switched on: the workspace, then the servers
	row     int    // where the cursor is: the entries, then the choices
}

// trustChoices are offered below the entries.
var trustChoices = []string{
	"Trust workspace and all listed MCP servers",
	"Trust workspace only",
	"Trust all listed MCP servers only",
	"Continue without trusting listed MCP servers",
	"Cancel",
}

// A TrustAnswer is what was chosen. The zero value trusts nothing and goes on.
type TrustAnswer struct {
	Workspace bool
	Servers   []MCPServer
	Exit      bool // the program ends

	root string
}

// AskTrust returns the prompt for a workspace with these servers; needed is false
// if a person trusts all of them, as they are now.
func AskTrust(ctx context.Context, kept sayso.TrustStore, root string, servers []MCPServer) (p TrustPrompt, needed bool, err error) {
	p = TrustPrompt{root: root, servers: servers, on: make([]bool, len(servers)+1)}
	ok, err := kept.Trusted(ctx, root, "", "")
	if err != nil {
		return p, true, fmt.Errorf("trust: %w", err)
	}
	started, err := StartableServers(ctx, kept, root, servers)
	return p, !ok || len(started) != len(servers), err
}

// StartableServers are the servers that may be started: those that a person
// trusts in the workspace, as they are now.
func StartableServers(ctx context.Context, kept sayso.TrustStore, root string, servers []MCPServer) ([]MCPServer, error) {
	var out []MCPServer
	for _, s := range servers {
		ok, err := kept.Trusted(ctx, root, s.Name, s.Fingerprint())
		if err != nil {
			return nil, fmt.Errorf("trust: %w", err)
		}
		if ok && s.Name != "" { // the empty name is that of the workspace
			out = append(out, s)
		}
	}
	return out, nil
}

// Press takes a key: up, down, j, k, space, x, enter, esc, or the number of a
// choice. The answer is there if done is true.
func (p TrustPrompt) Press(key string) (next TrustPrompt, a TrustAnswer, done bool) {
	rows := len(p.on) + len(trustChoices)
	switch key = keyName(key); key {
	case "up", "k":
		p.row = max(p.row-1, 0)
	case "down", "j":
		p.row = min(p.row+1, rows-1)
	case "space", " ", "x":
		if p.row < len(p.on) {
			p.on = slices.Clone(p.on)
			p.on[p.row] = !p.on[p.row]
		}
	case "enter":
		if p.row < len(p.on) {
			return p, p.selected(), true
		}
		return p, p.choose(p.row - len(p.on)), true
	case "esc":
		return p, p.choose(len(trustChoices) - 1), true
	default:
		if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(trustChoices) {
			return p, p.choose(n - 1), true
		}
	}
	return p, TrustAnswer{}, false
}

// keyName writes the name of a key in lower case; a letter is itself.
func keyName(key string) string {
	if len(key) > 1 {
		return strings.ToLower(key)
	}
	return key
}

// selected is the answer of the entries that are switched on.
func (p TrustPrompt) selected() TrustAnswer {
	a := TrustAnswer{Workspace: p.on[0], root: p.root}
	for i, s := range p.servers {
		if p.on[i+1] {
			a.Servers = append(a.Servers, s)
		}
	}
	return a
}

// choose is the answer of a choice.
func (p TrustPrompt) choose(i int) TrustAnswer {
	a := TrustAnswer{root: p.root, Workspace: i == 0 || i == 1, Exit: i == 4}
	if i == 0 || i == 2 {
		a.Servers = p.servers
	}
	return a
}

// Keep stores what is trusted from now on. With [TrustAnswer.Exit] there is
// nothing to store.
func (a TrustAnswer) Keep(ctx context.Context, in sayso.TrustStore) error {
	if a.Exit {
		return nil
	}
	if a.Workspace {
		if err := in.Trust(ctx, a.root, "", ""); err != nil {
			return fmt.Errorf("trust: %w", err)
		}
	}
	for _, s := range a.Servers {
		if s.Name == "" {
			return fmt.Errorf("trust: an MCP server has no name")
		}
		if err := in.Trust(ctx, a.root, s.Name, s.Fingerprint()); err != nil {
			return fmt.Errorf("trust: %w", err)
		}
	}
	return nil
}

// Lines draw the prompt: the workspace, each server with its name, type, command
// and environment keys, and the choices.
func (p TrustPrompt) Lines() []string {
	var out []string
	row := func(text string) {
		mark := "  "
		if len(out) == p.row {
			mark = "> "
		}
		out = append(out, mark+text)
	}
	box := map[bool]string{false: "[ ] ", true: "[x] "}
	row(box[p.on[0]] + "workspace " + inFull(p.root))
	for i, s := range p.servers {
		text := fmt.Sprintf("MCP server %s (%s): %s", inFull(s.Name), inFull(s.Type), inFull(inWords(append([]string{s.Command}, s.Args...))))
		if keys := s.keys(); len(keys) > 0 {
			text += ", environment: " + inFull(strings.Join(keys, ", "))
		}
		row(box[p.on[i+1]] + text)
	}
	for i, text := range trustChoices {
		row(strconv.Itoa(i+1) + ". " + text)
	}
	return out
}
