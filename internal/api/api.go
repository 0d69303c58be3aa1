// Package api lets programs in other languages have calls decided: over standard
// input and output, a unix socket, or HTTP on loopback. It is one small protocol,
// specified in docs/api.md; this package carries it, and what it is about is done by
// the functions of a [Service].
//
// Whoever has calls decided does not answer for a person. There are two roles, and a
// client of the first cannot come to the second: the token for it is told to the
// person who serves the API, and is nowhere on the disk. A program that has started
// the API for its own user may answer what it has asked itself, if that is switched
// on, and for that call alone.
package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
)

// maxMessage is how long a message may be, in bytes.
const maxMessage = 16 << 20

// A Role is what a client may do.
type Role uint8

// The roles.
const (
	Agent  Role = iota // has calls decided
	Person             // also sees and answers what waits
)

// A Call is a call to be decided.
type Call struct {
	Session  string          `json:"session,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Subagent string          `json:"subagent,omitempty"`
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input,omitempty"`
	Cwd      string          `json:"cwd"`
	Server   *ToolServer     `json:"server,omitempty"`
}

// A ToolServer is what is known of the MCP server that a tool belongs to. Whether it
// is trusted is not for the client to say.
type ToolServer struct {
	Name        string `json:"name"`
	ReadOnly    bool   `json:"readOnly,omitempty"`
	Destructive bool   `json:"destructive,omitempty"`
}

// Decided is how a call was decided.
type Decided struct {
	Call     string         `json:"call"` // the id that it got
	Decision sayso.Decision `json:"decision"`
}

// A Result is how a call ended that was allowed.
type Result struct {
	Call   string `json:"call"`
	Ran    bool   `json:"ran"`
	Exit   int    `json:"exit,omitempty"`
	Error  string `json:"error,omitempty"`
	Output int64  `json:"output,omitempty"`
}

// An Answer answers a request.
type Answer struct {
	Request  string `json:"request"`
	Yes      bool   `json:"yes"`
	Choice   string `json:"choice,omitempty"`
	Contract string `json:"contract,omitempty"`
}

// An Error is why something was not done.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// The codes of errors.
const (
	Usage     = "usage"     // the message is wrong
	Forbidden = "forbidden" // it is not for this client
	NotFound  = "not_found" // there is no such call or request, or not any more
	Failed    = "failed"    // something failed; nothing is allowed by it
)

// A Service is what the protocol is about.
type Service struct {
	// Decide decides a call, and asks, remembers and records nothing.
	Decide func(ctx context.Context, call sayso.Call) (sayso.Decision, error)

	// Authorize decides a call, puts it to a person if need be, and records it. A
	// yes of the client's own user counts only if own is set; opened is called with
	// a request that waits.
	Authorize func(ctx context.Context, call sayso.Call, wait time.Duration, own bool, opened func(sayso.Request)) (sayso.Decision, error)

	// Note records how a call ended.
	Note func(ctx context.Context, call sayso.Call, result sayso.Result) error

	// Waiting lists what waits for an answer.
	Waiting func(ctx context.Context) ([]sayso.Request, error)

	// Answer answers a request: for the client's own user, or for the person with
	// the token.
	Answer func(ctx context.Context, r sayso.Request, a Answer, own bool) error

	mu      sync.Mutex
	allowed map[string]sayso.Call // by id, until their result is told
	order   []string              // of those
	watch   map[chan Event]bool
}

// An Event is something that happened.
type Event struct {
	Event    string          `json:"event"`              // ask, closed or decided
	Request  *sayso.Request  `json:"request,omitempty"`  // ask: what waits
	ID       string          `json:"id,omitempty"`       // closed: the request that waits no longer
	Call     string          `json:"call,omitempty"`     // decided
	Decision *sayso.Decision `json:"decision,omitempty"` // decided
}

// mostAllowed is how many calls may run whose result was not told.
const mostAllowed = 10_000

// call makes the call that is decided. Its id is ours: with one of another call a
// client could come to answer what somebody else has asked. Its session is one of
// the API's, so that nothing here changes what a hook knows.
func (c Call) call() (sayso.Call, error) {
	switch {
	case c.Tool == "":
		return sayso.Call{}, &Error{Usage, "call: it names no tool"}
	case !filepath.IsAbs(c.Cwd):
		return sayso.Call{}, &Error{Usage, fmt.Sprintf("call: cwd %q is not absolute", c.Cwd)}
	}
	id := "api-" + rand.Text()
	session := id
	if c.Session != "" {
		session = "api-" + c.Session
	}
	out := sayso.Call{ID: id, Session: session, Agent: c.Agent, Subagent: c.Subagent, Tool: c.Tool, Input: c.Input, Dir: filepath.Clean(c.Cwd)}
	if c.Server != nil {
		out.Server = &sayso.Server{Name: c.Server.Name, ReadOnly: c.Server.ReadOnly, Destructive: c.Server.Destructive}
	}
	return out, nil
}

// A client is one connection, or, where requests have none, all of them.
type client struct {
	*Service
	role Role

	// tell sends an event about what the client has asked itself; nil: it cannot be
	// told. Answers says that it may answer that, for its own user.
	tell    func(Event)
	answers bool

	mu  sync.Mutex
	own map[string]sayso.Request // what it has asked itself, by id
}

// do does what a message asks for.
func (c *client) do(ctx context.Context, method string, params json.RawMessage) (result any, err error) {
	defer func() {
		if p := recover(); p != nil { // a mistake of ours allows nothing
			result, err = nil, fmt.Errorf("sayso failed: %v", p)
		}
	}()
	switch method {
	case "decide":
		return c.decide(ctx, params)
	case "authorize":
		return c.authorize(ctx, params)
	case "result":
		return c.result(ctx, params)
	case "requests":
		return c.requests(ctx, params)
	case "answer":
		return c.answer(ctx, params)
	}
	return nil, &Error{Usage, fmt.Sprintf("there is no method %q", method)}
}

func (c *client) decide(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Call    Call `json:"call"`
		Explain bool `json:"explain,omitempty"`
	}
	if err := strict(params, &p); err != nil {
		return nil, err
	}
	call, err := p.Call.call()
	if err != nil {
		return nil, err
	}
	d, err := c.Decide(ctx, call)
	if err != nil {
		return nil, err
	}
	return c.decided(call, d, p.Explain), nil
}

func (c *client) authorize(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Call    Call    `json:"call"`
		Wait    float64 `json:"wait,omitempty"` // seconds
		Explain bool    `json:"explain,omitempty"`
	}
	if err := strict(params, &p); err != nil {
		return nil, err
	}
	call, err := p.Call.call()
	if err != nil {
		return nil, err
	}
	if p.Wait < 0 || p.Wait > 24*60*60 {
		return nil, &Error{Usage, "wait: want seconds, up to a day"}
	}
	asked := ""
	d, err := c.Authorize(ctx, call, time.Duration(p.Wait*float64(time.Second)), c.answers, func(r sayso.Request) {
		asked = r.ID
		if c.tell == nil || r.Call.ID != call.ID {
			return
		}
		c.mu.Lock()
		c.own[r.ID] = r
		c.mu.Unlock()
		c.tell(Event{Event: "ask", Request: &r})
	})
	if asked != "" && c.tell != nil {
		c.mu.Lock()
		delete(c.own, asked)
		c.mu.Unlock()
		c.tell(Event{Event: "closed", ID: asked})
	}
	if err != nil {
		return nil, err
	}
	if d.Effect == sayso.Allow {
		c.allow(call)
	}
	return c.decided(call, d, p.Explain), nil
}

// decided is what is told of a decision, and told to those who watch.
func (c *client) decided(call sayso.Call, d sayso.Decision, explain bool) Decided {
	if !explain {
		d.Trace = nil
	}
	c.publish(Event{Event: "decided", Call: call.ID, Decision: &d})
	return Decided{call.ID, d}
}

// allow keeps a call whose result is to be told.
func (s *Service) allow(call sayso.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allowed == nil {
		s.allowed = map[string]sayso.Call{}
	}
	if len(s.order) >= mostAllowed {
		delete(s.allowed, s.order[0])
		s.order = s.order[1:]
	}
	s.allowed[call.ID] = call
	s.order = append(s.order, call.ID)
}

func (c *client) result(ctx context.Context, params json.RawMessage) (any, error) {
	var p Result
	if err := strict(params, &p); err != nil {
		return nil, err
	}
	c.Service.mu.Lock()
	call, ok := c.allowed[p.Call]
	delete(c.allowed, p.Call)
	c.order = slices.DeleteFunc(c.order, func(id string) bool { return id == p.Call })
	c.Service.mu.Unlock()
	if !ok {
		return nil, &Error{NotFound, "no such call was allowed here, or its result is told"}
	}
	return struct{}{}, c.Note(ctx, call, sayso.Result{Ran: p.Ran, Exit: p.Exit, Error: p.Error, Output: p.Output})
}

// errPeople is for what only people do.
var errPeople = &Error{Forbidden, "an agent does not answer for a person: answer with sayso approve, or with the token that is told to who serves the API"}

// mine are the requests that the client may see: all of them, or its own.
func (c *client) mine(ctx context.Context) ([]sayso.Request, error) {
	if c.role == Person {
		return c.Waiting(ctx)
	}
	if c.tell == nil {
		return nil, errPeople
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []sayso.Request{}
	for _, r := range c.own {
		out = append(out, r)
	}
	return out, nil
}

func (c *client) requests(ctx context.Context, params json.RawMessage) (any, error) {
	if err := strict(params, &struct{}{}); err != nil {
		return nil, err
	}
	list, err := c.mine(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"requests": append([]sayso.Request{}, list...)}, nil
}

func (c *client) answer(ctx context.Context, params json.RawMessage) (any, error) {
	var p Answer
	if err := strict(params, &p); err != nil {
		return nil, err
	}
	if c.role != Person && !c.answers {
		return nil, errPeople
	}
	list, err := c.mine(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(r sayso.Request) bool { return r.ID == p.Request })
	switch {
	case i < 0:
		return nil, &Error{NotFound, "no such request waits, or it is not for this client to answer"}
	case p.Contract != "" && p.Contract != list[i].Contract.Hash():
		return nil, &Error{Usage, "the request is for another contract"}
	case c.role != Person && p.Choice != "":
		return nil, &Error{Forbidden, "over a pipe only this one call is answered: what lasts longer is for sayso approve"}
	}
	if err := c.Answer(ctx, list[i], p, c.role != Person); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

// publish tells those who watch.
func (s *Service) publish(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch := range s.watch {
		select {
		case ch <- e:
		default: // one that does not read misses it
		}
	}
}

// failure is an error as it is told.
func failure(err error) *Error {
	var told *Error
	if !errors.As(err, &told) {
		told = &Error{Failed, err.Error()}
	}
	return told
}
