package mcpgate_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// TestHub: two servers with the same names behind one gateway: each thing is told
// apart, and reaches the one that it belongs to, under the name that rules have.
func TestHub(t *testing.T) {
	front, behind, _ := hubRig(t, "ant", "bee")
	behind["ant"].behind(full("ant", nil))
	behind["bee"].behind(full("bee", nil))
	c := front.client(nil)
	says := c.InitializeResult().Instructions
	if !strings.Contains(says, "The MCP server ant says:\n> I am ant") || !strings.Contains(says, "> I am bee") {
		t.Errorf("it says %s", says)
	}
	if got := toolNames(t, c); got != "ant__echo bee__echo" {
		t.Errorf("the tools are %s", got)
	}
	for name, r := range behind {
		if got := call(t, c, name+"__echo", map[string]int{"a": 1}); got != `echo{"a":1}` {
			t.Errorf("%s: %s", name, got)
		}
		if got := r.last().Call; len(r.decided) != 1 || got.Tool != "mcp__"+name+"__echo" || got.Server.Name != name || len(r.notes) != 1 {
			t.Errorf("decided %v as %+v, noted %v", r.decided, got, r.notes)
		}
		uri := "sayso:" + name + "/note://same"
		got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || got.Contents[0].Text != name || got.Contents[0].URI != uri {
			t.Errorf("%s: read %+v, %v", name, got, err)
		}
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Error(err)
		}
		if in := string(r.last().Call.Input); in != `{"uri":"note://same"}` {
			t.Errorf("decided about %s", in)
		}
		prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name + "__review"})
		if err != nil || prompt.Messages[0].Content.(*mcp.ResourceLink).URI != "sayso:"+name+"/note://"+name {
			t.Errorf("%s: got %+v, %v", name, prompt, err)
		}
		for _, tt := range []struct {
			ref  mcp.CompleteReference
			want string
		}{{mcp.CompleteReference{Type: "ref/prompt", Name: name + "__review"}, name + " review"}, {mcp.CompleteReference{Type: "ref/resource", URI: "sayso:" + name + "/file:///{path}"}, name + " file:///{path}"}} {
			done, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &tt.ref, Argument: mcp.CompleteParamsArgument{Name: "x"}})
			if err != nil || done.Completion.Values[0] != tt.want {
				t.Errorf("completed %+v, %v", done, err)
			}
		}
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 || templates.ResourceTemplates[1].URITemplate != "sayso:bee/file:///{path}" || templates.ResourceTemplates[1].Name != "bee__files" {
		t.Errorf("the templates are %+v, %v", templates, err)
	}
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil { //nolint:staticcheck // it is in use
		t.Error(err)
	}
}

// TestHubRefuses: what belongs to no server reaches none.
func TestHubRefuses(t *testing.T) {
	front, behind, _ := hubRig(t, "ant", "bee")
	behind["ant"].behind(full("ant", nil))
	behind["bee"].behind(full("bee", nil))
	c := front.lines()
	c.greet()
	for method, cases := range map[string][]string{
		"tools/call":          {`{"name":"echo"}`, `{"name":"cat__echo"}`, `{"name":"ant_echo"}`, `{"name":"ant__echo","name":"bee__echo"}`, `{}`, `[]`, `{"name":"ant__echo","task":{}}`},
		"resources/read":      {`{"uri":"note://same"}`, `{"uri":"sayso:cat/note://same"}`, `{"uri":"sayso:"}`, `{"uri":"sayso:ant"}`},
		"prompts/get":         {`{"name":"review"}`},
		"completion/complete": {`{}`, `{"ref":{"type":"ref/prompt","name":"review"}}`},
		"tools/list":          {`{"cursor":"x"}`, `{"cursor":"e30"}x`},
	} {
		for _, params := range cases {
			c.send(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + strings.TrimSuffix(params, "x") + `}`)
			got := c.until(`"id":7`)
			if want := `"code":-32602`; !strings.Contains(got, want) && !strings.HasSuffix(params, "x") {
				t.Errorf("%s %s: %s", method, params, got)
			}
		}
	}
	for _, method := range []string{"tasks/list", "server/discover", "x"} {
		c.send(`{"jsonrpc":"2.0","id":8,"method":"` + method + `"}`)
		if got := c.until(`"id":8`); !strings.Contains(got, `"code":-32601`) {
			t.Errorf("%s: %s", method, got)
		}
	}
	c.send(strings.Replace(hello, `"id":0`, `"id":9`, 1))
	if got := c.until(`"id":9`); !strings.Contains(got, "initialize was sent before") {
		t.Error(got)
	}
	for name, r := range behind {
		if len(r.decided) != 0 {
			t.Errorf("%s was asked %+v", name, r.decided)
		}
	}
}

// asking is a tool that asks the client everything.
func asking(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	said, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?"})
	if err != nil {
		return "", err
	}
	wrote, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "write"}}}}) //nolint:staticcheck // it is in use
	if err != nil {
		return "", err
	}
	roots, err := r.Session.ListRoots(ctx, nil) //nolint:staticcheck // it is in use
	if err != nil {
		return "", err
	}
	if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"}); err != nil {
		return "", err
	}
	return said.Content["x"].(string) + wrote.Content.(*mcp.TextContent).Text + roots.Roots[0].URI, nil
}

// TestHubAsks: what servers ask the client, at the same time and under the same ids,
// is answered to the one that has asked; over both ways that clients come.
func TestHubAsks(t *testing.T) {
	front, behind, _ := hubRig(t, "ant", "bee")
	behind["ant"].behind(full("ant", asking))
	behind["bee"].behind(full("bee", asking))
	told := make(chan string, 9)
	options := &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"x": r.Params.Message}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // it is in use
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: " text "}}, nil //nolint:staticcheck // it is in use
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params.ProgressToken.(string)
		},
	}
	f := front.front()
	remote := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, options)
	remote.AddRoots(&mcp.Root{URI: "file:///w"})                                                                                                                                                                   //nolint:staticcheck // they are in use
	over, err := remote.Connect(front.ctx, &mcp.StreamableClientTransport{Endpoint: "http://" + f.Addr + mcpgate.Path, HTTPClient: &http.Client{Transport: withToken("secret")}, DisableStandaloneSSE: true}, nil) // all comes with what it belongs to
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*mcp.ClientSession{front.client(options), over} {
		got := make(chan string)
		for name := range behind {
			go func() {
				p := &mcp.CallToolParams{Name: name + "__asks"}
				p.SetProgressToken("of " + name)
				r, err := c.CallTool(t.Context(), p)
				if err != nil {
					got <- err.Error()
					return
				}
				got <- r.Content[0].(*mcp.TextContent).Text
			}()
		}
		all := <-got + "\n" + <-got + "\n" + <-told + "\n" + <-told
		for name := range behind {
			if !strings.Contains(all, "[the MCP server "+name+" asks this, not sayso] who? text file:///w") || !strings.Contains(all, "of "+name) {
				t.Errorf("got %s", all)
			}
		}
	}
	if err := over.Close(); err != nil {
		t.Error(err)
	}
}

// TestHubCancels: a call that the client gives up is cancelled at its server, and the
// others go on.
func TestHubCancels(t *testing.T) {
	front, behind, _ := hubRig(t, "ant", "bee")
	started, ended := make(chan struct{}), make(chan struct{})
	behind["ant"].behind(full("ant", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return "", ctx.Err()
	}))
	behind["bee"].behind(full("bee", nil))
	c := front.client(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "ant__asks"}); err == nil {
		t.Error("it has an answer")
	}
	<-ended
	if got := call(t, c, "bee__echo", nil); got != "echo{}" {
		t.Error(got)
	}
	behind["bee"].answer = func(context.Context, mcpgate.Question) (sayso.Decision, error) { return deny, nil }
	if got := call(t, c, "bee__echo", nil); !strings.Contains(got, "this is not for you") {
		t.Error(got)
	}
	if got := call(t, c, "ant__echo", nil); got != "echo{}" {
		t.Error(got)
	}
}

// TestHubNames: names that some client could not hold, or not tell apart, are refused.
func TestHubNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"files", "git-hub", "a_b", "X9"}, ""},
		{[]string{"a.b"}, "cannot be in front"},
		{[]string{"a__b"}, "cannot be in front"},
		{[]string{"a_"}, "cannot be in front"},
		{[]string{"_a"}, "cannot be in front"},
		{[]string{""}, "cannot be in front"},
		{[]string{"a b"}, "cannot be in front"},
		{[]string{"é"}, "cannot be in front"},
		{[]string{strings.Repeat("a", 33)}, "up to 32"},
		{[]string{"Files", "files"}, "Files and files cannot be told apart"},
		{[]string{"a-b", "a_b"}, "cannot be told apart"},
	} {
		if err := mcpgate.HubNames(tt.names); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.names, err)
		}
	}
}
