package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// An Other is a file of another program that says, among other things, what an
// agent may do.
type Other struct {
	Name    string
	Text    []byte // nil: there is no such file
	Trusted bool   // it may loosen: it did not come with the workspace, or a person trusts that
}

// ReadOther reads a file of another program. One that is missing is no error; one
// that cannot be read, or that somebody else could have written, is.
func (at Places) ReadOther(name string) (Other, error) {
	o := Other{Name: name}
	text, info, err := at.Disk.Read(name, maxSize+1)
	if missing(err) {
		return o, nil
	}
	layer := sayso.User
	if at.inside(name) {
		layer = sayso.Committed
	}
	problem, hint := info.problem(layer)
	if err != nil {
		problem, hint = "it cannot be read: "+plainError(err), ""
	}
	if problem != "" {
		return o, &Error{File: name, Problem: problem, Hint: hint}
	}
	o.Text = append([]byte{}, text...)
	o.Trusted = layer != sayso.Committed || at.Trusted != nil && at.Trusted(name, text)
	return o, nil
}

// Marks say where things stand in a file.
type Marks struct {
	name string
	at   map[string]mark
}

// Source returns the place of a key, or of an item such as tools.list[0]; the
// file if it is not there.
func (m Marks) Source(key string) sayso.Source {
	at := m.at[key]
	return sayso.Source{File: m.name, Line: at.line, Column: at.column}
}

// Has reports whether the key is there.
func (m Marks) Has(key string) bool {
	_, ok := m.at[key]
	return ok
}

// Error is a mistake at the place of a key.
func (m Marks) Error(key, problem, hint string) *Error {
	at := m.at[key]
	return &Error{m.name, at.line, at.column, problem, hint}
}

// Section reads what stands below a key of a YAML file as strictly as a policy
// file. Into points to a struct whose json tags name what may be there; the other
// keys of the file are none of our business.
func (o *Other) Section(key string, into any) (Marks, error) {
	d := &decoder{src: newSource(o.Name, o.Text), at: map[string]mark{}}
	marks := Marks{o.Name, d.at}
	if !d.src.check(d.report) {
		return marks, join(d.errs)
	}
	docs, err := documents(d.src.text)
	if err != nil && len(d.errs) == 0 { // else it is about the same
		d.report(d.src.syntax(err))
	}
	for i, n := range docs {
		if i > 0 {
			d.report(mark{n.Line, n.Column}, "a second document", "the file is one document: remove the line with ---")
		}
		if len(n.Content) > 0 {
			d.section(n.Content[0], key, reflect.ValueOf(into).Elem())
		}
	}
	return marks, join(d.errs)
}

// JSON returns the file as JSON: it is that, or YAML without aliases, anchors and
// tags. The keys stay in their order, and marks say where they stand.
func (o *Other) JSON() (json.RawMessage, Marks, error) {
	d := &decoder{src: newSource(o.Name, o.Text), at: map[string]mark{}}
	var n *yaml.Node
	switch text := bytes.TrimSpace(o.Text); {
	case len(text) == 0:
	case text[0] == '{' && len(o.Text) <= maxSize:
		n = d.jsonNode()
	case d.src.check(d.report):
		n = d.yamlNode()
	}
	var out bytes.Buffer
	if n != nil {
		d.plain(n)
		d.writeJSON(&out, n, "")
	}
	return out.Bytes(), Marks{o.Name, d.at}, join(d.errs)
}

// yamlNode reads the text as the one YAML document that it is; nil: it is empty.
func (d *decoder) yamlNode() *yaml.Node {
	docs, err := documents(d.src.text)
	if err != nil && len(d.errs) == 0 { // else it is about the same
		d.report(d.src.syntax(err))
	}
	if len(docs) > 1 {
		d.report(mark{docs[1].Line, docs[1].Column}, "a second document", "the file is one document: remove the line with ---")
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 {
		return nil
	}
	return docs[0].Content[0]
}

// writeJSON writes a node as JSON, and notes where it stands.
func (d *decoder) writeJSON(out *bytes.Buffer, n *yaml.Node, path string) {
	if _, ok := d.at[path]; !ok { // else it is that of its key
		d.at[path] = mark{n.Line, n.Column}
	}
	text := func(s string) {
		quoted, _ := json.Marshal(s) // a string can be written
		out.Write(quoted)
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		out.WriteByte('[')
		for i, kid := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			d.writeJSON(out, kid, fmt.Sprintf("%s[%d]", path, i))
		}
		out.WriteByte(']')
	case n.Kind == yaml.MappingNode:
		out.WriteByte('{')
		first := true
		d.pairs(n, func(key string, at mark, val *yaml.Node) {
			if !first {
				out.WriteByte(',')
			}
			first = false
			text(key)
			out.WriteByte(':')
			d.at[join2(path, key)] = at
			d.writeJSON(out, val, join2(path, key))
		})
		out.WriteByte('}')
	case n.Tag == "!!null":
		out.WriteString("null")
	case n.Tag == "!!bool":
		out.WriteString(strings.ToLower(n.Value))
	case (n.Tag == "!!int" || n.Tag == "!!float") && json.Valid([]byte(n.Value)):
		out.WriteString(n.Value)
	default:
		text(n.Value)
	}
}

// section reads the value of a key of a mapping. A key that is nearly the one is
// taken for a mistake: what it says would be lost.
func (d *decoder) section(n *yaml.Node, key string, v reflect.Value) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.want(n, "", "keys and values", "")
		return
	}
	d.pairs(n, func(name string, at mark, val *yaml.Node) {
		switch {
		case name == key:
			d.plain(val)
			d.value(val, v, key)
		case nearest(name, []string{key}) != "":
			d.report(at, fmt.Sprintf("unknown key %q", name), didYouMean(name, []string{key}))
		}
	})
}
