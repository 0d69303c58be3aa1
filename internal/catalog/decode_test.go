package catalog

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNest: a dotted key is the nested key, and the order of keys is kept.
func TestNest(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{}`, `{}`},
		{`null`, `{}`},
		{`{"b":1,"a":[2]}`, `{"b":1,"a":[2]}`},
		{`{"a.b":1}`, `{"a":{"b":1}}`},
		{`{"a.b":1,"c":2,"a.d.e":3}`, `{"a":{"b":1,"d":{"e":3}},"c":2}`},
	}
	for _, test := range tests {
		if got, err := nest(json.RawMessage(test.in)); err != nil || string(got) != test.want {
			t.Errorf("nest(%s) = %s, %v", test.in, got, err)
		}
	}
	for in, want := range map[string]string{
		``: "EOF", `[]`: "want a JSON object", `{"a":1,"a":2}`: "twice", `{"a":1,"a.b":2}`: "twice", `{"a.b":1,"a":{}}`: "twice",
		`{"a":1} x`: "behind", `{"a":`: "EOF", `{"a":1`: "EOF", `{3:4}`: "invalid",
	} {
		if _, err := nest(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nest(%s): %v", in, err)
		}
	}
}

// TestDecode: a configuration is read strictly.
func TestDecode(t *testing.T) {
	type config struct {
		Tools struct {
			Safe []string `json:"safe"`
		} `json:"tools"`
	}
	var c config
	if err := decode(json.RawMessage(`{"tools.safe":["a"]}`), &c); err != nil || len(c.Tools.Safe) != 1 {
		t.Errorf("%+v %v", c, err)
	}
	if err := decode(nil, &c); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{`{"tool":1}`, `{"tools.save":[]}`, `{"tools":3}`, `[]`} {
		if err := decode(json.RawMessage(bad), &c); err == nil {
			t.Errorf("%s is a configuration", bad)
		}
	}
}
