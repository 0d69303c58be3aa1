package mcpgate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// A rig is a gateway between a client and servers of the test.
type rig struct {
	*mcpgate.Gateway
	t       *testing.T
	ctx     context.Context
	service mcpgate.Service // what clients are served by; nil: the gateway

	mu      sync.Mutex
	decided []mcpgate.Question
	notes   []sayso.Record
	log     []string
	opened  int
	kept    map[string]mcpgate.Tool
	refuses []string // tools that a rule denies
	answer  func(context.Context, mcpgate.Question) (sayso.Decision, error)
}

var (
	allow = sayso.Decision{Effect: sayso.Allow, Code: "rule.allow"}
	deny  = sayso.Decision{Effect: sayso.Deny, Code: "rule.deny", Reason: "this is not for you"}
)

func newRig(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r := &rig{t: t, ctx: ctx}
	r.answer = func(context.Context, mcpgate.Question) (sayso.Decision, error) { return allow, nil }
	r.Gateway = &mcpgate.Gateway{
		Name: "srv", Call: sayso.Call{Session: "s", Root: "/w"}, Seen: r, Trusted: func(context.Context) error { return nil },
		Authorize: func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
			r.mu.Lock()
			r.decided = append(r.decided, q)
			r.mu.Unlock()
			return r.answer(ctx, q)
		},
		Denied: func(_ context.Context, calls []sayso.Call) []*sayso.Decision {
			out := make([]*sayso.Decision, len(calls))
			for i, c := range calls {
				for _, name := range r.refuses {
					if c.Tool == "mcp__srv__"+name {
						out[i] = &deny
					}
				}
			}
			return out
		},
		Note: func(_ context.Context, _ sayso.Call, records ...sayso.Record) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.notes = append(r.notes, records...)
			return nil
		},
		Log: func(format string, args ...any) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.log = append(r.log, fmt.Sprintf(format, args...))
		},
	}
	return r
}

func (r *rig) Load(context.Context) (map[string]mcpgate.Tool, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]mcpgate.Tool{}
	for k, v := range r.kept {
		out[k] = v
	}
	return out, r.kept != nil, nil
}

func (r *rig) Keep(_ context.Context, tools map[string]mcpgate.Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]mcpgate.Tool{}
	}
	for k, v := range tools {
		r.kept[k] = v
	}
	return nil
}

// serving is what serves clients.
func (r *rig) serving() mcpgate.Service {
	if r.service != nil {
		return r.service
	}
	return r.Gateway
}

// said are the texts of the log.
func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, "\n")
}

// last is the question that was decided last.
func (r *rig) last() mcpgate.Question {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.decided) == 0 {
		r.t.Fatal("nothing was decided")
	}
	return r.decided[len(r.decided)-1]
}

// pipes are two streams that belong together.
func pipes() (a, b io.ReadWriteCloser) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	end := func() error { return errors.Join(r1.Close(), w1.Close(), r2.Close(), w2.Close()) }
	return stream{r1, w2, end}, stream{r2, w1, end}
}

type stream struct {
	io.Reader
	io.Writer
	end func() error
}

func (s stream) Close() error { return s.end() }

// behind puts a server of the SDK behind the gateway, a new one for each start.
func (r *rig) behind(make func() *mcp.Server) {
	r.Open = func(ctx context.Context) (mcp.Connection, error) {
		r.mu.Lock()
		r.opened++
		r.mu.Unlock()
		theirs, ours := pipes()
		if _, err := make().Connect(r.ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil); err != nil {
			return nil, err
		}
		return mcpgate.Lines(ours, ours, ours.Close), nil
	}
}

// raw puts a server behind the gateway that the test itself plays.
func (r *rig) raw(play func(in *bufio.Scanner, out io.Writer)) {
	r.Open = func(context.Context) (mcp.Connection, error) {
		theirs, ours := pipes()
		go func() {
			in := bufio.NewScanner(theirs)
			in.Buffer(nil, 1<<20)
			play(in, theirs)
			_ = theirs.Close()
		}()
		return mcpgate.Lines(ours, ours, ours.Close), nil
	}
}

// client connects a client of the SDK.
func (r *rig) client(options *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	c, err := r.connect(options)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *rig) connect(options *mcp.ClientOptions) (*mcp.ClientSession, error) {
	theirs, ours := pipes()
	done := make(chan error, 1)
	go func() { done <- r.serving().Serve(r.ctx, mcpgate.Lines(ours, ours, ours.Close)) }()
	r.t.Cleanup(func() {
		_ = theirs.Close()
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) { // which of both ends first
			r.t.Errorf("the gateway: %v", err)
		}
	})
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, options)
	c.AddRoots(&mcp.Root{URI: "file:///w"}) //nolint:staticcheck // they are in use, and passed on
	return c.Connect(r.ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
}

// A plainClient speaks lines.
type plainClient struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Scanner
	end func() // waits until the gateway has ended, too
}

func (r *rig) lines() *plainClient {
	theirs, ours := pipes()
	done := make(chan error, 1)
	go func() { done <- r.serving().Serve(r.ctx, mcpgate.Lines(ours, ours, ours.Close)) }()
	c := &plainClient{t: r.t, out: theirs, in: bufio.NewScanner(theirs)}
	var once sync.Once
	c.end = func() { once.Do(func() { _ = theirs.Close(); <-done }) }
	r.t.Cleanup(c.end)
	c.in.Buffer(nil, 32<<20)
	return c
}

func (c *plainClient) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.out, l+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// until reads lines up to the one that holds a text.
func (c *plainClient) until(text string) string {
	c.t.Helper()
	for c.in.Scan() {
		if strings.Contains(c.in.Text(), text) {
			return c.in.Text()
		}
	}
	c.t.Fatalf("it ended before %s: %v", text, c.in.Err())
	return ""
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// greet begins a session.
func (c *plainClient) greet() {
	c.t.Helper()
	c.send(hello)
	c.until(`"id":0`)
	c.send(ready)
}

// text is what a tool has answered.
func text(t *testing.T, r *mcp.CallToolResult, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			out += c.Text
		}
	}
	if r.IsError {
		return "error: " + out
	}
	return out
}

func call(t *testing.T, c *mcp.ClientSession, name string, arguments any) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	return text(t, r, err)
}

// echoes is a server with a tool that says what it is given.
func echoes(description string, more ...func(*mcp.Server)) func() *mcp.Server {
	return func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "3"}, nil)
		addEcho(s, "echo", description, nil)
		for _, add := range more {
			add(s)
		}
		return s
	}
}

func addEcho(s *mcp.Server, name, description string, claims *mcp.ToolAnnotations) {
	s.AddTool(&mcp.Tool{Name: name, Description: description, Annotations: claims, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + string(r.Params.Arguments)}}}, nil
		})
}
