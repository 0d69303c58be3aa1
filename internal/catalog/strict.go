package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/config"
)

// A KeyError says what is wrong with a configuration, and at which key, such as
// allow_rules.Bash[0].behavior.
type KeyError struct {
	Key     string
	Problem string
	Hint    string // what to write instead; may be empty
}

func (e *KeyError) Error() string {
	text := "config"
	if e.Key != "" {
		text += ": " + e.Key
	}
	text += ": " + e.Problem
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// A value is a part of a configuration with the key that it stands at. Its
// methods note what is wrong in errs, and go on.
type value struct {
	key  string
	raw  json.RawMessage
	errs *[]error
}

func (v value) wrong(problem, hint string) {
	*v.errs = append(*v.errs, &KeyError{v.key, problem, hint})
}

func (v value) want(what string) {
	kinds := map[byte]string{'{': "keys and values", '[': "a list", '"': "text", 't': "true", 'f': "false", 'n': "null"}
	kind, ok := kinds[v.first()]
	if !ok {
		kind = "a number"
	}
	v.wrong("want "+what+", not "+kind, "")
}

func (v value) first() byte {
	if text := bytes.TrimSpace(v.raw); len(text) > 0 {
		return text[0]
	}
	return 'n'
}

// null reports whether there is no value.
func (v value) null() bool { return v.first() == 'n' }

// text reads text; none is empty.
func (v value) text() string {
	var s string
	if !v.null() && json.Unmarshal(v.raw, &s) != nil {
		v.want("text")
	}
	return s
}

// flag reads true or false; none is false.
func (v value) flag() bool {
	var b bool
	if !v.null() && json.Unmarshal(v.raw, &b) != nil {
		v.want("true or false")
	}
	return b
}

// list reads a list; none is empty.
func (v value) list() []value {
	var raw []json.RawMessage
	if !v.null() && json.Unmarshal(v.raw, &raw) != nil {
		v.want("a list")
	}
	out := make([]value, len(raw))
	for i := range raw {
		out[i] = value{fmt.Sprintf("%s[%d]", v.key, i), raw[i], v.errs}
	}
	return out
}

// table reads keys of the writer's own, in their order.
func (v value) table() (keys []string, values map[string]value) {
	values = map[string]value{}
	if v.null() {
		return nil, values
	}
	if v.first() != '{' {
		v.want("keys and values")
		return nil, values
	}
	dec := json.NewDecoder(bytes.NewReader(v.raw))
	_, _ = dec.Token() // the brace
	for dec.More() {
		token, _ := dec.Token()
		key, _ := token.(string)
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break // it was JSON as a whole
		}
		at := value{strings.TrimPrefix(v.key+"."+key, "."), raw, v.errs}
		if _, twice := values[key]; twice {
			at.wrong("it is given twice", "")
			continue
		}
		keys, values[key] = append(keys, key), at
	}
	return keys, values
}

// fields reads a mapping with these keys; others are mistakes. A key that is not
// given has no value.
func (v value) fields(known ...string) map[string]value {
	keys, values := v.table()
	for _, key := range keys {
		if !slices.Contains(known, key) {
			hint := config.DidYouMean(key, known)
			if hint == "" {
				hint = "want " + strings.Join(known, ", ")
			}
			values[key].wrong("unknown key", hint)
		}
	}
	for _, key := range known {
		if _, ok := values[key]; !ok {
			values[key] = value{strings.TrimPrefix(v.key+"."+key, "."), nil, v.errs}
		}
	}
	return values
}
