package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/tools"
)

var update = flag.Bool("update", false, "write what the calls in testdata come to")

// A call is one of the calls in testdata/calls, one file for each agent. Those
// with the name of a hook event were captured from the agents, or follow the
// documentation of the event; the others follow the documented systems.
type call struct {
	Event string          `json:"event"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Class string          `json:"class"`
	Want  string          `json:"want"`
}

// show writes an Input on one line, without what is empty.
func show(in tools.Input) string {
	var b strings.Builder
	add := func(name string, v any, is bool) {
		if is {
			fmt.Fprintf(&b, "; %s=%v", name, v)
		}
	}
	for _, c := range in.Commands {
		add("command", fmt.Sprintf("%q", c), true)
	}
	add("argv", fmt.Sprintf("%q", in.Argv), in.Argv != nil)
	add("dir", in.Dir, in.Dir != "")
	for _, p := range in.Paths {
		add(p.Access.String(), p.Path, true)
	}
	add("patch", fmt.Sprint(len(in.Patch), " bytes"), in.Patch != "")
	add("urls", in.URLs, in.URLs != nil)
	add("pattern", in.Pattern, in.Pattern != "")
	add("text", fmt.Sprintf("%q", in.Text), in.Text != "")
	add("note", in.Description, in.Description != "")
	add("mcp", in.Server+" "+in.Tool, in.Server+in.Tool != "")
	add("timeout", in.Timeout, in.Timeout != 0)
	add("background", true, in.Background)
	add("escalated", true, in.Escalated)
	add("extra", in.Extra, in.Extra != nil)
	return strings.TrimPrefix(b.String(), "; ")
}

// TestCalls reads the calls of each agent.
func TestCalls(t *testing.T) {
	files, err := filepath.Glob("testdata/calls/*.json")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d files of calls, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			agent, ok := tools.ParseAgent(name)
			if !ok {
				t.Fatal("no such agent")
			}
			calls := readCalls(t, file)
			for i := range calls {
				calls[i].check(t, agent)
			}
			if *update {
				writeCalls(t, file, calls)
			}
		})
	}
}

func (c *call) check(t *testing.T, agent tools.Agent) {
	t.Helper()
	s, ok := agent.Lookup(c.Tool, "fs")
	if !ok {
		t.Errorf("%s: not known", c.Tool)
	}
	in, err := s.Read(c.Input)
	if err != nil {
		t.Errorf("%s %s: %v", c.Tool, c.Input, err)
	}
	got, class := show(in), s.Class.String()
	if *update {
		c.Want, c.Class = got, class
	}
	if got != c.Want || class != c.Class {
		t.Errorf("%s %s:\n got %s, %s\nwant %s, %s", c.Tool, c.Input, class, got, c.Class, c.Want)
	}
	// Who does not know the agent sees the same.
	if any, _ := tools.Lookup(c.Tool, "fs"); any.Class != s.Class {
		t.Errorf("%s: %v for the agent, %v for any", c.Tool, s.Class, any.Class)
	}
	// An agent may send the object as a string.
	packed, _ := json.Marshal(string(c.Input))
	if in, err = s.Read(packed); err != nil || show(in) != c.Want {
		t.Errorf("%s as a string: %s, %v", c.Tool, show(in), err)
	}
}

func readCalls(t *testing.T, file string) []call {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	if err := json.Unmarshal(b, &calls); err != nil {
		t.Fatal(err)
	}
	return calls
}

func writeCalls(t *testing.T, file string, calls []call) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, c := range calls {
		b.WriteString([]string{",", "["}[min(1, 1-min(i, 1))])
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("]\n")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keysOf reads a file that says which keys which tool of which agent takes.
func keysOf(t *testing.T, file string) map[string]map[string][]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]map[string][]string
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestOffers: the tools that the agents were seen to offer to a model, and their
// keys, are known. The same for the conformance vectors of the documented systems.
func TestOffers(t *testing.T) {
	stubs := map[string]bool{"Custom": true, "totally_unknown_tool": true}
	for _, file := range []string{"testdata/offers.json", "testdata/conformance.json"} {
		for name, offered := range keysOf(t, file) {
			agent, ok := tools.ParseAgent(name)
			if !ok {
				t.Errorf("no agent %s", name)
			}
			for tool, keys := range offered {
				s, ok := agent.Lookup(tool)
				if ok == stubs[tool] {
					t.Errorf("%s %s: known is %v", name, tool, ok)
				}
				if s.Class == tools.MCPTool || s.Class == tools.Unknown {
					continue
				}
				for _, key := range keys {
					in, _ := s.Read(json.RawMessage(fmt.Sprintf(`{%q: {}}`, key)))
					if in.Extra != nil {
						t.Errorf("%s %s: the key %s is not known", name, tool, key)
					}
				}
			}
		}
	}
}
