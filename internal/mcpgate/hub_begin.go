package mcpgate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso/shell"
)

// spoken are the versions of the protocol that a hub speaks. What they differ in is in
// single messages, which are passed on.
var spoken = []string{"2024-11-05", "2025-03-26", "2025-06-18", Newest}

// begin starts all servers at once, and tells the client what there is when they have
// answered, or when they have had their time. They are started now, and not when they
// are needed, because a client asks for all tools next.
func (h *hub) begin(e *errand) (json.RawMessage, error) {
	hello, _, err := greeting(e.params)
	var fields map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(hello, &fields)
	}
	if err == nil {
		hello, err = withoutTasks(fields)
	}
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: initialize: " + err.Error()}
	}
	h.mu.Lock()
	again := h.greeted
	h.greeted = true
	h.mu.Unlock()
	if again {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "sayso: initialize was sent before"}
	}
	for _, p := range h.spokes {
		h.work.Go(func() { p.begin(e, hello) })
	}
	timeout := time.After(h.Patience)
wait:
	for _, p := range h.spokes {
		select {
		case <-p.began:
		case <-timeout:
			break wait
		case <-e.ctx.Done():
			return nil, e.ctx.Err()
		}
	}
	version := ""
	_ = json.Unmarshal(fields["protocolVersion"], &version) // it was read before
	if !slices.Contains(spoken, version) {
		version = Newest
	}
	return h.welcome(version)
}

// withoutTasks is what a client says first, without that it knows tasks: a hub does
// not pass them on.
func withoutTasks(fields map[string]json.RawMessage) (json.RawMessage, error) {
	var can map[string]json.RawMessage
	if json.Unmarshal(fields["capabilities"], &can) == nil && can != nil {
		delete(can, "tasks")
		text, err := json.Marshal(can)
		if err != nil {
			return nil, err
		}
		fields["capabilities"] = text
	}
	return json.Marshal(fields)
}

// begin has a server begin.
func (p *spoke) begin(e *errand, hello json.RawMessage) {
	h := p.hub
	text, err := p.ask(h.ctx, e.id, "initialize", hello)
	var said struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Instructions string                     `json:"instructions"`
	}
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	h.mu.Lock()
	late := h.begun
	p.missing = err
	if err == nil {
		p.can, p.says = said.Capabilities, said.Instructions
		if p.can == nil {
			p.can = map[string]json.RawMessage{}
		}
	}
	h.mu.Unlock()
	if err == nil {
		p.beReady()
	}
	close(p.began)
	switch {
	case err != nil && h.ctx.Err() == nil:
		h.lacks(p, err)
	case late:
		for _, what := range []string{"tools", "prompts", "resources"} {
			if p.can[what] != nil {
				h.notify("notifications/"+what+"/list_changed", struct{}{})
			}
		}
	}
}

// welcome is what the client is told first.
func (h *hub) welcome(version string) (json.RawMessage, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun = true
	can := map[string]any{"tools": map[string]bool{"listChanged": true}, "logging": struct{}{}}
	says := []string{"Several MCP servers are behind this one: " + strings.Join(h.names(), ", ") + ". The tools and prompts of each are named after it, as in " + h.spokes[0].gate.Name + joint + "NAME."}
	var why []string
	for _, p := range h.spokes {
		switch {
		case p.missing != nil:
			why = append(why, strings.TrimPrefix(p.missing.Error(), "sayso: "))
			says = append(says, "The MCP server "+p.gate.Name+" is missing: "+why[len(why)-1])
		case p.can == nil:
			says = append(says, p.late().Error()+".")
		case p.says != "":
			says = append(says, "The MCP server "+p.gate.Name+" says:\n> "+strings.Join(strings.Split(p.says, "\n"), "\n> "))
		}
		for what := range maps.Keys(able) { // one that is missing may come later, with all
			if p.can == nil || p.can[what] != nil {
				can[what] = able[what]
			}
		}
	}
	if len(why) == len(h.spokes) {
		return nil, errors.New("none of the MCP servers can be used: " + strings.Join(why, "; "))
	}
	return json.Marshal(map[string]any{
		"protocolVersion": version, "capabilities": can, "instructions": strings.Join(says, "\n\n"),
		"serverInfo": map[string]string{"name": "sayso", "version": h.Version},
	})
}

// able is what a hub can do if one of its servers can.
var able = map[string]any{
	"prompts":     map[string]bool{"listChanged": true},
	"resources":   map[string]bool{"listChanged": true, "subscribe": true},
	"completions": struct{}{},
}

// lacks tells why a server is missing.
func (h *hub) lacks(p *spoke, why error) {
	h.warn("the MCP server %s is missing: %s", p.gate.Name, strings.TrimPrefix(why.Error(), "sayso: "))
}

// warn tells something to people and the client, once.
func (h *hub) warn(format string, args ...any) {
	text := shell.ShownWhole(fmt.Sprintf(format, args...))
	h.mu.Lock()
	_, known := h.absent[text]
	if len(h.absent) < mostOpen {
		h.absent[text] = struct{}{}
	}
	begun := h.begun // before that it is told with the rest
	h.mu.Unlock()
	if known {
		return
	}
	h.Log("%s", text)
	if begun {
		h.notify("notifications/message", map[string]string{"level": "error", "logger": "sayso", "data": text})
	}
}

// names are those of the servers.
func (h *hub) names() []string {
	var out []string
	for _, p := range h.spokes {
		out = append(out, p.gate.Name)
	}
	return out
}
