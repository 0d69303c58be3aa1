package mcpgate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// visible is JSON in whose texts each character that people cannot see, or that
// changes what they see, is written as its code: a model reads them all. Keys stay,
// because programs need them. It reports whether there was any; if there was none,
// the text stays as it is.
func visible(text json.RawMessage) (json.RawMessage, bool) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var v any
	if in.Decode(&v) != nil {
		return text, false
	}
	changed := false
	v = shown(v, &changed)
	if !changed {
		return text, false
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return text, false
	}
	return bytes.TrimSpace(out.Bytes()), true
}

func shown(v any, changed *bool) any {
	switch v := v.(type) {
	case string:
		text := plain(v)
		*changed = *changed || text != v
		return text
	case []any:
		for i := range v {
			v[i] = shown(v[i], changed)
		}
	case map[string]any:
		for k := range v {
			v[k] = shown(v[k], changed)
		}
	}
	return v
}

// plain is a text with codes for what cannot be seen. Lines, tabs and blanks of
// other scripts stay.
func plain(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&out, "[U+%04X]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r == 0xFE0F: // the last one asks for a picture of the character before it
		return false
	case unicode.Is(unicode.Zs, r):
		return false
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r == 0x2800, r == 0x3164, r == 0x115F, r == 0x1160, r == 0xFFA0, r == 0x034F:
		return true // selectors, in which text can be hidden, and letters that look like nothing
	}
	return !unicode.IsPrint(r)
}
