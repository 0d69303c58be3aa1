package config

import (
	"strings"
	"unicode/utf8"
)

// nearest returns the word that is most like the given one, or nothing if none
// is near. Of two that are equally near it takes the one that starts alike.
func nearest(word string, among []string) string {
	if len(word) > 40 { // no typing error
		return ""
	}
	best, least := "", max(1, min(utf8.RuneCountInString(word)/3, 3))
	for _, w := range among {
		d := distance(strings.ToLower(word), strings.ToLower(w))
		if d < least || d == least && (best == "" || alike(word, w) > alike(word, best)) {
			best, least = w, d
		}
	}
	return best
}

// alike counts the bytes that two words have in common at their start.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// didYouMean is nearest as a hint.
func didYouMean(word string, among []string) string {
	if near := nearest(word, among); near != "" {
		return `did you mean "` + near + `"?`
	}
	return ""
}

// DidYouMean is a hint at the word that is most like the given one; empty: none
// is near.
func DidYouMean(word string, among []string) string { return didYouMean(word, among) }

// Nearest is the word that is most like the given one; empty: none is near.
func Nearest(word string, among []string) string { return nearest(word, among) }

// distance counts the letters that have to be added, removed, replaced or
// swapped with the next to get from a to b.
func distance(a, b string) int {
	up2, up, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		up2, up, row = up, row, up2
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], up2[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// oneOf lists words: a, b or c.
func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
