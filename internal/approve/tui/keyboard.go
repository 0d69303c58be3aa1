package tui

import (
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A keyboard is a terminal that remembers when keys arrived. A busy machine may
// look at them much later, when two that came together are far apart.
type keyboard struct {
	*os.File

	mu     sync.Mutex
	before time.Time // when the last but one arrived
	last   time.Time
	single bool // the last one came by itself
}

// Read reads what was pressed.
func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	k.mu.Lock()
	defer k.mu.Unlock()
	if n > 0 {
		k.before, k.last, k.single = k.last, time.Now(), oneKey(p[:n])
	}
	return n, err
}

// pressed is when the last key arrived, and whether nothing else did for as long
// before it, and since.
func (k *keyboard) pressed(settle time.Duration) (at time.Time, alone bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last, k.single && k.last.Sub(k.before) >= settle && time.Since(k.last) >= settle
}

// oneKey reports whether the bytes are those of one key: a character, or one
// sequence.
func oneKey(p []byte) bool {
	if _, n := utf8.DecodeRune(p); n == len(p) {
		return true
	}
	rest, ok := strings.CutPrefix(string(p), "\x1b[")
	if !ok || rest == "" {
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' || r < ' ' || r > '~' })
	return end == len(rest)-1 && rest[end] >= '@' && rest[end] <= '~'
}
