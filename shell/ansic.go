package shell

import (
	"strings"
	"unicode/utf8"
)

// ansiC decodes the text of $'…'. A zero byte ends it.
func ansiC(s string) string {
	text, _, _ := strings.Cut(unescape(s), "\x00")
	return text
}

// unescape decodes the escapes of $'…', echo -e and printf.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'x':
			n, used := digits(s[i+1:], 16, 2)
			if inner, ok := braced(s[i+1:]); ok { // \x{2f}
				n, _ = digits(inner, 16, 8)
				used = len(inner) + 2
			}
			if used == 0 {
				b.WriteString(`\x`)
				continue
			}
			i += used
			b.WriteByte(byte(n))
		case 'u', 'U':
			size := 4
			if c == 'U' {
				size = 8
			}
			n, used := digits(s[i+1:], 16, size)
			if used == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			i += used
			if r := rune(n); utf8.ValidRune(r) {
				b.WriteRune(r)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 8, 3)
			i += used - 1
			b.WriteByte(byte(n))
		case 'c':
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i] & 0x1f)
			}
		default:
			if j := strings.IndexByte(`abeEfnrtv\'"?`, c); j >= 0 {
				b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[j])
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// braced returns the hexadecimal digits of {2f}.
func braced(s string) (string, bool) {
	if !strings.HasPrefix(s, "{") {
		return "", false
	}
	inner, _, ok := strings.Cut(s[1:], "}")
	_, used := digits(inner, 16, len(inner))
	return inner, ok && used > 0 && used == len(inner)
}

// digits reads at most size digits of that base.
func digits(s string, base, size int) (n, used int) {
	for used < len(s) && used < size {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] >= '0' && s[used] <= '9' {
			d = int(s[used] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}
