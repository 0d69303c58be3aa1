package fspath

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Plain returns what a reader takes a name for: letters of other scripts are
// replaced by the ASCII letters, digits and dots that they look like, other forms
// of a character (full-width ones) by the character, and what is not seen is left
// out. A name that looks like no other is returned as it is; no slash is made or
// lost.
func Plain(name string) string {
	if isASCII(name) {
		return name
	}
	apart := norm.NFD.String(name)
	out := make([]byte, 0, len(apart))
	for i := 0; i < len(apart); {
		r, n := utf8.DecodeRuneInString(apart[i:])
		if r < utf8.RuneSelf || r == utf8.RuneError && n == 1 {
			out = append(out, apart[i:i+n]...)
			i += n
			continue
		}
		for _, c := range compatible(apart[i:i+n], r) {
			if !ignorable(c) {
				out = utf8.AppendRune(out, looks(c))
			}
		}
		i += n
	}
	return norm.NFC.String(string(out))
}

// Hidden returns what stands in a text and is not seen, and makes it read as
// another: characters that change the order of what is shown, and ones without
// width between plain ones. Between letters of other scripts those have their
// use. It returns 0 if there is none.
func Hidden(text string) rune {
	if isASCII(text) {
		return 0
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
			return r
		case ignorable(r) && (i == 0 || runes[i-1] < utf8.RuneSelf) && (i+1 == len(runes) || runes[i+1] < utf8.RuneSelf):
			return r
		}
	}
	return 0
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func looks(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	i, ok := slices.BinarySearchFunc(confusables[:], r, func(c confusable, r rune) int { return int(c.looks - r) })
	if !ok {
		return r
	}
	return rune(confusables[i].like)
}
