package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// jsonName is what errors and rules call a configuration that is no file.
const jsonName = "config"

// deepest is how deep JSON may be nested; a policy needs five levels.
const deepest = 64

// FromJSON reads a configuration with the same keys as a policy file. In it a
// dotted key is the nested key: workspace.network is network in workspace, and
// mcp.github.ask is ask in github in mcp. No text, or null, is an empty one.
func FromJSON(raw json.RawMessage, own ...sayso.Tool) (*File, error) {
	d := &decoder{src: newSource(jsonName, raw), own: own, at: map[string]mark{}}
	var doc document
	switch {
	case len(raw) > maxSize:
		d.src.check(d.report)
	case !utf8.Valid(raw):
		d.report(mark{1, 1}, "the text is not UTF-8", "")
	case len(bytes.TrimSpace(raw)) > 0:
		d.json(&doc)
	}
	return d.file(&doc)
}

func (d *decoder) json(doc *document) {
	if n := d.jsonNode(); n != nil {
		d.value(nested(n), value(doc), "")
	}
}

// jsonNode reads the text as JSON; nil: it is none, and that is reported.
func (d *decoder) jsonNode() *yaml.Node {
	r := &jsonReader{src: d.src, dec: json.NewDecoder(bytes.NewReader(d.src.text)), at: mark{1, 1}}
	r.dec.UseNumber()
	n, err := r.value(0)
	rest := d.src.text[r.dec.InputOffset():]
	at := r.next()
	if err == nil && len(bytes.TrimSpace(rest)) > 0 {
		err = errors.New("there is something behind the value")
	}
	if err != nil {
		d.report(at, "not JSON: "+err.Error(), "")
		return nil
	}
	return n
}

// A jsonReader turns JSON into the nodes that the decoder reads.
type jsonReader struct {
	src  *source
	dec  *json.Decoder
	last int // an offset, and
	at   mark
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > deepest {
		return nil, errors.New("it is nested too deep")
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	at := r.next()
	n.Line, n.Column = at.line, at.column
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		n.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[v]
		for r.dec.More() {
			kid, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, kid)
		}
		_, err = r.dec.Token() // the end
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	default:
		n.Tag = "!!null"
	}
	return n, err
}

// next returns the place where the next token begins.
func (r *jsonReader) next() mark {
	at := int(r.dec.InputOffset())
	at += len(r.src.text[at:]) - len(bytes.TrimLeft(r.src.text[at:], " \t\r\n,:"))
	passed := r.src.text[r.last:at]
	if lines := bytes.Count(passed, []byte("\n")); lines > 0 {
		r.at = mark{r.at.line + lines, 1}
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	r.at.column += utf8.RuneCount(passed)
	r.last = at
	return r.at
}

// nested puts dotted keys where they belong. Only those of the whole are taken
// apart: a server may have a dot in its name.
func nested(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = nil
	for _, now := range []bool{false, true} { // the dotted ones last, into what is there
		for i := 0; i+1 < len(n.Content); i += 2 {
			if path := dotted(n.Content[i].Value); len(path) > 1 == now {
				put(&out, path, n.Content[i], n.Content[i+1])
			}
		}
	}
	return &out
}

// dotted takes a key apart. Below mcp the last part is the list, and all between
// is the name of the server.
func dotted(key string) []string {
	head, rest, ok := strings.Cut(key, ".")
	if !ok || head == "mcp" && !strings.Contains(rest, ".") {
		return strings.SplitN(key, ".", 2)
	}
	if head == "mcp" {
		if i := strings.LastIndexByte(rest, '.'); slices.Contains(keysOf[server](), rest[i+1:]) {
			return []string{head, rest[:i], rest[i+1:]}
		}
		return []string{head, rest}
	}
	return strings.Split(key, ".")
}

// put adds a value below a path of keys; at is the node of the written key.
func put(n *yaml.Node, path []string, at, val *yaml.Node) {
	key := *at
	key.Value = path[0]
	if len(path) == 1 {
		n.Content = append(n.Content, &key, val)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] && n.Content[i+1].Kind == yaml.MappingNode {
			put(n.Content[i+1], path[1:], at, val)
			return
		}
	}
	below := &yaml.Node{Kind: yaml.MappingNode, Line: at.Line, Column: at.Column}
	n.Content = append(n.Content, &key, below)
	put(below, path[1:], at, val)
}
