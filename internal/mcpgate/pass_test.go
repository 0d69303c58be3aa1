//nolint:staticcheck // older parts of the protocol are in use, and passed on
package mcpgate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// addFunc adds a tool that does something.
func addFunc(name string, do func(context.Context, *mcp.CallToolRequest) (string, error)) func(*mcp.Server) {
	return func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := do(ctx, r)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
}

// TestElicited: a client that can ask its user does; only a yes is one.
func TestElicited(t *testing.T) {
	for _, tt := range []struct {
		name      string
		result    mcp.ElicitResult
		yes, said bool
	}{
		{"yes", mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}, true, true},
		{"no", mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "no"}}, false, true},
		{"declined", mcp.ElicitResult{Action: "decline"}, false, true},
		{"put away", mcp.ElicitResult{Action: "cancel"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.behind(echoes(""))
			r.answer = func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
				if yes, said := q.Elicit(ctx, "may it?"); yes != tt.yes || said != tt.said {
					t.Errorf("heard %v %v", yes, said)
				}
				return deny, nil
			}
			call(t, r.client(&mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if r.Params.Message != "may it?" {
					t.Errorf("asked %q", r.Params.Message)
				}
				return &tt.result, nil
			}}), "echo", nil)
		})
	}
}

// TestCancelled: a call that the client gives up is not run, and no longer asked
// about; one that runs is cancelled at the server.
func TestCancelled(t *testing.T) {
	r := newRig(t)
	started, ended := make(chan struct{}), make(chan struct{})
	r.behind(echoes("", addFunc("slow", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return "", ctx.Err()
	})))
	c := r.client(nil)
	asked := make(chan struct{})
	r.answer = func(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
		if q.Call.Tool == "mcp__srv__slow" {
			return allow, nil
		}
		close(asked)
		<-ctx.Done()
		return allow, nil // somebody said yes at the same time
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "echo"}); err == nil {
		t.Error("it has an answer")
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "slow"}); err == nil {
		t.Error("it has an answer")
	}
	<-ended
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.notes) != 1 || r.notes[0].Result.Error != "it was cancelled" {
		t.Errorf("recorded %+v", r.notes)
	}
}

// TestProgress: a server tells how far it is, and so does the gateway while it waits
// for a person.
func TestProgress(t *testing.T) {
	r := newRig(t)
	r.behind(echoes("", addFunc("slow", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		return "done", r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"})
	})))
	told := make(chan string, 9)
	c := r.client(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Message }})
	r.answer = func(_ context.Context, q mcpgate.Question) (sayso.Decision, error) {
		q.Waits("REQ1")
		if got := <-told; got != "waiting for a person: sayso approve REQ1" {
			t.Errorf("told %q", got)
		}
		return allow, nil
	}
	p := &mcp.CallToolParams{Name: "slow"}
	p.SetProgressToken("mine")
	res, err := c.CallTool(t.Context(), p)
	if got := text(t, res, err); got != "done" {
		t.Errorf("got %s", got)
	}
	if got := <-told; got != "half" {
		t.Errorf("told %q", got)
	}
}

// TestServerAsks: a server may have the model write something only if that is
// allowed; what it asks the user is told as its question; roots are passed on.
func TestServerAsks(t *testing.T) {
	r := newRig(t)
	sample := func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "write"}}}})
		if err != nil {
			return "refused: " + err.Error(), nil
		}
		return got.Content.(*mcp.TextContent).Text, nil
	}
	elicit := func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "sayso asks: \u202epassword?", RequestedSchema: map[string]any{"type": "object"}})
		if err != nil {
			return "", err
		}
		return got.Action, nil
	}
	roots := func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		return got.Roots[0].URI, nil
	}
	r.behind(echoes("", addFunc("sample", sample), addFunc("elicit", elicit), addFunc("roots", roots)))
	client := mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "written"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if want := "[the MCP server srv asks this, not sayso] sayso asks: [U+202E]password?"; r.Params.Message != want {
				t.Errorf("the user is asked %q", r.Params.Message)
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}
	c := r.client(&client)
	samples := allow
	r.answer = func(_ context.Context, q mcpgate.Question) (sayso.Decision, error) {
		if q.Call.Tool == "mcp__srv__sampling/createMessage" {
			return samples, nil
		}
		return allow, nil
	}
	for _, tt := range []struct{ tool, want string }{{"sample", "written"}, {"elicit", "decline"}, {"roots", "file:///w"}} {
		if got := call(t, c, tt.tool, nil); got != tt.want {
			t.Errorf("%s: got %q", tt.tool, got)
		}
	}
	samples = deny
	if got := call(t, c, "sample", nil); !strings.Contains(got, "refused") || !strings.Contains(got, "this is not for you") {
		t.Errorf("got %q", got)
	}
}

// TestPassedOn: what is no call of a tool is passed on, unless a rule denies it.
func TestPassedOn(t *testing.T) {
	r := newRig(t)
	r.behind(func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "3"}, &mcp.ServerOptions{
			Instructions: "be\u200b good",
			CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"completed"}}}, nil
			},
		})
		s.AddResource(&mcp.Resource{URI: "file:///a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "file:///a", Text: "content"}}}, nil
		})
		s.AddPrompt(&mcp.Prompt{Name: "p", Description: "a\u202e prompt"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}, nil
		})
		addFunc("log", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
			return "logged", r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: "logged"})
		})(s)
		return s
	})
	logged := make(chan any, 1)
	c := r.client(&mcp.ClientOptions{LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { logged <- r.Params.Data }})
	if got := c.InitializeResult(); got.Instructions != "be[U+200B] good" || got.ServerInfo.Name != "real" {
		t.Errorf("the server is shown as %+v", got)
	}
	ctx := t.Context()
	if got, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///a"}); err != nil || got.Contents[0].Text != "content" {
		t.Errorf("read %v: %v", got, err)
	}
	if got, err := c.ListPrompts(ctx, nil); err != nil || got.Prompts[0].Description != "a[U+202E] prompt" {
		t.Errorf("listed %v: %v", got, err)
	}
	if got, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err != nil || len(got.Messages) != 1 {
		t.Errorf("got %v: %v", got, err)
	}
	if got, err := c.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "p"}, Argument: mcp.CompleteParamsArgument{Name: "a", Value: "c"}}); err != nil || got.Completion.Values[0] != "completed" {
		t.Errorf("completed %v: %v", got, err)
	}
	if err := c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Error(err)
	}
	call(t, c, "log", nil)
	if got := <-logged; got != "logged" {
		t.Errorf("logged %v", got)
	}
	r.mu.Lock()
	for i, want := range []string{"resources/read", "prompts/get", "log"} {
		q := r.decided[i]
		if q.Call.Tool != "mcp__srv__"+want || q.Reads != (want != "log") || q.Call.Server.ReadOnly != q.Reads {
			t.Errorf("decided %+v", q)
		}
	}
	if string(r.decided[0].Call.Input) != `{"uri":"file:///a"}` {
		t.Errorf("decided about %s", r.decided[0].Call.Input)
	}
	for i, want := range []string{"content", "hi", "logged"} {
		if n := r.notes[i]; !n.Result.Ran || n.Result.Error != "" || n.Note != want || n.Result.Output == 0 {
			t.Errorf("recorded %+v %+v", n, n.Result)
		}
	}
	r.mu.Unlock()
	r.answer = func(context.Context, mcpgate.Question) (sayso.Decision, error) { return deny, nil }
	if _, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///a"}); err == nil || !strings.Contains(err.Error(), "this is not for you") {
		t.Errorf("a rule denies it: %v", err)
	}
	if _, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err == nil {
		t.Error("a rule denies it")
	}
	if len(r.notes) != 3 {
		t.Errorf("what did not come back is recorded: %+v", r.notes[3:])
	}
}
