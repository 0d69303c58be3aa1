//nolint:staticcheck // older parts of the protocol are in use, and passed on
package cli_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPReads: what a client reads of a server is allowed in any mode, unless a rule
// says something else, and recorded with what came back.
func TestMCPReads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, policy, verb, want string }{
		{"nobody says anything", "", "", ""},
		{"in plan mode", "mode: plan\n", "", ""},
		{"a preset that asks about all tools", "preset: cosmo\n", "", ""},
		{"a rule denies it", `deny: ["mcp(notes/resources/read uri=note:*)"]` + "\n", "", "denies it"},
		{"a rule asks, no", `ask: ["mcp(notes/resources/read)"]` + "\n", "deny", "a person said no"},
		{"a rule asks, yes", `ask: ["mcp(notes/resources/read)"]` + "\n", "approve", ""},
		{"the policy is broken", "deny: [\n", "", "policy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newMCPDesk(t, tt.policy)
			d.must("sayso", "trust", "add", "--server", "notes", "--", "mcpserver", d.file)
			c := d.client(nil, "--name", "notes", "--", "mcpserver", d.file)
			told := make(chan error, 1)
			go func() {
				got, err := c.ReadResource(d.ctx, &mcp.ReadResourceParams{URI: "note://a"})
				if err == nil && got.Contents[0].Text != "what is noted" {
					t.Errorf("read %+v", got.Contents[0])
				}
				told <- err
			}()
			if tt.verb != "" {
				d.answer(tt.verb)
			}
			if err := <-told; (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("told %v, want %q", err, tt.want)
			}
			if tt.name == "the policy is broken" {
				return
			}
			log := d.must("sayso", "log", "--json")
			if !strings.Contains(log, `mcp__notes__resources/read`) || strings.Contains(log, "what is noted") != (tt.want == "") {
				t.Errorf("recorded\n%s", log)
			}
			if _, err := c.GetPrompt(d.ctx, &mcp.GetPromptParams{Name: "review"}); err != nil {
				t.Error(err)
			}
			if log := d.must("sayso", "log", "--json"); !strings.Contains(log, "look at it") || strings.Contains(log, `"mcp.read"`) != strings.Contains(tt.policy, "cosmo") {
				t.Errorf("recorded\n%s", log)
			}
		})
	}
}

// TestMCPSamples: a server that wants the agent's model to write something waits until a
// person has answered.
func TestMCPSamples(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, `allow: ["mcp(notes/write)"]`+"\n"+`ask: ["mcp(notes/sampling/createMessage)"]`+"\n")
	d.must("sayso", "trust", "add", "--server", "notes", "--", "mcpserver", d.file)
	c := d.client(&mcp.ClientOptions{CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "written"}}, nil
	}}, "--name", "notes", "--", "mcpserver", d.file)
	for _, tt := range []struct{ verb, want string }{{"approve", "written"}, {"deny", "refused"}} {
		got := make(chan string, 1)
		go func() { got <- d.call(c, "write") }()
		d.answer(tt.verb)
		if got := <-got; got != tt.want {
			t.Errorf("%s: %q", tt.verb, got)
		}
	}
}
