package mask

import (
	"iter"
	"math"
	"strings"
)

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// wordByte reports whether tokens are made of such bytes.
func wordByte(c byte) bool { return alphanumeric(c) || strings.IndexByte("_-.+/~", c) >= 0 }

// pieces are the parts of a word that could be random each: a path is none as a
// whole.
func pieces(word string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start := 0
		for i := 0; i <= len(word); i++ {
			if i < len(word) && word[i] != '/' && word[i] != '.' {
				continue
			}
			if i > start && !yield(start, word[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

// Limits of what counts as random. They were chosen so that names in camel case
// or with dashes, versions and dates stay readable.
const (
	randomLength = 20   // bytes at least
	randomBits   = 3.3  // of entropy a byte
	randomTurns  = 0.28 // how often the next byte is of another class
)

// random reports whether a word looks as if it was drawn by lot.
func random(word string) bool {
	if len(word) < randomLength || digest(word) {
		return false
	}
	var count [256]int
	digits, letters, turns := 0, 0, 0
	last := byte(0)
	for i := 0; i < len(word); i++ {
		c := word[i]
		count[c]++
		class := classOf(c)
		switch class {
		case 'd':
			digits++
		case 'u', 'l':
			letters++
		}
		if i > 0 && class != last && class != 'x' && last != 'x' {
			turns++
		}
		last = class
	}
	if letters < 3 || digits < 2 {
		return false
	}
	return float64(turns)/float64(len(word)) >= randomTurns && entropy(&count, len(word)) >= randomBits
}

func classOf(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return 'd'
	case c >= 'a' && c <= 'z':
		return 'l'
	case c >= 'A' && c <= 'Z':
		return 'u'
	}
	return 'x'
}

func entropy(count *[256]int, n int) float64 {
	bits := 0.0
	for _, k := range count {
		if k > 0 {
			p := float64(k) / float64(n)
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// digest reports whether a word is a checksum or an identifier, which are no
// secrets: hexadecimal digits of the usual lengths, or a UUID.
func digest(word string) bool {
	hex := 0
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			hex++
		} else if c != '-' {
			return false
		}
	}
	switch len(word) {
	case 32, 40, 64, 96, 128:
		return hex == len(word)
	case 36:
		return hex == 32 && word[8] == '-' && word[13] == '-' && word[18] == '-' && word[23] == '-'
	}
	return false
}
