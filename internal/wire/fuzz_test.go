package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/internal/wire"
)

// FuzzWire: whatever stands in settings, wiring changes nothing else in them, and taken
// out again nothing is left of it and nothing is lost.
func FuzzWire(f *testing.F) {
	for _, text := range []string{
		"{}", "{\n// x\n}", "{\"a\": [1, 2, /* c */ 3,], }", "{\"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"command\": \"x\"}, ] }, // y\n]}}",
		"{\"hooks\":{\"preToolUse\":[{\"bash\":\"x\"}]},\"version\":1}", "{\"a\":\"// \\\" no\"}", "{\r\n\t\"hooks\": {}\r\n}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, err := jsontext.ParseCommented([]byte(text))
		if err != nil {
			return
		}
		for _, name := range []string{"gemini", "copilot"} {
			a, _ := wire.Find(name)
			if found, err := a.Find([]byte(text), wire.User); err != nil || len(found) > 0 {
				continue // it is wired already
			}
			wired, err := a.Wire([]byte(text), wire.User, call)
			if err != nil {
				continue // hooks is no object
			}
			if again, err := a.Wire(wired, wire.User, call); err != nil || !bytes.Equal(again, wired) {
				t.Fatalf("%s: again: %v\n%s\n%s", name, err, wired, again)
			}
			back, err := a.Unwire(wired, wire.User)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, wired)
			}
			if back == nil {
				back = []byte("{}")
			}
			after, err := jsontext.ParseCommented(back)
			if err != nil {
				t.Fatalf("%s: %v\n%s\n%s", name, err, wired, back)
			}
			if want, got := plain(before, text), plain(after, string(back)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v\n%s\n%s", name, got, want, text, back)
			}
		}
	})
}

// plain is what settings say, without what is empty in their hooks.
func plain(root *jsontext.Value, text string) map[string]any {
	out := map[string]any{}
	for _, m := range root.Members {
		if m.Key == "version" && len(root.Members) == 1 {
			continue
		}
		if m.Key != "hooks" {
			out[m.Key] = raw(m.Value, text)
			continue
		}
		for _, event := range m.Value.Members {
			for i, item := range event.Value.Items {
				out["hooks."+event.Key+string(rune('0'+i))] = raw(item, text)
			}
		}
	}
	return out
}

// raw is a value as it stands there, if it is plain JSON, without blanks.
func raw(v *jsontext.Value, text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(v.Raw([]byte(text)))) != nil {
		return v.Raw([]byte(text))
	}
	return b.String()
}
