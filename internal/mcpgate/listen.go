package mcpgate

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where a front is found.
const Path = "/mcp"

// A Front lets clients reach a gateway over streamable HTTP, each with a session and
// a server of its own.
type Front struct {
	// Gateway makes the gateway of a session: a [Gateway] or a [Hub].
	Gateway func() Service

	// Log is told, line by line, what people may want to know.
	Log func(format string, args ...any)

	// Token is what each request must carry.
	Token string

	// Addr is where it listens, on loopback. Requests for another host are refused:
	// a browser sends them for a page that has had its name changed.
	Addr string

	mu       sync.Mutex
	sessions map[string]*front
	work     sync.WaitGroup
}

// A Service serves one client.
type Service interface {
	Serve(ctx context.Context, client mcp.Connection) error
}

// A front is one session.
type front struct {
	transport *mcp.StreamableServerTransport
	cancel    context.CancelFunc
	used      time.Time
}

// mostSessions is how many sessions there may be; one that nobody has used for
// idle makes room.
const (
	mostSessions = 16
	idle         = 10 * time.Minute
)

// Handler serves the sessions until ctx ends; wait returns when all have ended.
func (f *Front) Handler(ctx context.Context) (handler http.Handler, wait func()) {
	f.sessions = map[string]*front{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(ctx, w, r) }), f.work.Wait
}

// refused says why a request is not served, and with which status.
func (f *Front) refused(r *http.Request) (status int, why string) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !f.own(r.Host):
		return http.StatusForbidden, "this is not the host that it is for"
	case r.Header.Get("Origin") != "" && !f.own(strings.TrimPrefix(r.Header.Get("Origin"), "http://")):
		return http.StatusForbidden, "no page in a browser may use this"
	case subtle.ConstantTimeCompare([]byte(token), []byte(f.Token)) != 1:
		return http.StatusUnauthorized, "the token is missing or wrong"
	case r.URL.Path != Path:
		return http.StatusNotFound, "there is only " + Path
	}
	return 0, ""
}

// own reports whether a host is where the front listens.
func (f *Front) own(host string) bool {
	_, port, _ := net.SplitHostPort(f.Addr) // it has one
	return slices.Contains([]string{f.Addr, net.JoinHostPort("localhost", port)}, host)
}

func (f *Front) serve(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if status, why := f.refused(r); why != "" {
		http.Error(w, "sayso: "+why, status)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err == nil {
		err = shallow(body)
	}
	if err != nil {
		http.Error(w, "sayso: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	id := r.Header.Get(sessionHeader)
	f.mu.Lock()
	s := f.sessions[id]
	if s != nil {
		s.used = time.Now()
	}
	f.mu.Unlock()
	switch {
	case s != nil && r.Method == http.MethodDelete:
		s.cancel()
		w.WriteHeader(http.StatusNoContent)
		return
	case s == nil && id != "":
		http.Error(w, "sayso: there is no such session", http.StatusNotFound)
		return
	case s == nil && (r.Method != http.MethodPost || !greets(body)):
		http.Error(w, "sayso: a session starts with initialize", http.StatusBadRequest)
		return
	case s == nil:
		if s, err = f.open(ctx); err != nil {
			http.Error(w, "sayso: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	s.transport.ServeHTTP(w, r)
}

// greets reports whether a message is the first one of a session.
func greets(body []byte) bool {
	var m map[string]json.RawMessage
	var method string
	return json.Unmarshal(body, &m) == nil && json.Unmarshal(m["method"], &method) == nil && method == "initialize"
}

// open starts a session.
func (f *Front) open(ctx context.Context) (*front, error) {
	id := rand.Text()
	s := &front{transport: &mcp.StreamableServerTransport{SessionID: id, EventStore: mcp.NewMemoryEventStore(nil)}, used: time.Now()}
	conn, err := s.transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, s.cancel = context.WithCancel(ctx)
	if err := f.add(id, s); err != nil {
		s.cancel()
		return nil, errors.Join(err, conn.Close())
	}
	g := f.Gateway()
	f.work.Go(func() {
		defer s.cancel()
		if err := g.Serve(ctx, conn); err != nil {
			f.Log("a session has ended: %v", err)
		}
		f.mu.Lock()
		delete(f.sessions, id)
		f.mu.Unlock()
	})
	return s, nil
}

// add keeps a session, in the place of one that nobody uses if there are many.
func (f *Front) add(id string, s *front) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sessions) >= mostSessions {
		oldest := ""
		for id, other := range f.sessions {
			if time.Since(other.used) > idle && (oldest == "" || other.used.Before(f.sessions[oldest].used)) {
				oldest = id
			}
		}
		if oldest == "" {
			return errors.New("there are too many sessions")
		}
		f.sessions[oldest].cancel()
		delete(f.sessions, oldest)
	}
	f.sessions[id] = s
	return nil
}
