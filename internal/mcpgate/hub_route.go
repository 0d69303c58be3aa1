package mcpgate

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// handler is what answers a request of the client; nil: nobody does. There are no
// tasks behind a hub.
func (h *hub) handler(method string) func(*errand) (json.RawMessage, error) {
	switch method {
	case "initialize":
		return h.begin
	case "ping":
		return func(*errand) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return h.list
	case "tools/call", "prompts/get", "resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete":
		return h.forward
	case "logging/setLevel":
		return h.setLevel
	}
	return nil
}

// forward has the server answer that a request is for.
func (h *hub) forward(e *errand) (json.RawMessage, error) {
	params, err := objectOf(e.params)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: " + e.method + ": " + err.Error()}
	}
	p, err := h.inward(e.method, params)
	if err != nil {
		return nil, err
	}
	if err := p.late(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	result, err := p.ask(e.ctx, e.id, e.method, text)
	if err != nil {
		return nil, err
	}
	return p.relink(result), nil
}

// inward finds the server that a request is for, and writes its names as that has
// them.
func (h *hub) inward(method string, params object) (p *spoke, err error) {
	switch method {
	case "tools/call", "prompts/get":
		if params["task"] != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: there are no tasks where several MCP servers are behind one gateway"}
		}
		return h.byName(params)
	case "completion/complete":
		ref, err := objectOf(params["ref"])
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: " + method + ": ref: " + err.Error()}
		}
		find := h.byName
		if kind, _ := ref.text("type"); kind == "ref/resource" {
			find = h.byURI
		}
		p, err = find(ref)
		params.set("ref", ref)
		return p, err
	}
	return h.byURI(params)
}

func (h *hub) byName(o object) (*spoke, error) {
	full, _ := o.text("name") // without one it belongs to nobody
	p, name, err := h.named(full, joint)
	if err == nil {
		o.set("name", name)
	}
	return p, err
}

func (h *hub) byURI(o object) (*spoke, error) {
	full, _ := o.text("uri")
	p, uri, err := h.ofURI(full)
	if err == nil {
		o.set("uri", uri)
	}
	return p, err
}

// relink writes the addresses of resources in a result so that the client finds them
// again. Without any it stays as it is.
func (p *spoke) relink(result json.RawMessage) json.RawMessage {
	if !strings.Contains(string(result), `"uri"`) {
		return result
	}
	o, err := objectOf(result)
	if err != nil {
		return result
	}
	content := func(o object) {
		switch kind, _ := o.text("type"); kind {
		case "resource_link":
			o.change("uri", p.uri)
		case "resource":
			o.inside("resource", func(o object) { o.change("uri", p.uri) })
		}
	}
	o.each("content", content)
	o.each("contents", func(o object) { o.change("uri", p.uri) })
	o.each("messages", func(o object) { o.inside("content", content) })
	if text, err := json.Marshal(o); err == nil {
		return text
	}
	return result
}

// setLevel tells all servers how much they shall log. Those that log nothing say so,
// which is nobody's mistake.
func (h *hub) setLevel(e *errand) (json.RawMessage, error) {
	for _, p := range h.present() {
		if p.can["logging"] == nil {
			continue
		}
		h.work.Go(func() {
			ctx, cancel := h.patient(h.ctx)
			defer cancel()
			if _, err := p.ask(ctx, jsonrpc.ID{}, e.method, e.params); err != nil && h.ctx.Err() == nil {
				h.Log("the MCP server %s does not change what it logs: %v", p.gate.Name, err)
			}
		})
	}
	return json.RawMessage(`{}`), nil
}

// outward is what a gateway asks or tells the client, with names that tell whose it
// is; nil: it is not for the client.
func (p *spoke) outward(m *jsonrpc.Request) *jsonrpc.Request {
	switch m.Method {
	case "notifications/cancelled":
		id, _ := cancelledID(m)
		p.hub.mu.Lock()
		defer p.hub.mu.Unlock()
		if p.hub.asked[key(id)] != p {
			return nil
		}
		delete(p.hub.asked, key(id))
		return m
	case "notifications/tasks/status":
		return nil
	case "notifications/progress":
		return m // the gateway knows that the server was asked this
	}
	params, err := objectOf(m.Params)
	if err != nil && len(m.Params) > 0 {
		if !m.IsCall() {
			p.hub.Log("the MCP server %s tells %s in a form that is none: %v", p.gate.Name, m.Method, err)
			return nil
		}
		return m // a question of such a form has no names; the client refuses it
	}
	if err != nil {
		return m
	}
	switch {
	case m.IsCall():
		params.change("elicitationId", p.own)
		params.inside("_meta", func(o object) {
			if o["progressToken"] != nil {
				o.set("progressToken", p.own(string(o["progressToken"])))
			}
		})
	case m.Method == "notifications/message":
		logger, _ := params.text("logger")
		params.set("logger", strings.TrimSuffix(p.own(logger), "/"))
	case m.Method == "notifications/resources/updated":
		params.change("uri", p.uri)
	case m.Method == "notifications/elicitation/complete":
		params.change("elicitationId", p.own)
	}
	out := *m
	if out.Params, err = json.Marshal(params); err != nil {
		return nil
	}
	return &out
}

// outwardError is an error of a gateway. One asks the user to look at something
// elsewhere, under an id that the server has made up.
func (p *spoke) outwardError(err error) error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Data == nil {
		return err
	}
	data, bad := objectOf(wire.Data)
	if bad != nil {
		return err
	}
	data.each("elicitations", func(o object) { o.change("elicitationId", p.own) })
	out := *wire
	if text, err := json.Marshal(data); err == nil {
		out.Data = text
	}
	return &out
}

// ofToken is the server whose request the client tells the progress of, and how that
// server calls it.
func (h *hub) ofToken(params json.RawMessage) (*spoke, json.RawMessage) {
	o, err := objectOf(params)
	if err != nil {
		return nil, nil
	}
	full, _ := o.text("progressToken")
	p, token, err := h.named(full, "/")
	if err != nil || !json.Valid([]byte(token)) {
		return nil, nil
	}
	o["progressToken"] = json.RawMessage(token)
	text, err := json.Marshal(o)
	if err != nil {
		return nil, nil
	}
	return p, text
}
