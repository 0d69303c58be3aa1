package config

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// TestSchema: the schema in testdata is up to date.
func TestSchema(t *testing.T) { golden(t, "testdata/schema.json", string(Schema())) }

func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(Schema(), s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// valid asks the schema about a text, read as an editor does it: a date is text.
func valid(r *jsonschema.Resolved, text []byte) error {
	docs, err := documents(text)
	if err != nil || len(docs) == 0 {
		return err
	}
	v := asJSON(docs[0])
	return r.Validate(v)
}

func asJSON(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.DocumentNode:
		return asJSON(n.Content[0])
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, kid := range n.Content {
			list = append(list, asJSON(kid))
		}
		return list
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = asJSON(n.Content[i+1])
		}
		return m
	case n.Tag == "!!null":
		return nil
	case n.Tag == "!!bool":
		return n.Value == "true"
	case n.Tag == "!!int":
		return 1.0
	}
	return n.Value
}

// TestSchemaSamples: what we read is valid for an editor, and what an editor
// would mark is not read.
func TestSchemaSamples(t *testing.T) {
	r := resolved(t)
	for _, file := range files(t, "good") {
		if err := valid(r, read(t, file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, text := range []string{
		"alow: []", "mode: x", "mode: 5", "deny: {}", "deny: [5]", "deny: ['']", "deny: ['a b(c)']", "deny: [{}]", "deny: [{rule: a, x: y}]", "deny: [{rule: a, until: tomorrow}]",
		"workspace: {x: on}", "workspace: {read: ask}", "workspace: {read: x}", "sandbox: {hosts: [a/b]}", "sandbox: {required: x}", "sandbox: {files: x}", "approve: {via: [x]}",
		"approve: {timeout: 5}", "approve: {timeout: x}", "mcp: {a: []}", "mcp: {a: {x: []}}", "mcp: {a: {ask: [5]}}", "[]", "x",
	} {
		if err := valid(r, []byte(text)); err == nil {
			t.Errorf("the schema has nothing against %q", text)
		}
		if _, err := Parse("p", []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
