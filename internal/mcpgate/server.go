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

// A server is one that runs.
type server struct {
	conn mcp.Connection
	out  chan jsonrpc.Message
	done chan struct{} // closed when it is not used any more
	once sync.Once

	mu    sync.Mutex
	own   map[string]chan *jsonrpc.Response // what the gateway itself has asked, by id
	asked map[string]jsonrpc.ID             // what it has asked the client, by its own id
}

const (
	// queued is how many messages wait for a server that does not read.
	queued = 256
	// ownTime is how long a server may take for what the gateway itself asks.
	ownTime = 60 * time.Second
	// mostStarts is how often a server is started again within startsIn.
	mostStarts = 4
	startsIn   = time.Minute
)

// send hands a message to the server.
func (u *server) send(m jsonrpc.Message) error {
	select {
	case <-u.done:
		return errors.New("the server has ended")
	default:
	}
	select {
	case u.out <- m:
		return nil
	default:
		return errors.New("the server does not read what it is sent")
	}
}

func (u *server) close() {
	u.once.Do(func() {
		close(u.done)
		_ = u.conn.Close() // what is left of it is ended
	})
}

// start starts the server, and reads what it says.
func (s *session) start() (*server, error) {
	if err := s.Trusted(s.ctx); err != nil {
		return nil, err
	}
	conn, err := s.Open(s.ctx)
	if err != nil {
		return nil, fmt.Errorf("the MCP server %s cannot be started: %w", s.Name, err)
	}
	u := &server{conn: conn, out: make(chan jsonrpc.Message, queued), done: make(chan struct{}), own: map[string]chan *jsonrpc.Response{}, asked: map[string]jsonrpc.ID{}}
	s.mu.Lock()
	s.server, s.fresh = u, nil
	s.mu.Unlock()
	s.work.Go(func() { s.feed(u) })
	s.work.Go(func() { s.hear(u) })
	return u, nil
}

// feed writes to the server what it is sent.
func (s *session) feed(u *server) {
	for {
		select {
		case <-u.done:
			return
		case m := <-u.out:
			if err := u.conn.Write(s.ctx, m); err != nil {
				s.lost(u, err)
				return
			}
		}
	}
}

// hear reads from the server.
func (s *session) hear(u *server) {
	for {
		m, err := u.conn.Read(s.ctx)
		var one *MessageError
		if errors.As(err, &one) && !errors.Is(err, ErrTooLong) {
			s.Log("the MCP server %s has sent %v", s.Name, one)
			continue
		}
		if err != nil {
			s.lost(u, err)
			return
		}
		switch m := m.(type) {
		case *jsonrpc.Response:
			s.answered(u, m)
		case *jsonrpc.Request:
			s.wants(u, m)
		}
	}
}

// answered takes what the server answers: to the gateway, or to the client. What
// nobody has asked it reaches nobody.
func (s *session) answered(u *server, m *jsonrpc.Response) {
	u.mu.Lock()
	own := u.own[key(m.ID)]
	delete(u.own, key(m.ID))
	u.mu.Unlock()
	if own != nil {
		own <- m
		return
	}
	s.mu.Lock()
	r := s.open[key(m.ID)]
	mine := r != nil && r.server == u
	s.mu.Unlock()
	if !mine {
		return
	}
	if r.after != nil {
		m = r.after(m)
	}
	s.finish(r, m)
}

// lost ends the session with a server that has ended, or that must: what is open is
// answered with an error. The next request starts it again.
func (s *session) lost(u *server, why error) {
	u.close()
	s.mu.Lock()
	if s.server == u {
		s.server, s.fresh = nil, nil
	}
	var left []*request
	for _, r := range s.open {
		if r.server == u {
			left = append(left, r)
		}
	}
	s.mu.Unlock()
	u.mu.Lock()
	asked := u.asked
	u.asked = map[string]jsonrpc.ID{}
	u.mu.Unlock()
	for _, id := range asked {
		s.unask(id, "the server has ended")
	}
	if s.ctx.Err() != nil {
		return
	}
	s.Log("the MCP server %s is gone: %v", s.Name, why)
	for _, r := range left {
		m := &jsonrpc.Response{ID: r.id, Error: &jsonrpc.Error{Code: codeServer, Message: fmt.Sprintf("sayso: the MCP server %s is gone: %v", s.Name, why)}}
		if r.after != nil {
			m = r.after(m)
		}
		s.finish(r, m)
	}
}

// forward has the server answer a request.
func (s *session) forward(r *request, after func(*jsonrpc.Response) *jsonrpc.Response) {
	u, err := s.live(r.ctx)
	if err == nil {
		err = s.hand(u, r, after)
	}
	if err != nil {
		s.fail(r, err)
	}
}

// hand gives a request to a server.
func (s *session) hand(u *server, r *request, after func(*jsonrpc.Response) *jsonrpc.Response) error {
	s.mu.Lock()
	if s.open[key(r.id)] != r { // it was cancelled
		s.mu.Unlock()
		return context.Canceled
	}
	r.server, r.after = u, after
	s.mu.Unlock()
	s.started(r)
	return u.send(&jsonrpc.Request{ID: r.id, Method: r.method, Params: r.params})
}

// live is the server, started again if it has ended.
func (s *session) live(ctx context.Context) (*server, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	u, hello := s.server, s.hello
	s.mu.Unlock()
	switch {
	case u != nil:
		return u, nil
	case hello == nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize comes first"}
	}
	if err := s.Trusted(s.ctx); err != nil { // it counts for no start
		return nil, err
	}
	if err := s.often(); err != nil {
		return nil, err
	}
	u, err := s.start()
	if err != nil {
		return nil, err
	}
	m, err := s.own(ctx, u, "initialize", hello)
	if err == nil {
		_, err = s.welcome(u, m)
	}
	if err != nil {
		s.lost(u, err)
		return nil, fmt.Errorf("the MCP server %s cannot be started again: %w", s.Name, err)
	}
	s.Log("the MCP server %s was started again", s.Name)
	if err := u.send(&jsonrpc.Request{Method: "notifications/initialized"}); err != nil {
		return nil, err
	}
	s.notify(nil, "notifications/tools/list_changed", struct{}{})
	return u, nil
}

// often counts the starts of a server that ends again and again.
func (s *session) often() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.starts) > 0 && now.Sub(s.starts[0]) > startsIn {
		s.starts = s.starts[1:]
	}
	if len(s.starts) >= mostStarts {
		return fmt.Errorf("the MCP server %s ends again and again; it is not started more than %d times a minute", s.Name, mostStarts)
	}
	s.starts = append(s.starts, now)
	return nil
}

// own asks the server something for the gateway itself.
func (s *session) own(ctx context.Context, u *server, method string, params any) (json.RawMessage, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, ownTime)
	defer cancel()
	id, answer := ownID(), make(chan *jsonrpc.Response, 1)
	u.mu.Lock()
	u.own[key(id)] = answer
	u.mu.Unlock()
	if err := u.send(&jsonrpc.Request{ID: id, Method: method, Params: text}); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		return m.Result, m.Error
	case <-u.done:
		return nil, errors.New("the server has ended")
	case <-ctx.Done():
		u.mu.Lock()
		delete(u.own, key(id))
		u.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
