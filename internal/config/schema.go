package config

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema of policy files, for editors. It is made from
// the types that the decoder reads into, so it knows the same keys.
func Schema() []byte {
	s, err := schema()
	if err != nil {
		panic("config: bug: " + err.Error()) // depends on the types alone, and is tested
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		panic("config: bug: " + err.Error())
	}
	return b.Bytes()
}

func schema() (*jsonschema.Schema, error) {
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[ruleText](): {Type: "string", Pattern: `^[^\s()]+(\([\s\S]*\S[\s\S]*\))?$`},
		reflect.TypeFor[host]():     {Type: "string", Pattern: `^[^\s/(){}]+$`},
		reflect.TypeFor[until]():    {Type: "string", Pattern: `^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$`},
		reflect.TypeFor[duration](): {Type: "string", Pattern: `^(\d+(\.\d+)?(h|m|s|ms))+$`},
	}
	for _, w := range []worded{presetName(""), modeName(""), onOff(""), onOffAsk(""), fileAccess(""), programs(""), channel(""), offer("")} {
		types[reflect.TypeOf(w)] = words(w)
	}
	opts := &jsonschema.ForOptions{TypeSchemas: types}
	long, err := jsonschema.For[longForm](opts)
	if err != nil {
		return nil, err
	}
	types[reflect.TypeFor[entry]()] = &jsonschema.Schema{OneOf: []*jsonschema.Schema{types[reflect.TypeFor[ruleText]()].CloneSchemas(), long}}
	s, err := jsonschema.For[document](opts)
	if err != nil {
		return nil, err
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "sayso policy"
	s.Types, s.Type = []string{"null", "object"}, "" // a file may be empty
	mcp := s.Properties["mcp"]
	mcp.Types, mcp.Type = []string{"null", "object"}, ""
	mcp.AdditionalProperties.Types, mcp.AdditionalProperties.Type = []string{"null", "object"}, ""
	return s, nil
}

// words is the schema of a closed list. The decoder takes true and false for on
// and off, as other programs do.
func words(w worded) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, word := range w.words() {
		s.Enum = append(s.Enum, word)
	}
	if s.Enum[0] == "on" {
		s.Enum = append(s.Enum, true, false)
	}
	return s
}
