package mcpgate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A catalogue is something that servers list.
type catalogue struct {
	field string // of the answer, that has the list
	can   string // what a server says that has one
	show  func(*spoke, object) error
}

// catalogueOf is what a method lists.
func catalogueOf(method string) catalogue {
	switch method {
	case "tools/list":
		return catalogue{"tools", "tools", (*spoke).showName}
	case "prompts/list":
		return catalogue{"prompts", "prompts", (*spoke).showName}
	case "resources/list":
		return catalogue{"resources", "resources", (*spoke).showResource}
	}
	return catalogue{"resourceTemplates", "resources", (*spoke).showResource}
}

// A place is how far a client has read lists: a page has what comes next of all
// servers that have more, so that a client which reads one page alone sees them all.
type place struct {
	Page int               `json:"page"`
	Of   map[string]string `json:"of"` // cursors by the names of servers; empty: from the beginning
}

// placeOf reads the cursor of a client; without one it is the beginning.
func (h *hub) placeOf(params json.RawMessage) (at place, err error) {
	var o object
	if len(params) > 0 {
		if o, err = objectOf(params); err != nil {
			return at, err
		}
	}
	cursor, ok := o.text("cursor")
	if !ok {
		at.Of = map[string]string{}
		for _, name := range h.names() {
			at.Of[name] = ""
		}
		return at, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		err = errors.New("the cursor is none of this list")
	}
	return at, err
}

// list answers with what all servers list. One that does not answer in time is left
// out, and the client is told.
func (h *hub) list(e *errand) (json.RawMessage, error) {
	at, err := h.placeOf(e.params)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: " + e.method + ": " + err.Error()}
	}
	what := catalogueOf(e.method)
	pages := make([]page, len(h.spokes))
	ctx, cancel := h.patient(e.ctx)
	defer cancel()
	var work sync.WaitGroup
	for i, p := range h.spokes {
		if cursor, asked := at.Of[p.gate.Name]; asked {
			work.Go(func() { pages[i] = p.page(ctx, e, what, cursor) })
		}
	}
	work.Wait()
	list, next := []object{}, place{at.Page + 1, map[string]string{}}
	for i, p := range h.spokes {
		list = append(list, pages[i].items...)
		switch {
		case pages[i].err != nil && e.ctx.Err() == nil:
			h.lacks(p, pages[i].err)
		case pages[i].next != "" && next.Page >= mostPages:
			h.warn("the MCP server %s answers %s without end; what comes now is left out", p.gate.Name, e.method)
		case pages[i].next != "":
			next.Of[p.gate.Name] = pages[i].next
		}
	}
	result := map[string]any{what.field: list}
	if len(next.Of) > 0 {
		text, err := json.Marshal(next)
		if err != nil {
			return nil, err
		}
		result["nextCursor"] = base64.RawURLEncoding.EncodeToString(text)
	}
	return json.Marshal(result)
}

// patient is a context that ends when patience does.
func (h *hub) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, h.Patience)
}

// A page is a part of what one server lists.
type page struct {
	items []object
	next  string
	err   error
}

// page asks a server for a part of a list.
func (p *spoke) page(ctx context.Context, e *errand, what catalogue, cursor string) (out page) {
	select {
	case <-p.began:
	case <-ctx.Done():
		return page{err: p.late()}
	}
	p.hub.mu.Lock()
	missing := p.can == nil // its gateway starts it again when it is asked for tools
	none := missing && what.can != "tools" || !missing && p.can[what.can] == nil
	p.hub.mu.Unlock()
	if none {
		return page{}
	}
	params := object{}
	if cursor != "" {
		params.set("cursor", cursor)
	}
	text, err := json.Marshal(params)
	if err == nil {
		text, err = p.ask(ctx, e.id, e.method, text)
	}
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire) && wire.Code == jsonrpc.CodeMethodNotFound: // one that began late has none
		return page{}
	case errors.Is(err, context.DeadlineExceeded):
		return page{err: fmt.Errorf("it has not answered %s for %v", e.method, p.hub.Patience)}
	case err != nil:
		return page{err: err}
	}
	if missing {
		p.back()
	}
	return p.read(text, what)
}

// back takes a server in that was missing. What it can do its gateway knows; it is
// asked for all.
func (p *spoke) back() {
	h := p.hub
	h.mu.Lock()
	first := p.can == nil
	p.told, p.missing = true, nil
	p.can = object{"tools": {}, "prompts": {}, "resources": {}, "completions": {}, "logging": {}}
	h.mu.Unlock()
	if first {
		h.notify("notifications/prompts/list_changed", struct{}{})
		h.notify("notifications/resources/list_changed", struct{}{})
	}
}

// read reads a part of a list, as the client is to see it.
func (p *spoke) read(text json.RawMessage, what catalogue) (out page) {
	var fields object
	var list []json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return page{err: err}
	}
	if err := json.Unmarshal(fields[what.field], &list); err != nil {
		return page{err: fmt.Errorf("its %s: %w", what.field, err)}
	}
	out.next, _ = fields.text("nextCursor") // without one there is no more
	for _, raw := range list {
		item, err := objectOf(raw)
		if err == nil {
			err = what.show(p, item)
		}
		if err != nil {
			p.hub.warn("one of the %s of the MCP server %s is left out: %v", what.field, p.gate.Name, err)
			continue
		}
		out.items = append(out.items, item)
	}
	return out
}

// showName names a tool or a prompt after its server.
func (p *spoke) showName(o object) error {
	name, _ := o.text("name") // one without has none that can be held
	full, err := p.full(name)
	if err != nil {
		return err
	}
	o.set("name", full)
	p.showTitle(o)
	o.inside("annotations", p.showTitle)
	return nil
}

// showTitle says whose a title is: what people read must not be another server's.
func (p *spoke) showTitle(o object) {
	o.change("title", func(title string) string { return p.gate.Name + ": " + title })
}

// showResource names a resource, or a template of them, after its server.
func (p *spoke) showResource(o object) error {
	o.change("name", func(name string) string { return p.gate.Name + joint + name })
	p.showTitle(o)
	for _, field := range []string{"uri", "uriTemplate"} {
		o.change(field, p.uri)
	}
	return nil
}
