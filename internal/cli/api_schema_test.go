package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso/internal/api"
)

// An openAPI is what docs/openapi.yaml says.
type openAPI struct {
	Paths map[string]map[string]struct {
		RequestBody body `yaml:"requestBody"`
		Responses   map[string]body
	}
	Components struct {
		Schemas map[string]any
	}
}

type body struct {
	Ref     string `yaml:"$ref"`
	Content map[string]struct{ Schema map[string]string }
}

// schema is the name of what a body holds.
func (b body) schema() string {
	for _, c := range b.Content {
		return strings.TrimPrefix(c.Schema["$ref"], "#/components/schemas/")
	}
	return ""
}

func readOpenAPI(t *testing.T) openAPI {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc openAPI
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// fits checks a text against a schema of the document.
func (doc openAPI) fits(t *testing.T, name, text string) error {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": doc.Components.Schemas})
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "#/components/schemas/", "#/$defs/")), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

// TestAPISchema: what is documented is what is served: each method, what it takes and
// what it answers.
func TestAPISchema(t *testing.T) {
	t.Parallel()
	doc := readOpenAPI(t)
	if len(doc.Paths) != len(api.Methods) {
		t.Errorf("%d paths are documented, want %d", len(doc.Paths), len(api.Methods))
	}
	for path := range doc.Paths {
		if !slices.Contains(api.Methods, strings.TrimPrefix(path, "/v1/")) {
			t.Errorf("%s is not served", path)
		}
	}
	d := newMCPDesk(t, apiPolicy)
	at := d.api()
	call := fmt.Sprintf(`{"tool":"bash","input":{"command":"echo hi"},"cwd":%q,"session":"s","agent":"a","subagent":"b"}`, d.root)
	id := ""
	for _, tt := range []struct {
		method, body string
		status       int
	}{
		{"decide", `{"call":` + call + `,"explain":true}`, 200},
		{"decide", fmt.Sprintf(`{"call":{"tool":"mcp__x__y","cwd":%q,"server":{"name":"x","readOnly":true,"destructive":false}}}`, d.root), 200},
		{"authorize", `{"call":` + call + `,"wait":5}`, 200},
		{"result", `{"call":"ID","ran":true,"exit":1,"error":"e","output":7}`, 200},
		{"result", `{"call":"ID","ran":true}`, 404}, // once
		{"requests", "", 200},
		{"answer", `{"request":"none","yes":true,"choice":"","contract":""}`, 404},
		{"decide", `{"call":{"tool":"","cwd":"/"}}`, 400},
		{"decide", `{"call":{"tool":"bash","cwd":"relative"}}`, 400},
		{"decide", `{"call":` + call + `,"other":1}`, 400},
		{"decide", `{"call":` + call + `,"call":` + call + `}`, 400},
		{"decide", `{"call":` + call + `} {}`, 400},
		{"authorize", `{"call":` + call + `,"wait":-1}`, 400},
	} {
		verb, sent := "post", strings.ReplaceAll(tt.body, `"ID"`, fmt.Sprintf("%q", id))
		if tt.body == "" {
			verb = "get"
		}
		status, got := at.request(t, true, at.Answers, tt.method, sent)
		if status != tt.status {
			t.Errorf("%s %s: %d %s", tt.method, sent, status, got)
		}
		says := doc.Paths["/v1/"+tt.method][verb]
		if tt.status != 400 && verb == "post" {
			if err := doc.fits(t, says.RequestBody.schema(), sent); err != nil {
				t.Errorf("%s takes %s, which is documented otherwise: %v", tt.method, sent, err)
			}
		}
		want := "Failure"
		if status == 200 {
			want = says.Responses["200"].schema()
		}
		if err := doc.fits(t, want, got); err != nil {
			t.Errorf("%s answers %s, which is documented otherwise: %v", tt.method, got, err)
		}
		var decided api.Decided
		if json.Unmarshal([]byte(got), &decided) == nil && decided.Call != "" {
			id = decided.Call
		}
	}
	if err := doc.fits(t, "Decided", `{"call":"x","decision":{"effect":"perhaps"}}`); err == nil {
		t.Error("the schemas take anything")
	}
	if status, _ := at.request(t, true, "", "nothing", "{}"); status != 404 {
		t.Errorf("a method that there is not: %d", status)
	}
	if status, _ := at.request(t, true, "", "decide", ""); status != 405 {
		t.Errorf("a method in another way: %d", status)
	}
	if info, err := os.Stat(at.Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	if out, err := d.run("sayso", "serve", "--api"); err == nil || !strings.Contains(out, "runs already") {
		t.Errorf("a second one: %v %s", err, out)
	}
}
