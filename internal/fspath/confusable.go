package fspath

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// LooksLike reports whether a reader would take one path for the other: they
// are the same when folded, or when letters of other scripts are replaced by
// the ASCII letters, digits and dots that they look like. Two paths that are
// both plain ASCII only look alike if they fold to the same.
func LooksLike(a, b string) bool {
	if Fold(a) == Fold(b) {
		return true
	}
	if isASCII(a) && isASCII(b) {
		return false
	}
	return skeleton(a) == skeleton(b)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// skeleton replaces look-alikes before it folds, because the small form of a
// letter may look like another one than the capital, and again after it,
// because folding brings new ones. Accents are apart from their letters then.
func skeleton(s string) string {
	s = Fold(strings.Map(looks, norm.NFD.String(s)))
	return strings.Map(func(r rune) rune { return blur(looks(r)) }, s)
}

// blur is for what is alike in many fonts.
func blur(r rune) rune {
	switch r {
	case '0':
		return 'o'
	case '1', 'i', '|':
		return 'l'
	}
	return r
}

func looks(r rune) rune {
	if r < 0x80 {
		return r
	}
	i, ok := slices.BinarySearchFunc(confusables[:], r, func(c confusable, r rune) int { return int(c.looks - r) })
	if !ok {
		return r
	}
	return rune(confusables[i].like)
}
