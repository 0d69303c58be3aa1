package acpgate_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/acpgate"
	"github.com/sayso-dev/sayso/internal/mcpgate"
)

// A side is an end of a gate that the test plays.
type side struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Scanner
}

func (s *side) send(lines ...string) {
	s.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(s.out, l+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// next is the next line, which must hold these texts.
func (s *side) next(texts ...string) string {
	s.t.Helper()
	if !s.in.Scan() {
		s.t.Fatalf("it ended before %q: %v", texts, s.in.Err())
	}
	for _, text := range texts {
		if !strings.Contains(s.in.Text(), text) {
			s.t.Errorf("got %s, want %s in it", s.in.Text(), text)
		}
	}
	return s.in.Text()
}

// A rig is a gate with both ends.
type rig struct {
	*acpgate.Gate
	editor, agent *side
	mu            sync.Mutex
	decided       []acpgate.Question
	notes         []sayso.Record
	prompts       []string
	answer        func(context.Context, acpgate.Question) (sayso.Decision, error)
}

func (r *rig) calls() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := ""
	for _, q := range r.decided {
		out += fmt.Sprintf("%s %s in %s\n", q.Call.Tool, q.Call.Input, q.Call.Dir)
		if q.Dir != "/repo" || q.Call.Session != "acp-S" || q.Call.Agent != "tester" || q.Call.ID == "" || q.Claim != strings.Contains(string(q.Call.Input), "shown") && q.Call.Tool == "bash" {
			out += fmt.Sprintf("odd: %+v\n", q)
		}
	}
	r.decided = nil
	return out
}

func newRig(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	r := &rig{answer: func(context.Context, acpgate.Question) (sayso.Decision, error) {
		return sayso.Decision{Effect: sayso.Allow, Code: "rule.allow"}, nil
	}}
	r.Gate = &acpgate.Gate{
		Agent: "tester",
		Authorize: func(ctx context.Context, q acpgate.Question) (sayso.Decision, error) {
			r.mu.Lock()
			r.decided = append(r.decided, q)
			r.mu.Unlock()
			return r.answer(ctx, q)
		},
		Prompted: func(_ context.Context, session, prompt string) error {
			r.prompts = append(r.prompts, session+": "+prompt)
			return nil
		},
		Note: func(_ context.Context, _ sayso.Call, records ...sayso.Record) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.notes = append(r.notes, records...)
			return nil
		},
		Log: t.Logf,
	}
	end := func() (*side, io.ReadWriteCloser) {
		r1, w1 := io.Pipe()
		r2, w2 := io.Pipe()
		in := bufio.NewScanner(r1)
		in.Buffer(nil, 1<<20)
		return &side{t, w2, in}, pipe{r2, w1, func() error { return errors.Join(r1.Close(), r2.Close(), w1.Close(), w2.Close()) }}
	}
	var editor, agent io.ReadWriteCloser
	r.editor, editor = end()
	r.agent, agent = end()
	done := make(chan error, 1)
	go func() {
		done <- r.Serve(ctx, mcpgate.Lines(editor, editor, editor.Close), mcpgate.Lines(agent, agent, agent.Close))
	}()
	t.Cleanup(func() { cancel(); _ = editor.Close(); <-done })
	return r
}

type pipe struct {
	io.Reader
	io.Writer
	end func() error
}

func (p pipe) Close() error { return p.end() }

// begin opens the session S in /repo.
func (r *rig) begin() {
	r.editor.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/repo","mcpServers":[]}}`)
	r.agent.next(`"session/new"`)
	r.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S"}}`)
	r.editor.next(`"sessionId":"S"`)
}

const options = `[{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"A","name":"Always","kind":"allow_always"},{"optionId":"r","name":"No","kind":"reject_once"}]`

func permission(id int, toolCall string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"S","toolCall":%s,"options":%s}}`, id, toolCall, options)
}

var (
	deny = sayso.Decision{Effect: sayso.Deny, Code: "rule.deny", Reason: "this is not for you"}
	stop = sayso.Decision{Effect: sayso.Deny, Code: sayso.CodeStopped, Reason: "a person said no", Stop: true}
)

// TestPermission: what the policy decides is answered without the user, who is told why
// something is denied; only once is ever chosen for them.
func TestPermission(t *testing.T) {
	r := newRig(t)
	r.begin()
	r.agent.send(
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"ls","kind":"execute","rawInput":{"command":"ls"}}}}`,
		permission(0, `{"toolCallId":"t1"}`),
	)
	r.editor.next("session/update")
	r.agent.next(`"id":0`, `"optionId":"a"`, `"outcome":"selected"`)
	if got := r.calls(); got != "bash {\"command\":\"ls\"} in /repo\n" {
		t.Errorf("decided %s", got)
	}
	r.agent.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}}}`)
	r.editor.next("completed")
	r.mu.Lock()
	if len(r.notes) != 1 || !r.notes[0].Result.Ran {
		t.Errorf("recorded %+v", r.notes)
	}
	r.mu.Unlock()
	r.answer = func(context.Context, acpgate.Question) (sayso.Decision, error) { return deny, nil }
	r.agent.send(permission(1, `{"toolCallId":"t2","kind":"execute","rawInput":{"command":"rm x"}}`))
	r.editor.next("tool_call_update", "this is not for you")
	r.agent.next(`"id":1`, `"optionId":"r"`, "this is not for you")
	r.answer = func(context.Context, acpgate.Question) (sayso.Decision, error) { return stop, nil }
	r.agent.send(permission(2, `{"toolCallId":"t3","kind":"execute","rawInput":{"command":"rm x"}}`))
	r.agent.next(`"id":2`, `"cancelled"`)
	r.agent.next("session/cancel", `"sessionId":"S"`)
	r.answer = func(context.Context, acpgate.Question) (sayso.Decision, error) { return deny, errors.New("no journal") }
	r.agent.send(strings.Replace(permission(3, `{"toolCallId":"t4","kind":"execute","rawInput":{"command":"x"}}`), options, `[{"optionId":"A","kind":"allow_always"}]`, 1))
	r.editor.next("no journal")
	r.agent.next(`"id":3`, `"cancelled"`)
}

// TestAsked: a question is passed on with what it would do, and without what would have
// the agent ask no more; what the user says counts.
func TestAsked(t *testing.T) {
	for _, tt := range []struct{ outcome, agent string }{
		{`{"outcome":"selected","optionId":"a"}`, `"optionId":"a"`},
		{`{"outcome":"selected","optionId":"r"}`, `"optionId":"r"`},
		{`{"outcome":"selected","optionId":"else"}`, `"optionId":"r"`},
		{`{"outcome":"cancelled"}`, `"optionId":"r"`},
		{`{"outcome":"selected","optionId":"a","optionId":"r"}`, `"optionId":"r"`},
	} {
		r := newRig(t)
		r.begin()
		r.answer = func(ctx context.Context, q acpgate.Question) (sayso.Decision, error) {
			if yes, said := q.Ask(ctx, "RISK: it changes two files"); yes && said {
				return sayso.Decision{Effect: sayso.Allow, Code: sayso.CodePersonYes}, nil
			}
			return deny, nil
		}
		r.agent.send(permission(7, `{"toolCallId":"t1","title":"edit","kind":"edit","content":[{"type":"diff","path":"/repo/a","newText":"x"},{"type":"diff","path":"/repo/b","newText":"y"}]}`))
		line := r.editor.next("session/request_permission", "RISK: it changes two files", `"/repo/b"`, `"allow_once"`, `"reject_once"`)
		if strings.Contains(line, "allow_always") || strings.Contains(line, `"id":7`) {
			t.Errorf("asked %s", line)
		}
		_, rest, _ := strings.Cut(line, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		r.editor.send(`{"jsonrpc":"2.0","id":"` + id + `","result":{"outcome":` + tt.outcome + `}}`)
		if tt.agent != `"optionId":"a"` {
			r.editor.next("tool_call_update")
		}
		r.agent.next(`"id":7`, tt.agent)
	}
}

// TestGated: files and terminals that the agent wants of the editor are decided.
func TestGated(t *testing.T) {
	for _, tt := range []struct{ method, params, call string }{
		{"fs/read_text_file", `"path":"/repo/.env"`, `Read {"file_path":"/repo/.env"} in /repo`},
		{"fs/write_text_file", `"path":"/repo/a","content":"x"`, `Write {"content":"x","file_path":"/repo/a"} in /repo`},
		{"terminal/create", `"command":"rm","args":["-rf","a b"],"cwd":"/repo/sub"`, `bash {"command":"rm -rf 'a b'"} in /repo/sub`},
		{"terminal/create", `"command":"ls; rm x","env":[{"name":"LD_PRELOAD","value":"/x y"}]`, `bash {"command":"LD_PRELOAD='/x y' ls; rm x"} in /repo`},
		{"terminal/create", `"command":"a b","args":["c"]`, `bash {"command":"'a b' c"} in /repo`},
	} {
		r := newRig(t)
		r.begin()
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":"x","method":"%s","params":{"sessionId":"S",%s}}`, tt.method, tt.params)
		r.agent.send(line)
		r.editor.next(tt.method, `"id":"x"`)
		r.editor.send(`{"jsonrpc":"2.0","id":"x","result":{}}`)
		r.agent.next(`"id":"x"`, `"result":{}`)
		if got := r.calls(); got != tt.call+"\n" {
			t.Errorf("decided %s, want %s", got, tt.call)
		}
		if len(r.notes) != 1 {
			t.Errorf("recorded %+v", r.notes)
		}
		r.answer = func(context.Context, acpgate.Question) (sayso.Decision, error) { return deny, nil }
		r.agent.send(line)
		r.agent.next(`"id":"x"`, `"code":-32010`, "this is not for you")
	}
}

// TestHostileAgent: whatever an agent sends, nothing reaches the editor that was not
// decided, and everything is answered.
func TestHostileAgent(t *testing.T) {
	for name, tt := range map[string]struct{ send, want string }{
		"another session":       {strings.ReplaceAll(permission(9, `{"toolCallId":"t"}`), `"S"`, `"other"`), "no such session"},
		"a key twice":           {`{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"S","path":"/repo/a","path":"/etc/passwd","content":""}}`, "given twice"},
		"an unknown method":     {`{"jsonrpc":"2.0","id":9,"method":"terminal/inject","params":{"sessionId":"S"}}`, "-32601"},
		"an unknown file one":   {`{"jsonrpc":"2.0","id":9,"method":"fs/delete","params":{"sessionId":"S"}}`, "-32601"},
		"a variable of nothing": {`{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"S","command":"ls","env":[{"name":"A=1; rm x","value":""}]}}`, "no name"},
		"an argument of a kind": {`{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"S","command":"ls","args":[{}]}}`, "-32602"},
		"no command":            {`{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"S"}}`, "no command"},
		"no parameters":         {`{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file"}`, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.begin()
			r.agent.send(`{"jsonrpc":"2.0","id":55,"result":{}}`, tt.send)
			r.agent.next(`"id":9`, tt.want)
			r.agent.send(`{"jsonrpc":"2.0","id":10,"method":"_other/thing","params":{}}`)
			r.editor.next("_other/thing") // and nothing before it
			if got := r.calls(); got != "" {
				t.Errorf("decided %s", got)
			}
		})
	}
}

// TestClaims: everything counts that an agent says of a call.
func TestClaims(t *testing.T) {
	r := newRig(t)
	r.begin()
	for i, tt := range []struct{ call, want string }{
		{`{"kind":"read","rawInput":{"command":"rm x"}}`, `bash {"command":"rm x"}`},
		{`{"kind":"read","rawInput":{"path":"/a","content":"x"}}`, `Write {"content":"x","file_path":"/a"}`},
		{`{"kind":"read","rawInput":{"file_path":"/a"},"locations":[{"path":"/b"}]}`, `Read {"file_path":"/a"}` + "|" + `Read {"file_path":"/b"}`},
		{`{"kind":"edit","rawInput":{"file_path":"/a","new_string":"x"},"content":[{"type":"diff","path":"/b","newText":"y"}]}`, `Write {"content":"y","file_path":"/b"}` + "|" + `Write {"content":"x","file_path":"/a"}`},
		{`{"kind":"delete","locations":[{"path":"/a"}]}`, `delete_file {"path":"/a"}`},
		{`{"kind":"fetch","rawInput":{"url":"https://x/"}}`, `WebFetch {"prompt":"","url":"https://x/"}`},
		{`{"kind":"execute","rawInput":{"command":["bash","-lc","rm x"]}}`, `bash {"command":"bash -lc 'rm x'"}`},
		{`{"kind":"execute","title":"shown"}`, `bash {"command":"shown"}` + "|" + `acp_execute {"title":"shown"}`},
		{`{"kind":"other","rawInput":{"a":1}}`, `acp_other {"a":1}`},
		{`{"kind":"Bash; x","rawInput":{"a":1}}`, `acp_other {"a":1}`},
		{`{"kind":"search","rawInput":{"pattern":"p","path":"/etc"}}`, `Grep {"path":"/etc","pattern":"p"}`},
	} {
		r.agent.send(permission(i, strings.Replace(tt.call, "{", fmt.Sprintf(`{"toolCallId":"c%d",`, i), 1)))
		r.agent.next(`"selected"`)
		got := strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(r.calls(), " in /repo", ""), "\n"), "\n", "|")
		if got != tt.want {
			t.Errorf("%s: decided %s", tt.call, got)
		}
	}
}

// TestCancelled: what waits is withdrawn when the user ends the turn.
func TestCancelled(t *testing.T) {
	r := newRig(t)
	r.begin()
	r.editor.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"S","prompt":[{"type":"text","text":"do it"}]}}`)
	r.agent.next("session/prompt")
	waits := make(chan struct{})
	r.answer = func(ctx context.Context, _ acpgate.Question) (sayso.Decision, error) {
		close(waits)
		<-ctx.Done()
		return sayso.Decision{Effect: sayso.Allow}, nil // somebody said yes at the same time
	}
	r.agent.send(permission(3, `{"toolCallId":"t","kind":"execute","rawInput":{"command":"x"}}`))
	<-waits
	r.editor.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`)
	got := r.agent.next() + r.agent.next() // in any order
	if !strings.Contains(got, "session/cancel") || !strings.Contains(got, `"cancelled"`) {
		t.Errorf("got %s", got)
	}
	if len(r.prompts) != 1 || r.prompts[0] != "acp-S: do it" {
		t.Errorf("said %q", r.prompts)
	}
}
