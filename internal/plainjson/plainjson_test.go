package plainjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sayso-dev/sayso/internal/plainjson"
)

// seeds are texts with everything that JSON has.
var seeds = []string{
	`{}`, `[]`, `null`, ` { "a" : 1 , "b":[ 1,2 , {"c":"}"} ] , "a":"x\"\\" } `, `{"a":{"b":{"c":[[[]]]}},"é":"ü\u00fc","":null}`,
	`"x"`, `-1.5e+7`, `true`, `[null,true,false,"]","[",-1]`, "\"\xff\"", `{"\u0061":"\ud83d\ude00\ud800"}`, `{"a":1`, ``, `{"a"}`, `[1,]`, "{\"a\":\"\n\"}",
	`{"<&>":"\u2028"}`, "{\"a\" :\t[\r\n]}",
}

// FuzzRead: what is read is what encoding/json reads.
func FuzzRead(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, bad := decode(text)
		v, err := plainjson.Parse(text)
		if (bad == nil) != (err == nil) {
			t.Fatalf("%q: %v, and encoding/json says %v", text, err, bad)
		}
		if err == nil {
			if got := tree(t, v); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: %v, and encoding/json says %v", text, got, want)
			}
		}
	})
}

// tree reads a value as encoding/json does.
func tree(t *testing.T, v plainjson.Value) any {
	t.Helper()
	switch v[0] {
	case '{':
		fields, err := v.Fields()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]any{}
		for _, field := range fields {
			out[field.Key] = tree(t, plainjson.Get(fields, field.Key))
		}
		return out
	case '[':
		items, err := v.Items()
		if err != nil {
			t.Fatal(err)
		}
		out := []any{}
		for _, item := range items {
			out = append(out, tree(t, item))
		}
		return out
	case '"':
		s, err := v.Text()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	out, err := decode(v)
	if err != nil {
		t.Fatalf("%q: %v", v, err)
	}
	return out
}

// decode is encoding/json, for numbers of any size.
func decode(text []byte) (v any, err error) {
	if !json.Valid(text) {
		return nil, json.Unmarshal(text, &v)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// FuzzCanonical: an object that is written with its keys in order reads as
// encoding/json writes it.
func FuzzCanonical(f *testing.F) {
	for _, s := range append(seeds, `{"b":"<x>","a":true,"c":null,"b":"y","n":120000,"z":0}`, `{"n":-0}`, `{"n":1.0}`, `{"n":1e3}`, `{"n":12345678901234567890}`, `{"n":00}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := plainjson.Canonical(nil, text)
		if !ok {
			return
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want, err := json.Marshal(v)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%q: %s, and encoding/json writes %s %v", text, got, want, err)
		}
	})
}

// TestFlat: the inputs of most tools are flat.
func TestFlat(t *testing.T) {
	for text, want := range map[string]bool{
		`{"command":"ls","timeout":120000,"run_in_background":false,"x":null}`: true, `{}`: true, `{"a":[]}`: false, `{"a":{}}`: false, `{"a":1.5}`: false, `{"a":-1}`: false,
		`{"a":1234567890123456}`: false, `[]`: false, `null`: false, `"a"`: false, `{`: false, ``: false,
	} {
		if _, ok := plainjson.Flat([]byte(text)); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}

// FuzzWrite: what is written is what encoding/json writes.
func FuzzWrite(f *testing.F) {
	for _, s := range append(seeds, "a<b>&c\u2028\u2029\x00\x1f\b\f\n\r\t\"\\\xff\xc3é\x7f") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := plainjson.AppendText([]byte("x"), s, true); string(got) != "x"+string(want) {
			t.Fatalf("%s, and encoding/json writes %s", got, want)
		}
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := plainjson.AppendText(nil, s, false); string(got)+"\n" != plain.String() {
			t.Fatalf("%s, and encoding/json writes %s", got, plain.String())
		}
	})
}

// TestKinds: a value of another kind than is wanted is an error, and null is empty.
func TestKinds(t *testing.T) {
	for _, text := range []string{`{"a":1}`, `[1]`, `"x"`, `1`, `true`} {
		v, err := plainjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, object := v.Fields()
		_, list := v.Items()
		_, word := v.Text()
		_, number := v.Int()
		got := [...]bool{object == nil, list == nil, word == nil, number == nil}
		if want := [...]bool{v[0] == '{', v[0] == '[', v[0] == '"', v[0] == '1'}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	null, err := plainjson.Parse([]byte(" null "))
	if err != nil {
		t.Fatal(err)
	}
	fields, e1 := null.Fields()
	items, e2 := null.Items()
	text, e3 := null.Text()
	number, e4 := null.Int()
	if len(fields) != 0 || len(items) != 0 || text != "" || number != 0 || e1 != nil || e2 != nil || e3 != nil || e4 != nil {
		t.Errorf("null: %v %v %q %d", fields, items, text, number)
	}
}
