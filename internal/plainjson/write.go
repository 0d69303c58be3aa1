package plainjson

import "unicode/utf8"

const hex = "0123456789abcdef"

// AppendText appends a string as encoding/json writes it, with the signs <, > and &
// escaped or not. Bytes that are no UTF-8 become the replacement character.
func AppendText(b []byte, s string, escapeHTML bool) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' && (!escapeHTML || c != '<' && c != '>' && c != '&') {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = appendEscape(append(b, s[done:i]...), c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[done:i]...), `\ufffd`...)
			done = i + size
		case r == '\u2028' || r == '\u2029': // JavaScript takes them for line ends
			b = append(append(b, s[done:i]...), '\\', 'u', '2', '0', '2', hex[r&15])
			done = i + size
		}
		i += size
	}
	return append(append(b, s[done:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
