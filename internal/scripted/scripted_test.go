package scripted_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/scripted"
)

type object = map[string]any

// TestProtocols: in each protocol the model wants the call of the script, hears what
// came of it, and is done.
func TestProtocols(t *testing.T) {
	tools := []any{object{"name": "run", "functionDeclarations": []any{object{"name": "run"}}}}
	for path, told := range map[string]object{
		"/v1/messages": {"messages": []any{
			object{"role": "assistant", "content": []any{object{"type": "tool_use", "id": "toolu_call_step0_n0"}}},
			object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": "toolu_call_step0_n0", "content": []any{object{"type": "text", "text": "it was denied"}}}}},
		}},
		"/v1/responses": {"input": []any{
			object{"type": "function_call", "call_id": "call_step0_n0"},
			object{"type": "function_call_output", "call_id": "call_step0_n0", "output": "it was denied"},
		}},
		"/v1/chat/completions": {"messages": []any{
			object{"role": "assistant", "tool_calls": []any{object{"id": "call_step0_n0"}}},
			object{"role": "tool", "tool_call_id": "call_step0_n0", "content": "it was denied"},
		}},
		"/v1beta/models/m:generateContent": {"contents": []any{ // without the names of calls
			object{"role": "model", "parts": []any{object{"functionCall": object{"name": "run"}}}},
			object{"role": "user", "parts": []any{object{"functionResponse": object{"name": "run", "response": object{"error": "it was denied"}}}}},
		}},
		"/v1beta/models/m:streamGenerateContent": {"contents": []any{
			object{"role": "user", "parts": []any{object{"functionResponse": object{"id": "call_step0_n0", "response": object{"output": "it was denied"}}}}},
		}},
	} {
		for _, stream := range []bool{false, true} {
			m, err := scripted.Start([]scripted.Call{{Name: "run", Input: object{"command": "ls -l"}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := post(t, m.URL+path, object{}); !strings.Contains(got, "done") {
				t.Errorf("%s: without tools it says %s", path, got)
			}
			if got := post(t, m.URL+path, object{"tools": tools, "stream": stream}); !strings.Contains(got, "call_step0_n0") || !strings.Contains(got, "ls -l") {
				t.Errorf("%s: first it says %s", path, got)
			}
			told["tools"], told["stream"] = tools, stream
			if got := post(t, m.URL+path, told); !strings.Contains(got, "done") || strings.Contains(got, "ls -l") {
				t.Errorf("%s: then it says %s", path, got)
			}
			post(t, m.URL+path, told) // again: nothing is told twice
			if r := m.Results(); len(r) != 1 || r[0].Text != "it was denied" {
				t.Errorf("%s: it was told %v", path, r)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func post(t *testing.T, url string, body object) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close() //nolint:errcheck // it was read whole
	out, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %s", url, r.Status, err, out)
	}
	return string(out)
}
