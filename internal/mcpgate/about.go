package mcpgate

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Over HTTP each request of a client has a stream of its own for its answer, and for
// what is said and asked before that. A client need not have any other.

// about is a context for what belongs to a request. The SDK looks there for the request
// that something belongs to, under a key that only its own sessions can set, and a
// gateway has none of these: the key is known by its name.
type about struct {
	context.Context
	id jsonrpc.ID
}

// sdk is the package that has the key.
var sdk = reflect.TypeFor[mcp.StreamableServerTransport]().PkgPath()

func (a about) Value(key any) any {
	if t := reflect.TypeOf(key); t != nil && t.Name() == "idContextKey" && t.PkgPath() == sdk {
		return a.id
	}
	return a.Context.Value(key)
}

// writeAbout sends something to the client that belongs to a request of it; nil: to
// none. If that is answered meanwhile, it goes where everything else does.
func (s *session) writeAbout(r *request, m jsonrpc.Message) {
	if r == nil || s.client.Write(about{s.ctx, r.id}, m) != nil {
		s.write(m)
	}
}

// onlyOne is the request that a server must be speaking of, because it has no other;
// nil: nobody knows.
func (s *session) onlyOne(u *server) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var one *request
	for _, r := range s.open {
		if r.server == u && one != nil {
			return nil
		}
		if r.server == u {
			one = r
		}
	}
	return one
}

// A token is what a request is called where its progress is told; empty: it has none.
type token string

// tokenIn is the token of a text or a number, which is all that the protocol has.
func tokenIn(raw json.RawMessage) token {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	switch v := value.(type) {
	case string:
		return token(strconv.Quote(v))
	case float64:
		return token(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return ""
}

// progressToken is the token in the parameters of a request, as it is written.
func progressToken(params json.RawMessage) json.RawMessage {
	var fields, meta map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["_meta"], &meta) != nil || tokenIn(meta["progressToken"]) == "" {
		return nil
	}
	return meta["progressToken"]
}

// progressOf is the request whose progress a server tells; ok is false if that server
// has none such, and so nothing to tell of it.
func (s *session) progressOf(u *server, m *jsonrpc.Request) (r *request, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(m.Params, &fields) != nil {
		return nil, false
	}
	t := tokenIn(fields["progressToken"])
	if t == "" {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.open {
		if r.server == u && tokenIn(r.progress) == t {
			return r, true
		}
	}
	return nil, s.tokens[t] == u
}
