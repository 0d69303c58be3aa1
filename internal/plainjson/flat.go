package plainjson

import (
	"cmp"
	"slices"
)

// Flat returns the fields of an object that has only strings, truth values, null and
// short whole numbers, as most inputs of tools do: in order, the last one of each
// key. It reports whether the text is such an object.
func Flat(text []byte) ([]Field, bool) {
	v, err := Parse(text)
	if err != nil || v[0] != '{' {
		return nil, false
	}
	fields, err := v.Fields()
	if err != nil {
		return nil, false
	}
	for _, f := range fields {
		if !f.Value.short() {
			return nil, false
		}
	}
	slices.Reverse(fields) // the last one of a key comes first, and stays
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.Key, b.Key) })
	return slices.CompactFunc(fields, func(a, b Field) bool { return a.Key == b.Key }), true
}

// short reports whether a value reads the same however it is read and written.
func (v Value) short() bool {
	switch v[0] {
	case '"', 't', 'f', 'n':
		return true
	case '{', '[', '-', '0':
		return len(v) == 1 && v[0] == '0'
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(v) <= 15
}

// Canonical appends an object that [Flat] takes as encoding/json writes it, with its
// keys in order. It reports whether it could.
func Canonical(b, text []byte) ([]byte, bool) {
	fields, ok := Flat(text)
	if !ok {
		return b, false
	}
	b = append(b, '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendText(b, f.Key, true), ':')
		if f.Value[0] != '"' {
			b = append(b, f.Value...)
			continue
		}
		s, err := f.Value.Text()
		if err != nil {
			return b, false
		}
		b = AppendText(b, s, true)
	}
	return append(b, '}'), true
}
