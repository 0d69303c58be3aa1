package config

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// An Explicit is a configuration in a file that a person has named. It may be
// YAML or JSON, which is YAML too.
type Explicit struct {
	Name string
	JSON json.RawMessage // what it says
	at   map[string]mark
}

// ReadExplicit reads such a file. What the keys mean is for others to say; but
// the text is read as strictly as a policy file.
func ReadExplicit(name string, text []byte) (Explicit, error) {
	d := &decoder{src: newSource(name, text), at: map[string]mark{}}
	e := Explicit{Name: name, JSON: json.RawMessage("{}"), at: d.at}
	if !d.src.check(d.report) {
		return e, join(d.errs)
	}
	docs, err := documents(d.src.text)
	if err != nil && len(d.errs) == 0 { // else it is about the same
		d.report(d.src.syntax(err))
	}
	for i, n := range docs {
		if i > 0 {
			d.report(mark{n.Line, n.Column}, "a second document", "the file is one document: remove the line with ---")
		}
		if i == 0 && len(n.Content) > 0 {
			d.plain(n.Content[0])
			var out bytes.Buffer
			d.toJSON(&out, n.Content[0], "")
			e.JSON = out.Bytes()
		}
	}
	return e, join(d.errs)
}

// Source returns where a key stands, such as allow_rules.Bash[0]; the nearest
// one above it if it is not there.
func (e *Explicit) Source(key string) sayso.Source {
	for {
		if at, ok := e.at[key]; ok {
			return sayso.Source{File: e.Name, Line: at.line, Column: at.column}
		}
		cut := bytes.LastIndexAny([]byte(key), ".[")
		if cut < 0 {
			return sayso.Source{File: e.Name}
		}
		key = key[:cut]
	}
}

// Error is a mistake at the place of a key.
func (e *Explicit) Error(key, problem, hint string) *Error {
	at := e.Source(key)
	return &Error{File: at.File, Line: at.Line, Column: at.Column, Problem: problem, Hint: hint}
}

// toJSON writes a node as JSON and notes where its keys stand.
func (d *decoder) toJSON(out *bytes.Buffer, n *yaml.Node, path string) {
	if _, ok := d.at[path]; !ok {
		d.at[path] = mark{n.Line, n.Column}
	}
	comma := func(i int) {
		if i > 0 {
			out.WriteByte(',')
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.WriteByte('{')
		i := 0
		d.pairs(n, func(key string, at mark, val *yaml.Node) {
			comma(i)
			i++
			d.at[join2(path, key)] = at
			out.Write(quote(key))
			out.WriteByte(':')
			d.toJSON(out, val, join2(path, key))
		})
		out.WriteByte('}')
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			comma(i)
			d.toJSON(out, item, fmt.Sprintf("%s[%d]", path, i))
		}
		out.WriteByte(']')
	default:
		out.Write(scalar(n))
	}
}

// scalar writes a value that is no list or mapping. What JSON has no form for,
// such as a date, is text.
func scalar(n *yaml.Node) []byte {
	switch n.Tag {
	case "!!null":
		return []byte("null")
	case "!!bool", "!!int", "!!float":
		var v any
		if n.Decode(&v) == nil {
			if text, err := json.Marshal(v); err == nil {
				return text
			}
		}
	}
	return quote(n.Value)
}

func quote(text string) []byte {
	out, _ := json.Marshal(text) // a string can be written
	return out
}

// DidYouMean is a hint at the word that is most like the given one; empty: none
// is near.
func DidYouMean(word string, among []string) string { return didYouMean(word, among) }
