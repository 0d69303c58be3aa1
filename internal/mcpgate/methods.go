package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

// handler is what answers a request of the client; nil: nobody does. What a method
// that is not here would do, nobody decides.
func handler(method string) func(*session, *request) {
	switch method {
	case "initialize":
		return (*session).initialize
	case "ping":
		return (*session).ping
	case "tools/list":
		return (*session).listTools
	case "tools/call":
		return (*session).callTool
	case "resources/list", "resources/templates/list", "prompts/list":
		return (*session).listed
	case "resources/read", "resources/subscribe", "prompts/get":
		return (*session).reads
	case "resources/unsubscribe", "completion/complete", "logging/setLevel", "tasks/get", "tasks/list":
		return (*session).passed
	case "tasks/result", "tasks/cancel":
		return (*session).ofTask
	}
	return nil
}

// What each side may tell the other.
var (
	clientTells = []string{"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "notifications/tasks/status"}
	serverTells = []string{
		"notifications/message", "notifications/progress", "notifications/cancelled", "notifications/tools/list_changed", "notifications/resources/updated",
		"notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/elicitation/complete", "notifications/tasks/status",
	}
)

// passed has the server answer, and changes nothing.
func (s *session) passed(r *request) { s.forward(r, nil) }

// ping is answered by the server while it runs: whether it lives is the question.
func (s *session) ping(r *request) {
	s.mu.Lock()
	u := s.server
	s.mu.Unlock()
	if u == nil {
		s.result(r, struct{}{})
		return
	}
	s.forward(r, nil)
}

// listed has the server answer with a list, in which text that people cannot see is
// made visible.
func (s *session) listed(r *request) { s.forward(r, seen) }

// seen is an answer in which hidden text is visible.
func seen(m *jsonrpc.Response) *jsonrpc.Response {
	if m.Error == nil {
		m.Result, _ = visible(m.Result)
	}
	return m
}

// reads decides what is no call of a tool but brings the agent what the server offers:
// rules have its method as a tool of the server. What came back is recorded.
func (s *session) reads(r *request) {
	input, err := readParams(r.params)
	if err != nil {
		s.fail(r, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: " + r.method + ": " + err.Error()})
		return
	}
	if _, err := s.live(r.ctx); err != nil { // nobody is asked for a server that is not there
		s.fail(r, err)
		return
	}
	call := s.callOf(r.method, input, nil)
	call.Server.ReadOnly = true // the protocol says so, not the server
	d, err := s.decide(r.ctx, r, Question{Call: call, Reads: true})
	switch {
	case r.ctx.Err() != nil: // nobody waits for it any more
		err = context.Canceled
	case err == nil && d.Effect != sayso.Allow:
		err = &jsonrpc.Error{Code: codeServer, Message: refusal(&d)}
	}
	if err != nil {
		s.fail(r, err)
		return
	}
	start := time.Now()
	s.forward(r, func(m *jsonrpc.Response) *jsonrpc.Response {
		s.record(call, m, time.Since(start))
		return m
	})
}

// readParams is what rules see of the parameters of what is no call of a tool.
func readParams(params json.RawMessage) (json.RawMessage, error) {
	if _, err := jsontext.Parse(params); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("it has no parameters")
	}
	delete(fields, "_meta")
	return json.Marshal(fields)
}

// initialize starts the server, and has it answer.
func (s *session) initialize(r *request) {
	hello, who, err := greeting(r.params)
	if err != nil {
		s.fail(r, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: initialize: " + err.Error()})
		return
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	again := s.server != nil
	s.hello, s.elicits = hello, who.elicits
	if s.Call.Agent == "" {
		s.agent = who.name
	}
	s.mu.Unlock()
	if again {
		s.fail(r, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "sayso: initialize was sent before"})
		return
	}
	u, err := s.start()
	if err != nil {
		s.fail(r, err)
		return
	}
	r.params = hello
	if err := s.hand(u, r, func(m *jsonrpc.Response) *jsonrpc.Response {
		if m.Error != nil {
			return m
		}
		if m.Result, err = s.welcome(u, m.Result); err != nil {
			return &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: codeServer, Message: "sayso: " + err.Error()}}
		}
		return m
	}); err != nil {
		s.fail(r, err)
	}
}

// A greeter is what a client says of itself.
type greeter struct {
	name    string
	elicits bool
}

// greeting is what a client says first, with a version of the protocol that the
// gateway speaks.
func greeting(params json.RawMessage) (json.RawMessage, greeter, error) {
	if _, err := jsontext.Parse(params); err != nil {
		return nil, greeter{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return nil, greeter{}, err
	}
	var version string
	if err := json.Unmarshal(fields["protocolVersion"], &version); err != nil {
		return nil, greeter{}, fmt.Errorf("protocolVersion: %w", err)
	}
	var info struct{ Name string }
	_ = json.Unmarshal(fields["clientInfo"], &info) // without a name it has none
	var can map[string]json.RawMessage
	_ = json.Unmarshal(fields["capabilities"], &can) // without them it can nothing
	who := greeter{name: shell.Shown(info.Name), elicits: asksForms(can["elicitation"])}
	if version <= Newest {
		return params, who, nil
	}
	fields["protocolVersion"], _ = json.Marshal(Newest) // a text can be written
	text, err := json.Marshal(fields)
	return text, who, err
}

// asksForms reports whether a client can ask its user to fill in a form: one that
// names no way of asking can do that alone.
func asksForms(can json.RawMessage) bool {
	var ways map[string]json.RawMessage
	if can == nil || json.Unmarshal(can, &ways) != nil || ways == nil {
		return false
	}
	_, form := ways["form"]
	return form || len(ways) == 0
}

// welcome checks what a server says first, and makes it visible.
func (s *session) welcome(u *server, result json.RawMessage) (json.RawMessage, error) {
	var said struct {
		Version string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(result, &said); err != nil {
		return nil, fmt.Errorf("what the MCP server %s says first: %w", s.Name, err)
	}
	if said.Version > Newest {
		return nil, fmt.Errorf("the MCP server %s speaks only version %s of the protocol, and sayso up to %s", s.Name, shell.Shown(said.Version), Newest)
	}
	if r, ok := u.conn.(interface{ agree(string) }); ok {
		r.agree(said.Version)
	}
	text, changed := visible(result)
	if changed {
		s.Log("the MCP server %s says something with hidden characters", s.Name)
	}
	return text, nil
}

// tells takes what the client tells.
func (s *session) tells(m *jsonrpc.Request) {
	if !slices.Contains(clientTells, m.Method) {
		s.Log("the client has told %s, which nobody knows", shell.Shown(m.Method))
		return
	}
	s.mu.Lock()
	u := s.server
	s.mu.Unlock()
	if m.Method == "notifications/cancelled" && !s.cancelled(m) {
		return
	}
	if u != nil {
		_ = u.send(m) // one that does not read is told nothing
	}
}

// cancelled withdraws a request of the client, and reports whether a server must be
// told.
func (s *session) cancelled(m *jsonrpc.Request) bool {
	id, ok := cancelledID(m)
	if !ok {
		return false
	}
	s.mu.Lock()
	r := s.open[key(id)]
	s.mu.Unlock()
	if r == nil || r.method == "initialize" || !s.close(r) { // from then on nobody changes it
		return false
	}
	if r.after != nil {
		r.after(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeServer, Message: "it was cancelled"}})
	}
	return r.server != nil
}

// cancelledID is the id of the request that is cancelled.
func cancelledID(m *jsonrpc.Request) (jsonrpc.ID, bool) {
	var fields map[string]json.RawMessage
	var raw any
	if json.Unmarshal(m.Params, &fields) != nil || json.Unmarshal(fields["requestId"], &raw) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(raw)
	return id, err == nil && id.IsValid()
}
