package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// documents reads the YAML documents of a text, as nodes: nothing is expanded.
func documents(text []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the library must not take the agent's guard down
			err = fmt.Errorf("yaml: the parser failed: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		n := new(yaml.Node)
		if err := dec.Decode(n); err != nil {
			if errors.Is(err, io.EOF) {
				return docs, nil
			}
			return docs, err
		}
		docs = append(docs, n)
	}
}

// syntaxHints are for those messages of the library that have a usual cause.
var syntaxHints = []struct{ in, hint string }{
	{"alphabetic or numeric character", "put text that starts with * or & in quotes"},
	{"cannot start any token", "put text that starts with @, % or a backquote in quotes"},
	{"mapping values are not allowed", "check the indentation, and put text with a colon in quotes"},
	{"unknown anchor", "put text that starts with * in quotes"},
	{"unexpected end of stream", "a quote is not closed"},
	{"',' or ']'", "a list in brackets is not closed, or a comma is missing"},
	{"',' or '}'", "a mapping in braces is not closed, or a comma is missing"},
	{"did not find expected key", "check the indentation and the quotes"},
	{"found unknown escape character", "use single quotes: a backslash has a meaning in double quotes"},
}

// syntax turns an error of the library into a place, a problem and a hint.
func (s *source) syntax(err error) (at mark, problem, hint string) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, rest, ok := strings.Cut(rest, ": "); ok {
			line, _ = strconv.Atoi(number)
			text = rest
		}
		if fromParser(text) {
			line++ // it counts from 0, and leaves out line 0
		}
	}
	if name, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		line = 1 + bytes.Count(s.text[:max(0, bytes.Index(s.text, []byte("*"+name)))], []byte("\n"))
	}
	for line > 1 && len(bytes.TrimSpace(s.line(line))) == 0 {
		line-- // it points behind the end
	}
	for _, h := range syntaxHints {
		if strings.Contains(text, h.in) {
			hint = h.hint
			break
		}
	}
	return mark{line, indent(s.line(line)) + 1}, "not YAML: " + text, hint
}

// fromParser tells the messages of the library's parser from those of its
// scanner: they count lines differently.
func fromParser(text string) bool {
	for _, what := range []string{"key", "'-' indicator", "',' or ']'", "',' or '}'", "node content", "<document start>"} {
		if strings.HasPrefix(text, "did not find expected "+what) {
			return true
		}
	}
	return false
}

// plain reports what a policy file does without, because it makes a text mean
// something that it does not show: aliases, anchors and tags.
func (d *decoder) plain(n *yaml.Node) {
	at := mark{n.Line, n.Column}
	switch {
	case n.Kind == yaml.AliasNode:
		d.report(at, "aliases are not used here", "put text that starts with * in quotes")
		return // and do not follow it
	case n.Anchor != "":
		d.report(at, "anchors are not used here", "put text that starts with & in quotes")
	case n.Style&yaml.TaggedStyle != 0:
		d.report(at, "tags are not used here", "put text that starts with ! in quotes")
	}
	for _, kid := range n.Content {
		d.plain(kid)
	}
}

// kindOf says in words what a node is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys and values"
	case yaml.ScalarNode:
		switch n.Tag {
		case "!!null":
			return "nothing"
		case "!!bool":
			return n.Value
		case "!!int", "!!float":
			return "a number"
		case "!!timestamp":
			return "a date"
		}
		return "text"
	}
	return "that"
}
