package mcpgate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

// wants takes what the server asks or tells the client.
func (s *session) wants(u *server, m *jsonrpc.Request) {
	if !m.IsCall() {
		s.hears(u, m)
		return
	}
	u.mu.Lock()
	_, twice := u.asked[key(m.ID)]
	full := len(u.asked) >= mostAsked
	if !twice && !full {
		u.asked[key(m.ID)] = jsonrpc.ID{}
	}
	u.mu.Unlock()
	if twice {
		s.Log("the MCP server %s has used the id of a request that is open", s.Name)
		return
	}
	refuse := func(code int64, why string) {
		u.mu.Lock()
		delete(u.asked, key(m.ID))
		u.mu.Unlock()
		_ = u.send(&jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: code, Message: why}}) // or it does not read
	}
	if full {
		refuse(codeServer, "too many requests are open")
		return
	}
	switch m.Method {
	case "ping", "roots/list":
		s.pass(u, m, refuse)
	case "elicitation/create":
		m.Params = s.marked(m.Params)
		s.pass(u, m, refuse)
	case "sampling/createMessage":
		s.work.Go(func() {
			if why := s.mayPrompt(m.Params); why != "" {
				refuse(-1, why) // as a user's refusal is told
				return
			}
			s.pass(u, m, refuse)
		})
	default:
		refuse(jsonrpc.CodeMethodNotFound, "Method not found")
	}
}

// pass has the client answer a request of the server.
func (s *session) pass(u *server, m *jsonrpc.Request, refuse func(int64, string)) {
	theirs := m.ID
	id, err := s.ask(s.onlyOne(u), m.Method, m.Params, func(answer *jsonrpc.Response) {
		u.mu.Lock()
		delete(u.asked, key(theirs))
		u.mu.Unlock()
		answer.ID = theirs
		_ = u.send(answer) // or it does not read
	})
	if err != nil {
		refuse(codeServer, err.Error())
		return
	}
	u.mu.Lock()
	if _, open := u.asked[key(theirs)]; open {
		u.asked[key(theirs)] = id
	}
	u.mu.Unlock()
}

// mayPrompt decides whether a server may have the agent's model write something, and
// says why not.
func (s *session) mayPrompt(params json.RawMessage) string {
	if _, err := jsontext.Parse(params); err != nil {
		return "sayso: " + err.Error()
	}
	d, err := s.decide(s.ctx, nil, Question{Call: s.callOf("sampling/createMessage", params, nil)})
	if err != nil {
		return "sayso: " + err.Error()
	}
	if d.Effect != sayso.Allow {
		return refusal(&d)
	}
	return ""
}

// marked is a question of the server's to the user, told as such: it must not look
// like one of sayso's or the agent's.
func (s *session) marked(params json.RawMessage) json.RawMessage {
	text, _ := visible(params)
	var fields map[string]json.RawMessage
	var message string
	if json.Unmarshal(text, &fields) != nil || json.Unmarshal(fields["message"], &message) != nil {
		return text
	}
	fields["message"], _ = json.Marshal("[the MCP server " + s.Name + " asks this, not sayso] " + message) // a text can be written
	if marked, err := json.Marshal(fields); err == nil {
		return marked
	}
	return text
}

// hears takes what the server tells.
func (s *session) hears(u *server, m *jsonrpc.Request) {
	switch {
	case !slices.Contains(serverTells, m.Method):
		s.Log("the MCP server %s has told %s, which nobody knows", s.Name, shell.Shown(m.Method))
		return
	case m.Method == "notifications/cancelled":
		s.withdrawn(u, m)
		return
	case m.Method == "notifications/progress":
		r, ok := s.progressOf(u, m)
		if !ok {
			s.Log("the MCP server %s tells the progress of something that it was not asked", s.Name)
			return
		}
		s.writeAbout(r, m)
		return
	case m.Method == "notifications/message":
		s.writeAbout(s.onlyOne(u), m)
		return
	case m.Method == "notifications/tools/list_changed":
		s.mu.Lock()
		s.fresh = nil
		s.mu.Unlock()
	}
	s.write(m)
}

// withdrawn withdraws a request of the server.
func (s *session) withdrawn(u *server, m *jsonrpc.Request) {
	id, ok := cancelledID(m)
	if !ok {
		return
	}
	u.mu.Lock()
	ours, open := u.asked[key(id)]
	delete(u.asked, key(id))
	u.mu.Unlock()
	if open {
		s.unask(ours, "the server has cancelled it")
	}
}

// elicit puts a question of ours to the user of the client.
func (s *session) elicit(ctx context.Context, r *request, text string) (yes, said bool) {
	params, err := json.Marshal(map[string]any{
		"message": text,
		"requestedSchema": map[string]any{
			"type":       "object",
			"properties": map[string]any{"answer": map[string]any{"type": "string", "title": "Allow this call?", "enum": []string{"no", "yes"}}},
			"required":   []string{"answer"},
		},
	})
	if err != nil {
		return false, false
	}
	answers := make(chan *jsonrpc.Response, 1)
	id, err := s.ask(r, "elicitation/create", params, func(m *jsonrpc.Response) { answers <- m })
	if err != nil {
		return false, false
	}
	select {
	case m := <-answers:
		return elicited(m)
	case <-ctx.Done():
		s.unask(id, "it is answered")
		return false, false
	}
}

// elicited is what a user said. Only a form that says yes does; one that was put
// away says nothing.
func elicited(m *jsonrpc.Response) (yes, said bool) {
	if m.Error != nil {
		return false, false
	}
	if _, err := jsontext.Parse(m.Result); err != nil { // it could be read in two ways
		return false, false
	}
	var result, content map[string]json.RawMessage
	var action, answer string
	if json.Unmarshal(m.Result, &result) != nil || json.Unmarshal(result["action"], &action) != nil {
		return false, false
	}
	if json.Unmarshal(result["content"], &content) == nil {
		_ = json.Unmarshal(content["answer"], &answer) // without one it is no yes
	}
	switch {
	case action == "accept" && answer == "yes":
		return true, true
	case action == "accept", action == "decline":
		return false, true
	}
	return false, false
}

// refusal is what the model is told of a call that is not allowed.
func refusal(d *sayso.Decision) string {
	text := "sayso: not allowed: " + shell.ShownWhole(d.Reason) + " (" + string(d.Code) + ")"
	switch {
	case d.Stop:
		return text + ". A person has stopped this: do nothing more, and wait for the user"
	case d.Rule != nil && d.Rule.Because != "" && !strings.Contains(d.Reason, d.Rule.Because):
		text += ". " + shell.ShownWhole(d.Rule.Because)
	}
	return text + ". It has not been run. Do not try to get the same done in another way; go on without it, or ask the user"
}
