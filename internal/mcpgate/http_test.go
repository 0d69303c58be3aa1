package mcpgate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

func methodOf(m jsonrpc.Message) string { return m.(*jsonrpc.Request).Method }

// elsewhere puts a server of the SDK behind the gateway that is reached by HTTP.
func (r *rig) elsewhere(server *mcp.Server, look func(*http.Request)) {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		look(req)
		handler.ServeHTTP(w, req)
	}))
	r.t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	r.Open = func(ctx context.Context) (mcp.Connection, error) {
		return mcpgate.Dial(ctx, s.URL, http.Header{"Authorization": {"Bearer of mine"}})
	}
}

// TestElsewhere: a server that is reached by HTTP is used like any other, and may
// speak by itself.
func TestElsewhere(t *testing.T) {
	r := newRig(t)
	server := echoes("", addFunc("slow", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		return "done", r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"})
	}))()
	got := make(chan string, 99)
	r.elsewhere(server, func(req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer of mine" {
			t.Errorf("it is sent %v", req.Header)
		}
		if req.Method == http.MethodGet {
			got <- req.Header.Get("Mcp-Protocol-Version")
		}
	})
	changed, told := make(chan struct{}, 9), make(chan string, 9)
	c := r.client(&mcp.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Message },
	})
	if got := call(t, c, "echo", map[string]int{"a": 1}); got != `echo{"a":1}` {
		t.Errorf("got %s", got)
	}
	p := &mcp.CallToolParams{Name: "slow"}
	p.SetProgressToken("t")
	if res, err := c.CallTool(t.Context(), p); text(t, res, err) != "done" || <-told != "half" {
		t.Error("it is not done")
	}
	if version := <-got; version != mcpgate.Newest {
		t.Errorf("the stream is opened for version %q", version)
	}
	addEcho(server, "more", "", nil)
	<-changed
	r.answer = nil
	r.Authorize = func(context.Context, mcpgate.Question) (sayso.Decision, error) { return deny, nil }
	if got := call(t, c, "more", nil); !strings.HasPrefix(got, "error: sayso: not allowed") {
		t.Errorf("got %s", got)
	}
}

// TestLedElsewhere: a server that leads to another place is not followed.
func TestLedElsewhere(t *testing.T) {
	r := newRig(t)
	s := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	defer s.Close()
	r.Open = func(ctx context.Context) (mcp.Connection, error) { return mcpgate.Dial(ctx, s.URL, nil) }
	if _, err := r.connect(nil); err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
		t.Errorf("got %v", err)
	}
}

// front serves a gateway over HTTP.
func (r *rig) front() *mcpgate.Front {
	f := &mcpgate.Front{Token: "secret", Gateway: func() mcpgate.Service { return r.serving() }, Log: r.Log}
	ctx, cancel := context.WithCancel(r.ctx)
	handler, wait := f.Handler(ctx)
	s := httptest.NewServer(handler)
	f.Addr = s.Listener.Addr().String()
	r.t.Cleanup(func() { cancel(); s.CloseClientConnections(); s.Close(); wait() })
	return f
}

type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// TestFront: clients use a gateway over HTTP, and are asked and told there.
func TestFront(t *testing.T) {
	r := newRig(t)
	r.behind(echoes("", addFunc("slow", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		return "done", r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"})
	})))
	f := r.front()
	told := make(chan string, 9)
	connect := func() *mcp.ClientSession {
		c, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}, nil
			},
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Message },
		}).Connect(r.ctx, &mcp.StreamableClientTransport{Endpoint: "http://" + f.Addr + mcpgate.Path, HTTPClient: &http.Client{Transport: withToken("secret")}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := connect()
	r.answer = func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
		if yes, said := q.Elicit(ctx, "may it?"); yes && said {
			return allow, nil
		}
		return deny, nil
	}
	p := &mcp.CallToolParams{Name: "slow"}
	p.SetProgressToken("t")
	if res, err := c.CallTool(t.Context(), p); text(t, res, err) != "done" || <-told != "half" {
		t.Error("it is not done")
	}
	other := connect()
	if got := call(t, other, "echo", nil); got != "echo{}" || r.opened != 2 {
		t.Errorf("got %s from %d servers", got, r.opened)
	}
	for _, c := range []*mcp.ClientSession{c, other} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFrontRefuses: only who has the token, and no page in a browser, reaches it.
func TestFrontRefuses(t *testing.T) {
	r := newRig(t)
	r.behind(echoes(""))
	f := r.front()
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"all is well", func(*http.Request) {}, 200},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }, 401},
		{"another host", func(r *http.Request) { r.Host = "evil.example:80" }, 403},
		{"localhost", func(r *http.Request) { r.Host = "localhost" + r.Host[strings.LastIndex(r.Host, ":"):] }, 200},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page without an origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"its own page", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 200},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"another session", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "x") }, 404},
		{"no beginning", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(ready)); r.ContentLength = -1 }, 400},
		{"a stream without a session", func(r *http.Request) { r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0 }, 400},
		{"nested deep", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("[", 1000))), -1
		}, 413},
		{"too long", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", 17<<20)+hello)), -1
		}, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+f.Addr+mcpgate.Path, strings.NewReader(hello))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer secret")
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Host = f.Addr
			tt.change(req)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("answered %s: %s", resp.Status, body)
			}
		})
	}
}
