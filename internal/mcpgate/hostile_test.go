package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// TestHostileClient: whatever a client sends, nothing runs that was not decided, and
// what comes behind it is answered.
func TestHostileClient(t *testing.T) {
	request := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	for _, tt := range []struct{ name, send, want string }{
		{"a tool named twice", request(`{"name":"echo","name":"other","arguments":{}}`), `"code":-32602`},
		{"an argument named twice", request(`{"name":"echo","arguments":{"path":"/a","path":"/b"}}`), `"code":-32602`},
		{"arguments named twice", request(`{"name":"echo","arguments":{},"arguments":{"path":"/b"}}`), `"code":-32602`},
		{"a name in other letters", request(`{"NAME":"echo","arguments":{}}`), `"code":-32602`},
		{"a name in other letters besides", request(`{"name":"echo","NAME":"other","arguments":{}}`), `echo{}`},
		{"arguments that are a list", request(`{"name":"echo","arguments":["/a"]}`), `"code":-32602`},
		{"no parameters", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `"code":-32602`},
		{"a method that nobody knows", `{"jsonrpc":"2.0","id":1,"method":"tools/run","params":{"name":"echo"}}`, `"code":-32601`},
		{"a newer way to begin", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`, `"code":-32601`},
		{"a second beginning", strings.Replace(hello, `"id":0`, `"id":1`, 1), `initialize was sent before`},
		{"an answer that nobody asked for", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, ""},
		{"no JSON", `hello`, ""},
		{"a message nested deep", request(`{"name":"echo","arguments":` + strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat(`}`, 5000) + `}`), ""},
		{"a message that is too long", request(`{"name":"echo","arguments":{"a":"` + strings.Repeat("x", 17<<20) + `"}}`), ""},
		{"the end of something that was not begun", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, ""},
		{"the end of the beginning", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`, ""},
		{"something that nobody knows", `{"jsonrpc":"2.0","method":"notifications/x"}`, ""},
		{"several at once", `[` + request(`{"name":"echo","arguments":{"a":1}}`) + `]`, `echo{\"a\":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.behind(echoes(""))
			c := r.lines()
			c.greet()
			c.send(tt.send)
			if tt.want != "" {
				if got := c.until(`"id":1`); !strings.Contains(got, tt.want) {
					t.Errorf("got %s", got)
				}
			}
			c.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
			c.until(`"id":"last"`)
			r.mu.Lock()
			defer r.mu.Unlock()
			if ran := strings.HasPrefix(tt.want, "echo"); len(r.decided) > 0 != ran {
				t.Errorf("decided %v", r.decided)
			}
		})
	}
}

// TestBeforeBeginning: nothing is started for a client that has not begun.
func TestBeforeBeginning(t *testing.T) {
	r := newRig(t)
	r.behind(echoes(""))
	c := r.lines()
	c.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo"}}`)
	if got := c.until(`"id":5`); !strings.Contains(got, "initialize comes first") || r.opened != 0 {
		t.Errorf("got %s, started %d times", got, r.opened)
	}
}

// TestVersion: a version of the protocol that the gateway does not speak is not
// agreed on.
func TestVersion(t *testing.T) {
	r := newRig(t)
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		if !strings.Contains(in.Text(), mcpgate.Newest) {
			t.Errorf("the server is told %s", in.Text())
		}
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)
		in.Scan()
	})
	c := r.lines()
	c.send(strings.Replace(hello, "2025-06-18", "2099-01-01", 1))
	if got := c.until(`"id":0`); !strings.Contains(got, "speaks only version 2099-01-01") {
		t.Errorf("got %s", got)
	}
}

const welcomed = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`

// TestHostileServer: whatever a server sends, a client hears only what it asked for.
func TestHostileServer(t *testing.T) {
	r := newRig(t)
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		fmt.Fprintln(out, "Server running!")
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":99,"result":{}}`)
		fmt.Fprintln(out, strings.Repeat("[", 100_000))
		fmt.Fprintln(out, welcomed)
		fmt.Fprintln(out, welcomed)
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`)
		fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/claude/do"}`)
		for in.Scan() {
			if strings.Contains(in.Text(), `"id":7`) && !strings.Contains(in.Text(), "-32601") {
				t.Errorf("it is answered %s", in.Text())
			}
			if strings.Contains(in.Text(), `"ping"`) {
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"last","result":{}}`)
			}
		}
	})
	c := r.lines()
	c.greet()
	c.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	for c.in.Scan() {
		if strings.Contains(c.in.Text(), `"id":"last"`) {
			break
		}
		t.Errorf("the client hears %s", c.in.Text())
	}
	if log := r.said(); !strings.Contains(log, "cannot be read") || !strings.Contains(log, "notifications/claude/do") {
		t.Errorf("told %s", log)
	}
}

// TestLong: a server that sends more than a message may have is ended, and what it
// owes is answered.
func TestLong(t *testing.T) {
	r := newRig(t)
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		fmt.Fprintln(out, welcomed)
		for in.Scan() {
			if strings.Contains(in.Text(), "resources/read") {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":1,"result":{"x":"%s"}}`+"\n", strings.Repeat("x", 17<<20))
			}
		}
	})
	c := r.lines()
	c.greet()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}}`)
	if got := c.until(`"id":1`); !strings.Contains(got, "is gone") || !strings.Contains(got, "longer than 16 MiB") {
		t.Errorf("got %s", got)
	}
}

// TestCrash: a server that ends in the middle of a call gives an error, and is
// started again for the next one, but not for ever.
func TestCrash(t *testing.T) {
	r := newRig(t)
	script := `while read -r line; do case $line in
*initialized*) ;;
*'"initialize"'*) id=$(printf %s "$line" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'); echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}' ;;
*tools/list*) id=$(printf %s "$line" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'); echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"die","inputSchema":{"type":"object"}}]}}' ;;
*tools/call*) exit 3 ;;
esac; done`
	r.Open = func(context.Context) (mcp.Connection, error) {
		r.opened++
		return mcpgate.Start([]string{"sh", "-c", script}, "", nil, io.Discard)
	}
	changed := make(chan struct{}, 99)
	c := r.client(&mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	for i := range 6 {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "die"})
		want := "the MCP server srv is gone: it has ended: exit status 3"
		if i == 5 {
			want = "ends again and again"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("call %d: %v, want %s", i, err, want)
		}
	}
	<-changed
	if r.opened != 5 {
		t.Errorf("started %d times", r.opened)
	}
	if last := r.notes[0].Result; !last.Ran || !strings.Contains(last.Error, "exit status 3") {
		t.Errorf("recorded %+v", last)
	}
}

// TestEnded: a server that does not want to end is ended, with what it has started.
func TestEnded(t *testing.T) {
	conn, err := mcpgate.Start([]string{"sh", "-c", `trap "" TERM; sleep 300 & echo '{"jsonrpc":"2.0","method":"'$!'"}'; while :; do sleep 1; done`}, "", nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	m, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	pid := methodOf(m)
	if out, err := exec.Command("sh", "-c", "ps -o stat= -p "+pid).Output(); err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") {
		t.Errorf("%s is left: %s", pid, out)
	}
}
