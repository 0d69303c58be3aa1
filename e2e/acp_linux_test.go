package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/scripted"
)

// An editor is a client of the Agent Client Protocol: it does what an agent wants of
// it, and says to each question what the test has for its user.
type editor struct {
	s     *scene
	out   io.Writer
	in    *bufio.Scanner
	says  func(question string) (optionKind string)
	asked []string
	lines []string
}

// A message is one of the protocol.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// request sends a request, and does what the agent wants until it is answered.
func (e *editor) request(id, method string, params any) json.RawMessage {
	e.s.t.Helper()
	e.send(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	for e.in.Scan() {
		var m message
		e.lines = append(e.lines, e.in.Text())
		if err := json.Unmarshal(e.in.Bytes(), &m); err != nil {
			e.s.t.Fatalf("%v: %s", err, e.in.Text())
		}
		switch {
		case m.Method == "" && string(m.ID) == `"`+id+`"`:
			if m.Error != nil {
				e.s.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		case m.Method != "" && m.ID != nil:
			e.send(object{"jsonrpc": "2.0", "id": m.ID, "result": e.do(m)})
		}
	}
	e.s.t.Fatalf("%s: it ended: %v\n%s", method, e.in.Err(), strings.Join(e.lines, "\n"))
	return nil
}

func (e *editor) send(m object) {
	e.s.t.Helper()
	text, err := json.Marshal(m)
	if err == nil {
		_, err = e.out.Write(append(text, '\n'))
	}
	if err != nil {
		e.s.t.Fatal(err)
	}
}

// do does what the agent wants.
func (e *editor) do(m message) any {
	e.s.t.Helper()
	var p struct {
		Path, Content string
		Options       []struct{ OptionID, Kind string }
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		e.s.t.Fatal(err)
	}
	switch m.Method {
	case "session/request_permission":
		e.asked = append(e.asked, string(m.Params))
		for _, o := range p.Options {
			if o.Kind == e.says(string(m.Params)) {
				return object{"outcome": object{"outcome": "selected", "optionId": o.OptionID}}
			}
		}
		return object{"outcome": object{"outcome": "cancelled"}}
	case "fs/read_text_file":
		text, _ := os.ReadFile(p.Path) // what is not there has no text
		return object{"content": string(text)}
	case "fs/write_text_file":
		if err := os.WriteFile(p.Path, []byte(p.Content), 0o600); err != nil {
			e.s.t.Fatal(err)
		}
		return nil
	}
	e.s.t.Fatalf("the agent wants %s", m.Method)
	return nil
}

// TestEditor: an agent behind sayso acp in an editor does what is allowed, without a
// question where it names its commands, what its user says yes to, and nothing else.
func TestEditor(t *testing.T) {
	t.Parallel()
	acp := map[string]func(*scene) []string{
		"gemini": func(s *scene) []string {
			return []string{"node", installed(s, "gemini", "@google/gemini-cli/bundle/gemini.js"), "--acp", "-m", "gemini-2.5-pro"}
		},
		"opencode": func(s *scene) []string {
			return []string{installed(s, "opencode", "opencode-linux-$ARCH/bin/opencode"), "acp"}
		},
	}
	each(t, func(t *testing.T, s *scene) {
		argv := acp[s.client.name]
		if argv == nil {
			t.Skip("it does not speak the protocol")
		}
		c := s.client
		model, err := scripted.Start([]scripted.Call{c.shell("touch allowed")}, []scripted.Call{c.shell("touch asked")}, []scripted.Call{c.create(s, "denied.txt", "x\n")}, []scripted.Call{c.shell("touch denied")})
		if err != nil {
			t.Fatal(err)
		}
		s.model = model
		s.write("home/.config/sayso/policy.yaml", strings.Replace(policy, "approve: {via: [tty], timeout: 2m}\n", "", 1))
		t.Cleanup(func() { _ = model.Close() })
		c.prepare(s)
		if c.name == "opencode" {
			name := filepath.Join(s.home, ".config/opencode/opencode.json")
			text, _ := os.ReadFile(name)
			s.write("home/.config/opencode/opencode.json", strings.Replace(string(text), `"*": "allow"`, `"*": "ask"`, 1))
		}
		e := s.edits(argv(s)...)
		e.request("i", "initialize", object{"protocolVersion": 1, "clientCapabilities": object{"fs": object{"readTextFile": true, "writeTextFile": true}, "terminal": false}})
		var session struct{ SessionID string }
		if err := json.Unmarshal(e.request("n", "session/new", object{"cwd": s.repo, "mcpServers": []any{}}), &session); err != nil {
			t.Fatal(err)
		}
		e.says = func(question string) string {
			if strings.Contains(question, "touch allowed") && c.name == "opencode" || strings.Contains(question, "allow_always") || !strings.Contains(question, "sayso asks: ") {
				t.Errorf("the user is asked %s", question)
			}
			return "allow_once"
		}
		e.request("p", "session/prompt", object{"sessionId": session.SessionID, "prompt": []any{object{"type": "text", "text": prompt}}})
		for name, want := range map[string]bool{"allowed": true, "asked": true, "denied": false, "denied.txt": false} {
			if s.has(name) != want {
				t.Errorf("%s: %v", name, !want)
			}
		}
		if all := strings.Join(e.lines, "\n"); !strings.Contains(all, "this text is not wanted here") || c.name == "gemini" && !strings.Contains(all, "this file is not wanted here") {
			t.Errorf("the user is not told why:\n%s", all)
		}
		if log := s.sayso("sayso", "log", "--json"); strings.Count(log, `"kind":"result"`) < 2 {
			t.Errorf("recorded\n%s", log)
		}
	})
}

// edits starts an agent behind sayso acp.
func (s *scene) edits(argv ...string) *editor {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	cmd := exec.CommandContext(ctx, s.bin+"/sayso", append([]string{"acp", "--"}, argv...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.repo, s.env(s.client.env(s)...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // what it has told is looked at
		cancel()
	})
	e := &editor{s: s, out: in, in: bufio.NewScanner(out)}
	e.in.Buffer(nil, 16<<20)
	return e
}
