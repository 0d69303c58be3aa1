package fspath

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the key under which spellings of a path are the same file on a
// file system that ignores case or normalises names: lower case, composed
// characters, compatibility forms such as full-width letters replaced,
// characters without width dropped, and, as Windows does it, dots and blanks
// at the end of a component and the names of its default streams.
//
// It takes more for the same than any one file system does, so it is for rules
// that deny. No slash and no sign of a pattern is made or lost: the key has
// the components of the path, and a pattern may be folded like a path. Bytes
// that are not UTF-8 stay as they are.
func Fold(p string) string {
	for i := range len(p) {
		switch c := p[i]; {
		case 'a' <= c && c <= 'z' || c == '/' || '0' <= c && c <= '9' || c == '_' || c == '-':
		case c == '.' && i+1 < len(p) && p[i+1] != '/':
		default:
			return fold(p)
		}
	}
	return p
}

func fold(p string) string {
	if !isASCII(p) {
		return foldEnds(p, foldText(p))
	}
	folded := strings.ToLower(p)
	for i := range len(p) {
		if c := p[i]; c == ':' || (c == '.' || c == ' ') && (i+1 == len(p) || p[i+1] == '/') {
			return foldEnds(p, folded)
		}
	}
	return folded
}

// foldText folds the characters of a text.
func foldText(s string) string {
	s = norm.NFD.String(s)
	out := make([]byte, 0, len(s)+8)
	broken := false // the byte before is not UTF-8; with what follows it could become so
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		was := broken
		broken = r == utf8.RuneError && n == 1
		switch {
		case broken || was && ignorable(r):
			out = append(out, s[i:i+n]...)
		case r < utf8.RuneSelf:
			out = appendFolded(out, r)
		default:
			for _, c := range compatible(s[i:i+n], r) {
				out = appendFolded(out, c)
			}
		}
		i += n
	}
	return norm.NFC.String(string(out))
}

// compatible returns the plain form of a character that is only another form
// of one, unless that has a meaning in a path or a pattern.
func compatible(s string, r rune) []rune {
	plain := norm.NFKD.PropertiesString(s).Decomposition()
	if plain == nil || strings.ContainsAny(string(plain), `/\*?[]{},!^~:`) || len(plain) > 1 && strings.Trim(string(plain), ".") == "" {
		return []rune{r}
	}
	return []rune(string(plain))
}

// appendFolded goes by way of upper case, because several letters (s and the
// long ſ, σ and the final ς) have the same.
func appendFolded(out []byte, r rune) []byte {
	switch {
	case ignorable(r):
		return out
	case r == 'ß' || r == 'ẞ':
		return append(out, "ss"...)
	}
	return utf8.AppendRune(out, unicode.ToLower(unicode.ToUpper(r)))
}

// ignorable are characters that are not seen, and that some file systems leave
// out when they compare names.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case 0x17B4 <= r && r <= 0x17B5, 0x180B <= r && r <= 0x180F, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E:
		return true
	case 0x2060 <= r && r <= 0x206F, 0xFE00 <= r && r <= 0xFE0F, 0xFFF0 <= r && r <= 0xFFFB:
		return true
	}
	return 0x1BCA0 <= r && r <= 0x1BCA3 || 0x1D173 <= r && r <= 0x1D17A || 0xE0000 <= r && r <= 0xE0FFF
}

// streams are the names of what Windows opens anyway.
var streams = [...]string{"::$data", "::$index_allocation", ":$i30:$index_allocation"}

// foldEnds takes from each component what Windows does not see at its end.
// A component that would become nothing, or . or .., stays as it was.
func foldEnds(p, folded string) string {
	var out strings.Builder
	out.Grow(len(folded))
	for {
		was, restWas, _ := strings.Cut(p, "/")
		is, rest, more := strings.Cut(folded, "/")
		short := trimEnd(is)
		switch {
		case was == "." || was == "..":
			short = was
		case is == "" || is == "." || is == "..":
			short = was
		case short == "" || short == "." || short == "..":
			short = is
		}
		out.WriteString(short)
		if !more {
			return out.String()
		}
		out.WriteByte('/')
		p, folded = restWas, rest
	}
}

func trimEnd(s string) string {
	for {
		short := strings.TrimRight(s, ". ")
		for _, name := range streams {
			short = strings.TrimSuffix(short, name)
		}
		if short == s {
			return s
		}
		s = short
	}
}
