package scripted

import (
	"encoding/json"
	"maps"
	"strings"
)

// list is what a request has under a name, as objects.
func list(in any, name string) []object {
	o, _ := in.(object)
	items, _ := o[name].([]any)
	var out []object
	for _, item := range items {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// textOf is the text in what a tool has returned, whatever form it has.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = textOf(v[i])
		}
		return strings.Join(parts, "\n")
	case object:
		for _, name := range []string{"text", "output", "content"} {
			if inner, ok := v[name]; ok {
				return textOf(inner)
			}
		}
	}
	return jsonText(v)
}

func jsonText(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came as JSON, or is made of texts and numbers
	}
	return string(out)
}

// with is an object with some values changed.
func with(o object, changes object) object {
	out := maps.Clone(o)
	maps.Copy(out, changes)
	return out
}
