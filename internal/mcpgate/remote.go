package mcpgate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Dial connects to a server elsewhere, over streamable HTTP. Headers are sent along
// with each request.
func Dial(ctx context.Context, url string, headers http.Header) (mcp.Connection, error) {
	r := &remote{url: url, headers: headers, in: make(chan got, 16), closed: make(chan struct{})}
	r.client = &http.Client{Transport: r, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server leads elsewhere, which nobody has trusted")
	}}
	posts := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: r.client, DisableStandaloneSSE: true, MaxEventSize: maxMessage}
	var err error
	if r.Connection, err = posts.Connect(ctx); err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go r.pump()
	return r, nil
}

// A remote is a connection whose requests and their answers the SDK carries. The
// stream on which a server speaks by itself, and the header with the version, belong
// to sessions of the SDK, which a gateway has none of: they are added here.
type remote struct {
	mcp.Connection
	url     string
	headers http.Header
	client  *http.Client
	ctx     context.Context
	cancel  context.CancelFunc

	in     chan got
	once   sync.Once
	closed chan struct{}

	mu      sync.Mutex
	version string // of the protocol, once it is agreed on
	session string
}

type got struct {
	m   jsonrpc.Message
	err error
}

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// RoundTrip sends a request of the SDK with what it lacks, and lets no answer be
// longer than a message may be.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, values := range r.headers {
		req.Header[name] = values
	}
	r.mu.Lock()
	if r.version != "" && req.Header.Get(versionHeader) == "" {
		req.Header.Set(versionHeader, r.version)
	}
	r.mu.Unlock()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if id := resp.Header.Get(sessionHeader); id != "" {
		r.mu.Lock()
		r.session = id
		r.mu.Unlock()
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // whose events are bounded
		resp.Body = &bounded{ReadCloser: resp.Body, left: maxMessage}
	}
	return resp, nil
}

// bounded is a body that may not be longer than a message.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, ErrTooLong
	}
	return n, err
}

// agree is told which version of the protocol both sides speak.
func (r *remote) agree(version string) {
	r.mu.Lock()
	r.version = version
	r.mu.Unlock()
}

// pump passes on what the SDK reads.
func (r *remote) pump() {
	for {
		m, err := r.Connection.Read(r.ctx)
		if !r.deliver(got{m, err}) || err != nil {
			return
		}
	}
}

func (r *remote) deliver(g got) bool {
	select {
	case r.in <- g:
		return true
	case <-r.closed:
		return false
	}
}

func (r *remote) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case g := <-r.in:
		return g.m, g.err
	case <-r.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message. That a server cannot be reached is told as the answer to
// the request, not as the end of the connection.
func (r *remote) Write(_ context.Context, m jsonrpc.Message) error {
	req, _ := m.(*jsonrpc.Request)
	if req == nil || !req.IsCall() {
		err := r.Connection.Write(r.ctx, m)
		if err == nil && req != nil && req.Method == "notifications/initialized" {
			go r.listen()
		}
		return err
	}
	go func() { // the answer may be what the server sends first
		if err := r.Connection.Write(r.ctx, m); err != nil {
			r.deliver(got{m: &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: codeServer, Message: err.Error()}}})
		}
	}()
	return nil
}

func (r *remote) Close() error {
	r.once.Do(func() { close(r.closed) })
	err := r.Connection.Close()
	r.cancel()
	return err
}

// mostListens is how often the stream of a server is opened again.
const mostListens = 5

// listen reads what a server says by itself, if it has a stream for that.
func (r *remote) listen() {
	for try := range mostListens {
		more, err := r.stream()
		if !more || r.ctx.Err() != nil {
			return
		}
		_ = err // a stream may end at any time; what was asked is answered elsewhere
		select {
		case <-time.After(time.Second << try):
		case <-r.ctx.Done():
			return
		}
	}
}

// stream reads one such stream to its end, and reports whether there may be another.
func (r *remote) stream() (more bool, err error) {
	req, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.url, http.NoBody)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "text/event-stream")
	r.mu.Lock()
	if r.session != "" {
		req.Header.Set(sessionHeader, r.session)
	}
	r.mu.Unlock()
	resp, err := r.client.Do(req)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return false, fmt.Errorf("the server answers %s", resp.Status)
	}
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	var data []byte
	for {
		text, err := oneLine(in)
		if err != nil {
			return true, err
		}
		field := strings.TrimRight(string(text), "\r\n")
		switch value, is := strings.CutPrefix(field, "data:"); {
		case is && len(data)+len(value) > maxMessage:
			return false, ErrTooLong
		case is:
			data = append(append(data, strings.TrimPrefix(value, " ")...), '\n')
		case field == "":
			for _, m := range orNone(messages(data)) {
				if !r.deliver(got{m: m}) {
					return false, nil
				}
			}
			data = nil
		}
	}
}

// orNone are messages, or none where they cannot be read.
func orNone(list []jsonrpc.Message, err error) []jsonrpc.Message {
	if err != nil {
		return nil
	}
	return list
}
