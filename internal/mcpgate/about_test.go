package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// TestOnItsStream: what belongs to a call goes over the stream of that call, because a
// client need not have another: questions of the gateway and of the server, that it
// waits, and how far it is.
func TestOnItsStream(t *testing.T) {
	r := newRig(t)
	r.behind(echoes("", addFunc("slow", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		if _, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "which?", RequestedSchema: map[string]any{"type": "object"}}); err != nil {
			return "", err
		}
		return "done", r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"})
	})))
	f := r.front()
	told := make(chan string, 9)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			told <- r.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Message },
	}).Connect(r.ctx, &mcp.StreamableClientTransport{
		Endpoint: "http://" + f.Addr + mcpgate.Path, HTTPClient: &http.Client{Transport: withToken("secret")}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.answer = func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
		q.Waits("REQ1")
		if got := <-told; got != "waiting for a person: sayso approve REQ1" {
			t.Errorf("told %q", got)
		}
		if yes, _ := q.Elicit(ctx, "may it?"); !yes || <-told != "may it?" {
			t.Error("nobody is asked")
		}
		return allow, nil
	}
	p := &mcp.CallToolParams{Name: "slow"}
	p.SetProgressToken(7)
	if res, err := c.CallTool(r.ctx, p); text(t, res, err) != "done" {
		t.Error("it is not done")
	}
	if first, second := <-told, <-told; !strings.HasSuffix(first, "which?") || second != "half" {
		t.Errorf("told %q and %q", first, second)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestOthersProgress: a server tells the progress of what it was asked, and of nothing
// else: not of a call that waits for a person, nor of one that is over.
func TestOthersProgress(t *testing.T) {
	r := newRig(t)
	progress := func(token, message string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1,"message":"` + message + `"}}`
	}
	asked := make(chan struct{})
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		fmt.Fprintln(out, welcomed)
		for in.Scan() {
			switch line := in.Text(); {
			case strings.Contains(line, "tools/list"):
				id := line[strings.Index(line, `"id":`):][5:]
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"held","inputSchema":{}},{"name":"done","inputSchema":{}}]}}`+"\n", id[:strings.Index(id, ",")])
			case strings.Contains(line, `"done"`):
				<-asked
				for _, token := range []string{`"waits"`, `8`, `"7"`, `null`, `{}`, `[7]`} {
					fmt.Fprintln(out, progress(token, "not so"))
				}
				fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":[]}`)
				fmt.Fprintln(out, progress("7.0", "so"))
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
				fmt.Fprintln(out, progress("7", "over"))
				fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}
	})
	r.answer = func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
		if q.Call.Tool == "mcp__srv__held" {
			close(asked)
			<-ctx.Done()
		}
		return allow, nil
	}
	c := r.lines()
	c.greet()
	c.send(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"held","_meta":{"progressToken":"waits"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"done","_meta":{"progressToken":7}}}`,
	)
	for c.in.Scan() && !strings.Contains(c.in.Text(), "list_changed") {
		if got := c.in.Text(); strings.Contains(got, "not so") || strings.Contains(got, "over") {
			t.Errorf("the client is told %s", got)
		} else if strings.Contains(got, "progress") && !strings.Contains(got, `"so"`) {
			t.Errorf("the client is told %s", got)
		}
	}
	if n := strings.Count(r.said(), "that it was not asked"); n != 8 {
		t.Errorf("%d were left out: %s", n, r.said())
	}
}
