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
	single bool   // the last one came by itself
	text   string // what it sent
	more   bool   // what is read next was there when the last was read: it came with it
}

// Read reads what was pressed. Nobody can ask meanwhile: what is read and not noted
// yet would be missed.
func (k *keyboard) Read(p []byte) (int, error) {
	ready(k.File, true)
	k.mu.Lock()
	defer k.mu.Unlock()
	n, err := k.File.Read(p)
	if n > 0 {
		k.before, k.last, k.single, k.text = k.last, time.Now(), oneKey(p[:n]) && !k.more, string(p[:n])
		k.more = ready(k.File, false)
	}
	return n, err
}

// pressed is when the last key arrived, and whether it is the one of that name and
// nothing else did for as long before it, and since; what has arrived and was not
// read yet counts, too.
func (k *keyboard) pressed(name string, settle time.Duration) (at time.Time, alone bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last, k.single && sends(name, k.text) && k.last.Sub(k.before) >= settle && time.Since(k.last) >= settle && !ready(k.File, false)
}

// sends reports whether a key sends these bytes: one of a sign, or Enter, Space or
// Esc.
func sends(name, text string) bool {
	switch name {
	case "enter":
		return text == "\r" || text == "\n"
	case "space":
		return text == " "
	case "esc":
		return text == "\x1b"
	}
	return name == text
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
