// Package scripted is a model that says what it was told to say: a server on loopback
// that speaks the protocols of the vendors of models. The real clients talk to it in
// tests, so that it is known which tools they call, and seen what the model is told of
// each call.
//
// It keeps no state of a conversation: which step comes next is read from what the
// client sends, because the names of the calls carry it. So a request that is sent
// twice, or beside the conversation, confuses nothing.
package scripted

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Call is a tool call that the model wants.
type Call struct {
	Name      string
	Namespace string // of OpenAI's protocol: the tools of one server
	Input     any    // an object; a text for a tool that takes one
}

// A Result is what the model was told of a call.
type Result struct {
	ID     string
	Text   string
	Failed bool // the protocol said so; not each of them can
}

// A Model is a server that replays a script.
type Model struct {
	URL string

	steps    [][]Call
	server   *http.Server
	mu       sync.Mutex
	results  []Result // in the order in which they were told
	requests []string // paths, for messages of tests
}

// most is how large a request may be.
const most = 32 << 20

// Start serves a script: each step is a turn of the model in which it wants these
// calls. After the last one it says that it is done.
func Start(steps ...[]Call) (*Model, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{URL: "http://" + l.Addr().String(), steps: steps}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(l) }() // it ends when it is closed
	return m, nil
}

// Close stops the server.
func (m *Model) Close() error { return m.server.Close() }

// Results are what the model was told, one for each call.
func (m *Model) Results() []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.results)
}

// Requests are the paths that were asked for.
func (m *Model) Requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// A talk is what a request says of the conversation.
type talk struct {
	model   string
	stream  bool
	next    int // the step
	results []Result
	tools   int // how many are offered
}

// heard notes that the conversation has a call, which was told what came of it if that
// is not nil.
func (t *talk) heard(id string, told *Result) {
	step, ok := stepOf(id)
	if !ok {
		return
	}
	t.next = max(t.next, step+1)
	if told != nil {
		told.ID = id
		t.results = append(t.results, *told)
	}
}

// A turn is what the model says: calls, or a text if there are none.
type turn struct {
	id    int
	model string
	calls []Call
	text  string
}

func callID(step, n int) string { return fmt.Sprintf("call_step%d_n%d", step, n) }

func stepOf(id string) (step int, ok bool) {
	_, rest, found := strings.Cut(id, "call_step")
	if !found {
		return 0, false
	}
	_, err := fmt.Sscanf(rest, "%d_n", &step)
	return step, err == nil
}

// A dialect is a protocol: what it reads, and how it answers.
type dialect struct {
	path  string // what the paths have in them
	read  func(object) talk
	plain func(turn) object
	sse   func(stream, turn)
}

func (m *Model) dialects() []dialect {
	return []dialect{
		{"/messages", readAnthropic, plainAnthropic, streamAnthropic},
		{"/responses", readResponses, plainResponses, streamResponses},
		{"/chat/completions", readChat, plainChat, streamChat},
		{":generateContent", m.readGemini, plainGemini, nil},
		{":streamGenerateContent", m.readGemini, nil, func(s stream, t turn) { s.send("", plainGemini(t)) }},
	}
}

// ServeHTTP answers a client.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.requests = append(m.requests, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := r.URL.Path
	switch {
	case r.Method == http.MethodHead: // a client looks whether somebody is there
		return
	case strings.HasSuffix(path, "/models"):
		reply(w, http.StatusOK, object{"object": "list", "models": []any{}, "data": []any{}})
		return
	case strings.HasSuffix(path, "count_tokens"), strings.HasSuffix(path, ":countTokens"):
		reply(w, http.StatusOK, object{"input_tokens": 100, "totalTokens": 100})
		return
	}
	for _, d := range m.dialects() {
		if r.Method == http.MethodPost && strings.HasSuffix(path, d.path) {
			m.answer(w, d, d.read(body))
			return
		}
	}
	reply(w, http.StatusNotFound, object{"error": object{"message": "there is nothing here", "type": "not_found"}})
}

func (m *Model) answer(w http.ResponseWriter, d dialect, t talk) {
	m.mu.Lock()
	for _, told := range t.results {
		if !slices.ContainsFunc(m.results, func(r Result) bool { return r.ID == told.ID }) {
			m.results = append(m.results, told)
		}
	}
	m.mu.Unlock()
	says := turn{id: t.next, model: t.model, text: "done"}
	if t.tools > 0 && t.next < len(m.steps) { // without tools it is asked for a title, or the like
		says.calls = m.steps[t.next]
	}
	if d.plain != nil && (!t.stream || d.sse == nil) {
		reply(w, http.StatusOK, d.plain(says))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	d.sse(stream{w}, says)
}

// An object is one of JSON.
type object = map[string]any

func readBody(r *http.Request) (object, error) {
	var in io.Reader = http.MaxBytesReader(nil, r.Body, most)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = io.LimitReader(z, most)
	}
	out := object{}
	if err := json.NewDecoder(in).Decode(&out); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return out, context.Cause(r.Context())
}

func reply(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who has gone hears nothing
}

// A stream sends events.
type stream struct{ w http.ResponseWriter }

func (s stream) send(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	s.raw(name, string(text))
}

func (s stream) raw(name, text string) {
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, _ = io.WriteString(s.w, name+"data: "+text+"\n\n") // as reply
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}
