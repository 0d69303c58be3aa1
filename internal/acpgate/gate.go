// Package acpgate stands between an editor and an agent that speak the Agent Client
// Protocol: what the agent asks its user, and what it has the editor do, is decided.
//
// What an agent does by itself, without asking and without the editor, never comes
// here: for that there are hooks. The agent is hostile. What it says of a call, its
// kind, its title and its input, are claims: everything that any of them names counts.
package acpgate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
	"github.com/sayso-dev/sayso/shell"
)

// A Gate decides for the sessions of an agent.
type Gate struct {
	Agent string // as records have it

	// Authorize decides a call, and puts it to a person if need be.
	Authorize func(ctx context.Context, q Question) (sayso.Decision, error)

	// Prompted is told what the user has said in a session.
	Prompted func(ctx context.Context, session, prompt string) error

	// Note records what becomes of a call.
	Note func(ctx context.Context, call sayso.Call, records ...sayso.Record) error

	// Log is told, line by line, what people may want to know.
	Log func(format string, args ...any)
}

// A Question is a call to be decided.
type Question struct {
	Call sayso.Call
	Dir  string // of the session, as the editor says it

	// Claim says that only a text that the agent shows names the call: it may be denied
	// for that, and is not allowed by it.
	Claim bool

	// Ask puts a text to the user of the editor, who says yes or no, or nothing.
	Ask func(ctx context.Context, text string) (yes, said bool)
}

// mostOpen is how many requests of a side may be open, mostCalls how many calls of a
// session are remembered, codeDenied what a request is answered with that is denied.
const (
	mostOpen   = 256
	mostCalls  = 1000
	codeDenied = -32010
)

// A proxy is an editor with its agent.
type proxy struct {
	*Gate
	ctx           context.Context
	editor, agent mcp.Connection
	work          sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
	begun    map[string]*jsonrpc.Request        // of the editor, by id, that the agent has
	asked    map[string]*request                // of the agent, by id
	own      map[string]func(*jsonrpc.Response) // our own to the editor, by id
}

// A session is a conversation with the agent.
type session struct {
	id, dir string
	calls   map[string]toolCall   // as the agent has told of them, by id
	allowed map[string]sayso.Call // until their result is told, by the same id
}

// A request is one of the agent that is not answered yet.
type request struct {
	*jsonrpc.Request
	session string
	ctx     context.Context
	cancel  context.CancelFunc
	passed  bool                    // the editor has it
	after   func(*jsonrpc.Response) // what becomes of its answer
}

// Serve passes messages on until one of both ends, or ctx does. It closes both.
func (g *Gate) Serve(ctx context.Context, editor, agent mcp.Connection) error {
	ctx, cancel := context.WithCancel(ctx)
	p := &proxy{
		Gate: g, ctx: ctx, editor: editor, agent: agent, sessions: map[string]*session{},
		begun: map[string]*jsonrpc.Request{}, asked: map[string]*request{}, own: map[string]func(*jsonrpc.Response){},
	}
	ended := make(chan error, 2)
	go func() { ended <- p.read("the editor", editor, p.fromEditor) }()
	go func() { ended <- p.read("the agent", agent, p.fromAgent) }()
	err := <-ended
	cancel()
	err = errors.Join(err, agent.Close(), editor.Close())
	p.work.Wait()
	return err
}

// read takes the messages of a side until it ends.
func (p *proxy) read(who string, from mcp.Connection, take func(jsonrpc.Message)) error {
	for {
		m, err := from.Read(p.ctx)
		var one *mcpgate.MessageError
		switch {
		case errors.As(err, &one):
			p.Log("%s has sent %v", who, one)
			continue
		case err != nil && (errors.Is(err, io.EOF) || errors.Is(err, mcpgate.ErrEnded) || p.ctx.Err() != nil):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", who, err)
		}
		take(m)
	}
}

func key(id jsonrpc.ID) string { return fmt.Sprintf("%T:%v", id.Raw(), id.Raw()) }

func (p *proxy) write(to mcp.Connection, m jsonrpc.Message) {
	if err := to.Write(p.ctx, m); err != nil && p.ctx.Err() == nil {
		p.Log("a message is lost: %v", err)
	}
}

// fromEditor takes what the editor says.
func (p *proxy) fromEditor(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Request:
		p.follow(m)
		p.write(p.agent, m)
	case *jsonrpc.Response:
		p.mu.Lock()
		take := p.own[key(m.ID)]
		delete(p.own, key(m.ID))
		r := p.asked[key(m.ID)]
		p.mu.Unlock()
		switch {
		case take != nil:
			take(m)
		case r != nil && r.passed: // what nobody has asked reaches nobody
			if r.after != nil {
				r.after(m)
			}
			p.answer(r, m)
		}
	}
}

// follow learns from what the editor asks of the agent: where sessions are, and when a
// turn begins or ends.
func (p *proxy) follow(m *jsonrpc.Request) {
	about := read(m.Params)
	switch m.Method {
	case "session/cancel":
		p.mu.Lock()
		for _, r := range p.asked {
			if r.session == about.text("sessionId") {
				r.cancel()
			}
		}
		p.mu.Unlock()
	case "session/prompt":
		if err := p.Prompted(p.ctx, sessionName(about.text("sessionId")), promptOf(about)); err != nil {
			p.Log("what was said is not kept: %v", err)
		}
	}
	if !m.IsCall() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.begun) < mostOpen {
		p.begun[key(m.ID)] = m
	}
	if id, dir := about.text("sessionId"), about.text("cwd"); id != "" && dir != "" {
		p.open(id, dir)
	}
}

// open notes where a session is. Only the editor says that.
func (p *proxy) open(id, dir string) {
	if len(p.sessions) >= mostOpen {
		clear(p.sessions) // calls of those that are forgotten are denied
	}
	p.sessions[id] = &session{id: id, dir: dir, calls: map[string]toolCall{}, allowed: map[string]sayso.Call{}}
}

// fromAgent takes what the agent says.
func (p *proxy) fromAgent(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		p.mu.Lock()
		began := p.begun[key(m.ID)]
		delete(p.begun, key(m.ID))
		if began != nil && m.Error == nil {
			if id, dir := read(m.Result).text("sessionId"), read(began.Params).text("cwd"); id != "" && dir != "" {
				p.open(id, dir)
			}
		}
		p.mu.Unlock()
		if began != nil {
			p.write(p.editor, m)
		}
	case *jsonrpc.Request:
		if !m.IsCall() {
			if m.Method == "session/update" {
				p.updated(read(m.Params))
			}
			p.write(p.editor, m)
			return
		}
		p.wants(m)
	}
}

// answer answers a request of the agent, once.
func (p *proxy) answer(r *request, m *jsonrpc.Response) {
	p.mu.Lock()
	open := p.asked[key(r.ID)] == r
	if open {
		delete(p.asked, key(r.ID))
	}
	p.mu.Unlock()
	if open {
		m.ID = r.ID
		p.write(p.agent, m)
		r.cancel()
	}
}

// result answers a request of the agent with a value, fail with an error.
func (p *proxy) result(r *request, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		p.fail(r, jsonrpc.CodeInternalError, err.Error())
		return
	}
	p.answer(r, &jsonrpc.Response{Result: text})
}

func (p *proxy) fail(r *request, code int64, why string) {
	p.answer(r, &jsonrpc.Response{Error: &jsonrpc.Error{Code: code, Message: why}})
}

// pass has the editor answer a request of the agent.
func (p *proxy) pass(r *request, after func(*jsonrpc.Response)) {
	p.mu.Lock()
	r.passed, r.after = true, after
	p.mu.Unlock()
	p.write(p.editor, r.Request)
}

// ask asks the editor something ourselves.
func (p *proxy) ask(ctx context.Context, method string, params any) *jsonrpc.Response {
	text, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	id, _ := jsonrpc.MakeID("sayso-" + rand.Text()) // a text is an id
	answers := make(chan *jsonrpc.Response, 1)
	p.mu.Lock()
	p.own[key(id)] = func(m *jsonrpc.Response) { answers <- m }
	p.mu.Unlock()
	p.write(p.editor, &jsonrpc.Request{ID: id, Method: method, Params: text})
	select {
	case m := <-answers:
		return m
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.own, key(id))
		p.mu.Unlock()
		return nil
	}
}

// tell tells a side something.
func (p *proxy) tell(to mcp.Connection, method string, params any) {
	if text, err := json.Marshal(params); err == nil {
		p.write(to, &jsonrpc.Request{Method: method, Params: text})
	}
}

// sessionName is what a session is called in records.
func sessionName(id string) string { return "acp-" + shell.Shown(id) }
