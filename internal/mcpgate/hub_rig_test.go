package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// hubRig is a hub with a rig for each of its servers; front serves its clients.
func hubRig(t *testing.T, names ...string) (front *rig, behind map[string]*rig, hub *mcpgate.Hub) {
	t.Helper()
	front, behind = newRig(t), map[string]*rig{}
	hub = &mcpgate.Hub{Patience: time.Minute, Version: "1", Log: front.Log}
	for _, name := range names {
		r := newRig(t)
		r.Name = name
		behind[name] = r
		hub.Gateways = append(hub.Gateways, r.Gateway)
	}
	front.service = hub
	return front, behind, hub
}

// answered plays a server that answers requests by their methods, with results that
// the test has; what has none is not answered.
func answered(results map[string]string, more func(method, line string, out io.Writer)) func(*bufio.Scanner, io.Writer) {
	return func(in *bufio.Scanner, out io.Writer) {
		for in.Scan() {
			m := regexp.MustCompile(`"id":("[^"]*"|\d+),"method":"([^"]*)"`).FindStringSubmatch(in.Text())
			if m == nil {
				continue
			}
			if more != nil {
				more(m[2], in.Text(), out)
			}
			if result, ok := results[m[2]]; ok {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m[1], result)
			}
		}
	}
}

const begins = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"x","version":"0"},"instructions":"be kind\n## other"}`

// toolNames are the names of the tools that a client sees.
func toolNames(t *testing.T, c *mcp.ClientSession) string {
	t.Helper()
	var out []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool.Name)
	}
	return strings.Join(out, " ")
}

// full is a server with something of each kind, that tells who it is.
func full(who string, asks func(context.Context, *mcp.CallToolRequest) (string, error)) func() *mcp.Server {
	return func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: who, Version: "3"}, &mcp.ServerOptions{
			Instructions:       "I am " + who,
			SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
			CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{who + " " + r.Params.Ref.Name + r.Params.Ref.URI}}}, nil
			},
		})
		addEcho(s, "echo", "", &mcp.ToolAnnotations{Title: "Echo"})
		read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: who}}}, nil
		}
		s.AddResource(&mcp.Resource{URI: "note://same", Name: "note"}, read)
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "file:///{path}", Name: "files"}, read)
		s.AddPrompt(&mcp.Prompt{Name: "review"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.ResourceLink{URI: "note://" + who, Name: "l"}}}}, nil
		})
		if asks != nil {
			s.AddTool(&mcp.Tool{Name: "asks", InputSchema: map[string]string{"type": "object"}}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				text, err := asks(ctx, r)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, err
			})
		}
		return s
	}
}
