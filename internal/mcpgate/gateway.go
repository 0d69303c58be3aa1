// Package mcpgate stands between an MCP client, which belongs to an agent, and an MCP
// server: every call of a tool is decided before the server sees it.
//
// It passes messages on and keeps their ids, so that each side sees the other as it
// is, and so it knows exactly which methods there are: one that it does not know
// reaches nobody. It speaks the protocol up to [Newest]; a client that knows a newer
// one falls back.
//
// Both sides are hostile. A client may ask for anything, in any order and in a form
// that two readers take differently; a server may claim anything about its tools,
// change them once somebody trusts it, hide text from people, and end at any time.
package mcpgate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
)

// Newest is the newest version of the protocol that the gateway speaks.
const Newest = "2025-11-25"

// codeServer is the code of errors that the gateway itself answers with.
const codeServer = -32000

// A Gateway lets clients use one server.
type Gateway struct {
	Name string     // of the server, as rules have it
	Call sayso.Call // what each call has in common: session, agent and folders

	// Trusted says why the server must not be started; nil: it may.
	Trusted func(context.Context) error

	// Open starts the server, or connects to it. It is closed with the session.
	Open func(context.Context) (mcp.Connection, error)

	// Authorize decides a call, and puts it to a person if need be.
	Authorize func(context.Context, Question) (sayso.Decision, error)

	// Denied are the decisions about calls that a rule denies whatever their arguments
	// are; nil for the others.
	Denied func(ctx context.Context, calls []sayso.Call) []*sayso.Decision

	// Note records what becomes of a call.
	Note func(context.Context, sayso.Call, ...sayso.Record) error

	// Seen keeps what the server has said of its tools since it is trusted.
	Seen Seen

	// Log is told, line by line, what people may want to know.
	Log func(format string, args ...any)
}

// A Question is a call to be decided.
type Question struct {
	Call sayso.Call

	// Changed says what a person must know of the tool before it is used again;
	// empty: nothing. Such a call is never allowed without asking.
	Changed string

	// Reads says that it is no tool: the client reads what the server offers, and that
	// is allowed unless somebody has said something else.
	Reads bool

	// Elicit puts a text to the user of the client, who says yes or no, or
	// nothing. Nil: the client cannot.
	Elicit func(ctx context.Context, text string) (yes, said bool)

	// Waits is called with the id under which the call waits for an answer.
	Waits func(id string)
}

// mostOpen is how many requests of a client may be open, mostAsked how many of a
// server.
const (
	mostOpen  = 256
	mostAsked = 32
)

// A session is one client with its server.
type session struct {
	*Gateway
	ctx    context.Context
	cancel context.CancelFunc
	client mcp.Connection
	work   sync.WaitGroup

	starting sync.Mutex // held while a server is started, and while its tools are read

	mu      sync.Mutex
	hello   json.RawMessage // what the client said first, as a server is told
	agent   string
	elicits bool
	open    map[string]*request                // of the client, by id
	asked   map[string]func(*jsonrpc.Response) // of the server and our own, to the client
	server  *server                            // that runs; nil: none
	starts  []time.Time                        // of late
	tools   map[string]*tool                   // as the server has told them last
	fresh   *server                            // whose tools these are; nil: they may have changed
	tokens  map[token]*server                  // of what goes on once it is answered, and where
	tasks   map[string]task                    // what goes on, by its id
}

// A request is one of the client that is not answered yet.
type request struct {
	id     jsonrpc.ID
	method string
	params json.RawMessage
	// progress is the token under which the client wants to be told of progress; nil:
	// it does not.
	progress json.RawMessage
	ctx      context.Context
	cancel   context.CancelFunc

	server *server                                   // that has it; nil: none
	after  func(*jsonrpc.Response) *jsonrpc.Response // what becomes of its answer
}

// Serve passes messages on until the client ends, or ctx does. It ends the server.
func (g *Gateway) Serve(ctx context.Context, client mcp.Connection) error {
	s := &session{Gateway: g, client: client, agent: g.Call.Agent, open: map[string]*request{}, asked: map[string]func(*jsonrpc.Response){}, tokens: map[token]*server{}, tasks: map[string]task{}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.end()
	return hear(ctx, s.ctx, client, g.Log, s.says, s.answers)
}

// hear reads what the client says, until it has ended or ctx has.
func hear(ctx, reading context.Context, client mcp.Connection, log func(string, ...any), says func(*jsonrpc.Request), answers func(*jsonrpc.Response)) error {
	for {
		m, err := client.Read(reading)
		var one *MessageError
		switch {
		case errors.As(err, &one):
			log("the client has sent %v", one)
			continue
		case err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil):
			return nil
		case err != nil:
			return fmt.Errorf("read from the client: %w", err)
		}
		switch m := m.(type) {
		case *jsonrpc.Request:
			says(m)
		case *jsonrpc.Response:
			answers(m)
		}
	}
}

// end ends what is open, and the server.
func (s *session) end() {
	s.cancel()
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	if server != nil {
		server.close()
	}
	_ = s.client.Close() // nobody reads it any more
	s.unfinished()
	ended := make(chan struct{})
	go func() { s.work.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience): // a client that does not read holds what is written to it
	}
}

// key tells ids apart: 1 is not "1".
func key(id jsonrpc.ID) string { return fmt.Sprintf("%T:%v", id.Raw(), id.Raw()) }

// ownID is an id that nobody else can have.
func ownID() jsonrpc.ID {
	id, _ := jsonrpc.MakeID("sayso-" + rand.Text()) // a text is an id
	return id
}

// says takes what the client asks or tells.
func (s *session) says(m *jsonrpc.Request) {
	if !m.IsCall() {
		s.tells(m)
		return
	}
	if handler(m.Method) == nil {
		s.reply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"})
		return
	}
	r := &request{id: m.ID, method: m.Method, params: m.Params, progress: progressToken(m.Params)}
	r.ctx, r.cancel = context.WithCancel(s.ctx)
	s.mu.Lock()
	_, twice := s.open[key(m.ID)]
	full := len(s.open) >= mostOpen
	if !twice && !full {
		s.open[key(m.ID)] = r
	}
	s.mu.Unlock()
	switch {
	case twice: // the first one is answered under this id
		r.cancel()
		s.Log("the client has used the id of a request that is open")
		return
	case full:
		r.cancel()
		s.reply(m.ID, nil, &jsonrpc.Error{Code: codeServer, Message: "too many requests are open"})
		return
	}
	s.work.Go(func() { s.handle(r) })
}

// handle answers a request, or has the server answer it. A mistake of ours is an
// error, and no call.
func (s *session) handle(r *request) {
	defer func() {
		if p := recover(); p != nil {
			s.fail(r, fmt.Errorf("sayso failed: %v", p))
		}
	}()
	handler(r.method)(s, r)
}

// close takes a request off the list, and reports whether it was on it.
func (s *session) close(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[key(r.id)] != r {
		return false
	}
	delete(s.open, key(r.id))
	r.cancel()
	return true
}

// finish answers a request, once.
func (s *session) finish(r *request, resp *jsonrpc.Response) {
	if s.close(r) {
		s.write(resp)
	}
}

// fail answers a request with an error.
func (s *session) fail(r *request, err error) {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		wire = &jsonrpc.Error{Code: codeServer, Message: "sayso: " + err.Error()}
	}
	s.finish(r, &jsonrpc.Response{ID: r.id, Error: wire})
}

// result answers a request with a value.
func (s *session) result(r *request, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		s.fail(r, err)
		return
	}
	s.finish(r, &jsonrpc.Response{ID: r.id, Result: text})
}

func (s *session) reply(id jsonrpc.ID, result json.RawMessage, err error) {
	s.write(&jsonrpc.Response{ID: id, Result: result, Error: err})
}

// write sends something to the client.
func (s *session) write(m jsonrpc.Message) {
	if err := s.client.Write(s.ctx, m); err != nil && s.ctx.Err() == nil {
		s.Log("the client was not told: %v", err)
	}
}

// notify tells the client something, about a request of it or about none.
func (s *session) notify(r *request, method string, params any) {
	text, err := json.Marshal(params)
	if err == nil {
		s.writeAbout(r, &jsonrpc.Request{Method: method, Params: text})
	}
}

// answers takes what the client answers to a request of the server, or to ours. What
// nobody asked reaches nobody.
func (s *session) answers(m *jsonrpc.Response) {
	s.mu.Lock()
	take := s.asked[key(m.ID)]
	delete(s.asked, key(m.ID))
	s.mu.Unlock()
	if take != nil {
		take(m)
	}
}

// ask sends a request to the client, because of a request of it or of none; take gets
// its answer, if there is one.
func (s *session) ask(r *request, method string, params json.RawMessage, take func(*jsonrpc.Response)) (jsonrpc.ID, error) {
	id := ownID()
	s.mu.Lock()
	full := len(s.asked) >= mostAsked
	if !full {
		s.asked[key(id)] = take
	}
	s.mu.Unlock()
	if full {
		return id, errors.New("too many requests to the client are open")
	}
	s.writeAbout(r, &jsonrpc.Request{ID: id, Method: method, Params: params})
	return id, nil
}

// unask withdraws a request to the client.
func (s *session) unask(id jsonrpc.ID, why string) {
	s.mu.Lock()
	_, open := s.asked[key(id)]
	delete(s.asked, key(id))
	s.mu.Unlock()
	if open {
		s.notify(nil, "notifications/cancelled", map[string]any{"requestId": id.Raw(), "reason": why})
	}
}
