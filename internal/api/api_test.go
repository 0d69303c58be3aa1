package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/api"
)

// service decides by the name of the tool.
func service(withdrawn *atomic.Bool) *api.Service {
	decide := func(call sayso.Call) (sayso.Decision, error) {
		switch call.Tool {
		case "good":
			return sayso.Decision{Effect: sayso.Allow, Code: "ok"}, nil
		case "breaks":
			return sayso.Decision{Effect: sayso.Allow}, errors.New("no journal")
		case "panics":
			panic("oh")
		}
		return sayso.Decision{Effect: sayso.Deny, Code: "no"}, nil
	}
	return &api.Service{
		Decide: func(_ context.Context, call sayso.Call) (sayso.Decision, error) { return decide(call) },
		Authorize: func(ctx context.Context, call sayso.Call, _ time.Duration, _ bool, opened func(sayso.Request)) (sayso.Decision, error) {
			if call.Tool != "asks" {
				return decide(call)
			}
			opened(sayso.Request{ID: "R1", Call: call})
			<-ctx.Done()
			withdrawn.Store(true)
			return sayso.Decision{Effect: sayso.Deny, Code: "person.none"}, nil
		},
		Note:    func(context.Context, sayso.Call, sayso.Result) error { return nil },
		Waiting: func(context.Context) ([]sayso.Request, error) { return []sayso.Request{{ID: "R2"}}, nil },
		Answer:  func(context.Context, sayso.Request, api.Answer, bool) error { return nil },
	}
}

// TestLines: each line gets its answer, whatever it is, and only what is allowed is
// told to be.
func TestLines(t *testing.T) {
	call := func(tool string) string {
		return `{"id":1,"method":"authorize","params":{"call":{"tool":"` + tool + `","cwd":"/w"}}}`
	}
	for _, tt := range []struct{ name, send, want string }{
		{"allowed", call("good"), `"effect":"allow"`},
		{"denied", call("bad"), `"effect":"deny"`},
		{"an error with an allow", call("breaks"), `{"id":1,"error":{"code":"failed","message":"no journal"}}`},
		{"a panic", call("panics"), `"message":"sayso failed: oh"`},
		{"a text as id", `{"id":"x","method":"decide","params":{"call":{"tool":"good","cwd":"/w"}}}`, `{"id":"x","result":`},
		{"no JSON", `hello`, `{"id":null,"error":{"code":"usage"`},
		{"no id", `{"method":"decide"}`, `{"id":null,"error":{"code":"usage"`},
		{"an object as id", `{"id":{},"method":"decide"}`, `{"id":null,"error":{"code":"usage"`},
		{"a negative id", `{"id":-1,"method":"requests"}`, `{"id":-1,"result":`},
		{"no method", `{"id":1}`, `method is missing`},
		{"a method in other letters", `{"id":1,"method":"Decide"}`, `there is no method`},
		{"an unknown key", `{"id":1,"method":"decide","params":{},"more":1}`, `"code":"usage"`},
		{"a key twice", `{"id":1,"method":"decide","method":"authorize"}`, `"code":"usage"`},
		{"a key twice, inside", `{"id":"i","method":"decide","params":{"call":{"tool":"good","input":{"a":1,"a":2},"cwd":"/w"}}}`, `{"id":"i","error":{"code":"usage"`},
		{"a key in other letters", `{"id":1,"method":"decide","params":{"Call":{"tool":"good","cwd":"/w"}}}`, `call is missing`},
		{"a key in other letters besides", `{"id":1,"method":"decide","params":{"call":{"tool":"bad","cwd":"/w"},"CALL":{"tool":"good","cwd":"/w"}}}`, `nobody knows the key \"CALL\"; known are call, explain`},
		{"one inside", `{"id":1,"method":"decide","params":{"call":{"tool":"bad","Tool":"good","cwd":"/w"}}}`, `\"call.Tool\"`},
		{"trust that is claimed", `{"id":1,"method":"decide","params":{"call":{"tool":"bad","cwd":"/w","server":{"name":"x","trusted":true}}}}`, `\"call.server.trusted\"`},
		{"an answer that says nothing", `{"id":1,"method":"answer","params":{"request":"R2"}}`, `"message":"yes is missing"`},
		{"a result that says nothing", `{"id":1,"method":"result","params":{"call":"api-x"}}`, `"message":"ran is missing"`},
		{"a text for a number", `{"id":1,"method":"authorize","params":{"call":{"tool":"good","cwd":"/w"},"wait":"5"}}`, `wait: want a number`},
		{"a number for a text", `{"id":1,"method":"decide","params":{"call":{"tool":5,"cwd":"/w"}}}`, `call.tool: want a text`},
		{"a text for a truth", `{"id":1,"method":"decide","params":{"call":{"tool":"good","cwd":"/w"},"explain":"yes"}}`, `explain: want true or false`},
		{"a list for an object", `{"id":1,"method":"decide","params":{"call":[]}}`, `call: want an object`},
		{"half a byte", `{"id":1,"method":"result","params":{"call":"api-x","ran":true,"output":0.5}}`, `output: want a whole number`},
		{"nested deep", `{"id":1,"method":"decide","params":` + strings.Repeat(`[`, 100_000) + `}`, `"code":"usage"`},
		{"an answer", `{"id":1,"method":"answer","params":{"request":"R2","yes":true}}`, `"code":"forbidden"`},
		{"what others have asked", `{"id":1,"method":"requests"}`, `{"requests":[]}`},
		{"the end of something else", `{"id":1,"method":"cancel","params":{"id":5}}`, `"code":"not_found"`},
		{"a result of nothing", `{"id":1,"method":"result","params":{"call":"api-x","ran":true}}`, `"code":"not_found"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := service(nil).Lines(t.Context(), strings.NewReader("\n"+tt.send+"\n"), &out, false); err != nil {
				t.Fatal(err)
			}
			if strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), tt.want) {
				t.Errorf("got %s", out.String())
			}
		})
	}
}

// TestTooLong: a line that is too long ends it.
func TestTooLong(t *testing.T) {
	var out strings.Builder
	if err := service(nil).Lines(t.Context(), strings.NewReader(strings.Repeat("x", 17<<20)), &out, false); err == nil || !strings.Contains(out.String(), `"failed"`) {
		t.Errorf("got %v, %s", err, out.String())
	}
}

// TestWithdrawn: what a program no longer waits for is withdrawn: it says so, or is
// gone.
func TestWithdrawn(t *testing.T) {
	for _, end := range []string{`{"id":2,"method":"cancel","params":{"id":1}}` + "\n", ""} {
		var withdrawn atomic.Bool
		in, say := io.Pipe()
		heard, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- service(&withdrawn).Lines(t.Context(), in, out, true)
			_ = out.Close()
		}()
		lines := bufio.NewScanner(heard)
		_, _ = fmt.Fprintln(say, `{"id":1,"method":"authorize","params":{"call":{"tool":"asks","cwd":"/w"}}}`)
		if lines.Scan(); !strings.HasPrefix(lines.Text(), `{"event":"ask","request":{"id":"R1"`) {
			t.Fatalf("told %s", lines.Text())
		}
		rest := make(chan string, 1)
		go func() {
			all := ""
			for lines.Scan() {
				all += lines.Text() + "\n"
				if strings.Contains(lines.Text(), `{"id":1,`) {
					_ = say.Close()
				}
			}
			rest <- all
		}()
		if end != "" {
			_, _ = fmt.Fprint(say, end) // it reads as long as it runs
		} else {
			_ = say.Close()
		}
		if err := <-done; err != nil || !withdrawn.Load() {
			t.Errorf("%q: %v, withdrawn %v", end, err, withdrawn.Load())
		}
		if all := <-rest; !strings.Contains(all, `{"event":"closed","id":"R1"}`) || !strings.Contains(all, `"effect":"deny"`) {
			t.Errorf("%q: told %s", end, all)
		}
	}
}

// TestDecidedAtTheEnd: a program may write what is to be decided, close its pipe and
// read the answers. The input ends before the decision begins.
func TestDecidedAtTheEnd(t *testing.T) {
	s := service(nil)
	ended := make(chan struct{})
	s.Decide = func(ctx context.Context, _ sayso.Call) (sayso.Decision, error) {
		<-ended
		select {
		case <-ctx.Done():
			return sayso.Decision{}, ctx.Err()
		case <-time.After(100 * time.Millisecond): // time for what must not happen
		}
		return sayso.Decision{Effect: sayso.Allow, Code: "ok"}, nil
	}
	var out strings.Builder
	in := io.MultiReader(strings.NewReader(`{"id":1,"method":"decide","params":{"call":{"tool":"good","cwd":"/w"}}}`+"\n"), closes{ended})
	if err := s.Lines(t.Context(), in, &out, false); err != nil || !strings.Contains(out.String(), `"effect":"allow"`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

// closes is an input that ends, and tells that it does.
type closes struct{ ended chan struct{} }

func (c closes) Read([]byte) (int, error) {
	close(c.ended)
	return 0, io.EOF
}

// TestEvents: a person is told what waits and what is decided; a program is not.
func TestEvents(t *testing.T) {
	s := service(nil)
	h := httptest.NewServer(s.Handler(api.Tokens{Agent: "a", Person: "p"}, nil))
	defer h.Close()
	get := func(token string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/v1/events", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	if resp := get("a"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a program is answered %s", resp.Status)
	}
	resp := get("p")
	defer resp.Body.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(resp.Body)
	lines.Scan() // it is there, and so what is decided now is told
	if err := s.Lines(t.Context(), strings.NewReader(`{"id":1,"method":"decide","params":{"call":{"tool":"bad","cwd":"/w"}}}`), io.Discard, false); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{`data: {"event":"ask","request":{"id":"R2"`: true, `data: {"event":"decided","call":"api-`: true}
	for len(want) > 0 && lines.Scan() {
		for w := range want {
			if strings.HasPrefix(lines.Text(), w) {
				delete(want, w)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
}
