package journal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

// fill gives every part of a value a value of its own.
func fill(v reflect.Value, n *int, depth int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), n, depth-1)
		}
	case reflect.Struct:
		if t, ok := v.Addr().Interface().(*time.Time); ok {
			*t = time.Date(2026, 1, 2, 3, 4, *n%60, *n, time.UTC)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n, depth)
			}
		}
	case reflect.Slice:
		if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
			*raw = json.RawMessage(`{"a":["b",1,true,null]}`)
			return
		}
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), n, depth-1)
			fill(v.Index(1), n, depth-1)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"X": "y"}))
	case reflect.String:
		v.SetString("w" + strings.Repeat("é\"\\<&\n\x01\u2028", *n%3))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	}
}

// TestWritten: a record is written with all that it has, as its types say.
func TestWritten(t *testing.T) {
	var r sayso.Record
	n := 0
	fill(reflect.ValueOf(&r).Elem(), &n, 4)
	if n < 200 {
		t.Fatalf("only %d values", n)
	}
	text, err := appendMasked([]byte(`{"v":1`), r)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '}')
	var got, want sayso.Record
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	plain, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &want); err != nil {
		t.Fatal(err)
	}
	var terms sayso.Contract
	if err := json.Unmarshal(want.Terms.Canonical(), &terms); err != nil {
		t.Fatal(err)
	}
	want.Terms = &terms // what is a set is in order
	withoutExamples(want.Rule)
	withoutExamples(want.Decision.Rule)
	forSteps(want.Decision.Trace, func(s *sayso.Step) { withoutExamples(s.Rule) })
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// withoutExamples drops what the journal does not keep of a rule.
func withoutExamples(r *sayso.Rule) {
	if r != nil {
		r.Match, r.NotMatch = nil, nil
	}
}

func forSteps(list []sayso.Step, do func(*sayso.Step)) {
	for i := range list {
		do(&list[i])
		forSteps(list[i].Steps, do)
	}
}

// TestQuote: whatever an agent sends, the line is JSON and stays one line.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f\x80\xff", "a\nb\tc\rd", `"\`, "\u2028é漢🙂", strings.Repeat("\xed\xa0\x80", 3)} {
		var w writer
		w.Quote(s)
		var got string
		if err := json.Unmarshal(w.Text, &got); err != nil || strings.ContainsAny(string(w.Text), "\n\r") {
			t.Errorf("%q: %s %v", s, w.Text, err)
		}
		want, _ := json.Marshal(s)
		var expected string
		_ = json.Unmarshal(want, &expected)
		if got != expected {
			t.Errorf("%q: %q, want %q", s, got, expected)
		}
	}
}
