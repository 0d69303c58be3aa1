package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode reads a configuration strictly: a key that is not known, or given
// twice, is an error. A dotted key is the nested key.
func decode(raw json.RawMessage, into any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	flat, err := nest(raw)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(flat))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}

// nest writes the dotted keys of an object as nested ones.
func nest(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	open, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if open == nil {
		return json.RawMessage("{}"), nil
	}
	if open != json.Delim('{') {
		return nil, errors.New("config: want a JSON object")
	}
	root := &object{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		text, _ := key.(string) // the decoder gives only strings here
		if err := root.put(strings.Split(text, "."), value); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("config: there is something behind the object")
	}
	return root.text(), nil
}

// An object is a JSON object with its keys in order.
type object struct {
	keys   []string
	values map[string]json.RawMessage
	inner  map[string]*object
}

// put sets the value at a path of keys. An object that is there already is
// added to.
func (o *object) put(path []string, value json.RawMessage) error {
	if o.values == nil {
		o.values, o.inner = map[string]json.RawMessage{}, map[string]*object{}
	}
	key := path[0]
	_, plain := o.values[key]
	child := o.inner[key]
	if plain || child != nil && len(path) == 1 {
		return fmt.Errorf("config: the key %q is given twice", key)
	}
	if child == nil {
		o.keys = append(o.keys, key)
	}
	if len(path) == 1 {
		o.values[key] = value
		return nil
	}
	if child == nil {
		child = &object{}
		o.inner[key] = child
	}
	return child.put(path[1:], value)
}

func (o *object) text() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(key) // a string can be written
		out.Write(name)
		out.WriteByte(':')
		if child := o.inner[key]; child != nil {
			out.Write(child.text())
		} else {
			out.Write(o.values[key])
		}
	}
	out.WriteByte('}')
	return out.Bytes()
}
