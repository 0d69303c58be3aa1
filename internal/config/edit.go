package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// ErrNoRule means that a file does not have the rule that is to be removed.
var ErrNoRule = errors.New("there is no such rule")

// errByHand means that an edit would have changed something else.
var errByHand = errors.New("the file is written in a way that cannot be edited safely: change it by hand")

// AddRule returns the text of a policy file with a rule more. All else stays as
// it is, comments and blanks too. A text that has the rule already, without
// exceptions or an end, is returned unchanged; one with a mistake in it is not
// edited.
func AddRule(text []byte, effect sayso.Effect, rule string, own ...sayso.Tool) ([]byte, error) {
	if err := compiles(rule, own); err != nil {
		return nil, err
	}
	f, err := Parse("", text, own...)
	if err != nil {
		return nil, err
	}
	for _, r := range f.Rules {
		if r.Effect == effect && r.Text == rule && r.Except == nil && r.Until.IsZero() {
			return text, nil
		}
	}
	e, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	out := e.add(effect.String(), rule)
	f.Rules = append(f.Rules, sayso.Rule{Effect: effect, Text: rule})
	return verified(f, out, own)
}

// RemoveRule returns the text of a policy file without a rule, in whatever form
// it is written there, and however often. It returns ErrNoRule if it is not
// there.
func RemoveRule(text []byte, effect sayso.Effect, rule string, own ...sayso.Tool) ([]byte, error) {
	f, err := Parse("", text, own...)
	if err != nil {
		return nil, err
	}
	is := func(r sayso.Rule) bool { return r.Effect == effect && r.Text == rule }
	if !slices.ContainsFunc(f.Rules, is) {
		return nil, ErrNoRule
	}
	e, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	gone := map[mark]bool{}
	f.Rules = slices.DeleteFunc(f.Rules, func(r sayso.Rule) bool {
		if is(r) {
			gone[mark{r.Source.Line, r.Source.Column}] = true
		}
		return is(r)
	})
	out, err := e.remove(gone)
	if err != nil {
		return nil, err
	}
	return verified(f, out, own)
}

// verified returns the text if it says what it should: an edit that does more
// than it was asked to must not be written.
func verified(want *File, text []byte, own []sayso.Tool) ([]byte, error) {
	got, err := Parse("", text, own...)
	if err != nil || !reflect.DeepEqual(got.content(), want.content()) {
		return nil, errByHand
	}
	return text, nil
}

// content is what a file says, wherever it stands in it.
func (f *File) content() any {
	rules := make([]string, len(f.Rules))
	for i, r := range f.Rules {
		r.Source = sayso.Source{}
		if strings.HasPrefix(r.Text, "mcp(") {
			r.Except = nil // may follow from other rules
		}
		rules[i] = fmt.Sprintf("%+v", r)
	}
	slices.Sort(rules)
	return []any{f.Preset, f.Mode, rules, f.Workspace, f.Sandbox, f.Approve}
}

// An editor changes a text by the places of its nodes.
type editor struct {
	*source
	root  *yaml.Node   // the mapping, or nil if there is none
	nodes []*yaml.Node // all of them, in the order of the text
}

func newEditor(text []byte) (*editor, error) {
	docs, err := documents(text)
	if err != nil {
		return nil, err
	}
	e := &editor{source: newSource("", text)}
	if len(docs) == 1 && len(docs[0].Content) == 1 && docs[0].Content[0].Kind == yaml.MappingNode {
		e.root = docs[0].Content[0]
		e.walk(e.root)
	}
	return e, nil
}

func (e *editor) walk(n *yaml.Node) {
	e.nodes = append(e.nodes, n)
	for _, kid := range n.Content {
		e.walk(kid)
	}
}

// find returns the key of the mapping and its value, or nil.
func (e *editor) find(name string) (key, val *yaml.Node) {
	if e.root == nil {
		return nil, nil
	}
	for i := 0; i+1 < len(e.root.Content); i += 2 {
		if e.root.Content[i].Value == name {
			return e.root.Content[i], e.root.Content[i+1]
		}
	}
	return nil, nil
}

// splice returns the text with a part of it replaced.
func (e *editor) splice(from, to int, by string) []byte {
	return slices.Concat(e.text[:from], []byte(by), e.text[to:])
}

// add puts a rule into the list with that name.
func (e *editor) add(list, rule string) []byte {
	key, val := e.find(list)
	switch {
	case key == nil && e.root != nil && isFlow(e.root):
		return e.addKeyInBraces(list, rule)
	case key == nil:
		in := ""
		if e.root != nil {
			in = strings.Repeat(" ", e.root.Column-1)
		}
		return e.insertLines(len(e.starts)+1, in+list+":", in+"  - "+quoted(rule, false))
	case val.Kind == yaml.SequenceNode && isFlow(val):
		return e.addInBrackets(key, val, rule)
	case val.Kind == yaml.SequenceNode:
		end := e.endOf(val, key.Column-1)
		return e.insertLines(end, strings.Repeat(" ", val.Column-1)+"- "+quoted(rule, false))
	case val.Value == "" && !isFlow(e.root): // the key stands alone
		return e.insertLines(key.Line+1, strings.Repeat(" ", key.Column+1)+"- "+quoted(rule, false))
	}
	at, text := e.offset(mark{val.Line, val.Column}), "["+quoted(rule, true)+"]" // null, or nothing before a brace
	if e.text[at-1] != ' ' {
		text = " " + text
	}
	return e.splice(at, at+len(val.Value), text)
}

// insertLines puts lines in front of a line, with the line ends of the text.
func (e *editor) insertLines(line int, lines ...string) []byte {
	nl := "\n"
	if bytes.Contains(e.text, []byte("\r\n")) {
		nl = "\r\n"
	}
	at := e.start(line)
	text := strings.Join(lines, nl) + nl
	if at == len(e.text) && at > 0 && e.text[at-1] != '\n' {
		text = nl + strings.TrimSuffix(text, nl)
	}
	return e.splice(at, at, text)
}

// after returns the line of the first thing behind a node and all that is in it;
// the one behind the last if there is nothing.
func (e *editor) after(n *yaml.Node) int {
	at := slices.Index(e.nodes, n) + size(n)
	if at < len(e.nodes) {
		return e.nodes[at].Line
	}
	return len(e.starts) + 1
}

func size(n *yaml.Node) int {
	sum := 1
	for _, kid := range n.Content {
		sum += size(kid)
	}
	return sum
}

// endOf returns the line behind a block: comments and empty lines in front of
// what follows belong to that, if they are not indented more than depth.
func (e *editor) endOf(n *yaml.Node, depth int) int { return e.back(e.after(n), n.Line, depth) }

func (e *editor) back(end, first, depth int) int {
	for ; end-1 > first; end-- {
		line := e.line(end - 1)
		text := bytes.TrimSpace(line)
		if len(text) > 0 && (text[0] != '#' || indent(line) > depth) {
			break
		}
	}
	return end
}
