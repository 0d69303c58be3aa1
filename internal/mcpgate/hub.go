package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Hub lets clients use several servers as if they were one. Each has a gateway of
// its own, which is the same as without a hub: the hub is its client. So what one
// server may say, answer and ask is checked before the hub sees it, and no server
// reaches another.
type Hub struct {
	// Gateways are those of the servers. [HubNames] says which names they may have.
	Gateways []*Gateway

	// Patience is how long is waited for servers that begin, or that list something:
	// one that hangs must not take the others along.
	Patience time.Duration

	// Version is that of this program.
	Version string

	// Log is told, line by line, what people may want to know.
	Log func(format string, args ...any)
}

// A hub is one client with all servers.
type hub struct {
	*Hub
	ctx    context.Context
	cancel context.CancelFunc
	client mcp.Connection
	spokes []*spoke
	work   sync.WaitGroup

	mu      sync.Mutex
	greeted bool                // the client has begun
	begun   bool                // it was told what there is
	ready   bool                // it has said that it is ready
	open    map[string]*errand  // what the client has asked, by its id
	asked   map[string]*spoke   // who has asked the client, by the id of the gateway
	absent  map[string]struct{} // what was said of servers that are missing
}

// An errand is a request of the client that is not answered yet.
type errand struct {
	id     jsonrpc.ID
	method string
	params json.RawMessage
	ctx    context.Context
	cancel context.CancelFunc
}

// Serve passes messages on until the client ends, or ctx does. It ends the servers.
func (g *Hub) Serve(ctx context.Context, client mcp.Connection) error {
	h := &hub{Hub: g, client: client, open: map[string]*errand{}, asked: map[string]*spoke{}, absent: map[string]struct{}{}}
	h.ctx, h.cancel = context.WithCancel(ctx)
	for _, gate := range g.Gateways {
		p := &spoke{hub: h, gate: gate, in: make(chan jsonrpc.Message), closed: make(chan struct{}), began: make(chan struct{}), legs: map[string]*leg{}}
		h.spokes = append(h.spokes, p)
		h.work.Go(p.serve)
	}
	defer h.end()
	err := hear(ctx, h.ctx, client, g.Log, h.says, h.answers)
	if err == nil {
		h.lastWord()
	}
	return err
}

// lastWord lets a client that has ended still read how it begins: why nothing can be
// used, above all.
func (h *hub) lastWord() {
	h.mu.Lock()
	var begins *errand
	for _, e := range h.open {
		if e.method == "initialize" {
			begins = e
		}
	}
	h.mu.Unlock()
	if begins == nil {
		return
	}
	select {
	case <-begins.ctx.Done():
	case <-time.After(patience):
	}
}

// end ends the gateways, which end their servers.
func (h *hub) end() {
	h.cancel()
	_ = h.client.Close() // nobody reads it any more
	ended := make(chan struct{})
	go func() { h.work.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(5 * patience): // a gateway gives its server as long as that
	}
}

// says takes what the client asks or tells.
func (h *hub) says(m *jsonrpc.Request) {
	if !m.IsCall() {
		h.told(m)
		return
	}
	do := h.handler(m.Method)
	if do == nil {
		h.reply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"})
		return
	}
	e := &errand{id: m.ID, method: m.Method, params: m.Params}
	e.ctx, e.cancel = context.WithCancel(h.ctx)
	h.mu.Lock()
	_, twice := h.open[key(m.ID)]
	full := len(h.open) >= mostOpen*(len(h.spokes)+1) // a gateway takes mostOpen: one that is full leaves room
	if !twice && !full {
		h.open[key(m.ID)] = e
	}
	h.mu.Unlock()
	switch {
	case twice: // the first one is answered under this id
		e.cancel()
		h.Log("the client has used the id of a request that is open")
		return
	case full:
		e.cancel()
		h.reply(m.ID, nil, &jsonrpc.Error{Code: codeServer, Message: "too many requests are open"})
		return
	}
	h.work.Go(func() { h.run(e, do) })
}

// run answers a request. A mistake of ours is an error.
func (h *hub) run(e *errand, do func(*errand) (json.RawMessage, error)) {
	defer e.cancel()
	result, err := func() (result json.RawMessage, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("sayso failed: %v", p)
			}
		}()
		return do(e)
	}()
	h.mu.Lock()
	mine := h.open[key(e.id)] == e
	delete(h.open, key(e.id))
	h.mu.Unlock()
	if !mine { // it was cancelled
		return
	}
	var wire *jsonrpc.Error
	if err != nil && !errors.As(err, &wire) {
		err = &jsonrpc.Error{Code: codeServer, Message: "sayso: " + err.Error()}
	} else if wire != nil {
		err = wire
	}
	h.reply(e.id, result, err)
}

func (h *hub) reply(id jsonrpc.ID, result json.RawMessage, err error) {
	h.write(&jsonrpc.Response{ID: id, Result: result, Error: err})
}

// write sends something to the client.
func (h *hub) write(m jsonrpc.Message) {
	if err := h.client.Write(h.ctx, m); err != nil && h.ctx.Err() == nil {
		h.Log("the client was not told: %v", err)
	}
}

// notify tells the client something.
func (h *hub) notify(method string, params any) {
	if text, err := json.Marshal(params); err == nil {
		h.write(&jsonrpc.Request{Method: method, Params: text})
	}
}

// told takes what the client tells: it is for the one whom it concerns, or for all.
func (h *hub) told(m *jsonrpc.Request) {
	switch m.Method {
	case "notifications/initialized":
		h.mu.Lock()
		h.ready = true
		h.mu.Unlock()
		for _, p := range h.spokes {
			p.beReady()
		}
	case "notifications/roots/list_changed":
		for _, p := range h.present() {
			p.send(m)
		}
	case "notifications/cancelled":
		id, _ := cancelledID(m) // what is none finds nothing
		h.mu.Lock()
		e := h.open[key(id)]
		if e != nil && e.method != "initialize" {
			delete(h.open, key(id))
			e.cancel()
		}
		h.mu.Unlock()
	case "notifications/progress":
		if p, params := h.ofToken(m.Params); p != nil {
			p.send(&jsonrpc.Request{Method: m.Method, Params: params})
		}
	}
}

// answers takes what the client answers to a request of a server, or of its gateway.
// What nobody asked reaches nobody.
func (h *hub) answers(m *jsonrpc.Response) {
	h.mu.Lock()
	p := h.asked[key(m.ID)]
	delete(h.asked, key(m.ID))
	h.mu.Unlock()
	if p != nil {
		p.send(m)
	}
}

// present are those whose servers have begun.
func (h *hub) present() []*spoke {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*spoke
	for _, p := range h.spokes {
		if p.can != nil {
			out = append(out, p)
		}
	}
	return out
}
