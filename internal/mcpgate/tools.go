package mcpgate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

// A tool is one of the server, as it has told it last.
type tool struct {
	Tool
	name                  string
	readOnly, destructive bool   // as it claims
	changed               string // what a person must know before it is used; empty: nothing
}

// A Tool is what is kept of a tool.
type Tool struct {
	Sum         string `json:"sum"`                   // of all that is said of it
	Description string `json:"description,omitempty"` // its beginning, to compare
}

// Seen keeps what servers have said of their tools since a person trusts them.
type Seen interface {
	// Load returns the tools by name; known is false if nothing was kept yet.
	Load(ctx context.Context) (tools map[string]Tool, known bool, err error)
	// Keep keeps tools besides those that are kept.
	Keep(ctx context.Context, tools map[string]Tool) error
}

const (
	// mostTools is how many tools are looked at, mostPages in how many parts.
	mostTools = 2000
	mostPages = 100
	// keptText is how much of a description is kept, in bytes.
	keptText = 2000
)

// readTool reads what a server says of a tool. What two readers could take
// differently, or what has names that people cannot read, is no tool.
func readTool(raw json.RawMessage) (*tool, error) {
	if _, err := jsontext.Parse(raw); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	t := &tool{}
	if err := json.Unmarshal(fields["name"], &t.name); err != nil || t.name == "" {
		return nil, fmt.Errorf("it has no name")
	}
	if !readable(t.name) || len(t.name) > 256 {
		return nil, fmt.Errorf("its name %s is none", shell.Shown(t.name))
	}
	var claims map[string]json.RawMessage
	if a, ok := fields["annotations"]; ok {
		if err := json.Unmarshal(a, &claims); err != nil {
			return nil, fmt.Errorf("the annotations of %s: %w", t.name, err)
		}
	}
	t.readOnly, t.destructive = isTrue(claims["readOnlyHint"]), isTrue(claims["destructiveHint"])
	_ = json.Unmarshal(fields["description"], &t.Description) // it may have none
	t.Description = t.Description[:min(len(t.Description), keptText)]
	delete(fields, "_meta") // what changes from time to time, and no model reads
	delete(fields, "icons")
	var all any
	text, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err == nil {
		text, err = json.Marshal(all) // with its keys in order
	}
	sum := sha256.Sum256(text)
	t.Sum = hex.EncodeToString(sum[:])
	return t, err
}

// readable reports whether people can read a name, in one line and as it is.
func readable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return hidden(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func isTrue(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("true")) }

// learn reads the tools of a server, unless they are known. What is told of them
// first, after a person has trusted the server, is kept; what differs from that, and
// what is new, a person must know.
func (s *session) learn(ctx context.Context, u *server) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	fresh := s.fresh == u
	s.fresh = u // one that says meanwhile that they have changed is asked again
	s.mu.Unlock()
	if fresh {
		return nil
	}
	tools, err := s.allTools(ctx, u)
	var kept map[string]Tool
	known := false
	if err == nil {
		kept, known, err = s.Seen.Load(ctx)
	}
	if err == nil && !known {
		kept = map[string]Tool{}
		for name, t := range tools {
			kept[name] = t.Tool
		}
		err = s.Seen.Keep(ctx, kept)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.fresh, s.tools = nil, nil
		return fmt.Errorf("the tools of the MCP server %s: %w", s.Name, err)
	}
	for _, t := range tools {
		s.compare(t, kept)
	}
	s.tools = tools
	return nil
}

// compare says what has become of a tool since its server is trusted.
func (s *session) compare(t *tool, kept map[string]Tool) {
	was, ok := kept[t.name]
	switch {
	case !ok:
		t.changed = "the MCP server " + s.Name + " has this tool since you trusted it, and did not have it before; it says: " + quoted(t.Description)
	case was.Sum != t.Sum && was.Description != t.Description:
		t.changed = "the MCP server " + s.Name + " has changed what it says of this tool since you trusted it; it said: " + quoted(was.Description) + "; it says now: " + quoted(t.Description)
	case was.Sum != t.Sum:
		t.changed = "the MCP server " + s.Name + " has changed the arguments or the annotations of this tool since you trusted it"
	default:
		return
	}
	s.Log("%s: %s", t.name, t.changed)
}

// quoted is a text of the server's in a sentence of ours.
func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return "“" + shell.Shown(text) + "”"
}

// allTools asks the server for its tools.
func (s *session) allTools(ctx context.Context, u *server) (map[string]*tool, error) {
	out, cursor := map[string]*tool{}, ""
	for range mostPages {
		params := map[string]string{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		text, err := s.own(ctx, u, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var page map[string]json.RawMessage // keys in other letters are others to clients
		var list []json.RawMessage
		cursor = ""
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(page["tools"], &list); err != nil {
			return nil, err
		}
		if next, ok := page["nextCursor"]; ok {
			if err := json.Unmarshal(next, &cursor); err != nil {
				return nil, err
			}
		}
		for _, raw := range list {
			if t, err := readTool(raw); err == nil {
				out[t.name] = t
			}
		}
		if len(out) > mostTools {
			return nil, fmt.Errorf("there are more than %d", mostTools)
		}
		if cursor == "" {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the list has no end")
}

// listTools has the server list its tools: without those that a rule denies, with
// marks at those that have changed, and with hidden text made visible. What needs
// none of that stays as it is.
func (s *session) listTools(r *request) {
	u, err := s.live(r.ctx)
	if err == nil {
		err = s.learn(r.ctx, u)
	}
	if err != nil {
		s.fail(r, err)
		return
	}
	if err := s.hand(u, r, func(m *jsonrpc.Response) *jsonrpc.Response {
		if m.Error != nil {
			return m
		}
		result, err := s.shownTools(m.Result)
		if err != nil {
			return &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: codeServer, Message: fmt.Sprintf("sayso: the tools of the MCP server %s: %v", s.Name, err)}}
		}
		m.Result = result
		return m
	}); err != nil {
		s.fail(r, err)
	}
}

// shownTools is a list of tools as the client may see it.
func (s *session) shownTools(result json.RawMessage) (json.RawMessage, error) {
	var page map[string]json.RawMessage
	var list []json.RawMessage
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(page["tools"], &list); err != nil {
		return nil, err
	}
	kept, _, err := s.Seen.Load(s.ctx)
	if err != nil {
		return nil, err
	}
	tools := make([]*tool, len(list))
	calls := make([]sayso.Call, len(list))
	for i, raw := range list {
		t, err := readTool(raw)
		if err != nil {
			s.Log("the MCP server %s has a tool that is left out: %v", s.Name, err)
			continue
		}
		s.note(t, kept)
		tools[i], calls[i] = t, s.callOf(t.name, json.RawMessage(`{}`), t)
	}
	denied := s.Denied(s.ctx, calls)
	out, same := list[:0:0], true
	for i, raw := range list {
		if tools[i] == nil || denied[i] != nil {
			same = false
			continue
		}
		shown, changed := s.shownTool(raw, tools[i])
		out, same = append(out, shown), same && !changed
	}
	if same {
		return result, nil
	}
	if page["tools"], err = json.Marshal(append([]json.RawMessage{}, out...)); err != nil {
		return nil, err
	}
	return json.Marshal(page)
}

// note keeps in mind what the server says of a tool now: it may say one thing to us
// and another to the client.
func (s *session) note(t *tool, kept map[string]Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.tools[t.name]; was != nil && was.Sum == t.Sum {
		t.changed = was.changed
		return
	}
	s.compare(t, kept)
	if s.tools == nil {
		s.tools = map[string]*tool{}
	}
	s.tools[t.name] = t
}

// shownTool is what a server says of a tool, as the client may see it.
func (s *session) shownTool(raw json.RawMessage, t *tool) (json.RawMessage, bool) {
	text, changed := visible(raw)
	if t.changed == "" {
		return text, changed
	}
	var fields map[string]json.RawMessage
	var description string
	if json.Unmarshal(text, &fields) != nil {
		return text, changed
	}
	_ = json.Unmarshal(fields["description"], &description) // it may have none
	fields["description"], _ = json.Marshal("[sayso: the server has changed this tool since it was trusted; a person is asked before it is used] " + description)
	if marked, err := json.Marshal(fields); err == nil {
		return marked, true
	}
	return text, changed
}
