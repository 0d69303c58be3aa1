// Package plainjson reads and writes JSON without looking at Go types.
//
// A hook is a new process for each call of an agent. The first value of a type that
// encoding/json decodes or encodes takes longer than all the rest that a hook does
// with it, because the type must be taken apart first. What is read here is checked
// by encoding/json and then only cut into pieces.
package plainjson

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// A Value is one value of a text that was checked; see [Parse].
type Value []byte

// Parse checks that the text is one JSON value, and returns it without the blanks
// around it.
func Parse(text []byte) (Value, error) {
	if !json.Valid(text) {
		var v any
		if err := json.Unmarshal(text, &v); err != nil { // it says what is wrong, and where
			return nil, err
		}
		return nil, errors.New("it is no JSON")
	}
	from := skip(text, 0)
	return text[from:end(text, from)], nil
}

// A Field is one key of an object, and its value.
type Field struct {
	Key   string
	Value Value
}

// Fields are the fields of an object, in order. A key may stand there twice. Null
// has none, as for encoding/json; what is no object is an error.
func (v Value) Fields() ([]Field, error) {
	if v.Null() {
		return nil, nil
	}
	if v[0] != '{' {
		return nil, errors.New("it is no object")
	}
	out := make([]Field, 0, 12)
	for at := skip(v, 1); v[at] != '}'; {
		to := end(v, at)
		key, err := v[at:to].Text()
		if err != nil {
			return nil, err
		}
		from := skip(v, skip(v, to)+1) // behind the colon
		to = end(v, from)
		out = append(out, Field{key, v[from:to]})
		at = next(v, to)
	}
	return out, nil
}

// Get is the value of a key; the last one counts, as for encoding/json. Nil: there
// is none.
func Get(fields []Field, key string) Value {
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].Key == key {
			return fields[i].Value
		}
	}
	return nil
}

// Items are the items of a list. Null has none; what is no list is an error.
func (v Value) Items() ([]Value, error) {
	if v.Null() {
		return nil, nil
	}
	if v[0] != '[' {
		return nil, errors.New("it is no list")
	}
	var out []Value
	for at := skip(v, 1); v[at] != ']'; {
		to := end(v, at)
		out = append(out, v[at:to])
		at = next(v, to)
	}
	return out, nil
}

// Null reports whether it is null.
func (v Value) Null() bool { return v[0] == 'n' }

// Text is what a string says. Null is empty; what is no string is an error.
func (v Value) Text() (string, error) {
	switch {
	case v.Null():
		return "", nil
	case v[0] != '"':
		return "", errors.New("it is no string")
	}
	for _, c := range v[1 : len(v)-1] {
		if c == '\\' || c >= utf8.RuneSelf {
			var s string
			err := json.Unmarshal(v, &s)
			return s, err
		}
	}
	return string(v[1 : len(v)-1]), nil
}

// Bool is the value of true and false; null is false.
func (v Value) Bool() (bool, error) {
	switch string(v) {
	case "true":
		return true, nil
	case "false", "null":
		return false, nil
	}
	return false, errors.New("it is neither true nor false")
}

// Int is a whole number. Null is 0; what is no whole number is an error.
func (v Value) Int() (int, error) {
	if v.Null() {
		return 0, nil
	}
	return strconv.Atoi(string(v))
}

// skip returns where the blanks from i on end.
func skip(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return i
}

// next returns where the next element begins, or the end of them, behind one that
// ends at i.
func next(v []byte, i int) int {
	if i = skip(v, i); v[i] == ',' {
		return skip(v, i+1)
	}
	return i
}

// end returns where the value that begins at i ends.
func end(v []byte, i int) int {
	for depth := 0; i < len(v); {
		switch v[i] {
		case '"':
			i = quoted(v, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default:
			i = word(v, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// quoted returns where the string that begins at i ends.
func quoted(v []byte, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// word returns where the number, or true, false or null, that begins at i ends.
func word(v []byte, i int) int {
	for i < len(v) {
		switch v[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}
