package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// A decoder puts YAML nodes into the types of document.go. It reports what is
// wrong and goes on.
type decoder struct {
	src  *source
	own  []sayso.Tool // the tools of the program, for the texts of rules
	at   map[string]mark
	errs []*Error

	modes []modeAt // to be looked at when the preset is known
}

// A reader is a type that reads its value itself.
type reader interface {
	read(d *decoder, n *yaml.Node, path string)
}

func (d *decoder) report(at mark, problem, hint string) {
	d.errs = append(d.errs, &Error{File: d.src.name, Line: at.line, Column: at.column, Problem: problem, Hint: hint})
}

// want reports that the value of a key is something else than it must be.
func (d *decoder) want(n *yaml.Node, path, what, hint string) {
	d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: want %s, not %s", label(path), what, kindOf(n)), hint)
}

// label is a path as people know it: without the places in lists.
func label(path string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if _, rest, ok := strings.Cut(part, "]"); ok {
			part = rest
		}
		b.WriteString(part)
	}
	if b.Len() == 0 {
		return "the file"
	}
	return b.String()
}

// value reads a node into v. A list or a mapping may be left empty: that is what
// remains when all of it is commented out.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	d.at[path] = mark{n.Line, n.Column}
	if n.Kind == yaml.AliasNode {
		return // reported already
	}
	if r, ok := v.Addr().Interface().(reader); ok {
		r.read(d, n, path)
		return
	}
	empty := n.Kind == yaml.ScalarNode && n.Tag == "!!null"
	switch v.Kind() {
	case reflect.Pointer:
		if empty && v.Type().Elem().Kind() == reflect.Struct {
			return
		}
		to := v.Elem()
		if v.IsNil() {
			to = reflect.New(v.Type().Elem()).Elem()
		}
		before := len(d.errs)
		d.value(n, to, path)
		if len(d.errs) == before || to.Kind() == reflect.Struct {
			v.Set(to.Addr())
		}
	case reflect.Struct:
		d.fields(n, v, path)
	case reflect.Map:
		if !empty {
			d.table(n, v, path)
		}
	case reflect.Slice:
		if !empty {
			d.list(n, v, path)
		}
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			d.want(n, path, "true or false", "")
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	default:
		d.word(n, v, path)
	}
}

// word reads text, or one of a closed list of words.
func (d *decoder) word(n *yaml.Node, v reflect.Value, path string) {
	list, ok := v.Interface().(worded)
	if !ok {
		if text, ok := d.text(n, path); ok {
			v.SetString(text)
		}
		return
	}
	words := list.words()
	text := n.Value
	if n.Tag == "!!bool" && slices.Contains(words, "on") {
		text = map[bool]string{true: "on", false: "off"}[strings.EqualFold(text, "true")] // the same to many programs
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.want(n, path, oneOf(words), "")
		return
	}
	if !slices.Contains(words, text) {
		d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: want %s, not %q", label(path), oneOf(words), text), didYouMean(text, words))
		return
	}
	v.SetString(text)
}

// text reads text that is not empty.
func (d *decoder) text(n *yaml.Node, path string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		d.want(n, path, "text", "")
	case n.Tag != "!!str" && n.Style&yaml.TaggedStyle == 0: // a tag is reported already
		d.want(n, path, "text", fmt.Sprintf("put it in quotes: %q", n.Value))
	case strings.TrimSpace(n.Value) == "":
		d.report(mark{n.Line, n.Column}, label(path)+": the text is empty", "")
	default:
		return n.Value, true
	}
	return "", false
}

// list reads a list behind what v has already.
func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode {
			hint = "put it in brackets"
		}
		d.want(n, path, "a list", hint)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeSlice(v.Type(), 0, len(n.Content)))
	}
	for _, item := range n.Content {
		one := reflect.New(v.Type().Elem()).Elem()
		before := len(d.errs)
		d.value(item, one, fmt.Sprintf("%s[%d]", path, v.Len()))
		if len(d.errs) == before || one.Type() == reflect.TypeFor[entry]() {
			v.Set(reflect.Append(v, one)) // an entry may count in spite of a mistake
		}
	}
}

// table reads a mapping with keys of the writer's own.
func (d *decoder) table(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.want(n, path, "keys and values", "")
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	d.pairs(n, func(key string, at mark, val *yaml.Node) {
		one := reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(reflect.ValueOf(key)); old.IsValid() {
			one.Set(old)
		}
		d.value(val, one, join2(path, key))
		d.at[join2(path, key)] = at
		v.SetMapIndex(reflect.ValueOf(key), one)
	})
}

// fields reads a mapping into a struct.
func (d *decoder) fields(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.want(n, path, "keys and values", "")
		return
	}
	known := keysIn(v.Type())
	d.pairs(n, func(key string, at mark, val *yaml.Node) {
		i := slices.Index(known, key)
		if i < 0 {
			d.unknown(key, at, path, known)
			return
		}
		d.value(val, v.Field(i), join2(path, key))
	})
}

func (d *decoder) unknown(key string, at mark, path string, known []string) {
	hint := didYouMean(key, known)
	if head, rest, ok := strings.Cut(key, "."); ok && slices.Contains(known, head) {
		hint = fmt.Sprintf("write %s below %s", rest, head)
	}
	if hint == "" {
		hint = "want " + oneOf(known)
	}
	problem := fmt.Sprintf("unknown key %q", key)
	if path != "" {
		problem += " in " + label(path)
	}
	d.report(at, problem, hint)
}

// pairs calls yield for each key of a mapping. One that is given twice is an
// error, but what both of them say is read.
func (d *decoder) pairs(n *yaml.Node, yield func(key string, at mark, val *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], mark{n.Content[i].Line, n.Content[i].Column}
		if key.Kind != yaml.ScalarNode {
			if key.Kind != yaml.AliasNode {
				d.report(at, "a key must be a word, not "+kindOf(key), "")
			}
			continue
		}
		if first, ok := seen[key.Value]; ok {
			d.report(at, fmt.Sprintf("the key %q is given twice", key.Value), fmt.Sprintf("first in line %d", first))
		} else {
			seen[key.Value] = key.Line
		}
		yield(key.Value, at, n.Content[i+1])
	}
}

func join2(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// keysOf returns the keys of a type of document.go, in the order of its fields.
func keysOf[T any]() []string { return keysIn(reflect.TypeFor[T]()) }

func keysIn(t reflect.Type) []string {
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return keys
}

func value(doc *document) reflect.Value { return reflect.ValueOf(doc).Elem() }
