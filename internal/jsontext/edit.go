package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Append adds an item to the array that stands at a path of keys. What is
// missing on the way is made.
func Append(text []byte, item any, path ...string) ([]byte, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return root.Append(text, item, path...)
}

// Append is like the function, for a text that was parsed.
func (v *Value) Append(text []byte, item any, path ...string) ([]byte, error) {
	at := v
	for i, key := range path {
		if at.Kind != Object {
			return nil, mistake(text, at.start, fmt.Sprintf("%s is not an object", strings.Join(path[:i], ".")))
		}
		next := at.Get(key)
		if next == nil {
			return at.insert(text, i, key, nested(item, path[i+1:]))
		}
		at = next
	}
	if at.Kind != Array {
		return nil, mistake(text, at.start, fmt.Sprintf("%s is not a list", strings.Join(path, ".")))
	}
	return at.insert(text, len(path), "", item)
}

// Set gives a key of an object that was parsed a value, in the place of the one that
// it has.
func (v *Value) Set(text []byte, key string, value any) ([]byte, error) {
	old := v.Get(key)
	if old == nil {
		return v.insert(text, 0, key, value)
	}
	now, err := render("", value, "", indentation(text))
	return splice(text, old.start, old.end, now), err
}

// nested wraps an item into an array, and that into objects with the keys.
func nested(item any, keys []string) any {
	var v any = []any{item}
	for _, key := range slices.Backward(keys) {
		v = map[string]any{key: v}
	}
	return v
}

// insert adds something at the end of an object, or of an array if there is no
// key.
func (v *Value) insert(text []byte, depth int, key string, value any) ([]byte, error) {
	unit := indentation(text)
	inner := strings.Repeat(unit, depth+1)
	last := v.last()
	if last >= 0 {
		if own, alone := lineStart(text, v.element(last)); alone {
			inner = own
		}
	}
	entry, err := render(key, value, inner, unit)
	if err != nil {
		return nil, err
	}
	if last < 0 {
		inside := strings.TrimRight(string(text[v.start+1:v.end-1]), " \t\r\n") // comments
		entry = inside + "\n" + inner + entry + "\n" + strings.TrimSuffix(inner, unit)
		return splice(text, v.start+1, v.end-1, withLineEnds(text, entry)), nil
	}
	_, end := v.span(last)
	return splice(text, end, end, withLineEnds(text, ",\n"+inner+entry)), nil
}

// withLineEnds gives what is inserted the line ends of the text.
func withLineEnds(text []byte, inserted string) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return strings.ReplaceAll(inserted, "\n", "\r\n")
	}
	return inserted
}

func render(key string, value any, prefix, unit string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, unit)
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if key == "" {
		return text, nil
	}
	name, err := json.Marshal(key)
	return string(name) + ": " + text, err
}

// Remove takes an element out of an object or an array that was parsed from the
// text.
func Remove(text []byte, from *Value, index int) []byte {
	start, end := from.span(index)
	switch last := from.last(); {
	case last == 0 && blanks(text[from.start+1:start]) && blanks(text[end:from.end-1]):
		return splice(text, from.start+1, from.end-1, "")
	case last == 0: // comments stay, and so may a comma
		return splice(text, start, end+commaAt(text, end), "")
	case index == last:
		_, before := from.span(index - 1)
		if blanks(bytes.Replace(text[before:start], []byte(","), nil, 1)) {
			return splice(text, before, end, "")
		}
		text = splice(text, start, end+commaAt(text, end), "")
		return splice(text, before, before+commaAt(text, before), "")
	}
	next, _ := from.span(index + 1)
	if blanks(bytes.Replace(text[end:next], []byte(","), nil, 1)) {
		return splice(text, start, next, "")
	}
	return splice(text, start, end+commaAt(text, end), "")
}

// blanks reports whether there is nothing to see in a text.
func blanks(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// commaAt is how many bytes there are behind a place up to a comma, with it; none if
// something else comes first.
func commaAt(text []byte, at int) int {
	for i, c := range text[at:] {
		switch {
		case c == ',':
			return i + 1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return 0
		}
	}
	return 0
}

// last is the index of the last element, or -1.
func (v *Value) last() int { return max(len(v.Members), len(v.Items)) - 1 }

// span is where an element starts, with its key, and ends.
func (v *Value) span(i int) (start, end int) {
	if v.Kind == Object {
		return v.Members[i].start, v.Members[i].Value.end
	}
	return v.Items[i].start, v.Items[i].end
}

func (v *Value) element(i int) int {
	start, _ := v.span(i)
	return start
}

// lineStart returns the blanks in front of a place, and whether there is nothing
// else in its line before it.
func lineStart(text []byte, at int) (string, bool) {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line), bytes.Contains(text[:at], []byte("\n")) && len(bytes.Trim(line, " \t")) == 0
}

// indentation is by how much the text is indented: as its first indented line
// is, or by two blanks.
func indentation(text []byte) string {
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

func splice(text []byte, start, end int, with string) []byte {
	return slices.Concat(text[:start], []byte(with), text[end:])
}
