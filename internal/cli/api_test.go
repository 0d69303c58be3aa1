package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// apiPolicy lets echo run, and asks about a push.
const apiPolicy = "allow: [\"bash(echo *)\"]\nask: [\"bash(git push *)\"]\n"

// An apiServer is a running sayso serve --api.
type apiServer struct {
	Socket, URL, Token, Answers string
}

func (d *mcpDesk) api() apiServer {
	d.t.Helper()
	cmd := d.command("sayso", "serve", "--api", "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			d.t.Errorf("the API ends with %v", err)
		}
	})
	var s apiServer
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	if err := json.Unmarshal(line, &s); err != nil {
		d.t.Fatalf("%v: %s", err, line)
	}
	return s
}

// start runs a program, and returns the lines that it prints.
func (d *mcpDesk) start(cmd *exec.Cmd) *bufio.Scanner {
	d.t.Helper()
	out, err := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = cmd.Wait() })
	return bufio.NewScanner(out)
}

// next is the next line, which must begin with a text.
func next(t *testing.T, lines *bufio.Scanner, want string) string {
	t.Helper()
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
		t.Fatalf("it prints %q, want %q", lines.Text(), want)
	}
	return strings.TrimPrefix(lines.Text(), want)
}

// TestAPIPython: the example has calls decided over its pipe, and another one answers
// over the socket.
func TestAPIPython(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, apiPolicy)
	at := d.api()
	folder, err := filepath.Abs("../../examples/python")
	if err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "PYTHONDONTWRITEBYTECODE=1", "SAYSO_ANSWERS="+at.Answers)
	lines := d.start(d.command("python3", filepath.Join(folder, "agent.py"), "echo hi", "rm -rf /", "git push origin no", "git push origin yes; echo pushed"))
	next(t, lines, "ran: hi")
	next(t, lines, "deny: ")
	for _, say := range []string{"no", "yes"} {
		id := next(t, lines, "waiting: ")
		if out := d.must("python3", filepath.Join(folder, "approver.py"), at.Socket, say, id); !strings.HasPrefix(out, "answering: git push origin "+say) {
			t.Errorf("answered %s", out)
		}
		next(t, lines, map[string]string{"no": "deny: a person said no", "yes": "ran: pushed"}[say])
	}
	if out := d.must("sayso", "log", "--json"); !strings.Contains(out, `"kind":"result"`) || !strings.Contains(out, `"channel":"page"`) {
		t.Errorf("recorded %s", out)
	}
}

// TestAPITypeScript: the example is well typed, has calls decided over HTTP, and
// another one watches and answers.
func TestAPITypeScript(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, apiPolicy)
	tools := clients(t, "typescript")[0]
	at := d.api()
	built := t.TempDir()
	if err := os.CopyFS(built, os.DirFS("../../examples/typescript")); err != nil {
		t.Fatal(err)
	}
	d.must("node", filepath.Join(tools, "node_modules/typescript/bin/tsc"), "--project", built, "--typeRoots", filepath.Join(tools, "node_modules/@types"))
	d.env = append(d.env, "SAYSO_URL="+at.URL, "SAYSO_TOKEN="+at.Token, "SAYSO_ANSWERS="+at.Answers)
	lines := d.start(d.command("node", filepath.Join(built, "agent.js"), "echo hi", "rm -rf /", "git push origin no", "git push origin yes; echo pushed"))
	next(t, lines, "ran: hi")
	next(t, lines, "deny: ")
	for _, say := range []string{"no", "yes"} {
		if out := d.must("node", filepath.Join(built, "approver.js"), say); !strings.HasPrefix(out, "answering: git push origin "+say) {
			t.Errorf("answered %s", out)
		}
		next(t, lines, map[string]string{"no": "deny: a person said no", "yes": "ran: pushed"}[say])
	}
}

// request sends a request of the API.
func (s apiServer) request(t *testing.T, socket bool, token, method, body string, more ...string) (int, string) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if socket {
			return (&net.Dialer{}).DialContext(ctx, "unix", s.Socket)
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}}
	verb := http.MethodPost
	if body == "" {
		verb = http.MethodGet
	}
	req, err := http.NewRequestWithContext(t.Context(), verb, s.URL+"/v1/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(more); i += 2 {
		req.Header.Set(more[i], more[i+1])
		if more[i] == "Host" {
			req.Host = more[i+1]
		}
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestAPIAttack: an agent has a call that waits for a person. Whatever it does with
// the API, it does not answer it.
func TestAPIAttack(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, apiPolicy)
	at := d.api()
	waits := d.start(d.command("sayso", "ask", "--json", "--session", "victim", "bash", "git push origin main"))
	id := ""
	for id == "" && d.ctx.Err() == nil {
		if m := regexp.MustCompile(`"id":"([A-Z0-9]+)"`).FindStringSubmatch(d.must("sayso", "approve", "--json")); m != nil {
			id = m[1]
		}
	}
	var waiting struct{ Call struct{ ID, Session string } }
	if err := json.Unmarshal([]byte(d.must("sayso", "approve", "--json")), &waiting); err != nil {
		t.Fatal(err)
	}
	answer := fmt.Sprintf(`{"request":%q,"yes":true}`, id)
	for _, tt := range []struct {
		name                string
		socket              bool
		token, method, body string
		more                []string
		want                int
	}{
		{"on the socket without a token", true, "", "answer", answer, nil, 403},
		{"on the socket with the token for programs", true, at.Token, "answer", answer, nil, 401},
		{"on the socket with a guess", true, "guess", "answer", answer, nil, 401},
		{"on the port without a token", false, "", "answer", answer, nil, 401},
		{"on the port with the token for programs", false, at.Token, "answer", answer, nil, 403},
		{"what waits", false, at.Token, "requests", "", nil, 403},
		{"what happens", true, "", "events", "", nil, 403},
		{"from a page, with the token", false, at.Answers, "answer", answer, []string{"Origin", "http://evil.example"}, 403},
		{"under another name, with the token", false, at.Answers, "answer", answer, []string{"Host", "evil.example"}, 403},
		{"by a page of the same host", false, at.Answers, "answer", answer, []string{"Sec-Fetch-Site", "same-origin"}, 403},
		{"with the id of the call", true, "", "authorize", fmt.Sprintf(`{"call":{"id":%q,"session":"victim","tool":"bash","input":{"command":"git push origin main"},"cwd":%q}}`, waiting.Call.ID, d.root), nil, 400},
		{"a result of a call that was not allowed", true, "", "result", fmt.Sprintf(`{"call":%q,"ran":true}`, waiting.Call.ID), nil, 404},
		{"a server that it says is trusted", true, "", "decide", fmt.Sprintf(`{"call":{"tool":"mcp__x__y","cwd":%q,"server":{"name":"x","trusted":true}}}`, d.root), nil, 400},
	} {
		if status, text := at.request(t, tt.socket, tt.token, tt.method, tt.body, tt.more...); status != tt.want {
			t.Errorf("%s: %d %s", tt.name, status, text)
		}
	}
	d.attackOverPipe(id, answer)
	// the guards keep it from starting what would answer
	for _, command := range []string{"sayso serve --api", "sayso serve --stdio --answers", "sayso approve " + id} {
		if out, _ := d.run("sayso", "check", "bash", command); !strings.HasPrefix(out, "deny   guard.self") {
			t.Errorf("%s: %s", command, out)
		}
	}
	d.env = append(d.env, "CLAUDECODE=1")
	for _, words := range [][]string{{"sayso", "serve", "--api"}, {"sayso", "serve", "--stdio", "--answers"}} {
		if out, err := d.run(words...); err == nil || !strings.Contains(out, "says that an agent runs this") {
			t.Errorf("%s: %v %s", words, err, out)
		}
	}
	d.env = d.env[:len(d.env)-1]
	if status, text := at.request(t, true, at.Answers, "answer", fmt.Sprintf(`{"request":%q,"yes":false}`, id)); status != 200 {
		t.Errorf("a person answers: %d %s", status, text)
	}
	if waits.Scan(); !strings.Contains(waits.Text(), `"code":"person.no"`) {
		t.Errorf("it was answered %s", waits.Text())
	}
}

// attackOverPipe tries to answer through a pipe of its own, also one that may answer
// what it has asked itself.
func (d *mcpDesk) attackOverPipe(id, answer string) {
	d.t.Helper()
	for _, words := range [][]string{{"sayso", "serve", "--stdio"}, {"sayso", "serve", "--stdio", "--answers"}} {
		cmd := d.command(words...)
		in, err := cmd.StdinPipe()
		if err != nil {
			d.t.Fatal(err)
		}
		lines := d.start(cmd)
		lines.Buffer(nil, 1<<20)
		say := func(id int, method, params string) {
			if _, err := fmt.Fprintf(in, `{"id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
				d.t.Fatal(err)
			}
		}
		until := func(text string) string {
			d.t.Helper()
			for lines.Scan() {
				if strings.Contains(lines.Text(), text) {
					return lines.Text()
				}
			}
			d.t.Fatalf("%v ends before %s", words, text)
			return ""
		}
		answers := len(words) > 3
		say(1, "answer", answer)
		if got := until(`"id":1`); !strings.Contains(got, map[bool]string{false: `"forbidden"`, true: `"not_found"`}[answers]) {
			d.t.Errorf("%v: %s", words, got)
		}
		say(2, "authorize", fmt.Sprintf(`{"call":{"session":"victim","tool":"bash","input":{"command":"git push origin main"},"cwd":%q},"wait":60}`, d.root))
		ask := until(`"event":"ask"`)
		own := regexp.MustCompile(`"request":\{"id":"([A-Z0-9]+)"`).FindStringSubmatch(ask)
		if own == nil || own[1] == id {
			d.t.Fatalf("it has come to the request of another: %s", ask)
		}
		say(3, "answer", fmt.Sprintf(`{"request":%q,"yes":true,"choice":"a"}`, own[1])) // for always
		if got := until(`"id":3`); !strings.Contains(got, `"forbidden"`) {
			d.t.Errorf("%v: %s", words, got)
		}
		say(4, "answer", fmt.Sprintf(`{"request":%q,"yes":true}`, own[1]))
		if got := until(`"id":4`); strings.Contains(got, `"forbidden"`) == answers {
			d.t.Errorf("%v: %s", words, got)
		}
		if answers { // its own user has answered, for this call alone
			if got := until(`"id":2`); !strings.Contains(got, `"person.yes"`) {
				d.t.Errorf("%v: %s", words, got)
			}
		}
		_ = in.Close()
	}
	if out := d.must("sayso", "grant", "list", "--json"); bytes.Contains([]byte(out), []byte("push")) {
		d.t.Errorf("something was kept: %s", out)
	}
}

// TestAPIOwnUser: a program answers for its own user only where the policy lets the
// agent ask.
func TestAPIOwnUser(t *testing.T) {
	t.Parallel()
	for via, want := range map[string]string{"": `"result"`, "approve: {via: [agent]}\n": `"result"`, "approve: {via: [tty]}\n": `"forbidden"`, "approve: {via: [tty, web]}\n": `"forbidden"`} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			d := newMCPDesk(t, apiPolicy+via)
			cmd := d.command("sayso", "serve", "--stdio", "--answers")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			lines := d.start(cmd)
			lines.Buffer(nil, 1<<20)
			_, _ = fmt.Fprintf(in, `{"id":1,"method":"authorize","params":{"call":{"tool":"bash","input":{"command":"git push"},"cwd":%q}}}`+"\n", d.root)
			id := next(t, lines, `{"event":"ask","request":{"id":"`)
			id, _, _ = strings.Cut(id, `"`)
			_, _ = fmt.Fprintf(in, `{"id":2,"method":"answer","params":{"request":%q,"yes":true}}`+"\n", id)
			for lines.Scan() && !strings.HasPrefix(lines.Text(), `{"id":2`) {
				continue
			}
			if !strings.Contains(lines.Text(), want) {
				t.Errorf("got %s", lines.Text())
			}
			_ = in.Close()
		})
	}
}
