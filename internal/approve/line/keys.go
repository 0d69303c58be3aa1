package line

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// What is pressed instead of an answer.
const (
	keyNone      = ""      // nothing, or what is no single key
	keyMany      = "many"  // several at once: pasted, or typed blindly
	keyEnter     = "enter" //
	keyInterrupt = "stop"  // Ctrl+C, or the end of the input
	keyOther     = "other" // one that means nothing
	keyExplain   = "?"     //
	pasteStart   = "\x1b[200~"
	pasteEnd     = "\x1b[201~"
)

// A reader tells keys from what else arrives.
type reader struct {
	pasting bool
	tail    []byte // the end of the last burst, in which the start of a mark may stand
}

// key is what was pressed, if it was one key. What a terminal marks as pasted is
// never one, however slowly it arrives.
func (r *reader) key(burst []byte) string {
	if len(burst) == 0 {
		return keyNone
	}
	if len(burst) == 1 && (burst[0] == 3 || burst[0] == 4) { // also while something is pasted: no is always safe
		return keyInterrupt
	}
	whole := append(bytes.Clone(r.tail), burst...)
	r.tail = bytes.Clone(whole[max(0, len(whole)-len(pasteStart)+1):])
	start, end := bytes.LastIndex(whole, []byte(pasteStart)), bytes.LastIndex(whole, []byte(pasteEnd))
	pasted := r.pasting || start >= 0
	switch {
	case start > end:
		r.pasting = true
	case end >= 0:
		r.pasting = false
	}
	if r.pasting || len(burst) > 1 && strings.HasPrefix(pasteStart, string(burst)) && string(burst) != pasteStart {
		return keyNone // what comes behind it tells
	}
	c, n := utf8.DecodeRune(burst)
	switch {
	case pasted || n != len(burst):
		return keyMany
	case c == '\r' || c == '\n':
		return keyEnter
	case c <= ' ' || c >= 0x7f:
		return keyOther
	}
	return string(c)
}
