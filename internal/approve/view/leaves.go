package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A leaf is one value of the input of a tool that is no object or list.
type leaf struct {
	group, key string // edits[0], and old_string
	path       string // both: edits[0].old_string
	text       string
	quoted     bool // it is a string, not a number, true, false, null, or what is empty
}

// leaves takes the input of a tool apart, in the order in which it came, keys that
// are given twice included. What is no JSON is one text, and not ok.
func leaves(input json.RawMessage) (out []leaf, ok bool) {
	if len(input) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	r := &leafReader{d: d}
	if err := r.value(leaf{}); err != nil || d.More() || d.InputOffset() != int64(len(bytes.TrimRight(input, " \t\r\n"))) {
		return []leaf{{path: "input", text: string(input)}}, false
	}
	return r.out, true
}

type leafReader struct {
	d   *json.Decoder
	out []leaf
}

// value reads a value whose place is that of at.
func (r *leafReader) value(at leaf) error {
	token, err := r.d.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return r.object(at)
		}
		return r.list(at)
	case string:
		at.text, at.quoted = t, true
	case nil:
		at.text = "null"
	default:
		at.text = fmt.Sprint(t)
	}
	r.out = append(r.out, at)
	return nil
}

func (r *leafReader) object(at leaf) error {
	some := false
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		name := fmt.Sprint(key)
		inner := leaf{group: at.path, key: name, path: name}
		if at.path != "" {
			inner.path = at.path + "." + name
		}
		if err := r.value(inner); err != nil {
			return err
		}
		some = true
	}
	return r.end(at, "{}", some)
}

func (r *leafReader) list(at leaf) error {
	n := 0
	for ; r.d.More(); n++ {
		path := at.path + "[" + strconv.Itoa(n) + "]"
		if err := r.value(leaf{group: at.path, key: "", path: path}); err != nil {
			return err
		}
	}
	return r.end(at, "[]", n > 0)
}

// end reads the end of an object or a list; an empty one is a value, too.
func (r *leafReader) end(at leaf, empty string, some bool) error {
	if _, err := r.d.Token(); err != nil {
		return err
	}
	if !some && at.path != "" {
		at.text = empty
		r.out = append(r.out, at)
	}
	return nil
}
