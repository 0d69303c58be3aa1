// Package jsontext changes JSON text in place: what is not changed stays as it
// was, byte for byte, with its order, its blanks and the keys that nobody here
// knows.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Kind is what a value is.
type Kind uint8

// The kinds of values.
const (
	Other Kind = iota // a number, true, false or null
	String
	Object
	Array
)

// A Value is a value of a text, with where it stands.
type Value struct {
	Kind    Kind
	Text    string   // of a string
	Members []Member // of an object
	Items   []*Value // of an array

	start, end int
}

// A Member is a key of an object with its value.
type Member struct {
	Key   string
	Value *Value

	start int
}

// An Error is a mistake in a text.
type Error struct {
	Line, Column int // from 1
	Problem      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem) }

// maxDepth is how deep values may be nested.
const maxDepth = 200

// Parse reads a text that is one object. A key that is given twice is a mistake:
// programs do not agree on which counts.
func Parse(text []byte) (*Value, error) { return parse(text) }

// ParseCommented reads a text in which comments and commas behind the last element
// may stand, as some programs take their settings. What is changed in it is changed
// in the text itself, and they stay.
func ParseCommented(text []byte) (*Value, error) { return parse(blank(text)) }

// blank is a text with blanks in place of its comments and of commas behind the last
// element, so that everything else stands where it stood.
func blank(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1       // the last one, as long as only blanks follow it
	last := byte('{') // what stood before, but for blanks
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma, last = -1, c
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',' && last != '{' && last != '[' && last != ',':
			comma, last = i, c
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma, last = ' ', -1, c
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma, last = -1, c
		}
	}
	return out
}

// blankComment blanks a comment that starts at a place, and returns its last byte. One
// that does not end stays, and is a mistake.
func blankComment(out []byte, from int) int {
	end := bytes.IndexByte(out[from:], '\n')
	if out[from+1] == '*' {
		if end = bytes.Index(out[from+2:], []byte("*/")); end < 0 {
			return from
		}
		end += 4
	}
	if end < 0 {
		end = len(out) - from
	}
	for i := from; i < from+end; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
	return from + end - 1
}

func parse(text []byte) (*Value, error) {
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, mistake(text, int(syntax.Offset)-1, syntax.Error())
		}
		return nil, err
	}
	p := parser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if v.Kind != Object {
		return nil, mistake(text, v.start, "want an object: { … }")
	}
	return v, nil
}

func mistake(text []byte, at int, problem string) error {
	before := text[:min(max(at, 0), len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &Error{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[line:]) + 1, problem}
}

type parser struct {
	text []byte
	dec  *json.Decoder
}

// next is where the next token starts.
func (p *parser) next() int {
	at := int(p.dec.InputOffset())
	for at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,:"), p.text[at]) >= 0 {
		at++
	}
	return at
}

func (p *parser) value(depth int) (*Value, error) {
	v := &Value{start: p.next()}
	if depth > maxDepth {
		return nil, mistake(p.text, v.start, "it is nested too deeply")
	}
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case string:
		v.Kind, v.Text = String, token
	case json.Delim:
		if token == '{' {
			err = p.object(v, depth)
		} else {
			err = p.array(v, depth)
		}
		if err == nil {
			_, err = p.dec.Token() // the end
		}
	}
	v.end = int(p.dec.InputOffset())
	return v, err
}

func (p *parser) object(v *Value, depth int) error {
	v.Kind = Object
	for p.dec.More() {
		m := Member{start: p.next()}
		key, err := p.dec.Token()
		if err != nil {
			return err
		}
		m.Key, _ = key.(string) // it always is
		if v.Get(m.Key) != nil {
			return mistake(p.text, m.start, fmt.Sprintf("the key %q is given twice", m.Key))
		}
		if m.Value, err = p.value(depth + 1); err != nil {
			return err
		}
		v.Members = append(v.Members, m)
	}
	return nil
}

func (p *parser) array(v *Value, depth int) error {
	v.Kind = Array
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	return nil
}

// Get returns the value of a key, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Raw is a value as it stands in the text.
func (v *Value) Raw(text []byte) string { return string(text[v.start:v.end]) }

// Line returns the line in which a value of the text stands.
func (v *Value) Line(text []byte) int { return bytes.Count(text[:v.start], []byte("\n")) + 1 }
