package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A spoke is the connection of a hub with the gateway of one server: what the hub
// sends, the gateway reads as from its client.
type spoke struct {
	hub  *hub
	gate *Gateway
	in   chan jsonrpc.Message

	once   sync.Once
	closed chan struct{}
	began  chan struct{} // closed when the server has answered what it was told first

	// under the lock of the hub
	legs    map[string]*leg            // what the gateway was asked, by id
	can     map[string]json.RawMessage // what the server can do; nil: it has not begun
	missing error                      // why it has not, if that is known
	says    string                     // what it says of itself
	told    bool                       // that the client is ready
}

// A leg is a request on its way to one server, for one of the client.
type leg struct {
	of     jsonrpc.ID // the client's; of none: not valid
	answer chan *jsonrpc.Response
}

// serve lets the gateway run until the hub ends.
func (p *spoke) serve() {
	err := p.gate.Serve(p.hub.ctx, p)
	_ = p.Close() // it may have done so itself
	if err != nil {
		p.hub.Log("the gateway of %s has ended: %v", p.gate.Name, err)
	}
}

// Read is how the gateway reads.
func (p *spoke) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.in:
		return m, nil
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write is how the gateway writes.
func (p *spoke) Write(ctx context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		p.hub.mu.Lock()
		l := p.legs[key(m.ID)]
		delete(p.legs, key(m.ID))
		p.hub.mu.Unlock()
		if l != nil {
			l.answer <- m
		}
		return nil
	case *jsonrpc.Request:
		if m = p.outward(m); m == nil {
			return nil
		}
		return p.pass(ctx, m)
	}
	return nil
}

// pass sends the client what the gateway says: over the stream of the request that it
// belongs to, if it belongs to one.
func (p *spoke) pass(ctx context.Context, m *jsonrpc.Request) error {
	h := p.hub
	a, belongs := ctx.(about)
	h.mu.Lock()
	if m.IsCall() {
		h.asked[key(m.ID)] = p // the gateway has made up this id
	}
	l := p.legs[key(a.id)]
	h.mu.Unlock()
	switch {
	case !belongs:
		return h.client.Write(h.ctx, m)
	case l == nil || !l.of.IsValid():
		return errors.New("that request is answered")
	}
	return h.client.Write(about{h.ctx, l.of}, m)
}

// Close ends the connection.
func (p *spoke) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// SessionID is that of no session.
func (p *spoke) SessionID() string { return "" }

// send hands something to the gateway, which reads at once.
func (p *spoke) send(m jsonrpc.Message) {
	select {
	case p.in <- m:
	case <-p.closed:
	case <-p.hub.ctx.Done():
	}
}

// ask has the gateway answer a request, for one of the client. If ctx ends first, the
// server is told.
func (p *spoke) ask(ctx context.Context, of jsonrpc.ID, method string, params json.RawMessage) (json.RawMessage, error) {
	id, l := ownID(), &leg{of, make(chan *jsonrpc.Response, 1)}
	p.hub.mu.Lock()
	p.legs[key(id)] = l
	p.hub.mu.Unlock()
	p.send(&jsonrpc.Request{ID: id, Method: method, Params: params})
	select {
	case m := <-l.answer:
		return m.Result, p.outwardError(m.Error)
	case <-p.closed:
		return nil, fmt.Errorf("the gateway of the MCP server %s has ended", p.gate.Name)
	case <-ctx.Done():
	}
	p.hub.mu.Lock()
	delete(p.legs, key(id))
	p.hub.mu.Unlock()
	text, err := json.Marshal(map[string]any{"requestId": id.Raw(), "reason": "nobody waits for it any more"})
	if err == nil {
		p.send(&jsonrpc.Request{Method: "notifications/cancelled", Params: text})
	}
	return nil, ctx.Err()
}

// beReady tells a server that has begun that the client is ready, once. A gateway
// tells one itself that it starts again.
func (p *spoke) beReady() {
	h := p.hub
	h.mu.Lock()
	tell := h.ready && p.can != nil && !p.told
	p.told = p.told || tell
	h.mu.Unlock()
	if tell {
		p.send(&jsonrpc.Request{Method: "notifications/initialized"})
	}
}

// late says why a server cannot be asked now: it has not begun yet. One that could not
// begin can be asked, and is started for that.
func (p *spoke) late() error {
	select {
	case <-p.began:
		return nil
	default:
		return fmt.Errorf("the MCP server %s has not answered since it was started; it may do so later", p.gate.Name)
	}
}
