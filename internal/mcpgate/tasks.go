package mcpgate

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
)

// A call may go on as a task once it is answered. Its progress is told, and its result
// fetched, later.

// mostTasks is how many of them are kept in mind.
const mostTasks = 256

// A task is a call that goes on.
type task struct {
	call  sayso.Call
	start time.Time
}

// started notes that a request goes on as a task once it is answered, so that its
// progress may be told then.
func (s *session) started(r *request) {
	var fields map[string]json.RawMessage
	if r.progress == nil || json.Unmarshal(r.params, &fields) != nil || fields["task"] == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tokens) < mostTasks {
		s.tokens[tokenIn(r.progress)] = r.server
	}
}

// ran records the result of a call, unless it goes on as a task.
func (s *session) ran(call sayso.Call, m *jsonrpc.Response, start time.Time) {
	if id := taskIn(m.Result); m.Error == nil && id != "" {
		s.mu.Lock()
		_, twice := s.tasks[id]
		keep := !twice && len(s.tasks) < mostTasks
		if keep {
			s.tasks[id] = task{call, start}
		}
		s.mu.Unlock()
		if keep {
			return
		}
	}
	s.record(call, m, time.Since(start))
}

// taskIn is the id of the task in the answer to a call; empty: it is none.
func taskIn(result json.RawMessage) (id string) {
	var fields, about map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["task"], &about) != nil || json.Unmarshal(about["taskId"], &id) != nil {
		return ""
	}
	return id
}

// ofTask has the server answer about a task. What ends it is its result.
func (s *session) ofTask(r *request) {
	s.forward(r, func(m *jsonrpc.Response) *jsonrpc.Response {
		var fields map[string]json.RawMessage
		id := ""
		if json.Unmarshal(r.params, &fields) != nil || json.Unmarshal(fields["taskId"], &id) != nil {
			return m
		}
		end := m
		if r.method == "tasks/cancel" && m.Error == nil {
			end = &jsonrpc.Response{Error: &jsonrpc.Error{Code: codeServer, Message: "it was cancelled"}}
		}
		if r.method == "tasks/result" || end != m {
			s.ended(id, end)
		}
		return m
	})
}

// ended records how a task has ended, once.
func (s *session) ended(id string, m *jsonrpc.Response) {
	s.mu.Lock()
	t, ok := s.tasks[id]
	delete(s.tasks, id)
	s.mu.Unlock()
	if ok {
		s.record(t.call, m, time.Since(t.start))
	}
}

// unfinished records the tasks whose results nobody has fetched.
func (s *session) unfinished() {
	s.mu.Lock()
	var ids []string
	for id := range s.tasks {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.ended(id, &jsonrpc.Response{Error: &jsonrpc.Error{Code: codeServer, Message: "nobody has fetched its result"}})
	}
}
