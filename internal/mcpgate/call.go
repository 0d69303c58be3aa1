package mcpgate

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

// A toolCall is what a client asks for.
type toolCall struct {
	name      string
	arguments json.RawMessage
}

// readCall reads the parameters of a call. A key that stands there twice is an
// error: what the server would read is then not what was decided.
func readCall(params json.RawMessage) (toolCall, error) {
	c := toolCall{arguments: json.RawMessage(`{}`)}
	if _, err := jsontext.Parse(params); err != nil {
		return c, err
	}
	var fields, arguments map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return c, err
	}
	if err := json.Unmarshal(fields["name"], &c.name); err != nil || c.name == "" {
		return c, errors.New("it names no tool")
	}
	if a, ok := fields["arguments"]; ok {
		if err := json.Unmarshal(a, &arguments); err != nil {
			return c, fmt.Errorf("arguments: %w", err)
		}
		if arguments != nil {
			c.arguments = a
		}
	}
	return c, nil
}

// callOf is a call of a tool as it is decided. What the server claims of the tool
// counts as long as it is what was said when a person trusted it; that it destroys
// something counts in any case.
func (s *session) callOf(name string, arguments json.RawMessage, t *tool) sayso.Call {
	call := s.Call
	s.mu.Lock()
	call.Agent = s.agent
	s.mu.Unlock()
	call.ID = "mcp-" + rand.Text()
	call.Tool, call.Input = "mcp__"+s.Name+"__"+name, arguments
	call.Server = &sayso.Server{Name: s.Name, Trusted: true} // or it would not run
	if t != nil {
		call.Server.ReadOnly, call.Server.Destructive = t.readOnly && t.changed == "", t.destructive
	}
	return call
}

// decide decides a call, for a request of the client or, if there is none, for the
// server. The client is told that it waits, if it does.
func (s *session) decide(ctx context.Context, r *request, q Question) (sayso.Decision, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	q.Waits = func(id string) { s.work.Go(func() { s.waiting(ctx, r, id) }) }
	s.mu.Lock()
	if s.elicits {
		q.Elicit = func(ctx context.Context, text string) (yes, said bool) { return s.elicit(ctx, r, text) }
	}
	s.mu.Unlock()
	return s.Authorize(ctx, q)
}

// callTool decides a call, and has the server run it if it is allowed.
func (s *session) callTool(r *request) {
	c, err := readCall(r.params)
	if err != nil {
		s.fail(r, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "sayso: tools/call: " + err.Error()})
		return
	}
	u, t, err := s.tool(r.ctx, c.name)
	if err != nil {
		s.fail(r, err)
		return
	}
	if t == nil {
		s.refuse(r, "sayso: the MCP server "+s.Name+" lists no tool "+shell.Shown(c.name))
		return
	}
	call := s.callOf(c.name, c.arguments, t)
	d, err := s.decide(r.ctx, r, Question{Call: call, Changed: t.changed})
	switch {
	case r.ctx.Err() != nil: // nobody waits for it any more
		s.fail(r, context.Canceled)
		return
	case err != nil:
		s.refuse(r, "sayso: not allowed: "+err.Error())
		return
	case d.Effect != sayso.Allow:
		s.refuse(r, refusal(&d))
		return
	}
	s.run(r, u, t, call, d)
}

// run has the server run a call that is allowed, if its tool is still the one that
// was decided about.
func (s *session) run(r *request, u *server, t *tool, call sayso.Call, d sayso.Decision) {
	now, again, err := s.tool(r.ctx, t.name)
	switch {
	case err != nil:
		s.fail(r, err)
		return
	case again == nil || again.Sum != t.Sum || now != u && again.changed != t.changed:
		s.refuse(r, "sayso: not allowed: the MCP server "+s.Name+" has changed the tool while it was decided; call it again")
		return
	}
	if t.changed != "" && d.Code == sayso.CodePersonYes { // they were told how it has changed
		s.accept(t)
	}
	start := time.Now()
	err = s.hand(now, r, func(m *jsonrpc.Response) *jsonrpc.Response {
		s.ran(call, m, start)
		return m
	})
	if err != nil {
		s.fail(r, err)
	}
}

// tool is the tool with a name, and the server that has it; nil: it lists none.
func (s *session) tool(ctx context.Context, name string) (*server, *tool, error) {
	u, err := s.live(ctx)
	if err == nil {
		err = s.learn(ctx, u)
	}
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tools[name]
	if t == nil {
		return u, nil, nil
	}
	own := *t
	return u, &own, nil
}

// accept keeps what is said of a tool now: a person has said yes to it.
func (s *session) accept(t *tool) {
	if err := s.Seen.Keep(s.ctx, map[string]Tool{t.name: t.Tool}); err != nil {
		s.Log("what the tool %s is like now is not kept, so it is asked about again: %v", t.name, err)
		return
	}
	s.mu.Lock()
	if now := s.tools[t.name]; now != nil && now.Sum == t.Sum {
		now.changed = ""
	}
	s.mu.Unlock()
}

// refuse answers a call with an error that the model reads.
func (s *session) refuse(r *request, why string) {
	s.result(r, map[string]any{"content": []any{map[string]string{"type": "text", "text": why}}, "isError": true})
}

const (
	// tellEvery is how often a client is told that a call waits for a person.
	tellEvery = 10 * time.Second
	// recorded is how much of a result is recorded, in bytes.
	recorded = 4 << 10
)

// waiting tells the client that a call waits for a person, so that it waits, too.
func (s *session) waiting(ctx context.Context, r *request, id string) {
	s.Log("a call waits for an answer: sayso approve %s", id)
	if r == nil || r.progress == nil {
		return
	}
	for n := 1; ; n++ {
		s.notify(r, "notifications/progress", map[string]any{
			"progressToken": r.progress, "progress": float64(n) / 1e6, // what the server tells later is more
			"message": "waiting for a person: sayso approve " + id,
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellEvery):
		}
	}
}

// record notes the result of a call.
func (s *session) record(call sayso.Call, m *jsonrpc.Response, took time.Duration) {
	result := sayso.Result{Ran: true, Duration: took, Output: int64(len(m.Result))}
	text := ""
	if m.Error != nil {
		result.Error = m.Error.Error()
	} else {
		var failed bool
		if text, failed = said(m.Result); failed {
			result.Error = "the tool tells an error"
		}
	}
	if err := s.Note(context.WithoutCancel(s.ctx), call, sayso.Record{Kind: sayso.RecordResult, Result: &result, Note: text}); err != nil {
		s.Log("the result of a call could not be recorded: %v", err)
	}
}

// said is the beginning of the text in a result, of a tool or of what was read, and
// whether it is an error.
func said(result json.RawMessage) (string, bool) {
	type content struct{ Type, Text string }
	var r struct {
		Content  []content                           `json:"content"`
		Contents []content                           `json:"contents"` // of a resource
		Messages []struct{ Content json.RawMessage } `json:"messages"` // of a prompt
		IsError  bool                                `json:"isError"`
	}
	if json.Unmarshal(result, &r) != nil {
		return "", false
	}
	all := slices.Concat(r.Content, r.Contents)
	for _, m := range r.Messages {
		var c content
		_ = json.Unmarshal(m.Content, &c) // what has another form has no text
		all = append(all, c)
	}
	var out strings.Builder
	for _, c := range all {
		if c.Type != "text" && c.Text == "" {
			c.Text = "[" + cmp.Or(c.Type, "data") + "]"
		}
		out.WriteString(c.Text[:min(len(c.Text), recorded-min(out.Len(), recorded))])
	}
	return strings.ToValidUTF8(out.String(), ""), r.IsError
}
